"""Reads session files from the end, so that opening one costs the same however long it is."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from desktop.session import names, records
from desktop.session.model import Message, message_tokens, replayable
from desktop.session.place import opened, place_of

_BLOCK = 256 * 1024
_LONGEST_HEAD = 4 * 1024 * 1024
REPEAT_METADATA = 256 * 1024
"""A log repeats its metadata after this many bytes, so that the newest is near the end."""
_SEEK_METADATA = 4 * REPEAT_METADATA
_MESSAGE_START = re.compile(rb'(?:^|\n)\{"role":')


@dataclass(slots=True)
class Loaded:
    """The newest records of one file, oldest first."""

    messages: list[Message] = field(default_factory=list)
    metadata: Message | None = None
    damaged: int = 0
    encoding: str = records.UTF8
    before: int = 0
    """Byte offset of the first record read; 0 when all was."""
    since_metadata: int = 0
    """Bytes after the newest metadata line."""
    size: int = 0
    earlier: int = 0
    """Messages before `before`, counted only when an offset needs it."""

    def take(self, found: list[Message]) -> None:
        """Add records that stand before all taken so far; the newest metadata wins."""
        for record in reversed(found):
            kind = record.get("_type")
            if isinstance(kind, str) and kind != "message":
                if kind == "metadata" and self.metadata is None:
                    self.metadata = record
            elif isinstance(record.get("role"), str):
                self.messages.append(record)


def load(path: Path, tokens: int) -> Loaded:
    """The newest records of a file until their tokens pass the limit, and its metadata."""
    with opened(path) as file:
        return read_end(file.stream, file.status.st_size, tokens)


def find(folder: Path, key: str, tokens: int = 0) -> tuple[Path, Loaded | None]:
    """The file that holds this key under any of its names, and what load() gives of it; else the free
    name for one, and None. Raises OSError."""
    place = place_of(folder)
    own, spare = folder / names.file_name(key), folder / names.spare_name(key)
    for path in (own, spare, *(folder / name for name in names.older_names(key))):
        with suppress(FileNotFoundError):
            if not place.is_file(path.name):
                continue
            loaded = load(path, tokens)
            stored = stored_key(loaded.metadata, path.name)
            if stored == key or (not stored and path in (own, spare)):
                return path, loaded
    return (spare if place.taken(own.name) else own), None


def offset_of(metadata: Message | None) -> int:
    """How many messages from the start are no longer shown to a model; 0 if the value is no count."""
    values = metadata or {}
    value = values.get("last_archived", values.get("last_consolidated"))
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def count(path: Path, end: int) -> int:
    """Messages that start in the first `end` bytes of a UTF-8 file."""
    total = 0
    with opened(path) as held:
        file, place = held.stream, 0
        while place < end:
            file.seek(max(0, place - 16))
            lead = place - max(0, place - 16)
            data = file.read(min(4 * 1024 * 1024, end - place) + lead)
            if len(data) <= lead:
                break
            total += sum(match.end() > lead for match in _MESSAGE_START.finditer(data))
            place += len(data) - lead
    return total


def stored_key(metadata: Message | None, name: str) -> str:
    """The key that a metadata line names; empty if it names none, or one that no file of this name has."""
    key = (metadata or {}).get("key")
    return key if isinstance(key, str) and key and names.is_name_of(name, key) else ""


def read_end(file: BinaryIO, size: int, tokens: int, least: int = _BLOCK) -> Loaded:
    """The newest records: at least this many bytes and tokens of them. `file` stands at its start."""
    encoding = records.encoding_of(file.read(4096))
    if encoding != records.UTF8:
        file.seek(0)
        found, damaged = records.read_foreign(file.read(), encoding)
        loaded = Loaded(damaged=damaged, encoding=encoding, size=size)
        loaded.take(found)
    else:
        loaded = Loaded(size=size)
        _load_backwards(file, loaded, tokens, least)
        if loaded.metadata is None and loaded.before:
            file.seek(0)
            loaded.take([record for record in head(file) if "_type" in record])
    loaded.messages.reverse()
    return loaded


def _load_backwards(file: BinaryIO, loaded: Loaded, tokens: int, least: int) -> None:
    """Read back to the first of: the start, `tokens` and `least` bytes; then only for the metadata."""
    left = tokens
    full = False
    for place, line in _lines_backwards(file, loaded.size):
        passed = loaded.size - place
        full = full or (left <= 0 and passed > least)
        if full and (loaded.metadata is not None or passed > _SEEK_METADATA):
            return
        if full and not line.startswith(b'{"_type":'):
            continue
        known = len(loaded.messages)
        found, damaged = records.read(line)
        loaded.take([r for r in found if "_type" in r] if full else found)
        if loaded.metadata is None:
            loaded.since_metadata = passed
        if not full:
            loaded.before = place
            loaded.damaged += damaged
            left -= sum(message_tokens(m) for m in loaded.messages[known:] if replayable(m))


def _lines_backwards(file: BinaryIO, end: int) -> Iterator[tuple[int, bytes]]:
    """Each line with its offset, the last one first."""
    tail = b""
    place = end
    block = _BLOCK
    while place > 0:
        step = min(block, place)
        place -= step
        file.seek(place)
        first, *lines = (file.read(step) + tail).split(b"\n")
        start = place + len(first) + 1 + sum(len(line) + 1 for line in lines)
        for line in reversed(lines):
            start -= len(line) + 1
            yield start, line
        tail = first
        block = _BLOCK if lines else block * 2
    if end:
        yield 0, tail


def head(file: BinaryIO) -> Iterator[Message]:
    """The first records of a file, up to the first message of the person."""
    left = _LONGEST_HEAD
    for _ in range(50):
        line = file.readline(left)
        left -= len(line)
        if not line or left <= 0:
            return
        found, _damaged = records.read(line)
        yield from found
        if any(record.get("role") == "user" for record in found):
            return
