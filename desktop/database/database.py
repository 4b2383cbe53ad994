"""state.db: what only the program needs, in one SQLite file with one writer.

Text that the person owns is never here. A file that SQLite finds damaged, when it is opened or later, is
set aside under another name and a new one begun: everything in it is either a ledger or can be rebuilt.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import aiosqlite

from desktop.database.tables import KEPT_MARKS, MIGRATIONS
from desktop.errors import StorageError, explain
from desktop.tasks import in_thread
from desktop.text import _

_PAUSES_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_log = logging.getLogger(__name__)
_NO_DAMAGE = (sqlite3.OperationalError, sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.DataError)


def outdated(path: Path) -> bool:
    """Whether opening this file would change its tables: it was made by an older version. Blocks."""
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(path)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error:
        return False
    return 0 < int(version) < len(MIGRATIONS)


class Database:
    """The one connection to state.db.

    Every write is one statement and one transaction, and every read is over when its rows are there: so
    what one task does is never part of what another one keeps or takes back.
    """

    def __init__(self, path: Path, *, mend: bool = True) -> None:
        """`mend`: whether to begin anew where the file is damaged; only for the owner of the home."""
        self._path, self._mend = path, mend
        self._connection: aiosqlite.Connection | None = None
        self.knows_files = True
        """Whether it was there already and kept whose words files are."""
        self.begun_anew: Callable[[], object] = lambda: None
        """Called where it was damaged and is empty now."""

    async def open(self) -> None:
        """Open or create the file and bring its tables up to date. Raises StorageError."""
        try:
            await self._connect()
        except sqlite3.Error as error:
            await self._begin_anew(error)

    async def _begin_anew(self, error: sqlite3.Error) -> None:
        """Set a damaged file aside; for any other error raise StorageError."""
        if not (self._mend and _is_damage(error)):
            raise self._failed(error) from error
        await self.close()
        aside = self._path.with_name(f"{self._path.name}.damaged-{int(time.time())}")
        try:
            await in_thread(_move, self._path, aside)
            await self._connect()
        except OSError as failure:
            raise explain(failure) from error
        except sqlite3.Error as failure:
            raise self._failed(failure) from failure
        _log.warning("%s is damaged (%s); kept as %s", self._path, error, aside.name)
        self.begun_anew()

    async def _connect(self) -> None:
        connection = aiosqlite.connect(self._path, isolation_level=None)
        try:
            await connection
        except BaseException:
            # Its thread still has something to tell the loop, which may be closed next.
            await in_thread(connection._thread.join)  # noqa: SLF001
            raise
        try:
            version = await _version(connection)
            if version > len(MIGRATIONS):
                raise _newer()
            await _into_wal(connection)
            await connection.execute("PRAGMA synchronous = NORMAL")
            self.knows_files = version >= KEPT_MARKS
            await _bring_up_to_date(connection)
        except BaseException:
            await connection.close()
            raise
        self._connection = connection

    async def close(self) -> None:
        """Finish what is queued and close the file."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await connection.close()

    async def write(self, sql: str, values: Iterable[Any] = ()) -> int:
        """Run one statement in its own transaction; how many rows it changed. Raises StorageError."""
        row = tuple(values)
        try:
            return await self._write(sql, row)
        except sqlite3.Error as error:
            await self._begin_anew(error)
            try:
                return await self._write(sql, row)
            except sqlite3.Error as again:
                raise self._failed(again) from again

    async def _write(self, sql: str, row: tuple[Any, ...]) -> int:
        async with self._open_connection().execute(sql, row) as cursor:
            return cursor.rowcount

    async def read(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query. Raises StorageError."""
        try:
            return [
                tuple(row) for row in await self._open_connection().execute_fetchall(sql, tuple(values))
            ]
        except sqlite3.Error as error:
            raise self._failed(error) from error

    async def check(self) -> None:
        """Look through the whole file. Raises StorageError where it is damaged."""
        if (found := await self.read("PRAGMA quick_check(1)")) != [("ok",)]:
            raise self._failed(sqlite3.DatabaseError(found[0][0]))

    def _open_connection(self) -> aiosqlite.Connection:
        if self._connection is None:
            raise self._failed(sqlite3.Error("not open"))
        return self._connection

    def _failed(self, error: sqlite3.Error) -> StorageError:
        if _is_damage(error):
            return StorageError(
                _("{where} is damaged: {reason}.").format(where=self._path, reason=error),
                _(
                    "It will be set aside with the next question. It contains no conversations and no "
                    "settings, only the inbox, activity and usage."
                ),
            )
        return StorageError(
            _("{where} can’t be used: {reason}.").format(where=self._path, reason=error),
            _("Check that the disk has space and the folder is writable."),
        )


def _newer() -> StorageError:
    return StorageError(
        _("Your data was last used by a newer version of Nanobot Desktop, which this one can’t read."),
        _("Install the newer version again. Your data was not changed."),
    )


async def _bring_up_to_date(connection: aiosqlite.Connection) -> None:
    """Run the scripts that have not run. A command that only reads may be at that at the same time."""
    while (done := await _version(connection)) < len(MIGRATIONS):
        script = f"BEGIN IMMEDIATE; {MIGRATIONS[done]} PRAGMA user_version = {done + 1}; COMMIT;"
        try:
            await connection.executescript(script)
        except sqlite3.OperationalError:
            await connection.rollback()
            if await _version(connection) == done:  # else another process was quicker
                raise


async def _version(connection: aiosqlite.Connection) -> int:
    row = await (await connection.execute("PRAGMA user_version")).fetchone()
    return int(row[0]) if row else 0


async def _into_wal(connection: aiosqlite.Connection) -> None:
    """Into SQLite's mode for many readers. Where several do that to a new file at once, all but one are
    refused at once, whatever the time they would wait for a lock."""
    for pause in (*_PAUSES_S, None):
        try:
            await connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if pause is None:
                raise
            await asyncio.sleep(pause)


def _move(path: Path, aside: Path) -> None:
    """Also the files beside it: what they hold belongs to the damaged one. Raises OSError."""
    path.replace(aside)
    for ending in ("-wal", "-shm"):
        beside = path.with_name(f"{path.name}{ending}")
        if beside.exists():
            beside.replace(aside.with_name(f"{aside.name}{ending}"))


def _is_damage(error: sqlite3.Error) -> bool:
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, _NO_DAMAGE)
