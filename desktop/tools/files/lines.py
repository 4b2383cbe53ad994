"""Numbered lines of a text of any size: only what is shown is kept in memory."""

import codecs
import hashlib
from collections.abc import Iterable, Iterator
from io import IncrementalNewlineDecoder
from typing import BinaryIO, Protocol

from desktop.tools.files.encoding import Encoding
from desktop.tools.files.opening import Refusal

MOST_CHARACTERS = 128_000
MOST_SCANNED = 100 << 20
_LONGEST_LINE = 20_000
_BLOCK = 1 << 18


class TooFar(Refusal):
    """The part that was asked for lies further into a file than is scanned."""


class Hashed:
    """A stream that is hashed as it is read: what was read is what the hash speaks of."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._size = stream, stream.seek(0, 2)
        self.seek(0)

    def seek(self, at: int) -> int:
        """Begin anew, behind so many bytes."""
        self._stream.seek(0)
        self._hash = hashlib.sha256()
        self.read(at)
        return at

    def read(self, most: int) -> bytes:
        """The next bytes."""
        block = self._stream.read(most)
        self._hash.update(block)
        return block

    def digest(self) -> str:
        """SHA-256 of the whole file, hexadecimal; empty where it is too large to be hashed."""
        if self._size > MOST_SCANNED:
            return ""
        while self.read(_BLOCK):
            pass
        return self._hash.hexdigest()


class Readable(Protocol):
    """What lines are read from."""

    def seek(self, at: int, /) -> int: ...
    def read(self, most: int, /) -> bytes: ...


def lines(stream: Readable, encoding: Encoding) -> Iterator[str]:
    """The lines of a file, overlong ones cut with a note. Raises TooFar after MOST_SCANNED bytes."""
    decoder = IncrementalNewlineDecoder(
        codecs.getincrementaldecoder(encoding.name)("replace"), translate=True
    )
    scanned = stream.seek(len(encoding.bom))
    rest, dropped = "", 0
    while block := stream.read(_BLOCK):
        first, *others = (rest + decoder.decode(block)).split("\n")
        if others:
            yield _cut(first, dropped)
            for line in others[:-1]:
                yield _cut(line)
            first, dropped = others[-1], 0
        rest = first[:_LONGEST_LINE]
        dropped += len(first) - len(rest)
        scanned += len(block)
        if scanned >= MOST_SCANNED:
            if dropped:
                yield _cut(rest, dropped)
            raise TooFar(
                "This lies more than 100 MiB into the file, further than read_file goes. Look with grep or "
                "take the part out with a command (tail -c, sed -n)."
            )
    rest += decoder.decode(b"", final=True)
    if rest:
        yield _cut(rest, dropped)


def numbered(texts: Iterable[str], offset: int, limit: int) -> tuple[str, int | None]:
    """Lines from number `offset` on with their numbers, and the number to go on with, None at the end.
    Raises Refusal if there are fewer lines."""
    out: list[str] = []
    room, number = MOST_CHARACTERS, 0
    try:
        for number, text in enumerate(texts, 1):
            if number < offset:
                continue
            line = f"{number:>4}| {text}"
            room -= len(line) + 1
            if len(out) == limit or room < 0:
                return "\n".join(out), number
            out.append(line)
    except TooFar:
        if not out:
            raise
        return "\n".join(out), number + 1
    if not out and offset > 1:
        raise Refusal(f"There are only {number} lines; offset {offset} is behind the end.")
    return "\n".join(out), None


def _cut(line: str, dropped: int = 0) -> str:
    kept = line[:_LONGEST_LINE]
    dropped += len(line) - len(kept)
    return f"{kept} [this line goes on for {dropped:,} characters]" if dropped else kept
