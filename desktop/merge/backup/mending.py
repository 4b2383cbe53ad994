"""Repairing what is damaged: what can be read is put in order, and the file as it was is kept beside it."""

import json
import logging
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop.cron import file as job_file
from desktop.files import Place
from desktop.merge import logs
from desktop.merge.backup.rows import columns, ordered, tables
from desktop.merge.files import Undo, put, take
from desktop.pace import Pace
from desktop.session import records
from desktop.session.model import SessionInfo
from desktop.session.place import opened_size, place_of

ASIDE = ".damaged"
"""The folder beside conversations in which their files lie as they were."""
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
    size, place = opened_size(path), place_of(path.parent)
    moment = f"{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    aside = path.parent / ASIDE / f"{moment}-{path.name}"
    made = path.with_name(f".{path.name[:100]}.mended.part")
    number = 0

    def blocks() -> Iterator[bytes]:
        nonlocal number
        for record in logs.read(path):
            number += "role" in record
            yield records.write(record)
            pace.advance(0)

    try:
        place.write(made.name, blocks(), mode=0o600)
        root = path.parent.parent
        put(path, aside, undo, root, copy=True)
        if opened_size(path) != size:
            raise OSError(11, os.strerror(11), str(path))  # somebody writes to it
        take(made, path, undo, aside.parent, root)
        for name in place.names(ASIDE):
            if name.startswith("old-"):
                place.unlink(f"{ASIDE}/{name}")
    finally:
        place.unlink(made.name, missing_ok=True)
    return aside, number


def mend_jobs(path: Path, last: Path) -> tuple[Path, int]:
    """Put the jobs that can be read, of the file and of the copy of its last good state, into a whole file;
    where the damaged one is kept, and how many jobs there are. Blocks. Raises OSError."""
    place = Place(path.parents[1], path.parent.name)
    data = place.read(path.name)
    found: dict[str, Mapping[str, Any]] = {}
    with suppress(OSError):
        found |= {str(job.get("id")): job for job in _jobs(place.read(last.name))}
    found |= {str(job.get("id")): job for job in _jobs(data)}
    kept = f"{path.name}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    place.write(kept, data)
    place.write(path.name, job_file.join(map(job_file.render, found.values()), {}))
    return place.named(kept), len(found)


def readable_jobs(path: Path, last: Path) -> int:
    """How many jobs mend_jobs() would save. Blocks."""
    found: set[str] = set()
    for one in (path, last):
        with suppress(OSError):
            place = Place(one.parents[1], one.parent.name)
            found |= {str(job.get("id")) for job in _jobs(place.read(one.name))}
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
        for table in tables(sound):
            have = {row[1] for row in _info(source, table)}
            wanted = columns(sound, table)
            names = [f'"{name}"' if name in have else default for name, default in wanted.items()]
            into = f"{table} ({', '.join(wanted)}) VALUES ({', '.join('?' * len(wanted))})"
            for rows in _rows(source, table, names, ordered(sound, table), pace) if have else ():
                sound.executemany(f"INSERT OR IGNORE INTO {into}", rows)
            saved += sound.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
        sound.commit()
    return saved


def _info(source: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    try:
        return source.execute(f"PRAGMA table_info({table})").fetchall()
    except sqlite3.DatabaseError as error:
        _log.info("%s can't be read: %s", table, error)
        return []


def _rows(
    source: sqlite3.Connection, table: str, names: Sequence[str], keys: Sequence[str], pace: Pace
) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a table from its start to the damage, and from its end to the damage."""
    for order in (keys, [f"{key} DESC" for key in keys]):
        try:
            select = f"SELECT {', '.join(names)} FROM {table} ORDER BY {', '.join(order)}"  # noqa: S608
            cursor = source.execute(select)
            while batch := cursor.fetchmany(200):
                pace.advance(0)
                yield batch
            return
        except sqlite3.DatabaseError as error:
            _log.info("%s can be read in part only: %s", table, error)
