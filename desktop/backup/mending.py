"""Repairing what is damaged: what can be read is put in order, and the file as it was is kept beside it."""

import json
import logging
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from desktop.backup import logs
from desktop.backup.files import Undo, put, take
from desktop.config import document
from desktop.cron import file as job_file
from desktop.pace import Pace
from desktop.session import records
from desktop.session.model import SessionInfo

ASIDE = ".damaged"
"""The folder beside conversations in which their files lie as they were."""
_LEDGERS = ("usage", "audit", "runs", "inbox", "mcp_tools", "deliveries", "subagents")
_DECODER = json.JSONDecoder()
_log = logging.getLogger(__name__)


def state_of(path: Path, pace: Pace) -> tuple[int, int]:
    """How many messages of a conversation's file can be read, and how many records cannot. Blocks. Raises
    OSError."""
    whole = sum(1 for _message in logs.messages(path, pace))
    return whole, logs.damaged(path)


def mend_session(info: SessionInfo, pace: Pace) -> tuple[Path, int]:
    """Leave out of a conversation's file what cannot be read; where the file as it was is kept, and how
    many messages are whole. Blocks. Raises OSError; then nothing is changed."""
    path, undo = info.path, Undo()
    seen = path.stat()
    moment = f"{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    aside = path.parent / ASIDE / f"{moment}-{path.name}"
    made = path.with_name(f".{path.name[:100]}.mended.part")
    number = 0
    try:
        with made.open("wb") as file:
            made.chmod(0o600)
            for record in logs.read(path):
                number += "role" in record
                file.write(records.write(record))
                pace.advance(0)
            file.flush()
            os.fsync(file.fileno())
        put(path, aside, undo, copy=True)
        if path.stat().st_size != seen.st_size:
            raise OSError(11, os.strerror(11), str(path))  # somebody writes to it
        take(made, path, undo, aside.parent)
        for left in aside.parent.glob("old-*"):
            left.unlink()
    finally:
        made.unlink(missing_ok=True)
    return aside, number


def mend_jobs(path: Path, last: Path) -> tuple[Path, int]:
    """Put the jobs that can be read, of the file and of the copy of its last good state, into a whole file;
    where the damaged one is kept, and how many jobs there are. Blocks. Raises OSError."""
    data = path.read_bytes()
    found: dict[str, Mapping[str, Any]] = {}
    with suppress(OSError):
        found |= {str(job.get("id")): job for job in _jobs(last.read_bytes())}
    found |= {str(job.get("id")): job for job in _jobs(data)}
    kept = document.keep(path, data)
    document.write(path, job_file.join(map(job_file.render, found.values()), {}))
    return kept, len(found)


def readable_jobs(path: Path, last: Path) -> int:
    """How many jobs mend_jobs() would save. Blocks."""
    found: set[str] = set()
    for one in (path, last):
        with suppress(OSError):
            found |= {str(job.get("id")) for job in _jobs(one.read_bytes())}
    return len(found)


def _jobs(data: bytes) -> Iterator[Mapping[str, Any]]:
    """Each job that stands whole somewhere in a text."""
    text = data.decode("utf-8", "replace")
    at = text.find("{", text.find('"jobs"') + 1)
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(value, dict) and isinstance(value.get("schedule"), dict):
            yield value
        else:
            end = at + 1
        at = text.find("{", end)


def salvage(damaged: Path, target: Path, pace: Pace) -> int:
    """Copy the rows of a damaged database that can be read into `target`, a sound one with today's tables;
    how many. Blocks. Raises sqlite3.Error for trouble with `target`, CalledOffError."""
    saved = 0
    with closing(sqlite3.connect(damaged)) as source, closing(sqlite3.connect(target)) as sound:
        source.execute("PRAGMA writable_schema = ON")  # lets a faulty table of tables pass
        for table in _LEDGERS:
            names = [row[1] for row in sound.execute(f"PRAGMA table_info({table})")]
            for rows in _rows(source, table, names, pace):
                marks = ", ".join("?" * len(names))
                sound.executemany(
                    f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})",  # noqa: S608
                    rows,
                )
            saved += sound.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
        sound.commit()
    return saved


def _rows(
    source: sqlite3.Connection, table: str, names: Sequence[str], pace: Pace
) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a table from its start to the damage, and from its end to the damage."""
    for way in ("ASC", "DESC"):
        try:
            have = {row[1] for row in source.execute(f"PRAGMA table_info({table})")}
            if not have:
                return
            columns = ", ".join(name if name in have else "0" for name in names)
            cursor = source.execute(f"SELECT {columns} FROM {table} ORDER BY rowid {way}")  # noqa: S608
            while batch := cursor.fetchmany(200):
                pace.advance(0)
                yield batch
            return
        except sqlite3.DatabaseError as error:
            _log.info("%s can be read in part only: %s", table, error)
