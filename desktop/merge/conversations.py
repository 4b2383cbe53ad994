"""Where a conversation from elsewhere goes: to its own key where that is free, to the end of the one that
is here where it goes on from there, and to a key of its own where both went on."""

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from desktop.merge import logs
from desktop.merge.files import Undo
from desktop.merge.logs import Compared, Relation
from desktop.pace import Pace
from desktop.session.log import Session
from desktop.session.model import Message
from desktop.session.place import cut_back, opened_size, stored
from desktop.session.reader import find
from desktop.session.sessions import Sessions
from desktop.tasks import in_thread

_AT_ONCE = 5_000
"""Messages that are appended with one wait for the disk."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a conversation goes, and what it is to the one there; None where the key is free."""

    key: str
    path: Path
    compared: Compared | None


def targets(
    folder: Path,
    key: str,
    word: str,
    theirs: Callable[[], Sequence[bytes]],
    takes: Collection[Relation],
    pace: Pace,
) -> Iterator[Target]:
    """Where a conversation may go, the best first: of its own key and those made from it with a `word`,
    those that are free, or hold one to which it is what `takes` names. `theirs`: its digests, asked for
    where they are needed. Blocks. Raises OSError, CalledOffError."""
    for number in itertools.count():
        own = key if not number else f"{key}:{word}" if number == 1 else f"{key}:{word}-{number}"
        path, _held = find(folder, own)
        if not stored(path):
            yield Target(own, path, None)
            continue
        ours = logs.digests(logs.messages(path, pace))
        found = logs.compare(theirs(), ours, partial(logs.damaged, path))
        if found.relation in takes:
            yield Target(own, path, found)


async def append(
    sessions: Sessions, to: Target, lacking: Iterator[Message], pace: Pace, undo: Undo
) -> Session:
    """Add what is missing at the end of a conversation that is here, open or not. Raises StorageError,
    OSError."""
    session = await sessions.open(to.key)
    size = await in_thread(opened_size, to.path)

    def back() -> None:
        cut_back(to.path, size)
        sessions.forget(to.key)

    undo.add(back)
    while batch := await pace.run(lambda: list(itertools.islice(lacking, _AT_ONCE))):
        await session.append_all(batch)
    return session
