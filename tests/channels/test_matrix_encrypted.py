"""Matrix in encrypted rooms: what is read, what is sent, and what is told where that can't be."""

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from desktop.bus.events import InboxChanged
from desktop.channels.channels import entry
from desktop.channels.message import Address, Part, Sending
from desktop.config.keychain import Keychain
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
    with_keys,
    world,
)
from tests.channels.synapse import PASSWORD
from tests.unit.core.test_conversations import Desk
from tests.unit.core.test_permits import use

__all__ = ["alice", "desk", "mallory", "synapse", "world"]

pytestmark = pytest.mark.machine


async def test_the_owner_alone_approves_by_a_code_and_in_private(
    desk: Desk, world: World, mallory: Person, tmp_path: Path
) -> None:
    await desk.owner.core.change({"channels.matrix.allow_from": [mallory.id]})
    async with with_keys(world, tmp_path) as alice:
        group = await alice.invite(world.bot, mallory.id)
        await mallory.client.join(group)
        await alice.joined(group, world.bot)
        await mallory.look()
        world.server.script(use("exec", command="touch made"), "say:Done.", "say:No.")
        mention = {"m.mentions": {"user_ids": [world.bot]}}
        await mallory.say(group, "make it", **mention)
        await alice.until(lambda: alice.client.invited_rooms)
        (room,) = alice.client.invited_rooms
        await alice.client.join(room)
        code = await alice.until(lambda: _code(alice, room))
        seen = await mallory.say(group, f"yes {code}", **mention)
        await alice.until(lambda: reacted(alice, group, seen))
        assert not list(world.folder.rglob("made"))
        await alice.say(room, f"yes {code}")
        await alice.until(lambda: "Done." in alice.texts(group))
        assert list(world.folder.rglob("made"))


async def test_an_edit_in_an_encrypted_room_is_read_and_stays_in_its_thread(
    desk: Desk, world: World, tmp_path: Path
) -> None:
    async with with_keys(world, tmp_path) as alice:
        room = await alice.direct(world.bot, encrypted=True)
        root = await alice.say(room, "Before")
        await alice.hears(room, "Good day.")
        held = world.server.hold("First")
        thread = {"m.relates_to": {"rel_type": "m.thread", "event_id": root}}
        await alice.say(room, "First", **thread)
        second = await alice.say(room, "Secnd", **thread)
        await alice.until(lambda: reacted(alice, room, second))
        await alice.rewrite(room, second, "Second")
        last = await alice.say(room, "Last", **thread)
        await alice.until(lambda: reacted(alice, room, last))
        held.set()
        await alice.hears(room, *["Good day."] * 4)
        said = await words_of_people(desk, f"matrix:{room}:{root}")
        assert said == ["First", "Second", "Last"]
        found = (await desk.api.conversations.read(f"matrix:{room}:{root}")).messages
        assert not any("_origin" in one for one in found if one["role"] == "user")


def _code(person: Person, room: str) -> str:
    words = " ".join(person.texts(room)).partition("“yes ")[2]
    return words.partition("”")[0]


@pytest.mark.parametrize("encrypted", [False, True])
async def test_pictures_go_both_ways(desk: Desk, world: World, tmp_path: Path, encrypted: bool) -> None:
    picture = tmp_path / "workspace" / "cat.png"
    Image.new("RGB", (40, 30), "red").save(picture)
    async with with_keys(world, tmp_path) as alice:
        room = await alice.direct(world.bot, encrypted=encrypted)
        await alice.look()
        world.server.script(use("message", content="Here is the cat.", media=[str(picture)]), "say:.")
        await alice.attach(room, picture.read_bytes(), "dog.png", "image/png", encrypt=encrypted)
        await alice.until(
            lambda: [one for one in alice.events(room) if one["content"]["msgtype"] == "m.image"]
        )
        (sent,) = [one["content"] for one in alice.events(room) if one["content"]["msgtype"] == "m.image"]
        assert ("file" in sent) is encrypted
        assert (sent["info"]["w"], sent["info"]["h"]) == (40, 30)
        assert await alice.fetch(sent) == picture.read_bytes()
        messages = (await desk.api.conversations.read(f"matrix:{room}")).messages
        assert Path(messages[0]["_files"][0]).read_bytes() == picture.read_bytes()
        assert Path(messages[0]["_files"][0]).name.endswith("dog.png")


async def test_encrypted_rooms_are_answered_encrypted_also_after_a_restart(
    world: World, tmp_path: Path
) -> None:
    async with with_keys(world, tmp_path) as alice:
        async with world.desk() as desk:
            room = await alice.direct(world.bot, encrypted=True)
            await alice.look()
            await alice.say(room, "Before")
            await alice.hears(room, "Good day.")
            (asked, _answered) = (await desk.api.conversations.read(f"matrix:{room}")).messages
            assert (asked["content"], asked.get("_origin")) == ("Before", None)
        await alice.say(room, "While you were away")
        async with world.desk() as desk:
            await alice.hears(room, "Good day.", "Good day.")
            await alice.say(room, "After")
            await alice.hears(room, "Good day.", "Good day.", "Good day.")
            asked_ = [text for role, text in await desk.said(f"matrix:{room}") if role == "user"]
            assert asked_ == ["Before", "While you were away", "After"]
    async with somebody(world.synapse, world.alice) as plain:
        found = (await plain.client.room_messages(room, limit=20)).chunk
        assert "m.room.message" not in {event.source["type"] for event in found}


async def test_what_comes_unencrypted_in_an_encrypted_room_is_nobodys_word(
    desk: Desk, world: World, alice: Person
) -> None:
    room = await alice.direct(world.bot, encrypted=True)
    await alice.say(room, "Trust me")
    await alice.until(lambda: alice.events(room, "m.room.encrypted"))
    (asked, _answered) = (await desk.api.conversations.read(f"matrix:{room}")).messages
    assert asked["_origin"] == "untrusted"


async def test_the_token_of_another_programs_device_is_taken_where_nothing_is_encrypted(
    world: World, alice: Person, tmp_path: Path
) -> None:
    store = tmp_path / "other"
    store.mkdir()
    async with somebody(world.synapse, world.bot[1:].partition(":")[0], store) as other:
        keychain = Keychain()
        await keychain.delete(entry("matrix", "password"))
        await keychain.set(entry("matrix", "accessToken"), other.client.access_token)
        async with world.desk(state="needs_sign_in") as desk:
            assert "Another program" in await running(desk, "needs_sign_in")
            room = await alice.invite(world.bot, encrypted=True)
            plain = await alice.invite(world.bot)
            await desk.owner.core.change({"channels.matrix.e2eeEnabled": False})
            await alice.joined(plain, world.bot)
            await alice.say(plain, "Hello")
            await alice.hears(plain, "Good day.")
            await desk.api.channels.send("matrix", room, "A secret")
            async for event in desk.events:
                if isinstance(event, InboxChanged):
                    break
            (notice,) = (await desk.api.inbox.list()).notices
            assert "This room is encrypted" in notice.body["text"]


async def test_a_message_that_cannot_be_read_is_told_once(world: World, tmp_path: Path) -> None:
    async with with_keys(world, tmp_path) as alice:
        async with world.desk():
            room = await alice.direct(world.bot, encrypted=True)
            await alice.look()
            await alice.say(room, "Before")
            await alice.hears(room, "Good day.")
        world.synapse.log_out(world.bot[1:].partition(":")[0])
        await Keychain().set(entry("matrix", "password"), PASSWORD)
        for text in ("One", "Two"):
            await alice.say(room, text)
        async with world.desk():
            unread = "I could not decrypt your message. Send it again."
            await alice.hears(room, "Good day.", unread)
            await alice.say(room, "Again")
            await alice.hears(room, "Good day.", unread, "Good day.")


@pytest.mark.parametrize("encrypted", [False, True])
async def test_a_part_that_is_sent_again_after_a_kill_is_there_once(
    desk: Desk, world: World, tmp_path: Path, encrypted: bool
) -> None:
    async with with_keys(world, tmp_path) as alice:
        room = await alice.direct(world.bot, encrypted=encrypted)
        await alice.look()
        await alice.say(room, "Hello")
        await alice.hears(room, "Good day.")
        app = desk.owner.core.background.chats.channels.get("matrix")
        assert app
        sending = Sending(Address("matrix", room), Part("", "Twice"), "77-0")
        assert await app.post(sending) == await app.post(sending)
        begins = replace(sending, part=Part("", "Thr"), once="answer:t:0", begins=True)
        beginning = await app.post(begins)
        assert await app.post(replace(begins, part=Part("", "Thrice"))) == beginning
        await app.edit(beginning, replace(sending, part=Part("", "Thrice")))
        await app.post(replace(sending, part=Part("", "Last"), once="77-1"))
        await alice.hears(room, "Good day.", "Twice", "Thrice", "Last")
