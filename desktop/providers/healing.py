"""Makes a request anew where the server refuses a part of it that the table of behaviour says it takes.

Vendors change what their models take, and behind a gateway or an address of the person's own may be any
model. A refusal that names a parameter of ours is answered by one request without it, or with its other
name; what helped is remembered for this model (learned.py), until its entry or the table changes. A key
that is not accepted, a question that is too long and words that name nothing heal nothing.
"""

import logging
import re
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Protocol

from desktop.providers.base import BadRequest, Completion, Delta, Endpoint, Provider, Request
from desktop.providers.behaviour import LEVELS, Behaviour, level_of
from desktop.providers.behaviour_responses import without_summary
from desktop.providers.content import name_of
from desktop.providers.options import options_of
from desktop.text import _

_log = logging.getLogger(__name__)

_REFUSALS = (400, 422)
_MOST_TRIES = 8
_LIMITS = ("max_tokens", "max_completion_tokens")
_COMMON_WORDS = ("store", "include", "reasoning")
_CONDITION = re.compile(r"\b(?:when|while|if|unless|only)\b")
_TOO_MUCH = re.compile(
    r"too (?:large|high|big|many)|at most|maximum|exceed|greater|less than|up to|range|>|<="
)
_NUMBER = re.compile(r"(?<![\w.])\d{2,7}(?![\w.]*\d)")
_WANTED = re.compile(r"must be|passed back|required|missing|expected")
_VALUE = re.compile(
    r"\bvalues?\b|input (?:tag|should)|one of|\.type\.|\.(?:en|dis)abled|does not support '|only supports?"
)
_SYSTEM = re.compile(
    r"\bsystem\b.{0,60}\b(?:role|message|prompt|instruction)|\brole.{0,60}\bsystem\b|developer instruction"
)
_SIGNED = re.compile(
    r"signature|thinking_blocks?|thinking.{0,3} block|redacted_thinking|encrypted|reasoning_details|"
    r"type 'reasoning'|required 'reasoning' item|items? with id"
)
_SCHEMA = re.compile(r"invalid schema for (?:function|tool)|invalid_function_parameters")
_NO_SEALS = re.compile(r"encrypted.content is not supported")
_SUMMARY = re.compile(r"summar(?:y|ies)\b")
_NO_SUCH_PATH = (404, 405)
_UNKNOWN_PATH = re.compile(
    r"unknown (?:request )?url|unknown path|no route|(?:url|path|route|endpoint)\b.{0,40}not found"
)
_OTHER_PATH = re.compile(r"v1/responses\b|responses api")
_NO_MODEL = re.compile(r"model_not_found|\bmodel\b.{0,80}(?:not exist|not found)")
FOR_NOW, THOUGHTLESS = "blocks", "blocks=thoughtless"
"""What is about a conversation and not about its model: blocks of it are damaged and left out; where that
is not taken either, it is answered without thinking."""


class Memory(Protocol):
    """What was learned before."""

    async def of(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The lessons that hold for a model, the oldest first. Raises StorageError."""

    async def keep(self, endpoint: Endpoint, lessons: Iterable[str]) -> None:
        """Remember these as well. Raises StorageError."""


class HealingProvider:
    """Another provider, whose servers need not take all that the table says."""

    def __init__(self, inner: Provider, memory: Memory) -> None:
        self._inner, self._memory = inner, memory
        self._damaged: dict[tuple[str, str], frozenset[str]] = {}
        """By model and conversation, the blocks that its server did not take back, as long as we run."""

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        """As the provider answers; a completion tells what was left out for it for the first time."""
        place = (request.endpoint.rules.author, request.conversation)
        known = await self._memory.of(request.endpoint)
        lessons: list[str] = []
        while True:
            asked = _without(taught(request, (*known, *lessons)), self._damaged.get(place, frozenset()))
            begun = False
            try:
                async with aclosing(self._inner.stream(asked)) as stream:
                    async for item in stream:
                        begun = True
                        if isinstance(item, Completion) and lessons:
                            await self._memory.keep(request.endpoint, _lasting(request.endpoint, lessons))
                            item = replace(item, learned=tuple(lessons))
                        yield item
                return
            except BadRequest as error:
                may = not begun and len(lessons) < _MOST_TRIES
                new = _taught_by(error, request, asked, (*known, *lessons)) if may else []
                if not new:
                    raise
                if FOR_NOW in new:
                    self._damaged[place] = frozenset(_blocks(request))
                _log.info("%s does not take %s", request.endpoint.provider, ", ".join(new))
                lessons += new


def _lasting(endpoint: Endpoint, lessons: Iterable[str]) -> list[str]:
    """Without what is about a conversation, and without a way there and back."""
    lasting = [lesson for lesson in lessons if lesson not in (FOR_NOW, THOUGHTLESS)]
    moves = [lesson for lesson in lasting if lesson.startswith("api=")]
    gone = moves if moves and moves[-1] == f"api={endpoint.behaviour.api}" else moves[:-1]
    return [lesson for lesson in lasting if lesson not in gone]


def _taught_by(error: BadRequest, request: Request, asked: Request, known: Collection[str]) -> list[str]:
    """The lessons of a refusal that are not `known`; `asked` is the request as it was sent."""
    if moved := [lesson for lesson in _elsewhere(error, request, asked) if lesson not in known]:
        return moved
    lost = error.status == 404 and _SIGNED.search(error.said.lower())
    return refused(error.said, asked, known) if lost or error.status in _REFUSALS else []


def _elsewhere(error: BadRequest, request: Request, asked: Request) -> list[str]:
    """Whether the server has only the other API, for this model at least."""
    both, now, said = _both(request.endpoint), asked.endpoint.behaviour.api, error.said.lower()
    if len(both) < 2:
        return []
    if now == "responses":
        gone = error.status in _NO_SUCH_PATH and not (_NO_MODEL.search(said) or _SIGNED.search(said))
        return ["api=chat_completions"] if gone or _UNKNOWN_PATH.search(said) else []
    return ["api=responses"] if _OTHER_PATH.search(said) else []


def _both(endpoint: Endpoint) -> dict[str, Behaviour]:
    """How a model behaves, by the API; of those that it may be asked over."""
    behaviours = (endpoint.behaviour, endpoint.otherwise)
    return {found.api: found for found in behaviours if found is not None}


def _blocks(request: Request) -> Iterator[str]:
    """The names of all blocks of thinking in a conversation."""
    for message in request.messages:
        blocks = message.get("thinking_blocks")
        yield from map(name_of, blocks if isinstance(blocks, list) else ())


def _without(request: Request, blocks: frozenset[str]) -> Request:
    if not blocks:
        return request
    rules = replace(request.endpoint.rules, refused_blocks=blocks)
    return replace(request, endpoint=request.endpoint.ruled(rules))


def refused(said: str, request: Request, known: Collection[str] = ()) -> list[str]:
    """What of a request a server's words name, as lessons that are not `known`; empty where they name
    nothing of it."""
    own = request.endpoint.extra  # what the person wrote is sent as it is
    text, options = said.lower(), {k: v for k, v in options_of(request).items() if k not in own}
    back = request.endpoint.rules.reasoning in ("blocks", "details", "items")
    if back and _SIGNED.search(text) and not _NO_SEALS.search(text):
        return [lesson for lesson in (FOR_NOW, THOUGHTLESS) if lesson not in known][:1]
    wish = options.get("reasoning")
    if isinstance(wish, Mapping) and "summary" in wish and _SUMMARY.search(text):
        return [lesson for lesson in ("summary",) if lesson not in known]
    found = [lesson for look in _LOOKS for lesson in look(text, request, options)]
    if len(found) > 1 and _CONDITION.search(text):  # "temperature may only be 1 while thinking is on"
        found = [lesson for lesson in found if not lesson.startswith("reasoning=")]
    if any(lesson.startswith("max_tokens=") for lesson in known):  # neither of its names
        found = ["max_tokens=" if lesson.startswith("max_tokens=") else lesson for lesson in found]
    return [lesson for lesson in found if lesson not in known]


def taught(request: Request, lessons: Iterable[str]) -> Request:
    """The request as the lessons want it."""
    behaviour = unlearned(request.endpoint, lessons)
    return replace(request, endpoint=replace(request.endpoint, behaviour=behaviour))


def unlearned(endpoint: Endpoint, lessons: Iterable[str]) -> Behaviour:
    """The behaviour of a model without what the lessons say that is not so. What was learned over one API
    does not count for the other."""
    behaviour, both = endpoint.behaviour, _both(endpoint)
    for lesson in lessons:
        name, _equals, value = lesson.partition("=")
        if name == "api":
            behaviour = both.get(value, behaviour)
        elif kind := _KINDS.get(name):
            behaviour = kind.applied(behaviour, value)
    return behaviour


def sentence(lesson: str) -> str:
    """What was learned, for the person."""
    name, _equals, value = lesson.partition("=")
    return _KINDS[name].told(value) if name in _KINDS else lesson


# ---- what a server may name

type _Look = Callable[[str, Request, Mapping[str, Any]], list[str]]


def _names(text: str, *words: str) -> bool:
    return any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in words)


def _plain(text: str, request: Request, options: Mapping[str, Any]) -> list[str]:
    """Parameters that can be left out as they are."""
    found = [name for name in _PLAIN if name in options and _names(text, name)]
    if "stream_options" in options and _names(text, "include_usage") and "stream_options" not in found:
        found.append("stream_options")
    if "tools" in options and request.endpoint.rules.cache_marks and _names(text, "cache_control"):
        found.append("cache_control")
    return found


def _always(text: str, request: Request, options: Mapping[str, Any]) -> list[str]:
    found = [name for name in request.endpoint.behaviour.always if _names_parameter(text, name)]
    if "include" in options and "include" not in found and _NO_SEALS.search(text):
        found.append("include")
    return [f"always={name}" for name in found]


def _names_parameter(text: str, name: str) -> bool:
    """As _names; a parameter that is a common word counts in quotes only."""
    if name in _COMMON_WORDS:
        return re.search(rf"""['"`]{name}(?:\[\d+\])?['"`]""", text) is not None
    return _names(text, name)


def _limit(text: str, request: Request, options: Mapping[str, Any]) -> list[str]:
    ours = request.endpoint.behaviour.max_tokens
    if ours not in options or not _names(text, ours, *_LIMITS):
        return []
    if _TOO_MUCH.search(text):
        numbers = [int(found) for found in _NUMBER.findall(text)]
        if fitting := [number for number in numbers if number < options[ours]]:
            return [f"most_tokens={max(fitting)}"]
    if ours not in _LIMITS:
        return ["max_tokens="]
    return [f"max_tokens={_LIMITS[1] if ours == _LIMITS[0] else _LIMITS[0]}"]


def _reasoning(text: str, request: Request, options: Mapping[str, Any]) -> list[str]:
    """The level of thinking, where its value is refused, else all that one parameter asks for."""
    behaviour = request.endpoint.behaviour
    level = level_of(behaviour, request.reasoning)
    for name, value in behaviour.switch.get(level, {}).items():
        inner = [key for key in value if key != "type"] if isinstance(value, Mapping) else []
        if _names(text, name, *inner):
            return [f"reasoning={level if _VALUE.search(text) else name}"]
    return []


def _strict(text: str, request: Request, options: Mapping[str, Any]) -> list[str]:
    strict = any(tool["function"].get("strict") for tool in options.get("tools", ()))
    return ["strict"] if strict and (_names(text, "strict") or _SCHEMA.search(text)) else []


def _thoughts(text: str, request: Request, options: Mapping[str, Any]) -> list[str]:
    """Earlier thinking that was sent back, or was not."""
    sent = request.endpoint.rules.reasoning
    if "reasoning_content" not in text:
        return []
    if _WANTED.search(text):
        return ["back=content"] if sent != "content" else []
    return ["back="] if sent else []


def _system(text: str, request: Request, options: Mapping[str, Any]) -> list[str]:
    return (
        ["system_role"] if request.endpoint.rules.system_role == "system" and _SYSTEM.search(text) else []
    )


_PLAIN = ("temperature", "stream_options", "tool_choice", "parallel_tool_calls", "prompt_cache_key")
_LOOKS: tuple[_Look, ...] = (_plain, _always, _limit, _reasoning, _strict, _thoughts, _system)


# ---- what follows from it


@dataclass(frozen=True, slots=True)
class _Kind:
    applied: Callable[[Behaviour, str], Behaviour]
    told: Callable[[str], str]


def _without_levels(behaviour: Behaviour, refused: str) -> Behaviour:
    """Without a level, or all those that a parameter asks for."""
    gone = [level for level, asked in behaviour.switch.items() if level == refused or refused in asked]
    levels = tuple(level for level in behaviour.levels if level not in gone)
    return replace(behaviour, levels=levels)


def _about_reasoning(refused: str) -> str:
    if refused in LEVELS:
        return _("It does not accept the reasoning level “{level}”.").format(level=refused)
    return _("Its reasoning level can’t be set.")


def _without_always(behaviour: Behaviour, name: str) -> Behaviour:
    return replace(behaviour, always={k: v for k, v in behaviour.always.items() if k != name})


def _ruled(**rules: Any) -> Callable[[Behaviour, str], Behaviour]:
    return lambda behaviour, _value: replace(behaviour, rules=replace(behaviour.rules, **rules))


_KINDS: Mapping[str, _Kind] = {
    "api": _Kind(
        lambda behaviour, _value: behaviour,  # which of two it is: unlearned()
        lambda api: (
            _("It is called through the Responses API, because its server requires it.")
            if api == "responses"
            else _("Its server has no Responses API, so it is called through Chat Completions.")
        ),
    ),
    "summary": _Kind(
        lambda behaviour, _value: without_summary(behaviour),
        lambda _value: _("It does not show its reasoning."),
    ),
    "temperature": _Kind(
        lambda behaviour, _value: replace(behaviour, temperature=None, thinking_temperature=None),
        lambda _value: _("It does not accept a temperature."),
    ),
    "stream_options": _Kind(
        lambda behaviour, _value: replace(behaviour, stream_options=False),
        lambda _value: _("It does not count tokens while streaming."),
    ),
    "tool_choice": _Kind(
        lambda behaviour, _value: replace(behaviour, tool_choice=False),
        lambda _value: _("It can’t be told not to use tools."),
    ),
    "parallel_tool_calls": _Kind(
        lambda behaviour, _value: replace(behaviour, parallel_calls=False),
        lambda _value: _("It can’t call several tools at once."),
    ),
    "strict": _Kind(
        lambda behaviour, _value: replace(behaviour, strict=False),
        lambda _value: _("It can’t be held to the exact format of tool calls."),
    ),
    "prompt_cache_key": _Kind(
        lambda behaviour, _value: replace(behaviour, cache_key=False),
        lambda _value: _("It does not accept a cache key."),
    ),
    "cache_control": _Kind(_ruled(cache_marks=""), lambda _value: _("It does not accept cache markers.")),
    "always": _Kind(_without_always, lambda name: _("It does not accept {name}.").format(name=name)),
    "max_tokens": _Kind(
        lambda behaviour, name: replace(behaviour, max_tokens=name),
        lambda name: (
            _("Its name for the answer limit is {name}.").format(name=name)
            if name
            else _("It does not accept a limit for answers.")
        ),
    ),
    "most_tokens": _Kind(
        lambda behaviour, number: replace(behaviour, most_tokens=int(number)),
        lambda number: _("Its answers have at most {n} tokens.").format(n=number),
    ),
    "reasoning": _Kind(_without_levels, _about_reasoning),
    "system_role": _Kind(
        _ruled(system_role="user"), lambda _value: _("It does not accept a separate system prompt.")
    ),
    "back": _Kind(
        lambda behaviour, mode: replace(behaviour, rules=replace(behaviour.rules, reasoning=mode)),  # type: ignore[arg-type]
        lambda mode: (
            _("It requires its earlier reasoning to be sent back.")
            if mode
            else _("It does not accept its earlier reasoning back.")
        ),
    ),
    FOR_NOW: _Kind(
        lambda behaviour, value: replace(behaviour, switch={}, levels=()) if value else behaviour,
        lambda _value: _("The model did not accept its earlier reasoning back, and answered without it."),
    ),
}
