"""The verbs of an import: its plan, and doing it."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.bus.events import SettingsChanged
from desktop.core.verbs import Json, Send, Verb
from desktop.cron.zone import zone
from desktop.errors import UsageError
from desktop.importer.importing import Here, Importing
from desktop.importer.items import WRITING, Item, counted
from desktop.importer.places import Source, find
from desktop.inbox.inbox import WAITING
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

MOST = 2_000
"""Items in a result; the events have all."""


class ImportVerbs:
    """Imports into the home of a core."""

    def __init__(self, core: "Core") -> None:
        self._core = core
        self._busy = asyncio.Lock()

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {"import_found": self.found, "import_plan": self.plan, "import_run": self.run}

    async def found(self, _arguments: Json, _send: Send) -> Json:
        """The old home where nanobot puts it by itself: its `path`, empty where there is none, or only this
        program's own."""
        home = self._core.home.root

        def look() -> str:
            path = Path.home() / ".nanobot"
            try:
                find(path, home, self._core.workspace)
            except (UsageError, OSError):
                return ""
            return str(path)

        return {"path": await in_thread(look)}

    async def plan(self, arguments: Json, send: Send) -> Json:
        """What would be taken, changed and left of the old home at `path`: `items` ({"kind", "name",
        "action", "note", "count"}, see desktop/importer/items.py; 2,000 at most, `left_out` tells how many
        more), `counts` by action and by kind, `warnings` (sentences), `from`, `workspace`. All items come
        as events, too. Raises UsageError where there is no old home."""
        async with self._alone():
            source, items = await self._importing(arguments, send).plan()
            listed = {notice.title for notice in await self._core.inbox.list(kind=WAITING, limit=10_000)}
            why = _("It waits for your yes already.")
            known = [
                replace(item, action="same", note=why)
                if item.action == "waits" and item.name in listed
                else item
                for item in items
            ]
            return await _result(source, known)

    async def run(self, arguments: Json, send: Send) -> Json:
        """Do it; the same of what was done, failed items saying why. `scrub`: keys that are in the keychain
        are taken out of the old settings. Cancelled or failed, it is completed by doing it again. Raises
        UsageError, StorageError."""
        async with self._alone():
            await self._save()
            importing = self._importing(arguments, send)
            try:
                done = await importing.run(scrub=bool(arguments.get("scrub")))
            finally:
                await self._core.waiting.add(importing.loose, str(arguments["path"]))
                self._core.bus.publish(SettingsChanged())  # conversations and more are others, too
            return await _result(*done)

    async def _save(self) -> None:
        """A backup of what is here already."""
        core = self._core
        if await in_thread(lambda: any(core.sessions.folder.glob("*.jsonl"))):
            from desktop.backup.before import save_before

            await save_before(core.home, core.workspace, "import")

    def _alone(self) -> asyncio.Lock:
        if self._busy.locked():
            raise UsageError(_("An import is under way already."), _("Wait until it is done."))
        return self._busy

    def _importing(self, arguments: Json, send: Send) -> Importing:
        core = self._core
        path = Path(str(arguments["path"])).expanduser()
        if not path.is_absolute():
            raise UsageError(_("This must be the full path of a folder."))
        here = Here(
            core.home.root,
            core.store.path,
            core.workspace,
            core.sessions,
            core.keychain,
            self._take_settings,
            core.waiting.switch_off,
            core.marks.keep,
            lambda: core.store.config.agents.defaults.timezone or zone(),
        )
        return Importing(path, here, send)

    async def _take_settings(self, values: Mapping[tuple[str, ...], Any]) -> None:
        await self._core.store.take_over(values)
        await self._core.apply()


def _twice() -> str:
    return _("Jobs run here from now on: end the old nanobot, or they are done twice.")


async def _result(source: Source, items: list[Item]) -> Json:
    def made() -> Json:
        return {
            "from": str(source.data),
            "workspace": str(source.workspace or ""),
            "items": [item.as_json() for item in items[:MOST]],
            "left_out": max(0, len(items) - MOST),
            "counts": counted(items),
            "warnings": [_twice()] if any(i.kind == "job" and i.action in WRITING for i in items) else [],
        }

    return await in_thread(made)
