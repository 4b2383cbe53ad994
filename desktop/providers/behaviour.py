"""What a model takes and refuses, as data: every difference between vendors is a field here.

The values stand in behaviour_table.py; options.py makes the body of a request from them, normalise.py
its messages, and healing.py changes them where a server says that the table is wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

type Params = Mapping[str, Any]
"""Parameters of a request's body."""
type Api = Literal["chat_completions", "responses"]
"""Which of OpenAI's two APIs a request uses, by the path it is sent to."""

LEVELS = ("off", "on", "minimal", "low", "medium", "high")
"""How much a model may think; "on" where it can only be switched."""

_SCALE = {"off": 0, "minimal": 1, "low": 2, "medium": 3, "on": 3, "high": 4}
_OTHER_NAMES = {"none": "off", "xhigh": "high", "max": "high"}
"""What settings of nanobot say for a level."""
_NOTHING: Params = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class WireRules:
    """What one family of models demands of a message list, beyond the OpenAI form."""

    text_only: bool = False
    """Content must be a string: parts are flattened, images become a note."""
    system_role: Literal["system", "user"] = "system"
    """Who says the system prompt; as "user" it goes before the person's first words."""
    reasoning: Literal["", "content", "blocks", "details", "items"] = ""
    """What of earlier thinking is sent back: nothing; reasoning_content of each answer, empty where there
    was none; signed thinking_blocks with it; reasoning_details; the reasoning items of Responses."""
    author: str = ""
    """Provider and model: blocks and details that another one made are left out."""
    refused_blocks: frozenset[str] = frozenset()
    """Blocks and details that the server did not take back, by content.name_of()."""
    tool_id_pattern: str = r"[A-Za-z0-9_-]{1,64}"
    """Ids of tool calls must match this whole; others are renamed, the pairs kept."""
    user_after_tool: bool = True
    """Whether the person's words may follow a tool's result; if not, an answer is put between."""
    pictures: bool = False
    """The model can see: pictures go along as data, else a note says that there are some."""
    picture_side: int = 2048
    """Pixels of the longest side of a picture: a larger one is made smaller before it is sent."""
    picture_bytes: int = 3_700_000
    """The largest file of a picture; a third more on the wire, where most servers take 5 MB."""
    refused: frozenset[str] = frozenset()
    """Paths of pictures that this server did not take: they become a note."""
    cache_marks: Literal["", "parts", "messages"] = ""
    """Mark up to where the prompt can be cached (Anthropic's cache_control): the last tool, the system
    prompt, the person's or the tools' last words and those before the model's last. Results of tools are
    marked in a part of their content, or as messages."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How one model wants to be asked."""

    api: Api = "chat_completions"
    temperature: Literal["any"] | float | None = "any"
    """Without thinking: the person's, this one always, or none may be sent."""
    thinking_temperature: Literal["any"] | float | None = "any"
    """The same while it thinks."""
    temperatures: tuple[float, float] = (0.0, 2.0)
    """The lowest and the highest that it takes."""
    levels: tuple[str, ...] = ()
    """Of LEVELS: what the person can choose; empty where the model does as it likes."""
    switch: Params = _NOTHING
    """By level, the parameters that ask for it."""
    thinks: bool = False
    """It thinks where nothing is said of it."""
    always: Params = _NOTHING
    """Parameters of every request."""
    max_tokens: str = "max_tokens"
    """The name of the limit of an answer; empty where none may be sent."""
    most_tokens: int = 0
    """The highest limit of an answer that it takes; 0 for any."""
    stream_options: bool = True
    """It takes the wish for a count of tokens at the end of a stream."""
    tool_choice: bool = True
    """It can be told not to call tools."""
    parallel_calls: bool = False
    """It must be told that it may call several tools at once."""
    strict: bool = False
    """It keeps to the schemas of tools that are marked as strict."""
    cache_key: bool = False
    """It takes a prompt_cache_key, which sends a conversation where its beginning is known."""
    speaks_in_thoughts: bool = False
    """What it says may come as reasoning, with no text beside it."""
    rules: WireRules = field(default_factory=WireRules)


def level_of(behaviour: Behaviour, wanted: str | None) -> str:
    """The level of the model that is nearest to the one wanted; "" for the model's own.

    A model that cannot be kept from thinking thinks as little as it can; one that was to think does not
    end up switched off.
    """
    level = _OTHER_NAMES.get(wanted or "", wanted or "")
    if level not in _SCALE or not behaviour.levels:
        return ""
    if level in behaviour.levels:
        return level
    thinking = [one for one in behaviour.levels if one != "off"]
    if not thinking:
        return ""
    return min(thinking, key=lambda one: abs(_SCALE[one] - _SCALE[level]))


def temperature_of(behaviour: Behaviour, level: str, wanted: float | None) -> float | None:
    """The temperature to send at a level of thinking where the person wants this one; None for none."""
    thinks = level != "off" if level else behaviour.thinks
    rule = behaviour.thinking_temperature if thinks else behaviour.temperature
    if rule != "any":
        return rule
    lowest, highest = behaviour.temperatures
    return None if wanted is None else min(max(wanted, lowest), highest)
