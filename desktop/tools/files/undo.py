"""What a turn changed in files, and taking it back: each file to the bytes that it had before the turn.

A file that somebody changed since is left alone. Taking back is a change like any other, kept as well, so
that it can be taken back in its turn. All of this blocks: call it in a thread.
"""

import difflib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.tools.files.common import write_whole
from desktop.tools.files.kept import Change, Kept
from desktop.tools.files.opening import Refusal, exact, open_plain, refused

UNDO, REDO = "undo", "redo"
"""Calls of changes that the person made by taking back, and by doing that again."""
_MOST_BYTES = 2 << 20
"""Of a text that is compared."""


class Standing(StrEnum):
    """What has become of a changed file."""

    DONE = "done"
    UNDONE = "undone"
    CHANGED = "changed"
    """Something else changed it since."""
    LOST = "lost"
    """Its old bytes were too many to be kept, or are no longer there."""


@dataclass(frozen=True, slots=True)
class Touched:
    """One file that a turn changed."""

    path: str
    new: bool
    """Whether the turn made it."""
    standing: Standing
    target: str | None
    """The digest of the bytes to go back to (or forward, where it is undone); None for no file."""


@dataclass(frozen=True, slots=True)
class Person:
    """Origin of a change by hand."""

    session: str
    turn: str
    call: str


def touched(kept: Kept, turn: str) -> list[Touched]:
    """The files that a turn changed, in the order in which it first did."""
    return [_touched(kept, chain) for chain in _chains(kept.changes(turn)).values()]


def take_back(kept: Kept, turn: str, *, again: bool = False) -> list[tuple[Touched, str]]:
    """Take back what a turn changed; `again`: do anew what was taken back. Each file that could be, and
    the others with why not in a word of the system, else an empty one."""
    wanted = Standing.UNDONE if again else Standing.DONE
    results: list[tuple[Touched, str]] = []
    for chain in _chains(kept.changes(turn)).values():
        found = _touched(kept, chain)
        if found.standing is wanted:
            person = Person(chain[0].session, turn, REDO if again else UNDO)
            results.append((found, _restore(kept, found, person)))
    return results


def difference(kept: Kept, turn: str, path: str) -> str | None:
    """What a turn changed in a file, as a unified diff; None where that is no text, or too long."""
    chain = _chains(kept.changes(turn)).get(path)
    if chain is None:
        return None
    own = [change for change in chain if change.call not in (UNDO, REDO)]
    last = own[-1]
    try:
        before = b"" if own[0].before is None else kept.content(own[0].before)
        after = _after(kept, chain, last)
        if max(len(before), len(after)) > _MOST_BYTES:
            return None
        first, second = before.decode("utf-8"), after.decode("utf-8")
    except (OSError, UnicodeDecodeError, Refusal):
        return None
    lines = difflib.unified_diff(first.splitlines(), second.splitlines(), lineterm="")
    return "\n".join(lines)


def _after(kept: Kept, chain: list[Change], last: Change) -> bytes:
    """What the turn left in the file: it stands there, or was kept when it was changed again. Raises
    OSError."""
    data = _content(Path(last.path))
    if data is not None and _digest(data) == last.after:
        return data
    if any(change.before == last.after for change in chain):
        return kept.content(last.after)
    raise OSError(last.path)


def _chains(changes: Iterable[Change]) -> dict[str, list[Change]]:
    chains: dict[str, list[Change]] = {}
    for change in changes:
        chains.setdefault(change.path, []).append(change)
    return chains


def _touched(kept: Kept, chain: list[Change]) -> Touched:
    first, last = chain[0], chain[-1]
    undone = last.call == UNDO
    target = last.before if undone else first.before
    try:
        data = _content(Path(last.path))
        now = "" if data is None else _digest(data)
    except (OSError, Refusal):
        now = "?"
    standing = Standing.UNDONE if undone else Standing.DONE
    if now != last.after:
        standing = Standing.CHANGED
    elif target is not None and not kept.has(target):
        standing = Standing.LOST
    return Touched(last.path, first.before is None, standing, target)


def _restore(kept: Kept, found: Touched, person: Person) -> str:
    path = Path(found.path)
    try:
        data = None if found.target is None else kept.content(found.target)
        kept.before(path, data, person)
        if data is None:
            with refused(path):
                exact(path).unlink(path, missing_ok=True)
        else:
            write_whole(path, data)
    except Refusal as refusal:
        return str(refusal)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _content(path: Path) -> bytes | None:
    """All bytes of a file; None where there is none. Raises OSError, Refusal."""
    try:
        with open_plain(path) as file:
            return file.stream.read()
    except FileNotFoundError:
        return None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
