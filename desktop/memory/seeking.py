"""Finds entries of the history by their words, among very many.

The texts are kept in small letters and in large pieces, so that a word is looked for by few fast calls.
Everything blocks; it is called in threads.
"""

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from desktop.memory.entries import Entry

_PIECE = 1_000
"""Entries whose texts are one piece."""
_BETWEEN = b"\0"


@dataclass(slots=True)
class _Piece:
    """Some entries that stand together."""

    start: int
    """The first of them, counted in all."""
    text: bytes = b""
    """In small letters; as bytes, for no other search is as fast."""
    offsets: list[int] = field(default_factory=list)

    def add(self, entries: Sequence[Entry]) -> None:
        parts = [self.text] if self.offsets else []
        at = len(self.text) + 1 if self.offsets else 0
        for entry in entries:
            folded = _folded(entry.content)
            parts.append(folded)
            self.offsets.append(at)
            at += len(folded) + 1
        self.text = _BETWEEN.join(parts)

    def find(self, words: Sequence[bytes]) -> Iterator[int]:
        """Which entries have all words (the rarest first), the newest first."""
        found, at = list[int](), self.text.find(words[0])  # much faster than from the end
        while at >= 0:
            place = bisect_right(self.offsets, at) - 1
            found.append(place)
            at = self.text.find(words[0], self._end(place))
        for place in reversed(found):
            start, stop = self.offsets[place], self._end(place)
            if all(self.text.find(word, start, stop) >= 0 for word in words[1:]):
                yield self.start + place

    def _end(self, place: int) -> int:
        return self.offsets[place + 1] if place + 1 < len(self.offsets) else len(self.text)


class Seeker:
    """Searches one list of entries that only grows."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._first: Entry | None = None
        self._count = 0
        self._lock = threading.Lock()

    def find(
        self,
        entries: Sequence[Entry],
        query: str,
        limit: int,
        wanted: Callable[[Entry], bool] = lambda _entry: True,
    ) -> list[Entry]:
        """The newest entries with every word of the query that are wanted; all where it has no words."""
        words = sorted(set(_folded(query).decode("utf-8").split()), key=len, reverse=True)
        found: list[Entry] = []
        sought = [word.encode("utf-8") for word in words]
        for entry in self._matching(entries, sought) if words else reversed(entries):
            if wanted(entry):
                found.append(entry)
                if len(found) >= limit:
                    break
        return found

    def _matching(self, entries: Sequence[Entry], words: Sequence[bytes]) -> Iterator[Entry]:
        with self._lock:
            self._take_in(entries)
            pieces = list(self._pieces)
        for piece in reversed(pieces):
            for place in piece.find(words):
                if place < len(entries):
                    yield entries[place]

    def _take_in(self, entries: Sequence[Entry]) -> None:
        first = entries[0] if entries else None
        if first is not self._first or len(entries) < self._count:
            self._pieces, self._first, self._count = [], first, 0
        while self._count < len(entries):
            if not self._pieces or len(self._pieces[-1].offsets) >= _PIECE:
                self._pieces.append(_Piece(self._count))
            last = self._pieces[-1]
            more = entries[self._count : last.start + _PIECE]
            last.add(more)
            self._count += len(more)


def _folded(text: str) -> bytes:
    return text.casefold().encode("utf-8", "replace").replace(_BETWEEN, b" ")
