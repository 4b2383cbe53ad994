"""What can be read of a damaged state.db comes back, of every table that there is."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from desktop.database.database import Database
from desktop.merge.backup import mending, rows
from desktop.pace import Pace

_PAGE = 4096


async def _made(path: Path) -> Path:
    database = Database(path)
    await database.open()
    await database.close()
    return path


def _tables(here: sqlite3.Connection) -> Iterator[str]:
    for (name,) in here.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
        if not name.startswith("search_"):  # made from the conversations
            yield name


def _fill(path: Path, count: int, first: int = 0) -> None:
    """Rows in every table, numbered from `first`."""
    with closing(sqlite3.connect(path)) as here:
        for table in _tables(here):
            info = here.execute(f"PRAGMA table_info({table})").fetchall()
            for number in range(first, first + count):
                row = [
                    number - first + 1 if key and kind == "INTEGER" else _value(name, kind, number)
                    for _at, name, kind, _needed, _default, key in info
                ]
                here.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        here.commit()


def _value(name: str, kind: str, number: int) -> object:
    return number if kind in ("INTEGER", "REAL") else f"{name} {number}"


def _counts(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as here:
        return {
            table: here.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in _tables(here)
        }


async def test_no_table_is_forgotten_beside_what_came_meanwhile(tmp_path: Path) -> None:
    damaged, sound, here = [await _made(tmp_path / name) for name in ("damaged", "sound", "state.db")]
    _fill(damaged, 3)
    _fill(here, 2, first=100)
    mending.salvage(damaged, sound, Pace())
    rows.merge(sound, here, Pace(), own=True)
    assert _counts(here) == dict.fromkeys(_counts(damaged), 5)
    with closing(sqlite3.connect(here)) as found:
        turns = [turn for (turn,) in found.execute("SELECT turn FROM arrivals ORDER BY id")]
    assert turns == ["turn 100", "turn 101", "turn 0", "turn 1", "turn 2"]


async def test_what_waits_is_not_sent_again_from_a_backup_and_no_question_is_asked_again(
    tmp_path: Path,
) -> None:
    old, here = [await _made(tmp_path / name) for name in ("old", "state.db")]
    _fill(old, 1)
    with closing(sqlite3.connect(old)) as found:
        found.execute("UPDATE inbox SET state = 'open', kind = 'approval'")
        found.commit()
    rows.merge(old, here, Pace())
    assert {name for name, count in _counts(here).items() if count} == {"usage", "audit", "runs"}
    rows.merge(old, here, Pace(), own=True)
    assert [name for name, count in _counts(here).items() if not count] == ["inbox"]


@pytest.mark.parametrize("table", ["seen", "outbox"])
async def test_the_rows_before_and_behind_the_damage_come_back(tmp_path: Path, table: str) -> None:
    damaged, sound = [await _made(tmp_path / name) for name in ("damaged", "sound")]
    _fill(damaged, 2000)
    with closing(sqlite3.connect(damaged)) as found:
        found.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = found.execute(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", (table,)
        ).fetchall()
    data = bytearray(damaged.read_bytes())
    (middle,) = pages[len(pages) // 2]
    data[(middle - 1) * _PAGE : middle * _PAGE] = b"\xa5" * _PAGE
    damaged.write_bytes(data)
    mending.salvage(damaged, sound, Pace())
    assert 1500 < _counts(sound)[table] < 2000
