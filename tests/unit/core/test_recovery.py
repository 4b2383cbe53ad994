"""What is damaged is told with what is whole, and mended so that nothing readable is lost."""

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from desktop.api.recovery import Mended
from desktop.cron.wanted import Wanted
from desktop.errors import UsageError
from desktop.paths import Home
from tests.stories.program import Program, texts
from tests.unit.core.test_conversations import Desk, started
from tests.unit.importer.homes import conversation

NOISE = b'{"role": "user", "content": "cut\n'


@asynccontextmanager
async def home_of(folder: Path) -> AsyncIterator[Desk]:
    async with started(Home(folder, folder / "models")) as desk:
        yield desk


def hurt(path: Path, at: int) -> bytes:
    """Damage a line of a conversation; the file as it is then."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines.insert(at, NOISE)
    path.write_bytes(b"".join(lines))
    return path.read_bytes()


async def test_a_whole_home_has_nothing_to_mend(tmp_path: Path) -> None:
    async with home_of(tmp_path) as desk:
        found = await desk.api.recovery.look()
        assert (found.damage, found.new) == ((), False)
        assert "0 conversations are intact." in found.sound
        assert await desk.api.recovery.mend() == Mended((), ())
        with pytest.raises(UsageError):
            await desk.api.recovery.mend("session:x:1")


async def test_a_conversation_is_mended_and_the_file_kept(tmp_path: Path) -> None:
    path = conversation(tmp_path / "workspace/sessions/a%3A1.jsonl", "a:1", ["one", "two", "three"])
    conversation(tmp_path / "workspace/sessions/a%3A2.jsonl", "a:2", ["other"])
    damaged = hurt(path, 2)
    async with home_of(tmp_path) as desk:
        (one,) = (await desk.api.recovery.look()).damage
        assert (one.part, one.title) == ("session", "one")
        assert one.hurt == "1 record can’t be read."
        assert one.whole == "3 messages are intact."
        assert path.read_bytes() == damaged
        done = await desk.api.recovery.mend(one.id)
        assert done.failed == ()
        assert "3 messages intact" in done.done[0]
        assert (await desk.api.recovery.look()).damage == ()
        assert [text for _role, text in await desk.said("a:1")] == ["one", "two", "three"]
        await desk.api.conversations.rename("a:1", "Mended")
        assert [text for _role, text in await desk.said("a:1")] == ["one", "two", "three"]
    assert damaged in [data for _path, data in texts(path.parent / ".damaged")]
    assert NOISE not in path.read_bytes()


async def test_what_was_seen_is_told_no_more_until_there_is_more(tmp_path: Path) -> None:
    path = conversation(tmp_path / "workspace/sessions/a%3A1.jsonl", "a:1", ["one"])
    hurt(path, 1)
    async with home_of(tmp_path) as desk:
        assert (await desk.api.recovery.look()).new
        await desk.api.recovery.seen()
    async with home_of(tmp_path) as desk:
        found = await desk.api.recovery.look()
        assert found.damage
        assert not found.new
        hurt(path, 1)
        assert (await desk.api.recovery.look()).new


@pytest.mark.expected_log("damaged settings were kept")
async def test_settings_go_back_to_the_last_good_ones(tmp_path: Path) -> None:
    Program(tmp_path).configure(agents={"defaults": {"maxToolIterations": 7}})
    async with home_of(tmp_path):
        pass
    config = tmp_path / "config.json"
    config.write_bytes(b'{"agents": {"defa')
    async with home_of(tmp_path) as desk:
        (one,) = (await desk.api.recovery.look()).damage
        assert one.part == "config"
        assert "damaged at line 1" in one.hurt
        done = await desk.api.recovery.mend("config")
        assert done.failed == ()
        assert (await desk.api.recovery.look()).damage == ()
    assert json.loads(config.read_bytes())["agents"]["defaults"]["maxToolIterations"] == 7
    assert [p.read_bytes() for p in tmp_path.glob("config.json.damaged-*")] == [b'{"agents": {"defa']


async def test_jobs_that_can_be_read_are_kept(tmp_path: Path) -> None:
    async with home_of(tmp_path) as desk:
        for name in ("Tea", "Bread", "Walk"):
            await desk.api.jobs.add(Wanted(name=name, message=name, every=7200, plain=True))
    jobs = tmp_path / "workspace/cron/jobs.json"
    data = jobs.read_bytes()
    (tmp_path / "workspace/cron/.jobs.last.json").unlink()
    jobs.write_bytes(data.replace(b'"Bread"', b'"Bre', 1))
    damaged = jobs.read_bytes()
    async with home_of(tmp_path) as desk:
        (one,) = (await desk.api.recovery.look()).damage
        assert (one.part, one.whole) == ("jobs", "2 tasks can be read.")
        assert jobs.read_bytes() == damaged
        await desk.api.recovery.mend()
        assert {job.name for job in (await desk.api.jobs.all()).jobs} == {"Tea", "Walk"}
    assert damaged in [p.read_bytes() for p in jobs.parent.glob("jobs.json.damaged-*")]


@pytest.mark.expected_log("is damaged")
async def test_a_database_that_is_none_is_told_and_kept(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"no database " * 1000)
    async with home_of(tmp_path) as desk:
        (one,) = (await desk.api.recovery.look()).damage
        assert one.part == "database"
        assert "text files" in one.whole
        done = await desk.api.recovery.mend()
        assert (done.failed, len(done.done)) == ((), 1)
        assert (await desk.api.recovery.look()).damage == ()
    assert [p.read_bytes() for p in tmp_path.glob("state.db.kept-*")] == [b"no database " * 1000]


async def test_rows_of_a_torn_database_come_back(tmp_path: Path) -> None:
    async with home_of(tmp_path):
        pass
    rows = [(n + 1, float(n), str(n), "g" * 99) for n in range(4000)]
    with closing(sqlite3.connect(tmp_path / "state.db")) as connection:
        connection.executemany(
            "INSERT INTO audit VALUES (?, ?, 's', 't', ?, 'exec', 'run', ?, '', 'allowed', '', 0, 'ok', 1)",
            rows,
        )
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray((tmp_path / "state.db").read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096 * 3] = b"\xff" * 4096 * 3
    (tmp_path / "state.db").rename(tmp_path / "state.db.good")
    (tmp_path / "state.db.damaged-1").write_bytes(bytes(data))
    async with home_of(tmp_path) as desk:
        (one,) = (await desk.api.recovery.look()).damage
        done = await desk.api.recovery.mend(one.id)
        assert done.failed == ()
        found = await desk.owner.core.database.read("SELECT count(*) FROM audit")
        assert 2000 < found[0][0] < 4000
        assert (await desk.api.recovery.look()).damage == ()
    assert bytes(data) in [p.read_bytes() for p in tmp_path.glob("state.db.kept-*")]
