"""Backups: made by hand and before what changes much at once, looked at, merged back."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.api.streams import following
from desktop.bus.events import JobsChanged, MemoryChanged, SettingsChanged
from desktop.config.schema import provider_name
from desktop.errors import AppError, KeychainError, UsageError, explain
from desktop.merge.backup import making, reading
from desktop.merge.backup.before import folder_of, save_before
from desktop.merge.backup.form import SUFFIX
from desktop.merge.backup.making import What
from desktop.merge.backup.restoring import Restoring
from desktop.merge.here import Here
from desktop.merge.items import Item
from desktop.pace import Advanced, Pace
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.bus.bus import Bus
    from desktop.config.loosening import Loose

_log = logging.getLogger(__name__)
MOST = 2_000
"""Items in a result."""
__all__ = ["Advanced", "Backup", "Backups", "Item", "Known", "Made", "Restored"]


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup says of itself; `bytes` of what is in it, `size` of the file."""

    path: str
    made: str
    program: str
    why: str
    files: int
    bytes: int
    size: int


@dataclass(frozen=True, slots=True)
class Known:
    """The backups that the program made by itself, the newest first, and where they are."""

    backups: tuple[Backup, ...] = ()
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made: bytes, and files in it."""

    path: str
    size: int
    files: int


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of each thing of a backup, and of how many by action; `left_out`: how many more there
    are than `items`."""

    items: tuple[Item, ...]
    left_out: int
    counts: Mapping[str, int]
    made: str
    saved: str
    """The backup of what was here before; "" where there is none."""


class Backups:
    """The backups of a home."""

    def __init__(
        self,
        here: Here,
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
        wait: "Callable[[Sequence[Loose], str], Awaitable[None]]",
        bus: "Bus",
    ) -> None:
        """`change` changes settings; `wait` lists what waits for the person's word."""
        self._here, self._bus = here, bus
        self._change, self._wait = change, wait
        self._busy = False

    async def known(self) -> Known:
        """The backups that the program made by itself."""
        folder = folder_of(self._here.home)

        def found() -> Iterator[Backup]:
            for path in sorted(folder.glob(f"*{SUFFIX}"), reverse=True):
                try:
                    yield _described(path)
                except (AppError, OSError) as error:
                    _log.info("%s is no backup: %s", path.name, error)

        return Known(await in_thread(lambda: tuple(found())), str(folder))

    async def make(self, path: str = "", *, replace: bool = False) -> AsyncIterator[Advanced | Made]:
        """Make a backup at this path (a file, or a folder; by default in the home's backups); `replace` one
        that is there. Raises UsageError, StorageError; then there is none."""
        work = partial(self._make, path, replace)
        async with aclosing(following(work, name="backups:make")) as events:
            async for event in events:
                yield event

    async def _make(self, path: str, replace: bool, tell: Callable[[Advanced], None]) -> Made:
        pace, home = Pace(tell), self._here.home
        target = _full(path) if path else folder_of(home)
        if await in_thread(target.is_dir) or not path:
            target = target / making.name_of_now()
        elif await in_thread(target.exists) and not replace:
            raise UsageError(
                _("The file {path} already exists.").format(path=target), _("Choose another name.")
            )
        try:
            made = await pace.run(making.make, What(home, self._here.workspace), target, pace)
        except OSError as error:
            raise explain(error) from error
        return Made(str(made.path), made.size, made.files)

    async def look(self, path: str) -> Backup:
        """What the backup at this path says of itself. Raises StorageError where it is none."""
        try:
            return await in_thread(_described, _full(path))
        except OSError as error:
            raise explain(error) from error

    async def restore(self, path: str) -> AsyncIterator[Advanced | Restored]:
        """Merge the backup at this path; 2,000 items are told at most. Raises StorageError where it is none
        or the disk is full; then nothing is changed."""
        async with aclosing(following(partial(self._restore, path), name="backups:restore")) as events:
            async for event in events:
                yield event

    async def _restore(self, given: str, tell: Callable[[Advanced], None]) -> Restored:
        path, here = _full(given), self._here
        if self._busy:
            raise UsageError(_("A restore is already running."), _("Wait until it is done."))
        saved: list[Path | None] = []

        async def before() -> None:
            saved.append(await save_before(here.home, here.workspace, "restore"))

        self._busy = True
        try:
            restoring = Restoring(path, here, Pace(tell))
            manifest, done = await restoring.run(before)
            await self._wait(restoring.loose, path.name)
            done += await self._keys(restoring.keyed)
        finally:
            self._busy = False
            for event in (SettingsChanged(), MemoryChanged(), JobsChanged()):
                self._bus.publish(event)
            await asyncio.sleep(0)
        counts: dict[str, int] = dict(Counter(str(one.action) for one in done))
        left = max(0, len(done) - MOST)
        before_it = str(saved[0] or "") if saved else ""
        return Restored(tuple(done[:MOST]), left, counts, manifest.made, before_it)

    async def _keys(self, named: list[str]) -> list[Item]:
        """Of providers that had a key where the backup was made: those that have none in this keychain."""
        try:
            await self._here.keychain.check()
            missing = [name for name in named if not await self._here.keychain.get(provider_name(name))]
        except KeychainError:
            missing = named
        known = self._here.config()
        have = [n for n in named if n not in missing and not known.provider(provider_name(n)).key_stored]
        if have:
            await self._change({f"providers.{name}.key_stored": True for name in have})
        note = _("Keys are not part of a backup. Enter it again.")
        return [Item("setting", f"providers.{name}", "left", note) for name in missing]


def _described(path: Path) -> Backup:
    manifest = reading.look(path)
    size = sum(file.size for file in manifest.files.values())
    return Backup(
        str(path),
        manifest.made,
        manifest.program,
        manifest.why,
        len(manifest.files),
        size,
        path.stat().st_size,
    )


def _full(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_absolute():
        raise UsageError(_("Enter the full path of a file."))
    return path
