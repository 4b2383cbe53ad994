"""Backups: made by hand and before what changes much at once, looked at, merged back."""

import asyncio
import logging
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.backup import making, reading
from desktop.backup.before import folder_of, save_before
from desktop.backup.form import SUFFIX
from desktop.backup.making import What
from desktop.backup.restoring import Done, Here, Restoring
from desktop.bus.events import JobsChanged, MemoryChanged, SettingsChanged
from desktop.config.schema import provider_name
from desktop.core.verbs import Json, Send, Verb
from desktop.cron.zone import zone
from desktop.errors import AppError, KeychainError, UsageError, explain
from desktop.pace import Pace
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

_log = logging.getLogger(__name__)
MOST = 2_000
"""Items in a result."""
_busy: set[Path] = set()


class BackupVerbs:
    """The backups of a core's home."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {
            "backups": self.known,
            "backup_make": self.make,
            "backup_look": self.look,
            "backup_restore": self.restore,
        }

    async def known(self, _arguments: Json, _send: Send) -> Json:
        """The backups that the program made by itself, the newest first, as `backups` of what
        backup_look tells; and their `folder`."""
        folder = folder_of(self._core.home)

        def found() -> list[Json]:
            lines = []
            for path in sorted(folder.glob(f"*{SUFFIX}"), reverse=True):
                try:
                    lines.append(_described(path))
                except (AppError, OSError) as error:
                    _log.info("%s is no backup: %s", path.name, error)
            return lines

        return {"backups": await in_thread(found), "folder": str(folder)}

    async def make(self, arguments: Json, send: Send) -> Json:
        """Make a backup at `path` (a file, or a folder; by default in the home's backups); `replace` one
        that is there. Gives path, size in bytes, files. Raises UsageError, StorageError; then there
        is none."""
        core, pace = self._core, Pace(send)
        given = str(arguments.get("path") or "")
        target = _full(given) if given else folder_of(core.home)
        if await in_thread(target.is_dir) or not given:
            target = target / making.name_of_now()
        elif await in_thread(target.exists) and not arguments.get("replace"):
            raise UsageError(
                _("There is a file {path} already.").format(path=target), _("Give another name.")
            )
        try:
            made = await pace.run(making.make, What(core.home, core.workspace), target, pace)
        except OSError as error:
            raise explain(error) from error
        return {"path": str(made.path), "size": made.size, "files": made.files}

    async def look(self, arguments: Json, _send: Send) -> Json:
        """What the backup at `path` says of itself: made, program, why, files, bytes, size. Raises
        StorageError where it is none."""
        try:
            return await in_thread(_described, _full(str(arguments["path"])))
        except OSError as error:
            raise explain(error) from error

    async def restore(self, arguments: Json, send: Send) -> Json:
        """Merge the backup at `path`: `items` (see desktop/backup/restoring.py; 2,000 at most, `left_out`
        more), `counts` by action, `made`, and `saved`, the backup of what was here before. Raises
        StorageError where it is none or the disk is full; then nothing is changed."""
        core, path = self._core, _full(str(arguments["path"]))
        if core.home.root in _busy:
            raise UsageError(_("A restore is under way already."), _("Wait until it is done."))
        saved: list[Path | None] = []

        async def before() -> None:
            saved.append(await save_before(core.home, core.workspace, "restore"))

        _busy.add(core.home.root)
        try:
            restoring = Restoring(path, self._here(), Pace(send))
            manifest, done = await restoring.run(before)
            await core.waiting.add(restoring.loose, path.name)
            done += await self._keys(restoring.keyed)
        finally:
            _busy.discard(core.home.root)
            core.bus.publish(SettingsChanged())
            core.bus.publish(MemoryChanged())
            core.bus.publish(JobsChanged())
            await asyncio.sleep(0)
        items = [one.as_json() for one in done[:MOST]]
        counts = dict(Counter(one.action for one in done))
        left = max(0, len(done) - MOST)
        return {
            "items": items,
            "left_out": left,
            "counts": counts,
            "made": manifest.made,
            "saved": str(saved[0] or "") if saved else "",
        }

    async def _keys(self, named: list[str]) -> list[Done]:
        """Of providers that had a key where the backup was made: those that have none in this keychain."""
        core = self._core
        try:
            await core.keychain.check()
            missing = [name for name in named if not await core.keychain.get(provider_name(name))]
        except KeychainError:
            missing = named
        known = core.store.config
        have = [n for n in named if n not in missing and not known.provider(provider_name(n)).key_stored]
        if have:
            await core.change({f"providers.{name}.key_stored": True for name in have})
        note = _("Its key is not in a backup: enter it again.")
        return [Done("setting", f"providers.{name}", "left", note) for name in missing]

    def _here(self) -> Here:
        core = self._core

        async def take_settings(values: Any) -> None:
            await core.store.take_over(values)
            await core.apply()

        def zone_() -> str:
            return core.store.config.agents.defaults.timezone or zone()

        return Here(
            core.home, core.workspace, core.sessions, take_settings, lambda: core.store.config, zone_
        )


def _described(path: Path) -> Json:
    manifest = reading.look(path)
    return {
        "path": str(path),
        "made": manifest.made,
        "program": manifest.program,
        "why": manifest.why,
        "files": len(manifest.files),
        "bytes": sum(file.size for file in manifest.files.values()),
        "size": path.stat().st_size,
    }


def _full(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_absolute():
        raise UsageError(_("This must be the full path of a file."))
    return path
