"""What is damaged in a home, what of it is whole, and repairing it."""

import functools
import json
import logging
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from desktop.config.store import ConfigStore
from desktop.cron.store import LAST, Store
from desktop.cron.zone import zone
from desktop.database.database import Database
from desktop.errors import AppError, UsageError, explain
from desktop.merge.backup import mending, rows
from desktop.merge.backup.before import save_before
from desktop.pace import Pace
from desktop.paths import Home, close_to_others, open_to_others
from desktop.providers import former
from desktop.session.listing import describe
from desktop.session.model import SessionInfo
from desktop.session.sessions import Sessions
from desktop.tasks import in_thread
from desktop.text import _, ngettext

SEEN = "recovery.json"
"""Which damage the person has seen and left as it is."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is hurt. `id` tells it from others, also in another state of it."""

    id: str
    part: str
    """session, config, database or jobs."""
    title: str
    hurt: str
    whole: str
    act: str
    """What mending it does, as the words of a button."""


class Damages:
    """Damage of a home."""

    def __init__(
        self,
        home: Home,
        workspace: Path,
        sessions: Sessions,
        store: ConfigStore,
        apply: Callable[[], Awaitable[None]],
    ) -> None:
        """`apply`: lets the program obey the settings."""
        self._home, self._workspace = home, workspace
        self._sessions, self._store, self._apply = sessions, store, apply

    # ---- looking

    async def all(self, *, deep: bool) -> tuple[list[Damage], list[str]]:
        """What is damaged, and what is sound, as sentences. `deep`: every record is looked at."""
        infos = await self._sessions.list()
        found = await in_thread(self._config)
        found += await in_thread(self._databases)
        found += await self._jobs()
        for info in infos:
            if (deep or info.damaged) and (hurt := await in_thread(_session, info)):
                found.append(hurt)
        return found, _sound(found, len(infos))

    def _config(self) -> list[Damage]:
        store = self._store
        if not store.damaged:
            return []
        good = store.backup.exists()
        last, usual = (
            _("The last valid settings are kept and in use."),
            _("The default settings are in use."),
        )
        return [
            Damage(
                f"config:{_mark(store.path)}",
                "config",
                _("Settings"),
                " ".join(problem.text for problem in store.problems),
                last if good else usual,
                _("Use the last valid settings") if good else _("Use the default settings"),
            )
        ]

    def _databases(self) -> list[Damage]:
        """Databases that were found damaged when they were opened: a new one was begun then."""
        home = self._home
        return [
            Damage(
                f"database:{path.name}",
                "database",
                _("Database"),
                _("It was damaged and is kept as {name}. A new one was created.").format(name=path.name),
                _(
                    "It contains usage, activity and the inbox. Conversations, memory and settings are "
                    "separate text files."
                ),
                _("Recover what can be read"),
            )
            for path in sorted(home.root.glob(f"{home.database.name}.damaged-*"))
            if not path.name.endswith(("-wal", "-shm"))
        ]

    def _schedule(self) -> Store:
        def here() -> str:
            return self._store.config.agents.defaults.timezone or zone()

        return Store(self._workspace / "cron", here)

    async def _jobs(self) -> list[Damage]:
        store = self._schedule()
        await store.load()
        if not store.damage:
            return []
        n = await in_thread(mending.readable_jobs, store.path, store.folder / LAST)
        whole = ngettext("{n} task can be read.", "{n} tasks can be read.", n).format(n=n)
        mark = await in_thread(_mark, store.path)
        act = _("Keep the readable tasks")
        return [Damage(f"jobs:{mark}", "jobs", _("Reminders and tasks"), store.damage, whole, act)]

    def seen(self) -> frozenset[str]:
        """The ids of damage that the person has seen. Blocks."""
        try:
            ids = json.loads((self._home.root / SEEN).read_bytes())
        except (OSError, ValueError):
            return frozenset()
        return frozenset(map(str, ids)) if isinstance(ids, list) else frozenset()

    def see(self, ids: list[str]) -> None:
        """Keep that the person has seen these. Blocks. Raises OSError."""
        self._home.root.joinpath(SEEN).write_text(json.dumps(ids), "utf-8")

    # ---- mending

    async def mend(self, found: list[Damage]) -> tuple[list[str], list[str]]:
        """Repair these: a sentence for each that is done, and for each that failed."""
        done, failed = [], []
        for one in found:
            try:
                done.append(await self._mend(one, Pace()))
            except (AppError, OSError, sqlite3.Error) as error:
                _log.info("%s could not be mended: %s", one.id, error)
                failed.append(f"{one.title}: {explain(error)}")
        if done:
            self._sessions.on_write(None)
        return done, failed

    def close(self) -> tuple[list[str], list[str]]:
        """Take what is the person's from other accounts of this computer: the same sentences. Blocks."""
        n, failed = 0, []
        for path in open_to_others(self._home, self._workspace):
            try:
                close_to_others(path)
                n += 1
            except OSError as error:
                failed.append(f"{path}: {explain(error)}")
        told = ngettext(
            "{n} file or folder is now private to your account.",
            "{n} files and folders are now private to your account.",
            n,
        )
        return [told.format(n=n)] if n else [], failed

    def clear(self) -> list[str]:
        """Remove what an older version has left: the same sentences. Blocks."""
        freed = former.remove(self._home.models)
        text = _("The packages of the previous engine ({mb} MB) were removed.")
        return [text.format(mb=former.megabytes(freed))] if freed else []

    async def _mend(self, one: Damage, pace: Pace) -> str:
        match one.part:
            case "session":
                return await self._mend_session(one.id.partition(":")[2].rpartition(":")[0], pace)
            case "config":
                await save_before(self._home, self._workspace, "mend")
                kept = await self._store.mend()
                await self._apply()
                return _("The settings are repaired. The damaged file is kept as {name}.").format(name=kept)
            case "jobs":
                store = self._schedule()
                path, n = await pace.run(mending.mend_jobs, store.path, store.folder / LAST)
                text = ngettext("{n} task kept", "{n} tasks kept", n).format(n=n)
                return _("{what}; the damaged file is kept as {name}.").format(what=text, name=path.name)
            case _:
                return await self._mend_database(one.id.partition(":")[2], pace)

    async def _mend_session(self, name: str, pace: Pace) -> str:
        sessions = self._sessions
        try:
            info = await in_thread(describe, sessions.folder / name)
        except FileNotFoundError:
            raise UsageError(_("This conversation does not exist.")) from None
        aside, n = await pace.run(mending.mend_session, info, pace)
        sessions.forget(info.key)
        whole = ngettext("{n} message intact", "{n} messages intact", n).format(n=n)
        return _("{title}: {whole}; the original file is kept as {name}.").format(
            title=info.title or info.key, whole=whole, name=f"{mending.ASIDE}/{aside.name}"
        )

    async def _mend_database(self, name: str, pace: Pace) -> str:
        """Save the rows that can be read; the damaged file gets a name under which it is not told of."""
        home = self._home
        damaged = home.root / name
        with tempfile.TemporaryDirectory(dir=home.root, prefix=".salvage-") as folder:
            sound = Path(folder) / "state.db"
            database = Database(sound)
            await database.open()
            await database.close()
            try:
                await pace.run(mending.salvage, damaged, sound, pace)
            except sqlite3.DatabaseError as error:
                _log.info("nothing of %s can be read: %s", name, error)
            merge = functools.partial(rows.merge, own=True)
            n = await pace.run(merge, sound, home.database, pace)
        kept = damaged.with_name(f"{home.database.name}.kept-{datetime.now().astimezone():%Y%m%d-%H%M%S}")
        await in_thread(damaged.rename, kept)
        text = ngettext("{n} entry recovered", "{n} entries recovered", n).format(n=n)
        return _("{what}; the damaged file is kept as {name}.").format(what=text, name=kept.name)


def _sound(found: list[Damage], conversations: int) -> list[str]:
    """What is whole."""
    parts = {one.part for one in found}
    n = conversations - sum(one.part == "session" for one in found)
    sound = [ngettext("{n} conversation is intact.", "{n} conversations are intact.", n).format(n=n)]
    names = {"config": _("The settings are intact."), "jobs": _("The tasks are intact.")}
    return [*sound, *(text for part, text in names.items() if part not in parts)]


def _session(info: SessionInfo) -> Damage | None:
    """What is hurt of a conversation; None where all of it can be read."""
    whole, damaged = mending.state_of(info.path, Pace())
    if not damaged:
        return None
    return Damage(
        f"session:{info.path.name}:{info.path.stat().st_size}",
        "session",
        info.title or info.key,
        ngettext("{n} record can’t be read.", "{n} records can’t be read.", damaged).format(n=damaged),
        ngettext("{n} message is intact.", "{n} messages are intact.", whole).format(n=whole),
        _("Set unreadable parts aside"),
    )


def _mark(path: Path) -> str:
    try:
        seen = path.stat()
    except OSError:
        return ""
    return f"{seen.st_size}-{seen.st_mtime_ns}"
