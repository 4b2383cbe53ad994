"""Taking over an old home: its plan, and doing it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.api.streams import following
from desktop.bus.events import SettingsChanged
from desktop.errors import UsageError
from desktop.inbox.inbox import WAITING, Inbox
from desktop.merge.backup.before import save_before
from desktop.merge.here import Here
from desktop.merge.importer.importing import Importing, Items
from desktop.merge.importer.places import Source, find
from desktop.merge.items import WRITING, Counts, Item, counted
from desktop.pace import Advanced
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.bus.bus import Bus
    from desktop.config.loosening import Loose

__all__ = ["Advanced", "Counts", "Imports", "Item", "Items", "Plan"]

MOST = 2_000
"""Items in a plan; the events have all."""

type Tell = Callable[[Items | Advanced], object]


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be, or was, taken, changed and left of an old home, with sentences that warn; `left_out`:
    how many more there are than `items`."""

    data: str
    """The folder of the old settings."""
    workspace: str
    items: tuple[Item, ...]
    left_out: int
    counts: Counts
    warnings: tuple[str, ...]


class Imports:
    """Imports into a home."""

    def __init__(
        self,
        here: Here,
        inbox: Inbox,
        wait: "Callable[[Sequence[Loose], str], Awaitable[None]]",
        bus: "Bus",
    ) -> None:
        """`wait` lists what waits for the person's word."""
        self._here, self._inbox = here, inbox
        self._wait, self._bus = wait, bus
        self._busy = asyncio.Lock()

    async def found(self) -> str:
        """The old home where nanobot puts it by itself: its path, "" where there is none, or only this
        program's own."""

        def look() -> str:
            path = Path.home() / ".nanobot"
            try:
                find(path, self._here.home.root, self._here.workspace)
            except (UsageError, OSError):
                return ""
            return str(path)

        return await in_thread(look)

    async def plan(self, path: str) -> AsyncIterator[Items | Advanced | Plan]:
        """What would become of the old home at this path. Raises UsageError where there is none."""
        async with aclosing(following(partial(self._plan, path), name="imports:plan")) as events:
            async for event in events:
                yield event

    async def run(self, path: str, *, scrub: bool = False) -> AsyncIterator[Items | Advanced | Plan]:
        """Do it; failed items say why. `scrub`: keys that are in the keychain are taken out of the old
        settings. Cancelled or failed, it is completed by doing it again. Raises UsageError,
        StorageError."""
        async with aclosing(following(partial(self._run, path, scrub), name="imports:run")) as events:
            async for event in events:
                yield event

    async def _plan(self, path: str, tell: Tell) -> Plan:
        async with self._alone():
            source, items = await self._importing(path, tell).plan()
            listed = {notice.title for notice in await self._inbox.list(kind=WAITING, limit=10_000)}
            why = _("It is already waiting for your approval.")
            known = [
                replace(item, action="same", note=why)
                if item.action == "waits" and item.name in listed
                else item
                for item in items
            ]
            return await in_thread(_told, source, known)

    async def _run(self, path: str, scrub: bool, tell: Tell) -> Plan:
        async with self._alone():
            await self._save()
            importing = self._importing(path, tell)
            try:
                source, items = await importing.run(scrub=scrub)
            finally:
                await self._wait(importing.loose, path)
                self._bus.publish(SettingsChanged())  # conversations and more are others, too
            return await in_thread(_told, source, items)

    async def _save(self) -> None:
        """A backup of what is here already."""
        here = self._here
        if await in_thread(lambda: any(here.sessions.folder.glob("*.jsonl"))):
            await save_before(here.home, here.workspace, "import")

    def _alone(self) -> asyncio.Lock:
        if self._busy.locked():
            raise UsageError(_("An import is already running."), _("Wait until it is done."))
        return self._busy

    def _importing(self, given: str, tell: Tell) -> Importing:
        path = Path(given).expanduser()
        if not path.is_absolute():
            raise UsageError(_("Enter the full path of a folder."))
        return Importing(path, self._here, tell)


def _twice() -> str:
    return _("Tasks now run here. Quit the old nanobot, or they will run twice.")


def _told(source: Source, items: list[Item]) -> Plan:
    twice = any(item.kind == "job" and item.action in WRITING for item in items)
    return Plan(
        str(source.data),
        str(source.workspace or ""),
        tuple(items[:MOST]),
        max(0, len(items) - MOST),
        counted(items),
        (_twice(),) if twice else (),
    )
