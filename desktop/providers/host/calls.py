"""Puts the pieces of tool calls together.

By the book a piece names the index of its call. Servers leave it out, give every call the same one, count
it up with every piece, or give every piece a new id. So a new id or a new name begins a call; what names
nothing belongs to the call that is not complete yet.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop.providers.host.call import Failure


@dataclass(slots=True)
class _Call:
    """A call as far as it came. `slot`: the index that it came under."""

    slot: int
    id: str = ""
    name: str = ""
    arguments: str = ""


class Calls:
    """The calls of one answer."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, position: int, piece: Mapping[str, Any]) -> int:
        """Take in a piece, the one at `position` of those that came together. How many characters of
        arguments it had."""
        given = piece.get("function")
        function = given if isinstance(given, Mapping) else {}
        id_, name = str(piece.get("id") or ""), str(function.get("name") or "")
        arguments = function.get("arguments") or ""
        if not isinstance(arguments, str):  # some servers give the object itself
            arguments = json.dumps(arguments, ensure_ascii=False)
        call = self._call(_index(piece.get("index"), position), id_, name, arguments)
        call.id, call.name = call.id or id_, call.name or name
        call.arguments += arguments
        return len(arguments)

    def whole(self) -> list[dict[str, str]]:
        """The calls as the protocol tells them. Raises Failure for arguments that belong to no call."""
        found: list[_Call] = []
        for call in self._calls:
            if call.name:
                found.append(call)
            elif found and not _complete(found[-1].arguments):
                found[-1].arguments += call.arguments
            elif call.arguments.strip():
                raise Failure("broken_off", "the arguments of a tool call came without its name")
        split = [(call, text) for call in found for text in _separate(call.arguments)]
        told, ids = [], set[str]()
        for number, (call, text) in enumerate(split):
            id_ = call.id if call.id and call.id not in ids else f"call_{number}"
            ids.add(id_)
            told.append({"id": id_, "name": call.name, "arguments": text})
        return told

    def _call(self, slot: int, id_: str, name: str, arguments: str) -> _Call:
        """The call that a piece belongs to; a new one where it begins one."""
        here = [call for call in self._calls if call.slot == slot]
        known = [call for call in here or self._calls if id_ and call.id == id_]
        if not name and (same := known or [call for call in self._calls if id_ and call.id == id_]):
            return same[-1]
        last = (known or here)[-1] if known or here else None
        if last and not _begins(last, id_, name, arguments):
            return last
        if not (last or id_ or name) and self._calls and not _complete(self._calls[-1].arguments):
            return self._calls[-1]
        self._calls.append(_Call(slot))
        return self._calls[-1]


def _begins(last: _Call, id_: str, name: str, arguments: str) -> bool:
    """Whether a piece begins a call after the last one that came under its index."""
    if name:
        if last.name and name != last.name:
            return True
        new = bool(id_ and last.id and id_ != last.id)
        return bool(last.name) and (new or bool(arguments and _complete(last.arguments)))
    if id_ and last.id and id_ != last.id:
        return not arguments or _complete(last.arguments)
    return False


def _index(given: Any, position: int) -> int:
    if isinstance(given, bool):
        return position
    if isinstance(given, str) and given.isdecimal() and len(given) < 6:
        return int(given)
    return int(given) if isinstance(given, int | float) and abs(given) < 1e9 else position


def _complete(arguments: str) -> bool:
    """Whether arguments are a JSON value to its end."""
    if arguments.rstrip()[-1:] not in ("}", "]", '"', "l"):
        return False
    try:
        json.loads(arguments, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _separate(arguments: str) -> list[str]:
    """Arguments of one call each: some servers write those of several calls of a tool behind one another,
    or an empty object before the real one, or the same one twice."""
    reader, at, found = json.JSONDecoder(strict=False), 0, list[str]()
    try:
        while at < len(arguments):
            if arguments[at].isspace():
                at += 1
                continue
            value, end = reader.raw_decode(arguments, at)
            if not isinstance(value, dict):
                return [arguments]
            if value and arguments[at:end] not in found:
                found.append(arguments[at:end])
            at = end
    except (ValueError, RecursionError):
        return [arguments]
    return found or [arguments if _complete(arguments) or not arguments.strip() else "{}"]
