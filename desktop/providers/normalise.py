"""Makes any stored history a request that the server accepts, without doing old work again.

Servers refuse a whole conversation over one orphan tool result, one empty block, two questions in a
row. A Normaliser is fed message by message; what can no longer change is kept as JSON, so that the
next turn of a long conversation costs its new messages only, and its prompt begins with the same
bytes, which is what prompt caches need.
"""

import json
import re
import threading
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from desktop.providers.base import Message
from desktop.providers.behaviour import WireRules
from desktop.providers.content import (
    Content,
    content_of,
    content_text,
    details_of,
    items_of,
    joined,
    marked,
    name_of,
    thinking_of,
    tool_calls_of,
)
from desktop.providers.pictures import shown

INTERRUPTED = "interrupted"
_NO_OUTPUT = "(no output)"
_SPOKE_FIRST = "(The assistant wrote first.)"
_CONTINUE = "Continue."
_NO_ANSWER = "(interrupted)"
_UNDERSTOOD = "Understood."
_ASKING = ("user", "tool")
_KEPT = 16
type _End = tuple[int, int, Message]
"""A closed message and where its JSON begins and ends."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Normaliser:
    """One conversation on its way to one kind of server."""

    def __init__(self, rules: WireRules) -> None:
        self._rules = rules
        self._pattern = re.compile(rules.tool_id_pattern)
        self._closed = bytearray()
        """JSON of all messages that can no longer change, a comma after each."""
        self._last = ""
        """Role of the last closed message; empty before the first."""
        self._system: Content = ""
        self._started = False
        self._open: Message | None = None
        """The last message of the person or the model: the next may have to be merged into it."""
        self._pending: list[tuple[str, str]] = []
        """Stored and sent ids of tool calls whose results are still to come."""
        self._held: list[Content] = []
        """What the person said while tools were running: goes after their results."""
        self._ids: set[str] = set()
        self._renamed = 0
        self._ends: deque[_End] = deque(maxlen=2)
        """The last closed messages of the last two runs of what is not the model's."""

    def feed(self, message: Mapping[str, Any]) -> None:
        """Take the next stored message. Never raises, whatever is in it."""
        if any(_is_mark(key) for key in message):
            return
        role = message.get("role")
        if role == "assistant":
            self._assistant(message)
        elif role == "tool":
            self._tool(message)
        elif role in ("system", "developer") and not self._started:
            self._system = joined(self._system, self._content(message.get("content")))
        elif role in ("user", "system", "developer"):
            self._user(message)

    def messages(self) -> list[Message]:
        """The request's messages."""
        result: list[Message] = json.loads(self.json())
        return result

    def json(self) -> bytes:
        """The request's messages as a JSON array in UTF-8."""
        tail = list(self._tail())
        closed = self._with_marks(tail) if self._rules.cache_marks else self._closed
        end = b",".join(_dump(message) for message in tail)
        return b"".join((b"[", self._head(), closed if tail else memoryview(closed)[:-1], end, b"]"))

    def _head(self) -> bytes:
        if not self._system:
            return b""
        content = self._system
        if self._rules.system_role == "user":
            said = (
                {"role": "user", "content": content},
                {"role": "assistant", "content": _UNDERSTOOD, **self._reasoning({})},
            )
            return b"".join(_dump(message) + b"," for message in said)
        if self._rules.cache_marks:
            content = marked(content)
        return _dump({"role": "system", "content": content}) + b","

    def _with_marks(self, tail: list[Message]) -> bytes:
        """The closed messages, where the end of each of the last two runs of the person's and the tools'
        is marked; those of them that are in `tail` are marked there. What was cached for the request before
        ends at the first of the two, however many calls a round has."""
        ends: list[_End | int] = [*self._ends]
        last = self._last
        for place, message in enumerate(tail):
            if message["role"] in _ASKING:
                if last in _ASKING and ends:
                    ends.pop()
                ends.append(place)
            last = message["role"]
        pieces: list[bytes | memoryview] = []
        done = 0
        for end in ends[-2:]:
            if isinstance(end, int):
                tail[end] = self._marked(tail[end])
                continue
            start, stop, message = end
            pieces += [memoryview(self._closed)[done:start], _dump(self._marked(message))]
            done = stop
        return b"".join((*pieces, memoryview(self._closed)[done:]))

    def _marked(self, message: Message) -> Message:
        if message["role"] == "tool" and self._rules.cache_marks == "messages":
            return message | {"cache_control": {"type": "ephemeral"}}
        return message | {"content": marked(message["content"])}

    def _tail(self) -> Iterator[Message]:
        """What may still change, as it would be sent now; it never ends with the model's own words."""
        last = self._last
        for _stored, sent in self._pending:
            yield _result(sent, INTERRUPTED)
            last = "tool"
        content = self._open["content"] if self._open else ""
        if self._open is not None:
            yield self._open
            last = self._open["role"]
        elif self._held:
            for held in self._held:
                content = joined(content, held)
            if last == "tool" and not self._rules.user_after_tool:
                yield self._no_answer()
            yield {"role": "user", "content": content}
            last = "user"
        if last in ("", "assistant"):
            yield {"role": "user", "content": _CONTINUE}

    def _user(self, message: Mapping[str, Any]) -> None:
        content = self._content(message.get("content"))
        runtime = content_text(message.get("_runtime"))
        content = joined(content, runtime)
        if isinstance(images := message.get("_images"), list) and images:
            content = joined(content, self._shown(images))
        if not content:
            return
        self._started = True
        if self._pending:
            self._held.append(content)
        else:
            self._say("user", content)

    def _assistant(self, message: Mapping[str, Any]) -> None:
        content = self._content(message.get("content"))
        if not isinstance(content, str):
            content = content_of(content, text_only=True)
        calls = tool_calls_of(message.get("tool_calls"))
        if not content and not calls:
            return
        self._give_up_pending()
        if not self._started:
            self._started = True
            self._say("user", _SPOKE_FIRST)
        self._say("assistant", content, self._reasoning(message))
        if calls:
            self._call(calls)

    def _no_answer(self) -> Message:
        return {"role": "assistant", "content": _NO_ANSWER, **self._reasoning({})}

    def _reasoning(self, message: Mapping[str, Any]) -> Message:
        """What goes back of the thinking behind an answer. Blocks are signed or sealed: only who made them
        takes them."""
        rules = self._rules
        text = content_text(message.get("reasoning_content"))
        stored = (
            message.get("thinking_blocks") if message.get("_by", rules.author) == rules.author else None
        )
        if rules.refused_blocks and isinstance(stored, list):
            stored = [block for block in stored if name_of(block) not in rules.refused_blocks]
        if rules.reasoning == "content":
            return {"reasoning_content": text}
        if rules.reasoning == "details":
            details = details_of(stored)
            return {"reasoning_details": details} if details else {}
        if rules.reasoning == "items":
            items = items_of(stored)
            return {"reasoning_items": items} if items else {}
        blocks = thinking_of(stored) if rules.reasoning == "blocks" else []
        if not blocks:
            return {}
        return ({"reasoning_content": text} if text else {}) | {"thinking_blocks": blocks}

    def _call(self, calls: list[tuple[object, dict[str, str]]]) -> None:
        """Close the open answer with its tool calls: only their results may follow."""
        assert self._open is not None
        wire = []
        for stored, function in calls:
            sent = self._wire_id(stored)
            self._pending.append((str(stored), sent))
            wire.append({"id": sent, "type": "function", "function": function})
        self._open["tool_calls"] = wire
        if not self._open["content"]:
            self._open["content"] = None
        self._close()

    def _tool(self, message: Mapping[str, Any]) -> None:
        stored = str(message.get("tool_call_id"))
        match = next((pair for pair in self._pending if pair[0] == stored), None)
        if match is None:
            return
        self._pending.remove(match)
        content = content_of(message.get("content"), text_only=True)
        self._append(_result(match[1], content if isinstance(content, str) else ""))
        if isinstance(images := message.get("_images"), list) and images:
            self._held.append(self._shown(images))
        if not self._pending:
            self._release_held()

    def _give_up_pending(self) -> None:
        """The model went on: results that have not come by now never will."""
        for _stored, sent in self._pending:
            self._append(_result(sent, INTERRUPTED))
        self._pending.clear()
        self._release_held()

    def _release_held(self) -> None:
        held, self._held = self._held, []
        for content in held:
            self._say("user", content)

    def _say(self, role: str, content: Content, extra: Message | None = None) -> None:
        """Add to the open message if it is of this role, else close it and open the next."""
        if self._open is not None and self._open["role"] == role:
            merged = {**self._open, "content": joined(self._open["content"], content)}
            for key, value in (extra or {}).items():
                if key == "reasoning_content" and key in merged:
                    merged[key] = joined(merged[key], value)
                else:
                    merged[key] = merged[key] + value if key in merged else value
            self._open = merged
            return
        self._close()
        if role == "user" and self._last == "tool" and not self._rules.user_after_tool:
            self._append(self._no_answer())
        self._open = {"role": role, "content": content, **(extra or {})}

    def _close(self) -> None:
        if self._open is not None:
            self._append(self._open)
            self._open = None

    def _append(self, message: Message) -> None:
        start = len(self._closed)
        self._closed += _dump(message) + b","
        if message["role"] in _ASKING:
            if self._last in _ASKING and self._ends:
                self._ends.pop()
            self._ends.append((start, len(self._closed) - 1, message))
        self._last = message["role"]

    def _content(self, value: object) -> Content:
        return content_of(value, text_only=self._rules.text_only)

    def _shown(self, images: list[object]) -> Content:
        rules = self._rules
        parts = shown(
            images,
            sees=rules.pictures,
            refused=rules.refused,
            side=rules.picture_side,
            most=rules.picture_bytes,
        )
        return self._content(parts)

    def _wire_id(self, stored: object) -> str:
        """The id to send: the stored one if the server takes it and it is new, else one of ours."""
        sent = stored if isinstance(stored, str) and self._pattern.fullmatch(stored) else ""
        while not sent or sent in self._ids:
            self._renamed += 1
            sent = f"c{self._renamed:08d}"
        self._ids.add(sent)
        return sent


class WireCache:
    """The last conversations in the form they were sent in. Threads may share it: one works at a time."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._working = threading.Lock()
        self._entries: OrderedDict[str, tuple[WireRules, list[Message], Normaliser]] = OrderedDict()

    def json(self, messages: Sequence[Message], rules: WireRules, conversation: str) -> bytes:
        """The messages as a JSON array; only those that are new in this conversation cost work.

        A message must not be changed after it was given here: the same object counts as the same.
        """
        with self._working:
            return self._json(messages, rules, conversation)

    def _json(self, messages: Sequence[Message], rules: WireRules, conversation: str) -> bytes:
        entry = self._entries.pop(conversation, None)
        new = list(messages)
        if entry is not None and entry[0] == rules and new[: len(entry[1])] == entry[1]:
            _rules, known, normaliser = entry
        else:
            known, normaliser = [], Normaliser(rules)
        for message in new[len(known) :]:
            normaliser.feed(message)
        if conversation:
            self._entries[conversation] = (rules, new, normaliser)
            if len(self._entries) > self._kept:
                self._entries.popitem(last=False)
        return normaliser.json()


def _is_mark(key: str) -> bool:
    """Slash commands and hidden markers are for the person's eyes only."""
    return key == "_command" or key.startswith("_hidden")


def _result(sent: str, content: str) -> Message:
    return {"role": "tool", "tool_call_id": sent, "content": content or _NO_OUTPUT}


def _dump(message: Message) -> bytes:
    return _ENCODER.encode(message).encode("utf-8")
