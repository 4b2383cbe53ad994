"""Merging a backup into a home: what is missing is added, what is newer here stays.

All of the backup is unpacked and checked first. Then each change is noted with the way back, so that a full
disk in the midst leaves the home as it was.
"""

import logging
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from desktop.config import document
from desktop.config.loosening import Loose
from desktop.cron.store import Store
from desktop.database.database import Database
from desktop.errors import AppError, StorageError, explain
from desktop.files import Astray, Place
from desktop.merge import logs
from desktop.merge.backup import arrivals, form, reading, rows
from desktop.merge.backup.form import Manifest
from desktop.merge.conversations import Target, append, targets
from desktop.merge.files import Undo, beside, is_same, is_template, put, take
from desktop.merge.here import Here
from desktop.merge.items import Item
from desktop.merge.jobs import Jobs
from desktop.pace import Pace
from desktop.session import names, reader
from desktop.session.listing import describe
from desktop.session.model import Message, SessionInfo
from desktop.session.place import stored
from desktop.skills.arriving import waiting
from desktop.skills.loader import FOLDER
from desktop.tasks import in_thread
from desktop.text import _

_log = logging.getLogger(__name__)
STAGING = ".restore-"


class Restoring:
    """One restore."""

    def __init__(self, path: Path, here: Here, pace: Pace) -> None:
        self._path, self._here, self._pace = path, here, pace
        self._undo = Undo()
        self.keyed: list[str] = []
        """Providers whose key was in the keychain where the backup was made."""
        self.loose: list[Loose] = []
        """What came switched off, and waits for the person."""
        self._skills: list[str] = []
        self._staged = Path()
        self._manifest = Manifest("", "", "", {})
        self._day = f"{datetime.now().astimezone():%Y-%m-%d}"

    async def run(self, before: Callable[[], Awaitable[object]]) -> tuple[Manifest, list[Item]]:
        """Unpack, check, do `before`, then merge; what became of each thing. Raises NoBackupError,
        StorageError; then nothing is changed."""
        run, root = self._pace.run, self._here.home.root
        try:
            self._staged = Path(await in_thread(tempfile.mkdtemp, "", STAGING, root))
            self._manifest = await run(reading.unpack, self._path, self._staged, self._pace)
            await before()
            try:
                done = await self._merge()
            except BaseException:
                await self._undo.run()
                raise
        except (OSError, sqlite3.Error) as error:
            raise _told(error) from error
        finally:
            if self._staged != Path():
                await in_thread(shutil.rmtree, self._staged, True)
        return self._manifest, done

    async def _merge(self) -> list[Item]:
        names_ = [name for name in self._manifest.files if form.is_taken(name)]
        self._pace.begin("merge", len(names_))
        done = [
            Item("file", name.removeprefix(form.WORKSPACE), "left", _("It would make git run something."))
            for name in self._manifest.files
            if not form.is_taken(name) and name != form.OWN_GIT
        ]
        await self._skills_off()
        for name in names_:
            if _is_log(name):
                done.append(await self._session(name))
            elif name.startswith(form.WORKSPACE) and name != form.JOBS:
                done += await self._pace.run(self._file, name)
        window = self._here.home.root / "window.json"
        if form.WINDOW in names_ and not await in_thread(window.exists):
            await self._pace.run(put, self._staged / form.WINDOW, window, self._undo, self._here.home.root)
        self._here.sessions.on_write(None)
        done += await self._skills_wait()
        done += await self._jobs()
        done += await self._ledgers()
        done += await self._settings()
        return done

    # ---- conversations

    async def _session(self, name: str) -> Item:
        """One conversation's file."""
        path, run = self._staged / name, self._pace.run
        stripped = await run(arrivals.strip, path)
        info, to = await run(self._look_at, path)
        found = to.compared
        if found is None:
            item = await run(self._put, path, info, to)
        elif found.relation == "insert":
            await run(self._insert, path, to)
            note = _("What was damaged or missing in it has been restored.")
            item = Item("session", to.key, "add", note, len(found.missing), info.title)
        elif missing := set(found.missing):
            said = enumerate(logs.messages(path, self._pace))
            lacking = (message for at, message in said if at in missing)
            await append(self._here.sessions, to, lacking, self._pace, self._undo)
            item = Item("session", to.key, "add", "", len(missing), info.title)
        else:
            return Item("session", to.key, "same", title=info.title)
        if stripped:
            note = f"{item.note} {_('Its permission mode and folders were not imported.')}".strip()
            return replace(item, note=note)
        return item

    def _look_at(self, path: Path) -> tuple[SessionInfo, Target]:
        """What is known of a conversation, and where it goes."""
        self._pace.advance()
        info, folder = describe(path), self._here.sessions.folder
        place, _held = reader.find(folder, info.key)
        if stored(place) and logs.begins_with(place, path, self._pace):
            return info, Target(info.key, place, logs.Compared("same"))
        theirs = cache(lambda: logs.digests(logs.messages(path, self._pace)))
        takes: tuple[logs.Relation, ...] = ("same", "append", "insert")
        return info, next(targets(folder, info.key, "restored", theirs, takes, self._pace))

    def _put(self, path: Path, info: SessionInfo, to: Target) -> Item:
        """A conversation where there is none, under its own key or another one."""
        n = sum(1 for _message in logs.messages(path, self._pace))
        item = Item("session", to.key, "add", "", n, info.title)
        if to.key != info.key:
            logs.write(made := self._staged / "own.jsonl", _renamed(path, to.key))
            path = made
            note = _(
                "It continued both here and in the backup. The backup’s version is a separate conversation."
            )
            item = replace(item, action="own", note=note)
        put(path, to.path, self._undo, self._here.workspace)
        self._here.sessions.forget(to.key)
        return item

    def _insert(self, path: Path, to: Target) -> None:
        """The file with the backup's records in their places; the file as it was is kept aside."""
        made, place = self._staged / "merged.jsonl", to.path
        logs.write(made, logs.merged(path, place, self._pace))
        aside = place.parent / ".damaged" / f"{datetime.now().astimezone():%Y%m%d-%H%M%S}-{place.name}"
        put(place, aside, self._undo, self._here.workspace, copy=True)
        take(made, place, self._undo, self._staged, self._here.workspace)
        self._here.sessions.forget(to.key)

    # ---- files

    def _file(self, name: str) -> list[Item]:
        """One file of the workspace; nothing where there is nothing to say of it."""
        self._pace.advance()
        inside = name.removeprefix(form.WORKSPACE)
        path, target, root = self._staged / name, self._here.workspace / inside, self._here.workspace
        place = Place(root)
        packed = self._manifest.files[name]
        if name.startswith(form.SESSIONS) and name.endswith(names.SUFFIX):
            arrivals.strip(path)
        os.utime(path, (packed.modified, packed.modified))
        try:
            linked = place.is_link(inside)
            status = place.stat(inside) if place.taken(inside) and not linked else None
        except Astray:  # a link on the way leads out
            linked, status = True, None
        if linked:
            return [Item("file", inside, "left", _("There is a link in its place."))]
        quiet = any(part.startswith(".") for part in Path(inside).parts) or "sessions/" in inside
        if status is None:
            put(path, target, self._undo, root)
            return [] if quiet else [Item("file", inside, "add")]
        if not stat.S_ISREG(status.st_mode):
            return [Item("file", inside, "left", _("Something else already has this name."))]
        if is_same(place, inside, packed.size, packed.sha256):
            return [] if quiet else [Item("file", inside, "same")]
        if quiet:
            return []
        lines = target.suffix == ".jsonl"
        older = status.st_mtime < packed.modified - arrivals.LATER_S
        if older or is_template(place, inside) or (lines and logs.begins_with(path, target, self._pace)):
            take(path, target, self._undo, self._staged, root)
            return [Item("file", inside, "add")]
        if lines and logs.begins_with(target, path, self._pace):
            return [Item("file", inside, "keep")]
        other, there = beside(place, inside, f"restored-{self._day}", packed.size, packed.sha256)
        if not there:
            put(path, root / other, self._undo, root)
        note = _("The one here is newer and stays. The backup’s version is put beside it as {name}.")
        return [Item("file", inside, "beside", note.format(name=Path(other).name))]

    # ---- jobs, ledgers, settings

    async def _jobs(self) -> list[Item]:
        if form.JOBS not in self._manifest.files:
            return []
        path = self._staged / form.JOBS
        store = Store(self._here.workspace / "cron", self._here.zone)
        await store.load()
        jobs = Jobs(store, await in_thread(self._here.zone), foreign=False)
        items = await self._pace.run(lambda: jobs.read(path.read_bytes(), path.name))
        await jobs.put(self._undo)
        self.loose += jobs.loose
        return items

    async def _ledgers(self) -> list[Item]:
        if form.DATABASE not in self._manifest.files:
            return []
        path = self._staged / form.DATABASE
        old = Database(path, mend=False)
        try:
            await old.open()  # brings its tables up to date
            await old.check()
        except AppError:
            return [Item("ledger", "state.db", "left", _("The backup’s database is damaged."))]
        finally:
            await old.close()
        n = await self._pace.run(rows.merge, path, self._here.home.database, self._pace)
        return [Item("ledger", "state.db", "add" if n else "same", count=n)]

    async def _settings(self) -> list[Item]:
        """What is set in the backup: added where nothing is set here, taken where the backup is newer; what
        loosens waits."""
        if form.CONFIG not in self._manifest.files:
            return []
        path, here = self._staged / form.CONFIG, self._here.home.config
        stored = document.parse(await in_thread(path.read_bytes), path.name)
        newer = await in_thread(_is_newer, here, self._manifest.files[form.CONFIG].modified)
        try:
            current = document.parse(await in_thread(here.read_bytes), here.name)
        except (OSError, AppError):
            current = {}
        came = arrivals.settings(stored, current, newer, self._here.config())
        values, told, loose, self.keyed = came
        self.loose += loose
        if values:
            await self._here.take_settings(values)
        return told

    async def _skills_off(self) -> None:
        """Switch off, before they come, the skills that the backup adds or changes."""
        manifest, workspace = self._manifest, self._here.workspace
        found = await self._pace.run(arrivals.skills, self._staged, manifest, workspace)
        if not found:
            return
        self._skills = await self._here.switch_off(found)
        self._undo.later(lambda: self._here.switch_on(self._skills))

    async def _skills_wait(self) -> list[Item]:
        folder = self._here.workspace / FOLDER
        waits = [await in_thread(waiting, folder / name) for name in self._skills]
        self.loose += waits
        return [Item("skill", loose.name, "waits", loose.says) for loose in waits]


def _is_log(name: str) -> bool:
    inside = name.removeprefix(form.SESSIONS)
    return name.startswith(form.SESSIONS) and "/" not in inside and inside.endswith(names.SUFFIX)


def _renamed(path: Path, key: str) -> Iterator[Message]:
    """The records of a conversation under another key, its title saying so."""
    found = list(logs.read(path))
    heads = [record for record in found if record.get("_type") == "metadata"]
    head: dict[str, Any] = dict(heads[-1]) if heads else {"_type": "metadata"}
    inner = dict(head.get("metadata") or {})
    asked = next((m for m in found if m.get("role") == "user"), {})
    title = str(inner.get("title") or asked.get("content") or key).strip().splitlines()[0][:60]
    inner["title"] = _("{title} (from the backup)").format(title=title)
    yield {**head, "key": key, "metadata": inner}
    yield from filter(logs.is_message, found)


def _is_newer(path: Path, moment: float) -> bool:
    with suppress(OSError):
        return path.stat().st_mtime > moment + arrivals.LATER_S
    return False


def _told(error: OSError | sqlite3.Error) -> AppError:
    if isinstance(error, OSError):
        return explain(error)
    _log.warning("the ledgers of a backup were not merged: %s", error)
    return StorageError(
        _("{where} can’t be used: {reason}.").format(where="state.db", reason=error),
        _("Check that the disk has space and the folder is writable."),
    )
