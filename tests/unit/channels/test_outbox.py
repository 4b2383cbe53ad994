"""What is kept of messages that went to chats."""

import asyncio
import time
from pathlib import Path

import pytest

from desktop.channels.channel import Channel
from desktop.channels.message import Abilities, Address, Known, Outgoing, Part, Sending
from desktop.channels.outbox import Outbox, Row, unheard
from desktop.database.database import Database
from desktop.errors import AppError
from tests.unit.channels.an_app import AnApp

CHAT = Address("telegram", "7")
_WEEKS_S = 40 * 86_400


async def _nobody(_row: Row, _error: AppError) -> None:
    """Nothing is sent here."""


class Service(Channel):
    """Has messages by their names, and drops a second one of a name."""

    abilities = Abilities(100, edit_every_s=1.0, once=True)

    def __init__(self) -> None:
        super().__init__("telegram", None)
        self.said: dict[str, str] = {}
        self.up.set()

    async def post(self, sending: Sending) -> str:
        self.said.setdefault(sending.once, sending.part.plain)
        return sending.once

    async def edit(self, id_: str, sending: Sending) -> None:
        self.said[id_] = sending.part.plain

    def parts(self, text: str) -> list[tuple[str, str]]:
        return [("", text)]

    async def start(self) -> None: ...
    async def stop(self) -> None: ...
    async def check(self) -> None: ...
    async def probe(self) -> Known:
        return Known("")


@pytest.mark.parametrize("came", [True, False])
async def test_the_end_of_the_program_amid_the_first_words_leaves_one_answer(
    tmp_path: Path, came: bool
) -> None:
    database, service = Database(tmp_path / "state.db"), Service()
    await database.open()
    ended = Outbox(database, lambda _name: None, lambda: 3, _nobody)
    await ended.owe("answer:t", CHAT, "telegram:7")
    await ended.shown("answer:t", unheard("answer:t:0"))
    if came:
        await service.post(Sending(CHAT, Part("", "Once"), "answer:t:0", begins=True))
    outbox = Outbox(database, lambda _name: service, lambda: 3, _nobody)
    await outbox.settle("answer:t", Outgoing("Once upon a time."))
    async with asyncio.timeout(10):
        while await database.read("SELECT 1 FROM outbox WHERE state != 'sent'"):
            pass
    await outbox.stop()
    await database.close()
    assert list(service.said.values()) == ["Once upon a time."]


async def test_what_was_sent_weeks_ago_is_forgotten_and_nothing_else(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    await database.open()
    outbox = Outbox(database, lambda _name: None, lambda: 3, _nobody)
    for key in ("sent long ago", "sent now", "failed long ago", "owed since long ago"):
        await outbox.owe(key, CHAT, "telegram:7")
    await outbox.settle("sent long ago", None)
    await outbox.settle("sent now", None)
    await outbox.settle("failed long ago", Outgoing("Hello."))
    await database.write("UPDATE outbox SET state = 'failed' WHERE key = 'failed long ago'")
    await database.write("UPDATE outbox SET at = ? WHERE key LIKE '%long ago'", (time.time() - _WEEKS_S,))
    await outbox.tidy()
    left = await database.read("SELECT key FROM outbox ORDER BY key")
    await outbox.stop()
    await database.close()
    assert left == [("failed long ago",), ("owed since long ago",), ("sent now",)]


async def test_messages_keep_their_order_where_the_clock_is_set_back(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    await database.open()
    app = AnApp()
    outbox = Outbox(database, lambda _name: app, lambda: 3, _nobody)
    await outbox.owe("answer", CHAT, "telegram:7")
    await outbox.put("first", CHAT, "telegram:7", Outgoing("first"))
    await database.write("UPDATE outbox SET at = at + 86400 WHERE key = 'first'")  # the clock was ahead
    await outbox.put("second", CHAT, "telegram:7", Outgoing("second"))
    await outbox.settle("answer", Outgoing("third"))
    await app.start()
    await outbox.recover("telegram")
    async with asyncio.timeout(10):
        sent = [await app.sent.get() for _message in range(3)]
    await outbox.stop()
    await database.close()
    assert sent == ["first", "second", "third"]


async def test_of_chats_in_which_nothing_happens_nothing_is_held(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    await database.open()
    app = AnApp()
    await app.start()
    outbox = Outbox(database, lambda _name: app, lambda: 3, _nobody)

    for number in range(20):
        await outbox.put(str(number), Address("telegram", str(number)), "", Outgoing("Hello"))
        await app.sent.get()
    async with asyncio.timeout(10):
        while outbox._senders or outbox._free:  # else they grow with each chat that there ever was
            await asyncio.sleep(0.01)
    await outbox.stop()
    await database.close()
