"""state.db and the usage ledger: a damaged file costs the ledger, never the program."""

import asyncio
import itertools
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.bus.events import UsageRecorded
from desktop.database.database import Database
from desktop.database.tables import MIGRATIONS
from desktop.errors import StorageError
from desktop.tasks import spawn
from desktop.usage import Call, UsageLedger


async def test_calls_are_counted_per_model_and_announced(tmp_path: Path) -> None:
    database, bus = Database(tmp_path / "state.db"), Bus()
    await database.open()
    ledger = UsageLedger(database, bus)
    with bus.subscribe() as events:
        await ledger.record(Call("groq", "llama", input_tokens=10, output_tokens=3))
        await ledger.record(Call("groq", "llama", input_tokens=5, output_tokens=1, cost=0.5))
        await ledger.record(Call("openai", "gpt", input_tokens=1, outcome="SignInNeeded"))
        announced = await anext(events)
    totals = await ledger.since(0)
    await database.close()
    assert isinstance(announced, UsageRecorded)
    assert announced.input_tokens == 10
    assert [(t.provider, t.calls, t.input_tokens, t.output_tokens, t.cost) for t in totals] == [
        ("groq", 2, 15, 4, 0.5),
        ("openai", 1, 1, 0, None),
    ]


async def test_several_that_open_a_new_file_at_once_share_it(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / f"state{number}.db"
        databases = [Database(path, mend=False) for _ in range(4)]
        await asyncio.gather(*(database.open() for database in databases))
        for database in databases:
            assert (await database.read("PRAGMA user_version"))[0][0] == len(MIGRATIONS)
            await database.close()


async def test_rows_survive_closing_and_opening(tmp_path: Path) -> None:
    for expected in (1, 2):
        database = Database(tmp_path / "state.db")
        await database.open()
        await UsageLedger(database, Bus()).record(Call("a", "b"))
        assert (await database.read("SELECT count(*) FROM usage"))[0][0] == expected
        assert (await database.read("PRAGMA user_version"))[0][0] == len(MIGRATIONS)
        await database.close()


async def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as newer:
        newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = path.read_bytes()
    with pytest.raises(StorageError, match="newer version") as told:
        await Database(path).open()
    assert "Install the newer version" in told.value.remedy
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.expected_log("is damaged")
async def test_a_damaged_file_is_kept_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"not a database at all" * 100)
    database = Database(path)
    await database.open()
    assert await database.read("SELECT count(*) FROM usage") == [(0,)]
    await database.close()
    kept = [p for p in tmp_path.iterdir() if "damaged" in p.name]
    assert kept[0].read_bytes().startswith(b"not a database")


async def test_a_place_where_no_file_can_be_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="can’t be used"):
        await Database(tmp_path / "missing" / "state.db").open()


@pytest.mark.expected_log("is damaged")
async def test_damage_that_shows_only_while_it_runs_costs_the_rows_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    database = Database(path)
    await database.open()
    await database.close()
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xa5" * 4096 + data[8192:])
    with pytest.raises(StorageError, match="is damaged"):
        await _look(Database(path, mend=False))
    assert not list(tmp_path.glob("*damaged*")), "who only looks leaves it as it is"
    await database.open()
    await UsageLedger(database, Bus()).record(Call("a", "b"))
    assert await database.read("SELECT count(*) FROM usage") == [(1,)]
    await database.check()
    await database.close()
    assert len(list(tmp_path.glob("state.db.damaged-*"))) == 1


async def _look(database: Database) -> None:
    await database.open()
    try:
        await database.check()
    finally:
        await database.close()


_SEEN = "INSERT INTO seen (channel, message, own, at) VALUES (?, ?, 0, 0)"
_KEPT = "SELECT COUNT(*) FROM seen WHERE channel = 'ours'"


async def test_what_fails_takes_nothing_along(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    await database.open()
    for number in range(20):
        await database.write(_SEEN, ("theirs", f"{number}"))
        failed, kept = await asyncio.gather(
            database.write(_SEEN, ("theirs", f"{number}")),
            database.write(_SEEN, ("ours", f"{number}")),
            return_exceptions=True,
        )
        assert isinstance(failed, StorageError)
        assert kept == 1
    await database.close()
    await database.open()
    assert await database.read(_KEPT) == [(20,)]
    await database.close()


async def test_another_connection_writes_while_it_reads_and_writes(tmp_path: Path) -> None:
    """As the search index does."""
    database = Database(tmp_path / "state.db")
    await database.open()
    over = threading.Event()

    def other() -> None:
        numbers = itertools.count()
        with closing(sqlite3.connect(tmp_path / "state.db", timeout=30)) as connection:
            while not over.wait(0.0005):
                connection.execute(_SEEN, ("theirs", f"{next(numbers)}"))
                connection.commit()

    writing = spawn(asyncio.to_thread(other), name="other")
    try:
        for start in range(0, 300, 10):
            reads = (database.read("SELECT * FROM seen") for _ in range(5))
            writes = (database.write(_SEEN, ("ours", f"{start + more}")) for more in range(10))
            await asyncio.gather(*reads, *writes)
    finally:
        over.set()
        await writing
    assert await database.read(_KEPT) == [(300,)]
    await database.close()
