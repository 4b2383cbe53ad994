"""What an engine of the model host is given and what it must give back."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

type Chunk = Mapping[str, Any]
"""A piece of a streamed chat completion in OpenAI form, as a plain dict."""

ANSWER_LIMIT = 16 * 1024 * 1024
"""Bytes one answer may have, its wrapping included."""

CONNECT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Call:
    """One call, as the program sent it. `body` is the request in OpenAI form, serialised."""

    id: int
    engine: str
    model: str
    base_url: str
    idle_seconds: float
    total_seconds: float
    headers: Mapping[str, str]
    api_key: str = field(repr=False)
    body: bytes = field(repr=False)
    query: Mapping[str, str] = field(default_factory=dict)
    proxy: str = ""
    """The address of the proxy that the person named for this provider; empty for the system's."""
    api: str = "chat_completions"
    """Of the engine openai: chat_completions, or responses."""
    lists: str = ""
    """openai, anthropic or gemini: not a question, but which models there are, asked in that way."""


class Failure(Exception):
    """A call that failed, in the words of the protocol: see failures.py for the kinds."""

    def __init__(
        self,
        kind: str,
        detail: str = "",
        *,
        status: int | None = None,
        retry_after: float | None = None,
        usage: Mapping[str, Any] | None = None,
    ) -> None:
        """`usage`: what the call cost all the same."""
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.said = detail
        self.status = status
        self.retry_after = retry_after
        self.usage = usage


class Engine(Protocol):
    """A library that talks to model servers."""

    def prepare(self) -> None:
        """Import the library. Blocks for seconds; called once, in a thread, before any call."""

    def chunks(self, call: Call) -> AsyncGenerator[Chunk]:
        """Make the call. Closing the generator closes the connection. Raises whatever the library does."""
