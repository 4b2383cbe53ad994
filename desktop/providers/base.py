"""The seam to every language model: what is asked, what comes back, how it fails.

ProviderError
├── SignInNeeded      the key is missing, wrong or not allowed
├── RateLimited       too many requests; retry_after in seconds where the server said it
├── QuotaExceeded     no money or quota left: never retried
├── ContextTooLong    the request does not fit the model's window
├── BadRequest        the server refuses what was asked (unknown model, bad parameter)
├── Unreachable       no connection, no answer in time, broken off, or a server fault
├── DayIsSpent        our own limit on what works by itself: nobody was asked
├── AnswerTooLong     our own cap on one answer
├── CutShort          the server ended the answer before it was whole, and says why
├── WrongWay          the environment names a proxy or certificates that cannot be used
└── HostDied          the model host went away in mid-answer
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from desktop.errors import AppError
from desktop.providers.behaviour import Behaviour, WireRules

type Message = dict[str, Any]
"""A message in OpenAI form; keys with a leading underscore are ours and never leave the program."""


class ProviderError(AppError):
    """A model call that failed. `detail` is the server's own words, masked and cut short."""

    retryable = False
    field = ""
    """What of the provider's settings is at fault: key, address, model, proxy or quota; "" for none."""

    def __init__(self, text: str, remedy: str = "", *, detail: str = "", status: int | None = None):
        super().__init__(text, remedy)
        self.detail = detail
        self.status = status
        self.usage: Usage | None = None
        """What the call cost all the same, where the server said it."""
        self.said = detail
        """All that the server said, which may be long; never shown."""


class SignInNeeded(ProviderError):
    """The key is missing, wrong or not allowed to do this."""

    field = "key"


class RateLimited(ProviderError):
    """Too many requests. `retry_after`: seconds, None where the server did not say."""

    retryable = True
    field = "quota"

    def __init__(
        self,
        text: str,
        remedy: str = "",
        *,
        detail: str = "",
        status: int | None = None,
        retry_after: float | None = None,
    ):
        super().__init__(text, remedy, detail=detail, status=status)
        self.retry_after = retry_after


class QuotaExceeded(ProviderError):
    """The account has no quota or money left."""

    field = "quota"


class DayIsSpent(ProviderError):
    """What may be spent in a day by work that nobody waits for is spent."""


class ContextTooLong(ProviderError):
    """The request does not fit the model's window."""


class BadRequest(ProviderError):
    """The server refuses the request as such; `status` tells 404 and 413 from 400."""


class Unreachable(ProviderError):
    """No connection, silence past the deadline, a broken stream, or a fault of the server (5xx)."""

    retryable = True


class AnswerTooLong(ProviderError):
    """The answer passed our cap and was ended."""


class CutShort(ProviderError):
    """The server ended the answer before it was whole: its filter, a fault, or it was called off there."""


class WrongWay(ProviderError):
    """A variable of the environment names a proxy or certificates that cannot be used."""


class HostDied(ProviderError):
    """The model host went away during the call."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer (`text`) or of the thinking before it (`reasoning`)."""

    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model wants run. `arguments` is the JSON text exactly as it came."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call cost, in tokens as the server counted them; cost in US dollars if it said so."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    """A part of the output."""
    cost: float | None = None
    saved: float | None = None
    """What the cache saved of what the call would have cost, less what was paid to fill it; None where no
    price is known."""
    reasoning_cost: float | None = None
    """What of the cost was for reasoning; None likewise."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The end of a stream: all the model said. `finish`: stop, length or tool_calls."""

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    finish: str = "stop"
    thinking_blocks: tuple[dict[str, Any], ...] = ()
    """Signed or sealed: thinking that only its author takes back."""
    author: str = ""
    """Whose those are: WireRules.author."""
    answered: "Endpoint | None" = None
    """Who answered, where it was another than the one that was asked."""
    learned: tuple[str, ...] = ()
    """What the server did not take and was left out for this answer: see healing.py."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one address, ready to be called: the registry's row and the person's settings."""

    provider: str
    model: str
    """The name as the engine wants it: stripped or prefixed by the registry's rules."""
    engine: str = "openai"
    """openai or litellm."""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the body that the person wants in each request."""
    query: Mapping[str, str] = field(default_factory=dict)
    """What they want in the address of each."""
    session_header: str = ""
    """A header in which the server wants a name of each conversation."""
    behaviour: Behaviour = field(default_factory=Behaviour)
    """What the model takes, by the table and by what the person knows better."""
    otherwise: Behaviour | None = None
    """The same over the other API, where the server may send us there; None where it may not."""
    entry: str = ""
    """A digest of the behaviour and of the person's settings of this provider: what was learned of
    the model counts as long as it is the same."""
    idle_seconds: float = 90.0
    """Give up when no byte came for this long."""
    total_seconds: float = 1800.0
    """Give up on the whole call after this long."""
    tools: bool = True
    """The model can be told of tools."""
    proxy: str = ""
    """The proxy that the person named for this provider; empty for the system's."""
    title: str = ""
    """What the provider is called in sentences; empty for its name."""

    @property
    def rules(self) -> WireRules:
        """What the model demands of the messages."""
        return self.behaviour.rules

    def ruled(self, rules: WireRules) -> "Endpoint":
        """The same with other rules for the messages."""
        return replace(self, behaviour=replace(self.behaviour, rules=rules))


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model. `messages` starts with the system prompt; none of it is changed."""

    endpoint: Endpoint
    messages: Sequence[Message]
    max_tokens: int
    temperature: float | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    callable: bool = True
    """Whether the tools may be called now. They are told all the same: the prompt keeps its beginning."""
    must_call: tuple[str, ...] = ()
    """Names of tools one of which must be called now; empty for any of them, or none."""
    reasoning: str = ""
    """How much the model shall think, of behaviour.LEVELS; "" as it does by itself."""
    conversation: str = ""
    """The session's key: lets the client reuse what it already serialised for this conversation."""


class Provider(Protocol):
    """A language model. Closing the iterator (aclose) ends the call at the server."""

    def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        """Deltas as they come, then exactly one Completion. Raises ProviderError."""
