"""Files of conversations, record by record; and two states of one: which is part of the other, what one
lacks, and whether both went on.

Messages are compared by digests, so that a conversation of 200 MB costs some megabytes.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from desktop.pace import Pace
from desktop.session import records
from desktop.session.model import Message
from desktop.session.place import opened

_SAME = ("role", "content", "tool_calls", "tool_call_id", "timestamp")
_CHUNK = 1024 * 1024
_LONGEST_WIDE = 64 * 1024 * 1024
"""Bytes of a file in UTF-16, which is read whole; a longer one counts as damaged."""

type Relation = Literal["same", "append", "insert", "other"]
"""same: all of the other is here. append: it goes on after the end of what is here. insert: it has messages
in the midst that are missing here. other: both went on."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What another state is to the one here, and the places of its messages that are missing here."""

    relation: Relation
    missing: tuple[int, ...] = ()


# Reading


def pieces(
    file: BinaryIO, longest: int = -1, passed: Callable[[int], object] = lambda _bytes: None
) -> Iterator[tuple[list[Message], int]]:
    """What each line of a file holds: records, and how many are damaged. A line of `longest` bytes counts
    as that. `passed` is told of bytes. Raises OSError."""
    encoding = records.encoding_of(file.read(4096))
    file.seek(0)
    if encoding != records.UTF8:
        fits = os.fstat(file.fileno()).st_size <= _LONGEST_WIDE
        yield records.read_foreign(file.read(), encoding) if fits else ([], 1)
        return
    while line := file.readline(longest):
        passed(len(line))
        if len(line) != longest or line.endswith(b"\n"):
            yield records.read(line)
            continue
        while (rest := file.readline(longest)) and not rest.endswith(b"\n"):
            pass
        yield [], 1


def damaged(path: Path) -> int:
    """How many records of a file cannot be read as they were written. Raises OSError."""
    with opened(path) as held:
        return sum(hurt for _found, hurt in pieces(held.stream))


def read(path: Path) -> Iterator[Message]:
    """Each record of a file that can be read. Raises OSError."""
    with opened(path) as held:
        for found, _hurt in pieces(held.stream):
            yield from found


def is_message(record: Message) -> bool:
    """Whether a record is something that was said."""
    kind = record.get("_type")
    return (not isinstance(kind, str) or kind == "message") and isinstance(record.get("role"), str)


def messages(path: Path, pace: Pace) -> Iterator[Message]:
    """Each message of a file. Raises OSError, CalledOffError."""
    for number, record in enumerate(read(path)):
        if number % 64 == 0:
            pace.advance(0)
        if is_message(record):
            yield record


def write(path: Path, found: Iterable[Message]) -> None:
    """Put records into a file of the program's own. Raises OSError."""
    with path.open("wb") as file:
        path.chmod(0o600)
        file.writelines(map(records.write, found))
        file.flush()
        os.fsync(file.fileno())


# Comparing


def digests(found: Iterable[Message]) -> list[bytes]:
    """What tells each message from all others; equal ones are told by their number."""
    seen: Counter[bytes] = Counter()
    made = []
    for message in found:
        gist = json.dumps([message.get(name) for name in _SAME], sort_keys=True, ensure_ascii=False)
        digest = hashlib.sha1(gist.encode("utf-8", "replace"), usedforsecurity=False).digest()
        made.append(digest + b"%d" % seen[digest] if seen[digest] else digest)
        seen[digest] += 1
    return made


def compare(theirs: Sequence[bytes], ours: Sequence[bytes], hurt: Callable[[], int]) -> Compared:
    """What a state with these digests is to the one here. `hurt`: how much of the one here is damaged."""
    known = set(ours)
    missing = tuple(place for place, digest in enumerate(theirs) if digest not in known)
    if not missing:
        return Compared("same")
    shared = set(theirs) & known
    if not shared:
        return Compared("other" if ours else "append", missing)
    last_theirs = max(place for place, digest in enumerate(theirs) if digest in shared)
    last_ours = max(place for place, digest in enumerate(ours) if digest in shared)
    went_on_there, went_on_here = last_theirs < len(theirs) - 1, last_ours < len(ours) - 1
    if went_on_there and went_on_here:
        return Compared("insert" if hurt() else "other", missing)
    return Compared("append" if missing[0] > last_theirs else "insert", missing)


def begins_with(longer: Path, start: Path, pace: Pace) -> bool:
    """Whether a file begins with all bytes of another one. Raises OSError, CalledOffError."""
    with opened(longer) as one, opened(start) as other:
        ours, theirs = one.stream, other.stream
        while data := theirs.read(_CHUNK):
            pace.advance(0)
            if ours.read(len(data)) != data:
                return False
    return True


def merged(backup: Path, here: Path, pace: Pace) -> Iterator[Message]:
    """The records that are here, with the backup's missing messages in their places. Raises OSError,
    CalledOffError."""
    ours = digests(messages(here, pace))
    known, last = set(ours), b""
    before: dict[bytes, list[Message]] = {}
    waiting: list[Message] = []
    theirs = digests(messages(backup, pace))
    for digest, message in zip(theirs, messages(backup, pace), strict=True):
        if digest in known:
            before[digest], waiting, last = waiting, [], digest
        else:
            waiting.append(message)
    rest = ours[ours.index(last) + 1 :] if last else []
    # what went on here comes after all that was said before
    before.setdefault(rest[0] if rest else b"", []).extend(waiting)
    at = iter(ours)
    for record in read(here):
        if is_message(record):
            yield from before.pop(next(at, b""), ())
        yield record
    yield from before.pop(b"", ())
