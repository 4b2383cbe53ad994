"""jobs.json as text: its entries one by one, each with the very words it is written in.

It is read entry by entry, so that a file of ten thousand jobs holds up nobody: a thread that reads it lets
the others go on between two entries, and what was read of one is gone before the next.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop import jsontext
from desktop.errors import StorageError
from desktop.text import _

_SPACE = re.compile(r"[ \t\r\n]*")
_MORE = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Document[Entry]:
    """What became of the entries, and what else is in the file."""

    entries: list[Entry] = field(default_factory=list)
    rest: Mapping[str, Any] = field(default_factory=dict)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def look(self) -> str:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at
        return self.text[self.at : self.at + 1]

    def take(self, sign: str) -> bool:
        if self.look() != sign:
            return False
        self.at += 1
        return True

    def need(self, sign: str) -> None:
        if not self.take(sign):
            raise json.JSONDecodeError(f"{sign} is missing", self.text, self.at)

    def value(self) -> Any:
        self.look()
        value, self.at = _DECODER.raw_decode(self.text, self.at)
        return value

    def name(self) -> str:
        if self.look() != '"':
            raise json.JSONDecodeError("a name is missing", self.text, self.at)
        return str(self.value())


def parse[Entry](data: bytes, name: str, take: Callable[[Any, str], Entry]) -> Document[Entry]:
    """The file's document. `take` makes of each entry, as read and as written, what is kept of it. Raises
    StorageError that names the line where the file is damaged."""
    try:
        reader = _Reader(data.decode("utf-8-sig"))
        return _document(reader, take)
    except json.JSONDecodeError as error:
        where = _("{file} is damaged at line {line}.").format(file=name, line=error.lineno)
    except (UnicodeDecodeError, RecursionError, ValueError):
        where = _("{file} is damaged: its content is not in the right format.").format(file=name)
    raise StorageError(
        where,
        _(
            "Tasks continue as last read. Correct the file, or change any task in the program: the "
            "damaged file is then set aside."
        ),
    )


def _document[Entry](reader: _Reader, take: Callable[[Any, str], Entry]) -> Document[Entry]:
    entries: list[Entry] = []
    rest: dict[str, Any] = {}
    reader.need("{")
    while reader.look() != "}":
        if rest or entries:
            reader.need(",")
        name = reader.name()
        reader.need(":")
        if name == "jobs":
            entries.extend(take(value, text) for value, text in _entries(reader))
            rest.setdefault("version", 1)
        else:
            rest[name] = reader.value()
    reader.need("}")
    if reader.look():
        raise json.JSONDecodeError("more text than one document", reader.text, reader.at)
    if jsontext.too_deep(rest):
        raise RecursionError
    return Document(entries, rest)


def _entries(reader: _Reader) -> Iterable[tuple[Any, str]]:
    reader.need("[")
    if reader.take("]"):
        return
    reader.look()
    text, at = reader.text, reader.at
    while True:
        value, end = _DECODER.raw_decode(text, at)
        yield value, text[at:end]
        if (more := _MORE.match(text, end)) is None:
            reader.at = end
            break
        at = more.end()
    reader.need("]")


def render(entry: Mapping[str, Any]) -> str:
    """The words of one entry."""
    text = jsontext.dumps(entry, 2)
    return text.replace("\n", f"\n{_INDENT}")


def join(entries: Iterable[str], rest: Mapping[str, Any]) -> bytes:
    """The file's bytes."""
    head = {"version": 1} | dict(rest)
    lines = [f"  {jsontext.dumps(name)}: {render(value)}" for name, value in head.items()]
    jobs = ",\n".join(f"{_INDENT}{entry}" for entry in entries)
    lines.append(f'  "jobs": [\n{jobs}\n  ]' if jobs else '  "jobs": []')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
