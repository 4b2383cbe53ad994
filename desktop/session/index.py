"""The search index, kept up from the session logs.

The logs are the truth: of each file the index knows how far it was read, and reads on from there, whoever
wrote the rest. So a kill at any moment, another program or a lost index costs reading, never a message.
Work comes in slices, each some hundredths of a second and one short transaction, to be done in a thread:
nothing here may run on the event loop.
"""

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from desktop.database.tables import SEARCH, SEARCH_GONE
from desktop.markdown import plain
from desktop.origin import mark_of
from desktop.session import reader, records
from desktop.session.model import NAMED, Message, moment_of, replayable
from desktop.session.names import SUFFIX, key_of
from desktop.session.place import opened, place_of
from desktop.session.title import title_of

PER_SECOND = 8
"""Message ids are moments, in so many parts of a second."""
_SLICE = 64 * 1024
_LONGEST = 200_000
"""Characters of one message that can be found."""
_MARKED = 256
_FORGOTTEN = 500
_FRESH = 128
"""How many messages are looked at themselves before their words go into the index, all at once: the words
of one message, put in alone, would cost the disk ten times as much."""
_BUSY_S = 30
_YEARS = (datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC))
_TEAR_OUT = """
    PRAGMA writable_schema = ON;
    DELETE FROM sqlite_schema WHERE name = 'search_words';
    DROP TABLE IF EXISTS search_words_data;
    DROP TABLE IF EXISTS search_words_idx;
    DROP TABLE IF EXISTS search_words_config;
    PRAGMA writable_schema = OFF;
"""


@dataclass(frozen=True, slots=True)
class _File:
    """What is known of one log; as in search_session."""

    id: int
    name: str
    key: str
    title: str = ""
    first: str = ""
    size: int = -1
    changed: int = 0
    done: int = 0
    mark: int = 0


@dataclass(frozen=True, slots=True)
class _Piece:
    """The records from where a file was read up to, to `done`."""

    records: list[Message]
    done: int
    mark: int


def rebuild(database: Path) -> None:
    """Begin with an empty index. Raises sqlite3.Error."""
    try:
        _run(database, SEARCH_GONE + SEARCH)
    except sqlite3.DatabaseError:
        # A table of words that cannot be opened cannot be dropped either: it is torn out.
        _run(database, _TEAR_OUT)
        _run(database, SEARCH_GONE + SEARCH)


def _run(database: Path, script: str) -> None:
    with closing(sqlite3.connect(database, timeout=_BUSY_S)) as connection:
        connection.executescript(f"BEGIN IMMEDIATE; {script} COMMIT;")


class Indexer:
    """Brings the index up to date: open(), look(), then step() until it is False, close().

    Raises sqlite3.Error, and OSError where the folder cannot be read.
    """

    def __init__(self, database: Path, folder: Path) -> None:
        self._folder = folder
        self._database = database
        self._ends = ExitStack()
        self._connection: sqlite3.Connection
        self._to_read: dict[str, None] = {}
        self._to_forget: list[int] = []
        self._forgetting: tuple[int, list[int]] = (0, [])

    def connect(self) -> None:
        """Open the database, which is there."""
        uri = f"{self._database.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            uri, uri=True, timeout=_BUSY_S, check_same_thread=False, isolation_level=None
        )
        self._connection = self._ends.enter_context(closing(connection))
        self._connection.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        """Let go of the database."""
        self._ends.close()

    def look(self, names: Iterable[str] | None = None) -> None:
        """Find out what there is to do for these files, which then come first; None: for all."""
        if names is None:
            known = self._known("name IS NOT NULL")
            found = _stats(self._folder, None)
        else:
            wanted = set(names)
            known = {name: file for n in wanted for name, file in self._known("name = ?", n).items()}
            found = _stats(self._folder, wanted)
        same = {(file.name, file.size, file.changed) for file in known.values()}
        changed = [
            (name, stat)
            for name, stat in found.items()
            if (name, stat.st_size, stat.st_mtime_ns) not in same
        ]
        changed.sort(key=lambda item: item[1].st_mtime_ns, reverse=True)
        self._to_read = dict.fromkeys([*(name for name, _stat in changed), *self._to_read])
        if gone := [(file.id,) for name, file in known.items() if name not in found]:
            with self._transaction() as database:
                database.executemany("UPDATE search_session SET name = NULL WHERE id = ?", gone)
        rows = self._connection.execute("SELECT id FROM search_session WHERE name IS NULL")
        self._to_forget = [row[0] for row in rows]

    def step(self) -> bool:
        """Do one slice; whether there is more to do."""
        if self._to_read:
            name = next(iter(self._to_read))
            if not self._read(name):
                self._to_read.pop(name, None)
        elif self._to_forget:
            self._forget(self._to_forget[-1])
        return bool(self._to_read or self._to_forget)

    @property
    def reading(self) -> bool:
        """Whether messages are yet to be read; what is left after that is only to be forgotten."""
        return bool(self._to_read)

    def _known(self, where: str, *values: str) -> dict[str, _File]:
        sql = "SELECT id, name, key, title, first, size, changed, done, mark FROM search_session WHERE "
        return {row[1]: _File(*row) for row in self._connection.execute(sql + where, values)}

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    # ---- reading

    def _read(self, name: str) -> bool:
        """Read on in one file; whether it has more."""
        before = self._known("name = ?", name).get(name)
        try:
            with opened(self._folder / name) as held:
                file, stat = held.stream, held.status
                wide = records.encoding_of(file.read(4096)) != records.UTF8
                kept = before if before and not wide and _goes_on(file, before, stat) else None
                piece = _whole(file) if wide else _piece(file, kept.done if kept else 0, stat.st_size)
        except OSError:
            return False  # the next look will see that it is gone, or could be read again
        now = _told(kept or _File(0, name, key_of(name)), piece)
        more = piece is not None and piece.done < stat.st_size and not wide
        size = -1 if more else stat.st_size  # killed in between, it is looked at again
        now = replace(now, size=size, changed=stat.st_mtime_ns)
        with self._transaction() as database:
            if before and not kept:
                database.execute("UPDATE search_session SET name = NULL WHERE id = ?", (before.id,))
                self._to_forget.append(before.id)
            session = _store(database, now)
            if piece:
                _add(database, session, piece.records, stat.st_mtime)
        return more

    # ---- forgetting

    def _forget(self, session: int) -> None:
        """Take some messages of a session that is gone out of the index."""
        database = self._connection
        if self._forgetting[0] != session:
            rows = database.execute("SELECT id FROM search_message WHERE session = ?", (session,))
            self._forgetting = (session, [row[0] for row in rows])
        left = self._forgetting[1]
        ids = [(number,) for number in left[-_FORGOTTEN:]]
        with self._transaction():
            database.executemany(
                "INSERT INTO search_words (search_words, rowid, text)"
                " SELECT 'delete', id, text FROM search_text"
                " WHERE id = ? AND id NOT IN (SELECT id FROM search_fresh)",
                ids,
            )
            database.executemany("DELETE FROM search_fresh WHERE id = ?", ids)
            database.executemany("DELETE FROM search_text WHERE id = ?", ids)
            database.executemany("DELETE FROM search_message WHERE id = ?", ids)
            if len(ids) == len(left):
                database.execute("DELETE FROM search_session WHERE id = ?", (session,))
        del left[-_FORGOTTEN:]
        if not left:
            self._to_forget.remove(session)
            self._forgetting = (0, [])


def _stats(folder: Path, names: Iterable[str] | None) -> dict[str, os.stat_result]:
    """One stat for each session file, of those that are there."""
    found, place = {}, place_of(folder)
    if names is None:
        names = [name for name in place.names() if name.endswith(SUFFIX)]
    for name in names:
        try:
            found[name] = place.stat(name)
        except OSError:
            continue
    return found


def _goes_on(file: BinaryIO, known: _File, stat: os.stat_result) -> bool:
    """Whether the file is as it was up to where it was read, and has only grown."""
    if stat.st_size < known.done or (stat.st_size == known.size and stat.st_mtime_ns != known.changed):
        return False
    return _mark(file, known.done) == known.mark


def _mark(file: BinaryIO, end: int) -> int:
    start = max(0, end - _MARKED)
    file.seek(start)
    return zlib.crc32(file.read(end - start))


def _piece(file: BinaryIO, start: int, size: int) -> _Piece | None:
    """About one slice of whole lines; None where there is none. A last line without an end counts if it is
    whole: an editor left it so."""
    file.seek(start)
    data = file.read(min(_SLICE, size - start))
    if start + len(data) < size and not data.endswith(b"\n"):
        data += file.readline()
    lines = data.split(b"\n")
    rest = lines.pop()
    found = [record for line in lines for record in records.read(line)[0]]
    last, damaged = records.read(rest)
    whole = len(last) == 1 and not damaged
    done = start + len(data) - (0 if whole else len(rest))
    if done == start:
        return None
    return _Piece([*found, *(last if whole else ())], done, _mark(file, done))


def _whole(file: BinaryIO) -> _Piece:
    """A file that an editor made UTF-16 of: no place in it can be gone on from."""
    file.seek(0)
    data = file.read()
    return _Piece(records.read_foreign(data, records.encoding_of(data[:4096]))[0], len(data), -1)


def _told(file: _File, piece: _Piece | None) -> _File:
    """What the records say of their session."""
    if piece is None:
        return file
    for record in piece.records:
        if record.get("_type") == "metadata":
            inner = record.get("metadata")
            inner = inner if isinstance(inner, dict) else {}
            title = str(inner.get("title") or "").strip()
            title = title if inner.get(NAMED) else plain(title)
            file = replace(file, key=reader.stored_key(record, file.name) or file.key, title=title)
        elif not file.first and record.get("role") == "user" and replayable(record):
            file = replace(file, first=title_of(record))
    return replace(file, done=piece.done, mark=piece.mark)


def _store(database: sqlite3.Connection, file: _File) -> int:
    values = (file.name, file.key, file.title, file.first, file.size, file.changed, file.done, file.mark)
    if file.id:
        database.execute(
            "UPDATE search_session SET name = ?, key = ?, title = ?, first = ?, size = ?, changed = ?,"
            " done = ?, mark = ? WHERE id = ?",
            (*values, file.id),
        )
        return file.id
    cursor = database.execute(
        "INSERT INTO search_session (name, key, title, first, size, changed, done, mark)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        values,
    )
    return int(cursor.lastrowid or 0)


def _add(database: sqlite3.Connection, session: int, found: Iterable[Message], written: float) -> None:
    rows = []
    moment = written
    following: dict[int, int] = {}
    for record in found:
        moment = _seconds(record) or moment
        # SQLite's LIKE would end a text at a NUL.
        if text := said_in(record)[:_LONGEST].replace("\0", " "):
            number = _free(database, int(moment * PER_SECOND), following)
            asked, turn = record.get("role") == "user", str(record.get("_turn") or "")
            rows.append((number, asked, turn, mark_of(record).trusted, text))
    rows.sort()
    database.executemany(
        "INSERT INTO search_message (id, session, asked, turn, trusted) VALUES (?, ?, ?, ?, ?)",
        [(number, session, asked, turn, trusted) for number, asked, turn, trusted, _text in rows],
    )
    texts = [(number, text) for number, _asked, _turn, _trusted, text in rows]
    database.executemany("INSERT INTO search_text (id, text) VALUES (?, ?)", texts)
    database.executemany("INSERT INTO search_fresh (id) VALUES (?)", [(number,) for number, _text in texts])
    (fresh,) = database.execute("SELECT count(*) FROM search_fresh").fetchone()
    if fresh >= _FRESH:
        database.execute(
            "INSERT INTO search_words (rowid, text) SELECT f.id, t.text FROM search_fresh f"
            " CROSS JOIN search_text t ON t.id = f.id ORDER BY f.id"
        )
        database.execute("DELETE FROM search_fresh")


def _free(database: sqlite3.Connection, moment: int, following: dict[int, int]) -> int:
    """The first id from this moment on that no message has. `following`: where to go on, of moments that
    were asked for in this transaction; an import may hold thousands of one."""
    sql = "SELECT 1 FROM search_message WHERE id = ?"
    number = following.get(moment, moment)
    while number in following or database.execute(sql, (number,)).fetchone():
        number = following.get(number, number + 1)
    following[moment] = following[number] = number + 1
    return number


def _seconds(record: Message) -> float | None:
    moment = moment_of(record.get("timestamp"))
    return moment.timestamp() if moment and _YEARS[0] < moment < _YEARS[1] else None


def said_in(record: Message) -> str:
    """What the person or the assistant says in a record; nothing where it is something else."""
    if record.get("role") not in ("user", "assistant") or not replayable(record):
        return ""
    content = record.get("content")
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        content = "\n".join(part for part in parts if isinstance(part, str))
    return content.strip() if isinstance(content, str) else ""
