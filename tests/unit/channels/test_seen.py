"""What the disk knows of a message that comes."""

from pathlib import Path

from desktop.channels.arrivals import Arrivals
from desktop.channels.channel import Channel
from desktop.channels.message import Address, Received
from desktop.channels.seen import Known, Seen
from desktop.database.database import Database


def message(channel: str, chat: str, id_: str) -> Received:
    return Received(Address(channel, chat), id_, "7", "Mallory", "Hello")


async def take(received: Received, turn: str, channel: Channel, *, last: bool = True) -> None:
    """Nothing is taken here."""


async def test_it_tells_what_came_what_waits_and_how_much_came_today(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    await database.open()
    seen, arrivals = Seen(database), Arrivals(database, lambda _name: None, take)
    assert await seen.look(message("slack", "a", "1")) == Known(before=False, behind=False, of_others=0)
    for id_, own in (("1", False), ("2", False), ("3", True)):
        await seen.add(message("slack", "a", id_), own=own)
    await database.write("UPDATE seen SET at = at - 86400 WHERE message = 'a 2'")
    await arrivals.put(message("slack", "b", "4"), "turn")
    found = [await seen.look(message(*place)) for place in (("slack", "a", "2"), ("slack", "b", "1"))]
    elsewhere = await seen.look(message("discord", "a", "1"))
    await arrivals.stop()
    await database.close()
    assert found == [
        Known(before=True, behind=False, of_others=1),
        Known(before=False, behind=True, of_others=1),
    ]
    assert elsewhere == Known(before=False, behind=False, of_others=0)
