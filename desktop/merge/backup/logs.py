"""Two states of one conversation's file, record by record: which is part of the other, what one lacks, and
whether both went on.

Records are compared by a digest, so that a conversation of 200 MB costs some megabytes.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from desktop.pace import Pace
from desktop.session import records
from desktop.session.model import Message
from desktop.session.place import opened

_SAME = ("role", "content", "tool_calls", "tool_call_id", "timestamp")
_CHUNK = 1024 * 1024
_LONGEST_WIDE = 64 * 1024 * 1024

type Relation = Literal["same", "append", "insert", "other"]
"""same: all of the backup is here. append: it goes on after the end of what is here. insert: it has records
in the midst that are missing here. other: both went on."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What a backup's file is to the one here, and the places of its messages that are missing here."""

    relation: Relation
    missing: tuple[int, ...] = ()


def damaged(path: Path) -> int:
    """How many records of a file cannot be read as they were written. Raises OSError."""
    with opened(path) as held:
        file = held.stream
        encoding = records.encoding_of(file.read(4096))
        file.seek(0)
        if encoding == records.UTF8:
            return sum(records.read(line)[1] for line in file)
        return records.read_foreign(file.read(_LONGEST_WIDE), encoding)[1]


def read(path: Path) -> Iterator[Message]:
    """Each record of a file that can be read. Raises OSError."""
    with opened(path) as held:
        file = held.stream
        encoding = records.encoding_of(file.read(4096))
        file.seek(0)
        if encoding == records.UTF8:
            for line in file:
                yield from records.read(line)[0]
        elif os.fstat(file.fileno()).st_size <= _LONGEST_WIDE:
            yield from records.read_foreign(file.read(), encoding)[0]


def messages(path: Path, pace: Pace) -> Iterator[Message]:
    """Each message of a file. Raises OSError, CalledOffError."""
    for number, record in enumerate(read(path)):
        if number % 64 == 0:
            pace.advance(0)
        if record.get("_type", "message") == "message" and isinstance(record.get("role"), str):
            yield record


def compare(backup: Path, here: Path, pace: Pace) -> Compared:
    """What a backup's file is to the one here. Blocks. Raises OSError, CalledOffError."""
    if begins_with(here, backup, pace):
        return Compared("same")
    theirs = [_digest(message) for message in messages(backup, pace)]
    ours = [_digest(message) for message in messages(here, pace)]
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
        return Compared("insert" if damaged(here) else "other", missing)
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


def merged(backup: Path, here: Path, target: Path, pace: Pace) -> None:
    """Write what is here with the backup's missing records in their places, as a new file. Raises OSError,
    CalledOffError."""
    ours = [_digest(message) for message in messages(here, pace)]
    known = set(ours)
    before, last = _missing_before(backup, known, pace)
    rest = ours[ours.index(last) + 1 :] if last in known else []
    if rest:  # what went on here comes after all that was said before
        before.setdefault(rest[0], []).extend(before.pop(b"", ()))
    with target.open("xb") as file:
        target.chmod(0o600)
        for record in read(here):
            if "role" in record:
                for message in before.pop(_digest(record), ()):
                    file.write(records.write(message))
            file.write(records.write(record))
        for message in before.pop(b"", ()):
            file.write(records.write(message))
        file.flush()
        os.fsync(file.fileno())


def _missing_before(
    backup: Path, known: set[bytes], pace: Pace
) -> tuple[dict[bytes, list[Message]], bytes]:
    """The backup's messages that are missing here, by the next one that is here (b"" for the end); and the
    last one that is here."""
    found: dict[bytes, list[Message]] = {}
    last = b""
    waiting: list[Message] = []
    for message in messages(backup, pace):
        digest = _digest(message)
        if digest not in known:
            waiting.append(message)
        else:
            last = digest
            if waiting:
                found.setdefault(digest, []).extend(waiting)
                waiting = []
    found[b""] = waiting
    return found, last


def _digest(message: Message) -> bytes:
    gist = json.dumps([message.get(name) for name in _SAME], sort_keys=True, ensure_ascii=False)
    return hashlib.sha1(gist.encode("utf-8", "replace"), usedforsecurity=False).digest()
