"""Which conversations an old home has, and what each is to those that are here already.

The key in a file's metadata is the truth; names were lossy until April 2026.
"""

import errno
import itertools
import os
import stat
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from desktop.merge.conversations import Target, append, targets
from desktop.merge.files import Undo
from desktop.merge.importer.log_files import Attach, Reading, messages_of, put
from desktop.merge.importer.places import Source, wrong
from desktop.merge.items import Action, Item, Step, step
from desktop.merge.logs import digests
from desktop.pace import Pace
from desktop.session.names import SUFFIX
from desktop.session.reader import offset_of
from desktop.session.sessions import Sessions
from desktop.text import _, ngettext

_OWN = ("dream:", "heartbeat")
"""Keys of conversations that nanobot held with itself."""
_COMPARED = 16
"""Files of one key that are compared with one another; of more than so many each gets its own key."""


@dataclass(slots=True)
class _Group:
    """The old files of one key, the one to take first at the front."""

    files: list[Reading] = field(default_factory=list)
    same: list[Reading] = field(default_factory=list)
    """Those that are part of another one."""


class OldSessions:
    """The conversations of an old home beside those of this one."""

    def __init__(self, source: Source, sessions: Sessions, pace: Pace, attach: Attach) -> None:
        self._source, self._sessions, self._pace, self._attach = source, sessions, pace, attach

    async def steps(self) -> list[Step]:
        """What becomes of each; every old file is read for it."""
        run = self._pace.run
        paths, found = await run(self._paths)
        groups: dict[str, _Group] = {}
        self._pace.begin("read", await run(lambda: sum(map(_size, paths))))
        for path in paths:
            reading = await run(self._read, path)
            if isinstance(reading, Item):
                found.append(step(reading))
            else:
                groups.setdefault(reading.key, _Group()).files.append(reading)
        self._pace.end()
        for key, group in groups.items():
            await run(self._sort, group)
            twins = (Item("session", key, "same", count=r.messages) for r in group.same)
            claimed: set[str] = set()
            for reading in group.files:
                found.append(await run(self._step, reading, claimed))
            found += map(step, twins)
        return found

    # ---- looking, in a thread

    def _paths(self) -> tuple[list[Path], list[Step]]:
        """The files; and what is left for a reason that a look at its name tells."""
        folders = [self._source.data / "sessions"]
        folders += [path for path in self._source.entries(folders[0]) if self._source.is_folder(path)]
        if self._source.workspace is not None:
            folders.append(self._source.workspace / "sessions")
        paths: dict[Path, Path] = {}
        left: list[Step] = []
        for folder in folders:
            for path in self._pace.paced(self._source.entries(folder)):
                if path.name.endswith(".checkpoint.json"):
                    why = _("A step nanobot was working on when it quit; it can’t continue here.")
                    left.append(step(Item("other", path.name, "left", why)))
                elif path.name.endswith(SUFFIX):
                    paths.setdefault(path.resolve() if self._source.is_file(path) else path, path)
        return list(paths.values()), left

    def _read(self, path: Path) -> Reading | Item:
        """What a file holds, or what is said of one that is not taken."""
        try:
            seen = self._source.look(path)
            if seen is None or not stat.S_ISREG(seen.st_mode):
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
            reading = Reading.of(path, self._pace)
        except OSError as error:
            return Item("session", path.name, "left", wrong(error))
        if not reading.messages:
            why = _("It contains no readable message.") if reading.damaged else _("It is empty.")
            return Item("session", reading.key, "left", why)
        if reading.key.startswith(_OWN):
            why = _("A conversation nanobot had with itself.")
            return Item("session", reading.key, "left", why, reading.messages)
        return reading

    def _sort(self, group: _Group) -> None:
        """The one that was written last first, without those that are a part of another."""
        group.files.sort(key=lambda reading: (reading.updated, reading.messages), reverse=True)
        if not 1 < len(group.files) <= _COMPARED:
            return
        kept: dict[Path, set[bytes]] = {}
        for reading in sorted(group.files, key=lambda r: r.messages, reverse=True):
            said = set(self._digests(reading))
            if any(said <= other for other in kept.values()):
                group.same.append(reading)
            else:
                kept[reading.path] = said
        group.files = [reading for reading in group.files if reading.path in kept]

    def _step(self, reading: Reading, claimed: set[str]) -> Step:
        found = targets(
            self._sessions.folder,
            reading.key,
            "imported",
            cache(lambda: self._digests(reading)),
            ("same", "append"),
            self._pace,
        )
        target = next(one for one in found if one.key not in claimed)
        claimed.add(target.key)
        notes = []
        if reading.damaged:
            n = reading.damaged
            text = ngettext(
                "{n} record could not be read and is left out.",
                "{n} records could not be read and are left out.",
                n,
            )
            notes.append(text.format(n=n))
        if target.key != reading.key:
            why = _("Another conversation here has the key {key}; this one becomes {other}.")
            notes.insert(0, why.format(key=reading.key, other=target.key))
        note = " ".join(notes)
        if target.compared is None:
            action: Action = "take" if target.key == reading.key else "change"
            item = Item("session", target.key, action, note, reading.messages)
            return step(item, partial(self._put, replace(reading, key=target.key)))
        if not (missing := target.compared.missing):
            return step(Item("session", target.key, "same", note, reading.messages))
        item = Item("session", target.key, "add", note, len(missing))
        return step(item, partial(self._append, reading, target, missing[0]))

    def _digests(self, reading: Reading) -> list[bytes]:
        return digests(messages_of(reading, self._pace, lambda message: message))

    # ---- doing

    async def _put(self, reading: Reading) -> None:
        """A conversation that is not here yet. Raises OSError."""
        await self._pace.run(put, reading, self._sessions.folder, self._pace, self._attach)
        self._sessions.forget(reading.key)

    async def _append(self, reading: Reading, target: Target, known: int) -> None:
        """What an old conversation has beyond the one that is here. Raises StorageError."""
        rest = itertools.islice(messages_of(reading, self._pace, self._attach), known, None)
        session = await append(self._sessions, target, rest, self._pace, Undo())
        if (offset := offset_of(reading.metadata)) > session.archived:
            await session.set_metadata(last_archived=offset, last_consolidated=offset)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
