"""Entries of the history that are long dealt with: a file a month, memory/archive/history-2026-07.jsonl.

The files have the form of history.jsonl, line for line. An entry is in its archive, on disk, before it
leaves the history: a kill in between leaves it in both, readers see it once, the next round takes it out.
Everything blocks; it is called in threads.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from desktop.files import Place
from desktop.memory.entries import Entry, entries_of, entry_of
from desktop.memory.files import replace
from desktop.session.model import moment_of

FOLDER = "archive"
_NAME = re.compile(r"history-\d{4}-\d{2}\.jsonl")

type Mark = tuple[int, int, int]
"""What tells that a file has changed: time, size and inode."""


@dataclass(frozen=True, slots=True)
class Split:
    """A history parted in two."""

    kept: tuple[bytes, ...]
    """The lines that stay, whatever they are."""
    months: dict[str, list[bytes]]
    """The lines that go, by the names of the files they go to."""


def split(lines: Iterable[bytes], before: datetime, consumed: int) -> Split:
    """Part a history: the entries up to the cursor `consumed` that are older than `before` (aware) go; what
    has no time, or is no entry, stays."""
    kept, months = list[bytes](), dict[str, list[bytes]]()
    for line in lines:
        entry = entry_of(line)
        if entry and (moment := goes(entry, before, consumed)):
            months.setdefault(f"history-{moment:%Y-%m}.jsonl", []).append(line)
        else:
            kept.append(line)
    return Split(tuple(kept), months)


def goes(entry: Entry, before: datetime, consumed: int) -> datetime | None:
    """The time of an entry that is to be archived; None where it is not."""
    moment = moment_of(entry.timestamp) if entry.cursor <= consumed else None
    return moment if moment is not None and moment < before else None


class Archives:
    """The archives beside one history. One caller at a time."""

    def __init__(self, folder: Path) -> None:
        """`folder`: the history's."""
        self._place = Place(folder.parent) / folder.name / FOLDER
        self._read: dict[str, tuple[Mark, list[Entry]]] = {}
        self._entries: list[Entry] = []
        self._known: dict[int, list[Entry]] = {}

    def entries(self) -> list[Entry]:
        """All of them, the oldest first. Raises OSError."""
        self._load()
        return self._entries

    def last(self) -> int:
        """The highest cursor among them, 0 where there are none. Raises OSError."""
        self._load()
        return max(self._known, default=0)

    def without(self, entries: Sequence[Entry]) -> list[Entry]:
        """Entries of the history without those that are in an archive already. Raises OSError."""
        self._load()
        known = self._known
        return [entry for entry in entries if entry not in known.get(entry.cursor, ())]

    def add(self, months: dict[str, list[bytes]]) -> None:
        """Put lines into their files; those that are there already are not doubled. On disk when this
        returns. Raises OSError."""
        self._place.mkdir()
        for name, lines in months.items():
            there = lines_of(self._place, name)
            new = [line for line in dict.fromkeys(lines) if line not in set(there)]
            if new:
                replace(self._place, name, joined([*there, *new]))

    def _load(self) -> None:
        """Read what has changed."""
        before, now = self._read, dict[str, tuple[Mark, list[Entry]]]()
        for name in self._names():
            with suppress(FileNotFoundError):
                seen = self._place.stat(name)
                mark = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
                kept = before.get(name)
                if not kept or kept[0] != mark:
                    kept = mark, entries_of(lines_of(self._place, name))
                now[name] = kept
        if {name: mark for name, (mark, _) in now.items()} == {
            name: mark for name, (mark, _) in before.items()
        }:
            return
        self._read = now
        self._entries = [entry for _mark, entries in now.values() for entry in entries]
        self._known = {}
        for entry in self._entries:
            self._known.setdefault(entry.cursor, []).append(entry)

    def _names(self) -> list[str]:
        return [name for name in self._place.names() if _NAME.fullmatch(name)]


def lines_of(place: Place, name: str) -> list[bytes]:
    """The lines of a file that are not empty; none where there is no file. Raises OSError."""
    with suppress(FileNotFoundError):
        return [line for line in place.read(name).split(b"\n") if line.strip()]
    return []


def joined(lines: Iterable[bytes]) -> bytes:
    """The file of such lines."""
    return b"".join(line + b"\n" for line in lines)
