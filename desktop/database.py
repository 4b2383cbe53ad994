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

from desktop.errors import StorageError, explain
from desktop.tasks import in_thread
from desktop.text import _

_PAUSES_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_log = logging.getLogger(__name__)
_NO_DAMAGE = (sqlite3.OperationalError, sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.DataError)

SEARCH = """
    CREATE TABLE search_session (
        id INTEGER PRIMARY KEY,
        name TEXT UNIQUE,            -- of the file; NULL where its messages are to be forgotten
        key TEXT NOT NULL,
        title TEXT NOT NULL,         -- given by the person
        first TEXT NOT NULL,         -- the person's first words
        size INTEGER NOT NULL,       -- of the file when it was last looked at, bytes
        changed INTEGER NOT NULL,    -- its time of change then, nanoseconds
        done INTEGER NOT NULL,       -- bytes that are read
        mark INTEGER NOT NULL        -- CRC-32 of the last bytes before `done`
    );
    CREATE TABLE search_message (
        id INTEGER PRIMARY KEY,      -- the moment in eighths of a second since 1970, or the next free
        session INTEGER NOT NULL,
        asked INTEGER NOT NULL,      -- 1 of the person, 0 of the assistant
        turn TEXT NOT NULL,
        trusted INTEGER NOT NULL     -- 0 where its text came from outside, or was made with such in view
    );
    CREATE TABLE search_text (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE search_fresh (id INTEGER PRIMARY KEY);  -- those that are not in search_words yet
    CREATE VIRTUAL TABLE search_words USING fts5(
        text, content = 'search_text', content_rowid = 'id', tokenize = 'trigram', detail = none,
        columnsize = 0
    );
    INSERT INTO search_words (search_words, rank) VALUES ('automerge', 8);
"""
"""The index of what was said; made from the session logs, and so made anew where it is damaged."""
SEARCH_GONE = "".join(
    f"DROP TABLE IF EXISTS {name};\n"
    for name in ("search_words", "search_fresh", "search_text", "search_message", "search_session")
)

MIGRATIONS = (
    """
    CREATE TABLE usage (
        id INTEGER PRIMARY KEY,
        at REAL NOT NULL,            -- Unix time, seconds
        cause TEXT NOT NULL,         -- what made the call: turn, test, warm-up
        session TEXT NOT NULL,
        turn TEXT NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        outcome TEXT NOT NULL,       -- ok, stopped, or the name of the error
        seconds REAL NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL,
        reasoning_tokens INTEGER NOT NULL,
        cost REAL                    -- US dollars; NULL where the provider did not say
    );
    CREATE INDEX usage_at ON usage (at);
    """,
    """
    CREATE TABLE inbox (
        id TEXT PRIMARY KEY,
        at REAL NOT NULL,            -- Unix time, seconds
        kind TEXT NOT NULL,          -- approval, error, ...
        session TEXT NOT NULL,
        turn TEXT NOT NULL,
        title TEXT NOT NULL,
        body TEXT NOT NULL,          -- JSON, by kind
        state TEXT NOT NULL,         -- open, done
        answer TEXT NOT NULL,        -- yes, no, withdrawn; empty while open
        settled REAL                 -- Unix time, seconds; NULL while open
    );
    CREATE INDEX inbox_state ON inbox (state, at);
    CREATE TABLE audit (
        id INTEGER PRIMARY KEY,
        at REAL NOT NULL,            -- Unix time, seconds
        session TEXT NOT NULL,
        turn TEXT NOT NULL,
        call TEXT NOT NULL,
        tool TEXT NOT NULL,
        effect TEXT NOT NULL,        -- read, write, run, send
        gist TEXT NOT NULL,
        arguments TEXT NOT NULL,     -- SHA-256 of the arguments
        verdict TEXT NOT NULL,       -- allowed, denied, parked
        reason TEXT NOT NULL,        -- mode, rule, person, fence, ...
        outside INTEGER NOT NULL,    -- whether outside text was in the turn
        outcome TEXT NOT NULL,       -- ok, failed, denied, parked, stopped
        seconds REAL NOT NULL
    );
    CREATE INDEX audit_at ON audit (at);
    CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
    CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
    """,
    SEARCH,
    """
    CREATE TABLE subagents (
        id TEXT PRIMARY KEY,
        session TEXT NOT NULL,       -- the conversation it works for
        turn TEXT NOT NULL,          -- the turn that called for it
        label TEXT NOT NULL,
        task TEXT NOT NULL,
        front TEXT NOT NULL,
        approve TEXT NOT NULL,
        started REAL NOT NULL,       -- Unix time, seconds
        state TEXT NOT NULL,         -- queued, running, done, failed, stopped, interrupted
        result TEXT NOT NULL,
        outside INTEGER NOT NULL,    -- whether text from outside entered it
        addresses TEXT NOT NULL,     -- JSON: addresses that such text gave
        told INTEGER NOT NULL        -- whether its conversation has the result, or needs none
    );
    CREATE INDEX subagents_untold ON subagents (told) WHERE told = 0;
    """,
    """
    CREATE TABLE mcp_tools (
        server TEXT NOT NULL,        -- the person's name for it
        tool TEXT NOT NULL,          -- the server's name of it; empty: there was a first list
        digest TEXT NOT NULL,        -- SHA-256 of what the server said of it
        PRIMARY KEY (server, tool)
    );
    """,
    """
    ALTER TABLE inbox ADD COLUMN due REAL NOT NULL DEFAULT 0;      -- not shown before, Unix time, seconds
    ALTER TABLE inbox ADD COLUMN shown INTEGER NOT NULL DEFAULT 0; -- 0 not yet, 1 being handed over, 2 yes
    ALTER TABLE inbox ADD COLUMN handed INTEGER NOT NULL DEFAULT 0; -- how often it was handed to the screen
    UPDATE inbox SET shown = 2;
    CREATE INDEX inbox_unshown ON inbox (due) WHERE state = 'open' AND shown < 2;
    CREATE TABLE runs (
        id TEXT PRIMARY KEY,         -- and of its turn
        job TEXT NOT NULL,
        name TEXT NOT NULL,          -- of the job at that time
        planned REAL NOT NULL,       -- when it was due, Unix time, seconds
        attempt INTEGER NOT NULL,    -- 0, and 1... for those after a failure
        cause TEXT NOT NULL,         -- due, late, hand
        missed INTEGER NOT NULL,     -- how many due moments before `planned` it stands for
        claimed REAL NOT NULL,       -- when it began, Unix time, seconds
        ended REAL,                  -- NULL until its end
        outcome TEXT NOT NULL,       -- running, ok, failed, stopped, interrupted, skipped, asked
        detail TEXT NOT NULL,        -- a sentence: what came of it
        tokens INTEGER NOT NULL,
        cost REAL,                   -- US dollars; NULL where it is not known
        UNIQUE (job, planned, attempt)
    );
    CREATE INDEX runs_claimed ON runs (claimed);
    CREATE INDEX usage_cause ON usage (cause, at);
    CREATE TABLE deliveries (
        id TEXT PRIMARY KEY,         -- what it is of: a run, a heartbeat
        session TEXT NOT NULL,       -- the conversation that is to have it
        text TEXT NOT NULL,
        source TEXT NOT NULL         -- the session it was made in
    );
    """,
    """
    DROP INDEX usage_at;
    CREATE INDEX usage_paid ON usage (at, provider, cost);  -- asked for before each call of a model
    """,
    """
    CREATE INDEX usage_session ON usage (session);
    """,
    """
    CREATE TABLE file_marks (
        digest TEXT PRIMARY KEY,     -- SHA-256 of the bytes
        origin TEXT NOT NULL,        -- person, agent, unknown, untrusted
        sources TEXT NOT NULL,       -- JSON: where the text came from, for the person
        path TEXT NOT NULL,          -- where they were last written
        at REAL NOT NULL             -- Unix time, seconds
    );
    CREATE TABLE commands (
        id TEXT PRIMARY KEY,
        began REAL NOT NULL,         -- Unix time, seconds
        ended REAL NOT NULL,         -- far in the future while it runs
        session TEXT NOT NULL,       -- the conversation that called it
        folders TEXT NOT NULL,       -- JSON: where it could write
        origin TEXT NOT NULL,        -- of what was in view when it was called, and of what it could read
        sources TEXT NOT NULL
    );
    CREATE INDEX commands_ended ON commands (ended);
    CREATE TABLE vouched (
        path TEXT PRIMARY KEY,       -- a folder whose files the person vouches for
        at REAL NOT NULL
    );
    ALTER TABLE subagents ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE deliveries ADD COLUMN origin TEXT NOT NULL DEFAULT 'unknown';
    ALTER TABLE deliveries ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';
    """
    + SEARCH_GONE
    + SEARCH,
    """
    ALTER TABLE subagents ADD COLUMN origin TEXT NOT NULL DEFAULT 'untrusted'; -- if `outside`
    """,
    """
    CREATE TABLE lessons (
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        entry TEXT NOT NULL,         -- digest of the settings and of the table that it was learned of
        what TEXT NOT NULL,          -- what the model does not take: see providers/healing.py
        at REAL NOT NULL,            -- Unix time, seconds
        PRIMARY KEY (provider, model, what)
    );
    ALTER TABLE usage ADD COLUMN saved REAL;          -- US dollars by the cache; NULL where not known
    ALTER TABLE usage ADD COLUMN reasoning_cost REAL; -- US dollars, a part of the cost; NULL likewise
    """,
)
"""One script a version; PRAGMA user_version counts those that have run."""
_KEPT_MARKS = 1 + next(number for number, script in enumerate(MIGRATIONS) if "TABLE file_marks" in script)


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
    """The one connection to state.db. Every write is one transaction."""

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
        connection = aiosqlite.connect(self._path)
        try:
            await connection
        except BaseException:
            # Its thread still has something to tell the loop, which may be closed next.
            await in_thread(connection._thread.join)  # noqa: SLF001
            raise
        try:
            await _into_wal(connection)
            await connection.execute("PRAGMA synchronous = NORMAL")
            self.knows_files = await _version(connection) >= _KEPT_MARKS
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
        connection = self._open_connection()
        try:
            cursor = await connection.execute(sql, row)
            await connection.commit()
        except sqlite3.Error:
            await connection.rollback()
            raise
        return cursor.rowcount

    async def read(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query. Raises StorageError."""
        try:
            async with self._open_connection().execute(sql, tuple(values)) as cursor:
                return [tuple(row) for row in await cursor.fetchall()]
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
