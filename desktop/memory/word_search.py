"""Finds entries of the history by their words, among very many.

The texts are kept in small letters and in large pieces, so that a word is looked for by few fast calls.
From the second search on each full piece also has a list of its words, which is a fraction of its length
and tells what the piece does not hold. Everything blocks; it is called in threads.
"""

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from desktop.memory.entries import Entry

_BETWEEN = b"\0"


@dataclass(slots=True)
class _Piece:
    """Some entries that stand together."""

    start: int
    """The first of them, counted in all."""
    text: bytes = b""
    """In small letters; as bytes, for no other search is as fast."""
    offsets: list[int] = field(default_factory=list)
    words: bytes = b""
    """Each word once; empty where that is not known, or not much shorter."""
    learned: bool = False

    def learn(self) -> None:
        """List the words."""
        words = _BETWEEN.join(set(self.text.split()))
        self.words = words if 2 * len(words) < len(self.text) else b""
        self.learned = True

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
        """Which entries have all words, the newest first."""
        known = self.words or self.text
        if not all(word in known for word in words):
            return
        rarest = min(words, key=self.text.count) if len(words) > 1 else words[0]
        found, at = list[int](), self.text.find(rarest)  # much faster than from the end
        while at >= 0:
            place = bisect_right(self.offsets, at) - 1
            found.append(place)
            at = self.text.find(rarest, self._end(place))
        for place in reversed(found):
            start, stop = self.offsets[place], self._end(place)
            if all(self.text.find(word, start, stop) >= 0 for word in words if word is not rarest):
                yield self.start + place

    def _end(self, place: int) -> int:
        return self.offsets[place + 1] if place + 1 < len(self.offsets) else len(self.text)


class Seeker:
    """Searches one list of entries that only grows."""

    def __init__(self, piece: int = 1_000) -> None:
        """`piece`: how many entries are searched together."""
        self._piece = piece
        self._pieces: list[_Piece] = []
        self._first: Entry | None = None
        self._count = 0
        self._searches = 0
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
            self._searches += 1
            if self._searches > 1:
                for piece in self._pieces:
                    if not piece.learned and len(piece.offsets) >= self._piece:
                        piece.learn()
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
            if not self._pieces or len(self._pieces[-1].offsets) >= self._piece:
                self._pieces.append(_Piece(self._count))
            last = self._pieces[-1]
            more = entries[self._count : last.start + self._piece]
            last.add(more)
            self._count += len(more)


def _folded(text: str) -> bytes:
    return text.casefold().encode("utf-8", "replace").replace(_BETWEEN, b" ")
