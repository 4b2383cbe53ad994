"""Events in Matrix that no app would make: they are left out, and what comes after them is answered."""

import pytest
from nio import RoomSendResponse

from desktop.channels.matrix import incoming
from desktop.channels.matrix.incoming import Answered, Me, Place
from tests.channels.matrix_person import Person
from tests.channels.matrix_world import World, alice, desk, mallory, synapse, world
from tests.unit.core.test_conversations import Desk

__all__ = ["alice", "desk", "mallory", "synapse", "world"]

pytestmark = pytest.mark.machine

WRONG: tuple[object, ...] = (
    7,
    True,
    None,
    "",
    "x",
    [],
    ["x"],
    {},
    {"x": "y"},
    [[[]]],
    "\x00\u202e",
    "../../x",
    "x" * 9000,
)
"""Of every kind, where the protocol wants one."""
FIELDS = ("msgtype", "body", "filename", "format", "formatted_body", "m.mentions", "m.relates_to", "info")
RELATIONS = ("rel_type", "event_id", "m.in_reply_to", "is_falling_back", "key")


def hostile(first: str) -> list[dict[str, object]]:
    """Contents of messages. `first`: the id of one that is there."""
    plain = {"msgtype": "m.text", "body": "x"}
    found: list[dict[str, object]] = [{}]
    for wrong in WRONG:
        found += [plain | {field: wrong} for field in FIELDS]
        found += [
            plain | {"m.relates_to": {"rel_type": "m.thread", "event_id": first} | {field: wrong}}
            for field in RELATIONS
        ]
        found += [plain | {"m.relates_to": {"m.in_reply_to": {"event_id": wrong}}}]
        found += [plain | {"m.mentions": {"user_ids": wrong, "room": wrong}}]
        edit = {"rel_type": "m.replace", "event_id": first}
        found += [plain | {"m.new_content": wrong, "m.relates_to": edit}]
        picture = {"msgtype": "m.image", "body": "x.png"}
        found += [picture | {"url": wrong, "info": {"size": wrong, "w": wrong}}]
        found += [picture | {"file": wrong}, picture | {"file": {"url": wrong, "key": wrong}}]
    return found


async def test_no_event_keeps_the_app_from_those_behind_it(desk: Desk, world: World, alice: Person) -> None:
    room = await alice.direct(world.bot)
    group = await alice.invite(world.bot, world.synapse.user_id(world.mallory))
    await alice.joined(group, world.bot)
    first = await alice.say(group, "Hello")
    contents = [one for one in hostile(first) if "m.in_reply_to" in str(one)] + hostile(first)[::20]
    sent = [await alice.client.room_send(group, "m.room.message", content) for content in contents]
    assert sum(isinstance(one, RoomSendResponse) for one in sent) > 10
    await alice.say(room, "And now?")
    await alice.hears(room, "Good day.")
    assert await desk.said(f"matrix:{room}") == [("user", "And now?"), ("assistant", "Good day.")]


@pytest.mark.parametrize("content", hostile("$first"), ids=lambda content: str(content)[:60])
def test_what_a_server_can_not_see_in_an_encrypted_room_is_no_trouble(content: dict[str, object]) -> None:
    event = {"type": "m.room.message", "sender": "@mallory:nano.test", "event_id": "$x", "content": content}
    me = Me("@nano:nano.test", "Nano")
    place = Place("!room:nano.test", private=False, name=str)
    incoming.edits(event, me.user)
    edit = incoming.edited(event, event | {"content": {"m.new_content": content}}) or event
    for one in (event, edit):
        if incoming.is_message(one, me.user):
            incoming.answers(one)
            incoming.said(one)
            incoming.received(one, place, me, Answered(), proved=True, to_all=True)
