"""Finds entries of the history by their words, among very many.

The texts are kept in small letters and in large pieces, so that a word is looked for by few fast calls.
Everything blocks; it is called in threads.
"""

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from desktop.memory.history import Entry

_PIECE = 1_000
"""Entries whose texts are one piece."""
_BETWEEN = "\0"


@dataclass(slots=True)
class _Piece:
    """Some entries that stand together."""

    start: int
    """The first of them, counted in all."""
    text: str = ""
    offsets: list[int] = field(default_factory=list)

    def add(self, entries: Sequence[Entry]) -> None:
        parts = [self.text] if self.offsets else []
        at = len(self.text) + 1 if self.offsets else 0
        for entry in entries:
            folded = entry.content.casefold().replace(_BETWEEN, " ")
            parts.append(folded)
            self.offsets.append(at)
            at += len(folded) + 1
        self.text = _BETWEEN.join(parts)

    def find(self, words: Sequence[str]) -> Iterator[int]:
        """Which entries have all words (the rarest first), the newest first."""
        end = len(self.text)
        while (at := self.text.rfind(words[0], 0, end)) >= 0:
            place = bisect_right(self.offsets, at) - 1
            start = self.offsets[place]
            stop = self.offsets[place + 1] if place + 1 < len(self.offsets) else len(self.text)
            if all(self.text.find(word, start, stop) >= 0 for word in words[1:]):
                yield self.start + place
            end = start


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
        words = sorted(set(query.casefold().replace(_BETWEEN, " ").split()), key=len, reverse=True)
        found: list[Entry] = []
        for entry in self._matching(entries, words) if words else reversed(entries):
            if wanted(entry):
                found.append(entry)
                if len(found) >= limit:
                    break
        return found

    def _matching(self, entries: Sequence[Entry], words: Sequence[str]) -> Iterator[Entry]:
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
