"""Searching: what was just written is found, and a damaged index is made anew."""

import asyncio
import gc
import json
import sqlite3
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from desktop.bus.bus import Bus
from desktop.database.database import Database
from desktop.errors import StorageError, UsageError
from desktop.session.search import search
from desktop.session.search_service import Results, SearchService
from desktop.session.sessions import Sessions
from desktop.tasks import spawn
from desktop.usage import Call, UsageLedger

type Json = dict[str, Any]

LONG = 3600.0
"""A rest that nobody waits for, in a test."""


class Place:
    """Sessions, a database, and the searching of them."""

    def __init__(self, root: Path) -> None:
        self.path = root / "state.db"
        self.database = Database(self.path)
        self.sessions = Sessions(root / "sessions")
        self.service = SearchService(self.path, self.sessions, rest=LONG)

    async def say(self, key: str, *texts: str) -> None:
        session = await self.sessions.open(key)
        for text in texts:
            await session.append({"role": "user", "content": text})

    async def search(self, query: str, *, limit: int = 50, before: int | None = None) -> Results:
        return await self.service.find(query, limit=limit, before=before, wait=True)

    async def found(self, query: str) -> list[str]:
        found = await self.search(query, limit=1000)
        snippets = [hit.snippet for hit in found.hits]
        while found.next is not None:
            found = await self.search(query, limit=1000, before=found.next)
            snippets += [hit.snippet for hit in found.hits]
        return snippets

    def write(self, count: int) -> None:
        """Many messages, as another program left them."""
        self.sessions.folder.mkdir()
        for name in range(4):
            lines = (
                json.dumps({"role": "user", "content": f"apple {name} {n} " + "seed " * 50}) + "\n"
                for n in range(count // 4)
            )
            (self.sessions.folder / f"s{name}.jsonl").write_text("".join(lines), "utf-8")


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    place = Place(tmp_path)
    await place.database.open()
    yield place
    await place.service.close()
    await place.database.close()


async def test_what_was_just_written_is_found(place: Place) -> None:
    place.service.start()
    await place.say("a", "one apple")
    assert await place.found("apple") == ["one apple"]
    await place.say("a", "two apples")
    await place.say("b", "three apples")
    assert set(await place.found("apples")) == {"three apples", "two apples"}


async def test_a_hit_tells_where_it_is(place: Place) -> None:
    session = await place.sessions.open("window:1")
    await session.append({"role": "user", "content": "Which fruit?", "_turn": "t1"})
    when = "2026-01-02T03:04:05.250+00:00"
    answer = {"role": "assistant", "content": "A red apple.", "_turn": "t1", "timestamp": when}
    await session.append(answer)
    found = await place.search("apple")
    (hit,) = found.hits
    assert (hit.session, hit.title, hit.turn, hit.role) == ("window:1", "Which fruit?", "t1", "assistant")
    assert (hit.snippet, hit.marks, hit.trusted) == ("A red apple.", ((6, 11),), True)
    assert hit.at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert (found.next, found.ready) == (None, True)


async def test_deleted_and_restored_sessions_are_followed(place: Place) -> None:
    await place.say("a", "one apple")
    assert await place.found("apple") == ["one apple"]
    await place.sessions.delete("a")
    assert await place.found("apple") == []
    await place.sessions.restore("a")
    assert await place.found("apple") == ["one apple"]


async def test_long_histories_are_read_beside_other_writers_and_new_messages_first(place: Place) -> None:
    place.write(4000)
    place.service.start()
    first = await place.service.find("new")
    assert first.hits == ()
    await place.say("fresh", "a new pear")
    ledger = UsageLedger(place.database, Bus())
    whole = spawn(place.search("apple"), name="search")
    while not whole.done():
        await ledger.record(Call("a", "b"))
        await asyncio.sleep(0)
    assert (await whole).ready
    assert len(await place.found("apple")) == 4000
    assert await place.found("new pear") == ["a new pear"]


async def test_without_a_search_it_is_read_once_there_is_enough_of_it(place: Place) -> None:
    service = SearchService(place.path, place.sessions, rest=0)
    await place.say("a", *(f"apple {n}" for n in range(63)))
    assert not search(place.path, "apple").hits
    await place.say("a", "apple 63")
    async with asyncio.timeout(60):
        while len(search(place.path, "apple", limit=100, patience=60).hits) < 64:
            await asyncio.sleep(0.01)
    await service.close()


async def test_closed_while_every_thread_is_busy_it_lets_go_of_the_file(place: Place) -> None:
    """In the moment when it is done: who is told to end then still closes what it opened.

    Python 3.13 and later warn where it does not, which fails a test.
    """

    class Busy(ThreadPoolExecutor):
        def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Any:
            if getattr(work.args[0], "__name__", "") == "close":
                closing_now.set()
                super().submit(free.wait)
            return super().submit(work, *arguments, **named)

    free, closing_now = threading.Event(), asyncio.Event()
    await place.say("a", "one apple")
    asyncio.get_running_loop().set_default_executor(Busy(1))
    place.service.start()
    await place.service.find("apple")
    await closing_now.wait()
    ended = spawn(place.service.close(), name="close")
    await asyncio.sleep(0)
    free.set()
    await ended
    gc.collect()


async def test_closed_in_the_middle_it_goes_on_at_the_next_start(place: Place) -> None:
    place.write(4000)
    service = SearchService(place.path, place.sessions, rest=0)
    service.start()
    async with asyncio.timeout(60):
        while not search(place.path, "apple", patience=60).hits:
            await asyncio.sleep(0)
    await service.close()
    place.service = SearchService(place.path, place.sessions, rest=LONG)
    assert len(await place.found("apple")) == 4000


@pytest.mark.expected_log("index is damaged")
@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE search_message",
        "DROP TABLE search_session",
        "DROP TABLE search_fresh",
        "DELETE FROM search_words_data",
        "UPDATE search_words_data SET block = x'00ff00ff' WHERE id > 10",
    ],
)
async def test_a_damaged_index_is_made_anew_and_nothing_else_is_lost(place: Place, damage: str) -> None:
    await place.say("a", "one apple", *("a pear" for _ in range(200)))
    await UsageLedger(place.database, Bus()).record(Call("a", "b"))
    assert await place.found("apple") == ["one apple"]
    with closing(sqlite3.connect(place.path)) as connection:
        connection.execute(damage)
        connection.commit()
    assert await place.found("apple") == ["one apple"]
    await place.say("a", "two apples")
    assert len(await place.found("apple")) == 2
    assert await place.database.read("SELECT count(*) FROM usage") == [(1,)]


async def test_a_database_that_was_begun_anew_while_the_program_runs_is_filled_again(place: Place) -> None:
    await place.say("a", "one apple")
    assert await place.found("apple") == ["one apple"]
    await place.database.close()
    place.path.rename(place.path.with_name("aside"))
    await place.database.open()
    assert await place.found("apple") == ["one apple"]


@pytest.mark.expected_log("index is damaged|cannot be")
async def test_an_index_that_cannot_be_used_is_said(place: Place) -> None:
    await place.say("a", "one apple")
    await place.database.close()
    place.path.write_bytes(b"no database at all " * 500)
    with pytest.raises(StorageError, match="can’t be used"):
        await place.search("apple")


@pytest.mark.parametrize("limit", [0, -1])
async def test_a_search_that_makes_no_sense_is_refused(place: Place, limit: int) -> None:
    with pytest.raises(UsageError):
        await place.search("apple", limit=limit)
