"""Matrix, from a message in a room to the answer there, beside a real homeserver."""

import asyncio

import pytest

from desktop.channels.channels import entry
from desktop.database.database import Database
from tests.channels.conftest import words_of_people
from tests.channels.matrix_person import Person, somebody
from tests.channels.matrix_world import (
    World,
    alice,
    desk,
    mallory,
    reacted,
    running,
    synapse,
    world,
)
from tests.channels.synapse import PASSWORD, Synapse
from tests.channels.telegram_server import TelegramServer
from tests.servers.scripted import ScriptedServer
from tests.unit.core.test_conversations import Desk

__all__ = ["alice", "desk", "mallory", "synapse", "world"]

pytestmark = pytest.mark.machine


async def test_the_owner_asks_at_once_and_is_answered(desk: Desk, world: World, alice: Person) -> None:
    room = await alice.invite(world.bot)
    asked = await alice.say(room, "What is this?")
    await alice.hears(room, "Good day.")
    assert await desk.said(f"matrix:{room}") == [("user", "What is this?"), ("assistant", "Good day.")]
    await alice.until(lambda: asked in alice.read)
    (seen,) = await alice.until(lambda: alice.events(room, "m.reaction"))
    assert seen["content"]["m.relates_to"] == {"rel_type": "m.annotation", "event_id": asked, "key": "👀"}
    (gone,) = await alice.until(lambda: alice.events(room, "m.room.redaction"))
    assert gone["content"].get("redacts", gone.get("redacts")) == seen["event_id"]


async def test_the_sign_on_a_message_whose_turn_the_end_of_the_program_cut_goes_with_the_next_start(
    world: World, alice: Person, server: ScriptedServer
) -> None:
    held = server.hold("Still there?")
    async with world.desk() as desk:
        room = await alice.direct(world.bot)
        asked = await alice.say(room, "Still there?")
        (seen,) = await alice.until(lambda: alice.events(room, "m.reaction"))
        database = desk.owner.core.database
        (left,) = await database.read("SELECT * FROM channel_notes WHERE name LIKE 'sign %'")
    assert asked in str(left)
    kept = Database(world.folder / "state.db")
    await kept.open()
    await kept.write("INSERT OR REPLACE INTO channel_notes VALUES (?, ?, ?, ?)", left)
    await kept.close()
    async with world.desk():
        (gone,) = await alice.until(lambda: alice.events(room, "m.room.redaction"))
        assert gone["content"].get("redacts", gone.get("redacts")) == seen["event_id"]
    held.set()


async def test_the_password_is_used_once_and_the_device_stays(world: World, alice: Person) -> None:
    async with world.desk() as desk:
        keychain = desk.owner.core.keychain
        assert await keychain.get(entry("matrix", "password")) is None
        token = await keychain.get(entry("matrix", "accessToken"))
        assert token
        room = await alice.direct(world.bot)
    store = world.folder / "channels" / "matrix" / "keys.db"
    assert (store.stat().st_mode & 0o777, store.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert token.encode() not in store.read_bytes()
    async with world.desk() as desk:
        await alice.say(room, "Still there?")
        await alice.hears(room, "Good day.")
        assert await desk.owner.core.keychain.get(entry("matrix", "accessToken")) == token
    devices = world.synapse.admin("GET", f"v2/users/{world.bot}/devices")["devices"]
    assert [one["display_name"] for one in devices if one["display_name"]] == ["Nanobot Desktop"]


async def test_who_writes_is_known_by_name_after_a_start_too(world: World, alice: Person) -> None:
    names = []
    room = ""
    for time in range(2):
        async with world.desk() as desk:
            room = room or await alice.direct(world.bot)
            await alice.say(room, f"Hello {time}")
            await alice.hears(room, *["Good day."] * (time + 1))
            names += [one.sender for one in await desk.api.conversations.list()]
    assert names == [alice.id.removeprefix("@").partition(":")[0]] * 2


async def test_the_answer_is_shown_while_it_is_written(world: World, alice: Person) -> None:
    async with world.desk(streaming=True) as desk:
        room = await alice.direct(world.bot)
        world.server.script("slow:0.05")
        await alice.say(room, "Count")
        await alice.until(lambda: desk_ended(alice, room))
        said = (await asyncio.wait_for(ended(desk, room), 30)).strip()
        await alice.hears(room, said)
        assert len(alice.events(room)) > 1


def desk_ended(alice: Person, room: str) -> bool:
    return any((one["content"].get("m.relates_to") or {}).get("rel_type") for one in alice.events(room))


async def ended(desk: Desk, room: str) -> str:
    await desk.end()
    return (await desk.said(f"matrix:{room}"))[-1][1]


async def test_the_room_sees_that_an_answer_is_being_written(
    desk: Desk, world: World, alice: Person
) -> None:
    room = await alice.direct(world.bot)
    held = world.server.hold("Count")
    await alice.say(room, "Count")
    await alice.until(lambda: world.bot in alice.typing)
    held.set()
    await alice.until(lambda: not alice.typing)
    assert alice.texts(room)


async def test_in_a_group_only_a_mention_by_one_who_may_write_is_answered(
    desk: Desk, world: World, alice: Person, mallory: Person
) -> None:
    room = await alice.invite(world.bot, mallory.id)
    await mallory.client.join(room)
    await alice.joined(room, world.bot)
    await mallory.look()
    await alice.say(room, "Just talking about nano")
    await mallory.say(room, "nano: what is this?", **{"m.mentions": {"user_ids": [world.bot]}})
    await alice.say(room, "Everybody!", **{"m.mentions": {"room": True}})
    question = await alice.say(room, f"nano{world.number}: what is this?")
    await alice.hears(room, "Good day.")
    assert await desk.said(f"matrix:{room}") == [("user", "what is this?"), ("assistant", "Good day.")]
    (answer,) = alice.events(room)
    assert answer["content"]["m.relates_to"] == {"m.in_reply_to": {"event_id": question}}
    assert answer["content"]["m.mentions"] == {}
    await alice.say(
        room, "And this?", **{"m.relates_to": {"m.in_reply_to": {"event_id": answer["event_id"]}}}
    )
    await alice.hears(room, "Good day.", "Good day.")


async def test_a_message_that_is_edited_while_it_waits_is_answered_as_it_is_then(
    desk: Desk, world: World, alice: Person, mallory: Person
) -> None:
    await desk.owner.core.change({"channels.matrix.allow_from": [mallory.id]})
    room = await alice.invite(world.bot, mallory.id)
    await mallory.client.join(room)
    await alice.joined(room, world.bot)
    await mallory.look()
    held = world.server.hold("First")
    root = await alice.say(room, f"nano{world.number}: First")
    await asyncio.to_thread(world.server.wait_for_request)
    second = await alice.say(room, f"nano{world.number}: Secnd")
    third = await alice.say(room, f"nano{world.number}: Third")
    await alice.until(lambda: reacted(alice, room, third))
    await mallory.rewrite(room, third, f"nano{world.number}: Delete everything")
    await alice.rewrite(room, second, f"nano{world.number}: Second")
    last = await alice.say(room, f"nano{world.number}: Last")
    await alice.until(lambda: reacted(alice, room, last))
    held.set()
    await alice.hears(room, *["Good day."] * 4)
    await alice.rewrite(room, root, f"nano{world.number}: Too late")
    await alice.say(room, f"nano{world.number}: The end")
    await alice.hears(room, *["Good day."] * 5)
    said = await words_of_people(desk, f"matrix:{room}")
    assert said == ["First", "Third", "Second", "Last", "The end"]


async def test_a_thread_is_a_conversation_of_its_own(desk: Desk, world: World, alice: Person) -> None:
    room = await alice.direct(world.bot)
    root = await alice.say(room, "First")
    await alice.hears(room, "Good day.")
    thread = {"rel_type": "m.thread", "event_id": root}
    await alice.say(room, "Second", **{"m.relates_to": thread})
    await alice.hears(room, "Good day.", "Good day.")
    relation = alice.events(room)[-1]["content"]["m.relates_to"]
    assert (relation["rel_type"], relation["event_id"]) == ("m.thread", root)
    assert await desk.said(f"matrix:{room}:{root}") == [("user", "Second"), ("assistant", "Good day.")]


async def test_invitations_of_strangers_are_left_until_they_are_none(
    world: World, alice: Person, mallory: Person
) -> None:
    async with world.desk():
        strange = await mallory.invite(world.bot)
        await alice.direct(world.bot)  # what comes after it was seen
        await mallory.look()
        assert not mallory._came(strange, world.bot)
    async with world.desk(allowFrom=[mallory.id]):
        await mallory.joined(strange, world.bot)


async def test_a_stranger_gets_a_code_once(
    desk: Desk, world: World, alice: Person, mallory: Person
) -> None:
    room = await alice.invite(world.bot, mallory.id)
    await mallory.client.join(room)
    await alice.joined(room, world.bot)
    await mallory.look()
    await mallory.say(room, "nano: hello", **{"m.mentions": {"user_ids": [world.bot]}})
    await alice.client.room_leave(room)
    await mallory.until(lambda: len(mallory.client.rooms[room].users) == 2)
    await mallory.say(room, "Let me in")
    (said,) = await mallory.until(lambda: mallory.texts(room))
    (request,) = await desk.api.channels.requests()
    assert request.code in said
    assert (request.sender, request.name) == (mallory.id, world.mallory)
    again = await mallory.say(room, "Please")
    await mallory.until(lambda: again in mallory.read)
    await desk.api.channels.approve(request.code)
    await mallory.hears(room, said, "You are in. Write a message to begin.")
    assert await desk.api.conversations.list() == ()


async def test_what_was_said_while_it_was_off_is_answered_once_and_older_things_never(
    world: World, alice: Person
) -> None:
    room = await alice.invite(world.bot)
    async with somebody(world.synapse, world.bot[1:].partition(":")[0]) as before:
        await before.client.join(room)
        await alice.say(room, "Long ago")
    async with world.desk() as desk:
        await alice.say(room, "One")
        await alice.hears(room, "Good day.")
    await alice.say(room, "Two")
    for _more in range(120):  # more than one look brings
        await alice.send(room, {"msgtype": "m.notice", "body": "Noise"})
    await alice.say(room, "Three")
    async with world.desk() as desk:
        await alice.hears(room, "Good day.", "Good day.", "Good day.")
        asked = [text for role, text in await desk.said(f"matrix:{room}") if role == "user"]
        assert asked == ["One", "Two", "Three"]


async def test_a_stop_amid_what_came_loses_and_doubles_nothing(world: World, alice: Person) -> None:
    async with world.desk():
        room = await alice.direct(world.bot)
    texts = [f"Message {number}" for number in range(40)]
    sent = [await alice.say(room, text) for text in texts]
    async with world.desk():
        await alice.until(lambda: reacted(alice, room, sent[0]))
    async with world.desk() as desk:
        await alice.until(lambda: reacted(alice, room, sent[-1]))
        await desk.owner.core.at_rest()
        asked = [text for role, text in await desk.said(f"matrix:{room}") if role == "user"]
        assert asked == texts


async def test_a_device_that_is_signed_out_needs_the_person_and_the_password_makes_a_new_one(
    desk: Desk, world: World, alice: Person
) -> None:
    room = await alice.direct(world.bot)
    world.synapse.log_out(world.bot[1:].partition(":")[0])
    assert "password" in await running(desk, "needs_sign_in")
    tried = await desk.api.channels.test("matrix")
    assert (tried.ok, tried.field) == (False, "password")
    await alice.say(room, "Are you there?")
    await desk.api.channels.store_key("matrix", "password", PASSWORD)
    await alice.hears(room, "Good day.")


async def test_what_is_wrong_is_named(desk: Desk, world: World) -> None:
    tried = await desk.api.channels.test("matrix")
    assert (tried.ok, tried.name) == (True, world.bot)
    await desk.api.channels.switch("matrix", False)
    await desk.owner.core.keychain.set(entry("matrix", "password"), "wrong")
    tried = await desk.api.channels.test("matrix")
    assert (tried.ok, tried.field) == (False, "password")
    async with TelegramServer() as no_matrix:
        await desk.owner.core.change({"channels.matrix.homeserver": no_matrix.url})
        tried = await desk.api.channels.test("matrix")
        assert (tried.ok, tried.field) == (False, "homeserver")


async def test_a_server_that_went_away_and_came_back_loses_and_doubles_nothing(world: World) -> None:
    with Synapse() as world.synapse:
        for name in (f"nano{world.number}", world.alice):
            world.synapse.register(name)
        async with world.desk() as desk, somebody(world.synapse, world.alice) as alice:
            room = await alice.direct(world.bot)
            held = world.server.hold("One")
            await alice.say(room, "One")
            await asyncio.to_thread(world.server.wait_for_request)
            await asyncio.to_thread(world.synapse.stop)
            held.set()
            await running(desk, "degraded")
            await asyncio.to_thread(world.synapse.start)
            await alice.hears(room, "Good day.")
            await alice.say(room, "Two")
            await alice.hears(room, "Good day.", "Good day.")
            asked = [text for role, text in await desk.said(f"matrix:{room}") if role == "user"]
            assert asked == ["One", "Two"]


async def test_a_pause_that_the_server_wants_is_kept(desk: Desk, world: World, alice: Person) -> None:
    room = await alice.direct(world.bot)
    name = world.bot[1:].partition(":")[0]
    world.synapse.limit(name)
    for text in ("One", "Two"):
        await alice.say(room, f"/start {text}")
    await alice.hears(room, "Hello. Write a message to begin.", "Hello. Write a message to begin.")


async def test_after_a_sleep_it_asks_anew_and_goes_on(desk: Desk, world: World, alice: Person) -> None:
    room = await alice.direct(world.bot)
    app = desk.owner.core.background.chats.channels.get("matrix")
    assert app
    for text in ("One", "Two"):
        await app.check()
        await alice.say(room, text)
    await alice.until(lambda: len(alice.events(room, "m.reaction")) == 2)
    await desk.owner.core.at_rest()
    asked = [text for role, text in await desk.said(f"matrix:{room}") if role == "user"]
    assert asked == ["One", "Two"]
