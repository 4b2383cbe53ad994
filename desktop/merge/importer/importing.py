"""One import: the plan, and doing it step by step.

Each step is whole or not at all, and what it puts in place is found again by the next plan: so an import
that was called off, killed or ran into a full disk is completed by doing it again.
"""

import asyncio
import errno
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from desktop.config.loosening import Loose
from desktop.cron.store import Store
from desktop.errors import AppError, ConfigError, KeychainError, explain
from desktop.merge.here import Here
from desktop.merge.importer import jobs, log_files, notes, pairing, places, secrets, settings, skills
from desktop.merge.importer.history import OldHistory
from desktop.merge.importer.media import OldMedia
from desktop.merge.importer.places import Source, wrong
from desktop.merge.importer.secrets import Secret
from desktop.merge.importer.sessions import OldSessions
from desktop.merge.importer.settings import Found
from desktop.merge.importer.skills import OldSkills
from desktop.merge.items import WRITING, Item, Step, step
from desktop.merge.jobs import Jobs
from desktop.pace import Advanced, Pace
from desktop.paths import sync
from desktop.tasks import in_thread
from desktop.text import _, ngettext

_log = logging.getLogger(__name__)
_HOPELESS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
"""What the next step would run into as well."""
_AT_ONCE = 200
_PAUSE_EVERY = 128
"""Items of an event."""


@dataclass(frozen=True, slots=True)
class Items:
    """What becomes, or became, of some of the things of the old home."""

    items: tuple[Item, ...]


type Told = Callable[[Items | Advanced], object]


class Importing:
    """One import of one old home."""

    def __init__(self, path: Path, here: Here, told: Told) -> None:
        self._path, self._here, self._told = path, here, told
        self._pace = Pace(told, every=_PAUSE_EVERY)
        self._found = Found()
        self._source: Source | None = None
        self._waiting: list[Item] = []
        self.loose: list[Loose] = []
        """What came switched off, and waits for the person."""
        self._shut: KeychainError | None = None
        """Why the keychain takes nothing; it is not asked again."""

    async def plan(self) -> tuple[Source, list[Item]]:
        """What would become of each thing, without writing any. Raises UsageError where there is no old
        home, StorageError."""
        items = [item for one in await self._steps() for item in one.items]
        await self._tell(items, at_once=True)
        assert self._source is not None
        return self._source, items

    async def run(self, *, scrub: bool = False) -> tuple[Source, list[Item]]:
        """Do it; what became of each thing. `scrub`: take keys that are in the keychain out of the old
        settings. Raises UsageError, and StorageError where the disk is full: the rest is done next time."""
        await self._pace.run(self._clear)
        steps = await self._steps()
        assert self._source is not None
        done: list[Item] = []
        self._pace.begin("take", sum(map(_weight, steps)))
        passed = 0
        try:
            for one in steps:
                items = await self._do(one)
                done += items
                await self._tell(items)
                passed += _weight(one)
                self._pace.reach(passed)
            self._pace.end()
            if scrub:
                done += await self._scrub()
        finally:
            await self._tell((), at_once=True)
            self._here.sessions.on_write(None)
            await in_thread(sync, self._here.sessions.folder)
        return self._source, done

    # ---- the plan

    async def _steps(self) -> list[Step]:
        here, run = self._here, self._pace.run
        source = await run(places.find, self._path, here.home.root, here.workspace)
        self._source = source
        found = [step(note) for note in source.notes]
        if source.config is not None:
            found += await self._settings(source.config)
        found += await run(notes.steps, source, here.workspace, self._pace)
        found += await run(OldHistory(source, here.workspace / "memory", self._pace).steps)
        found += await run(OldSkills(source, here, self._pace).steps)
        store = Store(here.workspace / "cron", here.zone)
        await store.load()
        arriving = Jobs(store, await in_thread(here.zone), foreign=True)
        found += await run(jobs.steps, source, arriving)
        found += await run(pairing.steps, source, here.home.config)
        media = OldMedia(source, here.workspace, self._pace, here.keep_marks)
        found += await run(media.steps)
        found += await OldSessions(source, here.sessions, self._pace, media.attach).steps()
        others: list[Item] = await run(lambda: list(source.others()))
        return [*found, *map(step, others)]

    async def _settings(self, config: Path) -> list[Step]:
        here = self._here
        found = await self._pace.run(settings.read, config, here.home.config)
        if isinstance(found, Step):
            return [found]
        self._found = found
        await self._sift()
        items = [item for item in found.items if item.kind == "setting"]
        bound_ones = {keys for keys, _value, _bound in found.bound}
        loose = [one for one in found.loose if one.keys not in bound_ones]
        work = self._take_settings if found.values or loose else None
        steps = [Step(tuple(items), work, lambda: loose)]
        for secret in found.secrets:
            name = ".".join(secret.keys)
            shown = Item("key", name, "change", _("It will be stored in the keychain."))
            steps.append(step(shown, partial(self._store, [secret])))
        for keys, value, bound in found.bound:
            key_items = [
                Item("key", ".".join(s.keys), "change", _("It will be stored in the keychain."))
                for s in bound
            ]
            own = [one for one in found.loose if one.keys == keys]
            server = Item("setting", ".".join(keys), "waits" if own else "take", own[0].says if own else "")
            told = partial(tuple, own)
            steps.append(Step((server, *key_items), partial(self._store, bound, {keys: value}), told))
        have = (step(item) for item in found.items if item.kind == "key" and item.action != "change")
        return [*steps, *have]

    async def _sift(self) -> None:
        """Of the keys that no setting tells of, those that are stored already are not stored again. Raises
        no prompt: of a keychain that is shut nothing is known."""
        found, keychain = self._found, self._here.keychain
        open_ones = [secret for secret in found.secrets if not secret.after]
        try:
            if open_ones:
                await keychain.check()
            there = {secret.entry for secret in open_ones if await keychain.get(secret.entry)}
        except KeychainError:
            return
        names = {".".join(secret.keys) for secret in open_ones if secret.entry in there}
        found.known += [secret for secret in open_ones if secret.entry in there]
        found.secrets = [secret for secret in found.secrets if secret.after or secret.entry not in there]
        note = _("A key is already stored here.")
        found.items = [
            replace(item, action="same", note=note) if item.kind == "key" and item.name in names else item
            for item in found.items
        ]

    # ---- doing it

    def _clear(self) -> None:
        """Remove the unfinished parts of an import that was killed."""
        log_files.clear_parts(self._here.sessions.folder)
        skills.clear_parts(self._here.workspace / "skills")

    async def _do(self, one: Step) -> list[Item]:
        """One step; its items, failed ones saying why. Raises StorageError where the rest is hopeless."""
        if one.work is None:
            return list(one.items)
        try:
            await one.work()
        except (AppError, OSError) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            if isinstance(cause, OSError) and cause.errno in _HOPELESS:
                raise explain(error) from error
            _log.info("%s was not imported: %s", one.items[0].name, error)
            why = str(explain(error)) if isinstance(error, AppError) or error.errno is None else _why(error)
            return [
                replace(item, action="failed", note=why) if item.action in (*WRITING, "waits") else item
                for item in one.items
            ]
        self.loose += await in_thread(one.loose)
        return list(one.items)

    async def _take_settings(self) -> None:
        if self._found.values:
            await self._here.take_settings(self._found.values)

    async def _store(
        self, given: Sequence[Secret], values: Mapping[tuple[str, ...], Any] | None = None
    ) -> None:
        """Keys to the keychain, and only then the settings that tell of them. Raises KeychainError,
        ConfigError, StorageError."""
        if self._shut is not None:
            raise self._shut
        try:
            await secrets.store(self._here.keychain, given)
        except KeychainError as error:
            self._shut = error
            raise
        told = {place: value for secret in given for place, value in secret.after.items()}
        told |= values or {}
        if told:
            await self._here.take_settings(told)

    async def _scrub(self) -> list[Item]:
        """Take the keys that the keychain has out of the old file."""
        found, source = self._found, self._source
        assert source is not None
        bound = [secret for _keys, _value, given in found.bound for secret in given]
        if source.config is None:
            return []
        name = source.config.name
        try:
            held = await secrets.stored(self._here.keychain, [*found.secrets, *found.known, *bound])
            n = await in_thread(secrets.scrub, source.config, held)
        except (KeychainError, ConfigError) as error:
            items = [Item("key", name, "failed", str(error))]
        except OSError as error:
            items = [Item("key", name, "failed", str(explain(error)))]
        else:
            text = ngettext("{n} key was removed from it.", "{n} keys were removed from it.", n)
            items = [Item("key", name, "change" if n else "same", text.format(n=n), n)]
        await self._tell(items)
        return items

    # ---- telling

    async def _tell(self, items: Sequence[Item], *, at_once: bool = False) -> None:
        """Tell of items, some at a time, with a turn for others between."""
        self._waiting += items
        if not at_once and len(self._waiting) < _AT_ONCE:
            return
        waiting, self._waiting = self._waiting, []
        for start in range(0, len(waiting), _AT_ONCE):
            batch = waiting[start : start + _AT_ONCE]
            self._told(Items(tuple(batch)))
            await asyncio.sleep(0)


def _weight(one: Step) -> int:
    return sum(max(1, item.count) for item in one.items) if one.work is not None else 0


def _why(error: OSError) -> str:
    if error.errno == errno.EEXIST:
        return _("Something with this name was created here meanwhile. Import again.")
    return (
        wrong(error) if error.filename and not os.access(error.filename, os.R_OK) else str(explain(error))
    )
