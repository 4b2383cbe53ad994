"""A message whose file can't be had is tried some times, and comes without it in the end."""

import asyncio
from pathlib import Path

import pytest

from desktop.channels.arrivals import Arrivals, NotYet
from desktop.channels.channel import Channel
from desktop.channels.message import Address, Received
from desktop.channels.seen import Seen
from desktop.database.database import Database
from desktop.tasks import spawn
from tests.unit.channels.an_app import AnApp


async def test_after_the_last_pause_it_comes_as_it_is(tmp_path: Path) -> None:
    database, app, tries = Database(tmp_path / "state.db"), AnApp(), list[bool]()
    done = asyncio.Event()

    async def take(received: Received, turn: str, channel: Channel, *, last: bool = True) -> None:
        tries.append(last)
        if not last:
            raise NotYet
        done.set()

    await database.open()
    await app.start()
    arrivals = Arrivals(database, lambda _name: app, take, pauses=(0, 0))
    received, seen = Received(Address("telegram", "42"), "1", "42", "Alice", "Look"), Seen(database)
    await arrivals.put(received, "turn")
    async with asyncio.timeout(10):
        await done.wait()
        while (await seen.look(received)).behind:
            pass
        while arrivals._workers:  # else they grow with each chat that there ever was
            await asyncio.sleep(0)
    await arrivals.stop()
    await database.close()
    assert tries == [False, False, True]


@pytest.mark.parametrize("how", ["it comes", "the app comes up"])
@pytest.mark.expected_log("what came with files waits for the disk")
async def test_what_waits_is_taken_once_the_disk_can_be_read_again(tmp_path: Path, how: str) -> None:
    database, app, done = Database(tmp_path / "state.db"), AnApp(), asyncio.Event()

    async def take(received: Received, turn: str, channel: Channel, *, last: bool = True) -> None:
        done.set()

    await database.open()
    arrivals = Arrivals(database, lambda _name: app, take)
    if how == "it comes":
        await app.start()
    await arrivals.put(Received(Address("telegram", "42"), "1", "42", "Alice", "Look"), "turn")
    if how == "the app comes up":
        async with asyncio.timeout(10):
            while arrivals._workers:
                await asyncio.sleep(0)
        await app.start()
    await database.close()
    waiting = [spawn(arrivals.recover("telegram"), name="recover")] if how == "the app comes up" else []
    await asyncio.sleep(0)
    await database.open()
    async with asyncio.timeout(10):
        await done.wait()
    await asyncio.gather(*waiting)
    await arrivals.stop()
    await database.close()
