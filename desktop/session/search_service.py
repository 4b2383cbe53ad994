"""Searches in all sessions, and the task that keeps their index up.

A session that was written to is only noted. It is read into the index when somebody searches, or once
there is enough of it to be worth the writing: an index written to after every message would cost the disk
several times as much. All that happens in a thread, in slices, and with pauses where nobody waits for it.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.errors import StorageError, UsageError
from desktop.paths import inode
from desktop.session.index import Indexer, rebuild
from desktop.session.search import Found, Hit, search
from desktop.session.sessions import Sessions
from desktop.tasks import cancel, in_thread, see_through, spawn
from desktop.text import _

_log = logging.getLogger(__name__)

_REST_S = 3.0
_ENOUGH = 64
_PATIENCE_S = 0.25
_MOST = 1000
_MENDS = 2


@dataclass(frozen=True, slots=True)
class Results:
    """Some messages, the newest first."""

    hits: tuple[Hit, ...]
    next: int | None
    """Where to go on; None at the end."""
    ready: bool
    """Whether all sessions are in the index."""


class SearchService:
    """Searches all sessions."""

    def __init__(self, database: Path, sessions: Sessions, *, rest: float = _REST_S) -> None:
        """`rest`: seconds until the index is brought up to date where nobody searches."""
        self._database, self._sessions, self._rest = database, sessions, rest
        self._written: dict[str, int] = {}
        """Files written to and how often, since they were last read."""
        self._all = True
        """Whether any file may have changed: at the start, and after files came or went."""
        self._read_into = 0
        """The inode of the database read into: a damaged one is set aside while the program runs."""
        self._work: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()
        """Set where waiting would not make more messages known."""
        self._asked = asyncio.Event()
        """Set once there is a search, for which the rest is cut short."""
        self._patient = 0
        """Searches that wait for the end, without pauses."""
        self._mends = 0
        self._closed = False
        sessions.on_write = self._note

    def start(self) -> None:
        """Read what was written before the program began, once it has come to rest."""
        self._begin()

    async def close(self) -> None:
        """Leave the rest for the next start."""
        self._closed = True
        await cancel(self._work)
        self._settled.set()

    async def find(
        self, query: str, *, limit: int = 50, before: int | None = None, wait: bool = False
    ) -> Results:
        """The newest messages with all words of a query, at most `limit`, before a place that another
        search gave as `next`. Where not all sessions are in the index, `wait` waits for that. Raises
        UsageError, StorageError."""
        if limit < 1:
            raise UsageError(_("A search must return at least one message."))
        patience = None if wait else _PATIENCE_S
        if await in_thread(inode, self._database) != self._read_into:
            self._note(None)
        await self._catch_up(patience)
        try:
            found = await self._find(query, min(limit, _MOST), before)
        except sqlite3.Error as error:
            await self._mend(error)
            await self._catch_up(patience)
            try:
                found = await self._find(query, min(limit, _MOST), before)
            except sqlite3.Error as again:
                raise _failed(self._database, again) from again
        return Results(found.hits, found.before, self._ready)

    async def _find(self, query: str, limit: int, before: int | None) -> Found:
        return await in_thread(lambda: search(self._database, query, limit=limit, before=before))

    # ---- keeping the index up

    @property
    def _noted(self) -> bool:
        return self._all or bool(self._written)

    @property
    def _ready(self) -> bool:
        return self._settled.is_set() and not self._noted

    def _note(self, path: Path | None) -> None:
        """A session was written to; None: files came or went."""
        self._settled.clear()
        if path is None:
            self._all = True
            return
        self._written[path.name] = self._written.get(path.name, 0) + 1
        if sum(self._written.values()) >= _ENOUGH:
            self._begin()

    def _begin(self) -> None:
        if not self._closed and (self._work is None or self._work.done()):
            self._settled.clear()
            self._asked.clear()
            self._work = spawn(self._keep(), name="search:index")

    async def _catch_up(self, seconds: float | None) -> None:
        """Have everything written so far read, and wait for it, at most so long."""
        if self._ready or self._closed:
            return
        self._begin()
        self._asked.set()
        self._patient += seconds is None
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), seconds)
        finally:
            self._patient -= seconds is None

    async def _keep(self) -> None:
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._asked.wait(), self._rest)
            while self._noted:
                try:
                    await self._read()
                except (sqlite3.Error, OSError) as error:
                    self._all = True
                    if not await self._mend(error):
                        return
        finally:
            self._settled.set()

    async def _read(self) -> None:
        """Work until nothing is left to do."""
        indexer = Indexer(self._database, self._sessions.folder)
        try:
            self._read_into = await in_thread(inode, self._database)
            await _whole(indexer.connect)
            more = True
            while more or self._noted:
                began = time.monotonic()
                more = await self._slice(indexer)
                if not indexer.reading and not self._noted:
                    self._settled.set()
                if not self._patient:  # the rest of the program needs the disk and the processor too
                    await asyncio.sleep(time.monotonic() - began)
        finally:
            await _whole(indexer.close)  # also where it is cancelled before a thread has come to it

    async def _slice(self, indexer: Indexer) -> bool:
        if self._noted:
            names = None if self._all else list(self._written)
            self._all = False
            self._written.clear()
            await _whole(indexer.look, names)
        return await _whole(indexer.step)

    async def _mend(self, error: Exception) -> bool:
        """Begin the index anew where it is damaged; whether that was done."""
        if not _is_damage(error) or self._mends >= _MENDS:
            _log.warning("the search index cannot be used: %s", error)
            return False
        self._mends += 1
        _log.warning("the search index is damaged (%s) and is made anew", error)
        try:
            await _whole(rebuild, self._database)
        except sqlite3.Error as failure:
            _log.warning("the search index cannot be made anew: %s", failure)
            return False
        self._all = True
        self._settled.clear()
        return True


async def _whole[T](work: Callable[..., T], *arguments: Any) -> T:
    """Do a piece of work in a thread, to its end also where that is no longer waited for."""

    async def done() -> T | sqlite3.Error | OSError:
        try:
            return await in_thread(work, *arguments)
        except (sqlite3.Error, OSError) as error:
            return error  # a failure of the task would be told to the person

    outcome = await see_through(done(), name="search:work")
    if isinstance(outcome, sqlite3.Error | OSError):
        raise outcome
    return outcome


def _is_damage(error: Exception) -> bool:
    """Whether the tables are not what they should be; a full disk or a busy file is no such thing."""
    if isinstance(error, sqlite3.OperationalError):
        return "no such table" in str(error)
    return isinstance(error, sqlite3.Error)


def _failed(database: Path, error: sqlite3.Error) -> StorageError:
    return StorageError(
        _("{where} can’t be used: {reason}.").format(where=database, reason=error),
        _("Check that the disk has space and the folder is writable."),
    )
