"""What a session is made of: messages, their size in tokens, and which of them a model may see."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

type Message = dict[str, Any]
"""A message in OpenAI form; keys with a leading underscore are marks and never leave the program."""

_BELOW_WIDE = re.compile(r"[\x00-\u2e7f]+")
_PER_MESSAGE = 4
_PER_IMAGE = 1000
_TURNS_APART = 64
HIDDEN = "_hidden"
"""The mark of a message that nobody is shown."""
WITHDRAWS = "_withdraws"
"""In a record that nobody is shown: the turn of a message that the person took back before it was read."""
BEGINS = "begins"
"""Beside a title: the first words, where others took the place of those at the head of the log."""
NAMED = "named"
"""Beside a title: the person had the last word about it, also where there is none."""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One line of the list of sessions, from a look at the head and the tail of its file."""

    key: str
    title: str
    updated: datetime
    """When the last message was written (aware, UTC)."""
    size: int
    """Bytes of the file."""
    messages: int | None
    """None where the file is too long to be counted for a list."""
    damaged: int
    """Unreadable records among those looked at."""
    path: Path
    pinned: bool = False
    """Whether the person wants it on top."""
    sender: str = ""
    """Who writes there, where it is a chat's: the one who wrote last."""
    archived: bool = False
    """Whether the person put it aside, and nothing was said in it since."""


def replayable(message: Mapping[str, Any]) -> bool:
    """Whether a model may see this record: slash commands and hidden markers it may not."""
    return not any(key == "_command" or key.startswith("_hidden") for key in message if key[:1] == "_")


def place_in(messages: Sequence[Message], message: Message) -> int:
    """Where a message belongs: at the end, but an answer right after its own turn's messages.

    The person may write again while an answer is on its way: the log then has both questions before the
    first answer. Only the last few messages are looked at.
    """
    turn = message.get("_turn")
    if turn and message.get("role") != "user":
        for index in range(len(messages), max(0, len(messages) - _TURNS_APART), -1):
            if messages[index - 1].get("_turn") == turn:
                return index
    return len(messages)


def marked(messages: Sequence[Message]) -> list[Message]:
    """All messages of a log; those whose place another one took (it names their turn in `_replaces`) are
    copies that are hidden from models, readers and summaries, and count as messages all the same.

    What was brought into the conversation meanwhile from elsewhere (a reminder) stays. A message that was
    taken back is hidden alone.
    """
    found = list(messages)
    for at, message in enumerate(messages):
        if turn := message.get(WITHDRAWS):
            for place in (n for n in range(at) if asks(found[n], turn)):
                found[place] = {**found[place], HIDDEN: "withdrawn"}
        if turn := message.get("_replaces"):
            places = (n for n in range(at) if asks(found[n], turn))
            first = next(places, at)
            for place in range(first, at):
                if not found[place].get("_channel_delivery"):
                    found[place] = {**found[place], HIDDEN: "replaced"}
    return found


def withdrawal(turn: str) -> Message:
    """The record that takes a message back."""
    return {"role": "user", "content": "", WITHDRAWS: turn, HIDDEN: "withdrawn"}


def asks(message: Mapping[str, Any], turn: object) -> bool:
    """Whether this is the message with which a turn begins."""
    return message.get("role") == "user" and message.get("_turn") == turn


def text_tokens(text: str) -> int:
    """About how many tokens a text has, without a tokenizer: 3.6 ASCII characters a token, two
    letters of other alphabets, one character of Chinese, Japanese or Korean."""
    if text.isascii():
        return math.ceil(len(text) / 3.6)
    plain = len(text.encode("ascii", "ignore"))
    wide = len(_BELOW_WIDE.sub("", text))
    return math.ceil(plain / 3.6 + (len(text) - plain - wide) / 2 + wide)


def message_tokens(message: Mapping[str, Any]) -> int:
    """About how many tokens a message costs: its text, its runtime block, its tool calls."""
    total = _PER_MESSAGE + _content_tokens(message.get("content"))
    if isinstance(runtime := message.get("_runtime"), str):
        total += text_tokens(runtime)
    if isinstance(images := message.get("_images"), list):
        total += _PER_IMAGE * len(images)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            total += _PER_MESSAGE + text_tokens(f"{function.get('name')}{function.get('arguments')}")
    return total


def _content_tokens(content: object) -> int:
    if content is None:
        return 0
    if isinstance(content, list):
        return sum(_part_tokens(part) for part in content)
    return text_tokens(content if isinstance(content, str) else str(content))


def _part_tokens(part: object) -> int:
    if isinstance(part, dict):
        text = part.get("text")
        return text_tokens(text) if isinstance(text, str) else _PER_IMAGE
    return text_tokens(str(part))


def now() -> str:
    """This moment as it is written in a log: aware, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def utc(timestamp: object) -> str | None:
    """A stored time as aware UTC; one without a zone is local time. None if it is no time."""
    moment = moment_of(timestamp)
    return moment.isoformat(timespec="milliseconds") if moment else None


def moment_of(timestamp: object) -> datetime | None:
    """A stored time as a datetime in UTC; None if it is no time."""
    if not isinstance(timestamp, str):
        return None
    try:
        return datetime.fromisoformat(timestamp).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
