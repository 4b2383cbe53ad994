"""A cache of prompts that is priced as Anthropic's: by the prefixes that were marked.

A prompt is a row of blocks: tools, system prompt, then the messages. Where a block is marked, all up to it
is kept; a later prompt that begins alike is read from there, if one of its own marks is at most 20 blocks
behind. Read costs a tenth, written a quarter more (platform.claude.com, prompt caching, 2026).
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

type Body = dict[str, Any]

READ, WRITTEN = 0.1, 1.25
_LOOKED_BACK = 20
_LETTERS = 4
"""Of a token, about."""


@dataclass(frozen=True)
class Paid:
    """Tokens of one prompt."""

    read: int
    written: int
    fresh: int

    @property
    def tokens(self) -> float:
        """What they cost, in tokens of the usual price."""
        return self.read * READ + self.written * WRITTEN + self.fresh


class Cache:
    """Remembers prompts."""

    def __init__(self) -> None:
        self._kept: set[str] = set()
        self._last: list[str] = []

    def pay(self, body: Body) -> Paid:
        """What a prompt costs, which is remembered as far as it is marked."""
        names, sizes, marks = _prefixes(body)
        hits = [
            place
            for mark in marks
            for place in range(max(0, mark - _LOOKED_BACK), mark + 1)
            if names[place] in self._kept
        ]
        hit, end = max(hits, default=-1) + 1, max(marks, default=-1) + 1
        self._kept |= {names[mark] for mark in marks}
        return Paid(sum(sizes[:hit]), sum(sizes[hit:end]), sum(sizes[max(hit, end) :]))

    def ideal(self, body: Body) -> Paid:
        """What it would cost where all that was sent before is read, and all that is new is written."""
        names, sizes, _marks = _prefixes(body)
        same = sum(name == last for name, last in zip(names, self._last, strict=False))
        self._last = names
        return Paid(sum(sizes[:same]), sum(sizes[same:]), 0)


def only_system_marked(body: Body) -> Body:
    """The prompt as it would be with one mark, after the system prompt."""
    first = [m for m in body["messages"] if m["role"] == "system"]
    bare: Body = _bare({name: value for name, value in body.items() if name != "system"})
    if first:
        bare["messages"][0] = first[0]
    return bare | ({"system": body["system"]} if "system" in body else {})


def _prefixes(body: Body) -> tuple[list[str], list[int], list[int]]:
    """Of each prefix a name, its last block's size, and which of them are marked."""
    state, names, sizes, marks = hashlib.sha256(), [], [], []
    for place, (text, marked) in enumerate(_blocks(body)):
        state.update(text.encode() + b"\0")
        names.append(state.hexdigest())
        sizes.append(max(1, len(text) // _LETTERS))
        marks += [place] if marked else []
    return names, sizes, marks


def _blocks(body: Body) -> Iterator[tuple[str, bool]]:
    for tool in body.get("tools") or ():
        yield _block(tool)
    for part in _parts(body.get("system") or []):
        yield _block(part)
    for message in body["messages"]:
        head = {name: value for name, value in message.items() if name not in ("content", "cache_control")}
        parts = _parts(message["content"]) or [{}]
        for number, part in enumerate(parts):
            text, marked = _block(part)
            last = number == len(parts) - 1 and "cache_control" in message
            yield json.dumps(head, sort_keys=True) + text, marked or last


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def _block(value: Any) -> tuple[str, bool]:
    text = json.dumps(value, sort_keys=True)
    return json.dumps(_bare(value), sort_keys=True), '"cache_control"' in text


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _bare(inner) for name, inner in value.items() if name != "cache_control"}
    return [_bare(inner) for inner in value] if isinstance(value, list) else value
