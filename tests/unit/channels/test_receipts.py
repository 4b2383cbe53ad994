"""The signs on messages, over a service that keeps those of a bot side by side."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from desktop.channels.channel import Channel
from desktop.channels.message import Abilities, Address, Known, Received, Sending
from desktop.channels.notes import Notes
from desktop.channels.receipts import Receipts
from desktop.config.channels.base import Signs
from desktop.database.database import Database

SIGNS = Signs("👀", "🔧", 0.0, "✅")


class Service(Channel):
    """Keeps what it shows on each message; `changed` is set at every change."""

    abilities = Abilities(100, reactions=True)

    def __init__(self) -> None:
        super().__init__("service", None)
        self.shown: dict[str, list[str]] = {}
        self.changed = asyncio.Event()

    async def react(self, where: Address, message: str, emoji: str) -> None:
        await asyncio.sleep(0)
        self.shown.setdefault(message, []).append(emoji)
        self.changed.set()

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        await asyncio.sleep(0)
        self.shown[message].remove(emoji)
        self.changed.set()

    async def shows(self, message: str, *emoji: str) -> None:
        async with asyncio.timeout(5):
            while self.shown.get(message, []) != list(emoji):
                self.changed.clear()
                await self.changed.wait()

    async def start(self) -> None: ...
    async def stop(self) -> None: ...
    async def check(self) -> None: ...
    async def probe(self) -> Known:
        return Known("")

    async def post(self, sending: Sending) -> str:
        return ""

    def parts(self, text: str) -> list[tuple[str, str]]:
        return [(text, text)]


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(tmp_path / "state.db")
    await database.open()
    yield database
    await database.close()


@pytest.fixture
def receipts(database: Database) -> Receipts:
    return Receipts(partial(Notes, database))


def message(id_: str = "1") -> Received:
    return Received(Address("service", "a"), id_, "s", "S", "hello")


async def test_a_message_shows_one_sign_after_the_other(receipts: Receipts) -> None:
    service = Service()
    receipts.begin("t", service, message(), SIGNS)
    assert not service.shown
    receipts.stored("t")
    await service.shows("1", "🔧")
    await receipts.ended("t", done=True)
    await service.shows("1", "✅")


@pytest.mark.parametrize(("signs", "done"), [(SIGNS, False), (Signs("👀"), True)])
async def test_without_a_sign_for_done_or_without_an_answer_it_shows_none(
    receipts: Receipts, signs: Signs, done: bool
) -> None:
    service = Service()
    receipts.begin("t", service, message(), signs)
    receipts.stored("t")
    await service.shows("1", "🔧" if signs.working else "👀")
    await receipts.ended("t", done=done)
    await service.shows("1")


async def test_a_turn_that_ended_before_it_was_noted_as_stored_shows_that_it_is_done(
    receipts: Receipts,
) -> None:
    service = Service()
    receipts.begin("t", service, message(), SIGNS)
    await receipts.ended("t", done=True)
    receipts.stored("t")
    await service.shows("1", "✅")


async def test_messages_that_joined_a_turn_are_done_with_it(receipts: Receipts) -> None:
    service = Service()
    for turn, id_ in (("t", "1"), ("u", "2")):
        receipts.begin(turn, service, message(id_), SIGNS)
        receipts.stored(turn)
        await service.shows(id_, "🔧")
    receipts.joined("t", "u")
    await receipts.ended("u", done=True)
    for id_ in "12":
        await service.shows(id_, "✅")


async def test_the_same_message_in_another_turn_ends_with_the_sign_of_that(receipts: Receipts) -> None:
    service = Service()
    receipts.begin("t", service, message(), Signs("👀"))
    receipts.stored("t")
    await receipts.ended("t", done=False)
    receipts.begin("u", service, message(), Signs("👀"))
    receipts.stored("u")
    await service.shows("1", "👀")
    await receipts.ended("u", done=True)
    await service.shows("1")


async def test_what_the_end_of_the_program_has_left_goes_with_the_next_start(
    receipts: Receipts, database: Database
) -> None:
    service = Service()
    for turn in "12":
        receipts.begin(turn, service, message(turn), SIGNS)
        receipts.stored(turn)
        await service.shows(turn, "🔧")
    await receipts.ended("2", done=True)
    await service.shows("2", "✅")
    await receipts.stop()
    after = Receipts(partial(Notes, database))
    after.begin("3", service, message("3"), SIGNS)
    after.stored("3")
    await service.shows("3", "🔧")
    await after.recover(service)
    assert service.shown == {"1": [], "2": ["✅"], "3": ["🔧"]}
    await after.ended("3", done=False)
    await service.shows("3")
    assert await Notes(database, "service").beginning("") == []
