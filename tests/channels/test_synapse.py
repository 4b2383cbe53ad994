"""The Matrix server of the tests, judged by matrix-nio."""

import asyncio
import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from nio import (
    AsyncClient,
    AsyncClientConfig,
    DownloadResponse,
    InviteMemberEvent,
    LoginError,
    LoginResponse,
    RoomMessageText,
    RoomSendResponse,
    UploadResponse,
    WhoamiError,
)

from tests.channels.synapse import PASSWORD, Synapse

pytestmark = pytest.mark.machine


@pytest.fixture(scope="module")
def synapse() -> Iterator[Synapse]:
    with Synapse() as server:
        server.register("bot")
        server.register("alice")
        server.stop()
        server.start()
        yield server


async def logged_in(synapse: Synapse, name: str) -> AsyncClient:
    config = AsyncClientConfig(encryption_enabled=False, max_limit_exceeded=0)
    client = AsyncClient(synapse.url, synapse.user_id(name), config=config)
    assert isinstance(await client.login(PASSWORD), LoginResponse)
    return client


@pytest.fixture
async def bot(synapse: Synapse) -> AsyncIterator[AsyncClient]:
    client = await logged_in(synapse, "bot")
    yield client
    await client.close()


@pytest.fixture
async def alice(synapse: Synapse) -> AsyncIterator[AsyncClient]:
    client = await logged_in(synapse, "alice")
    yield client
    await client.close()


async def with_keys(synapse: Synapse, name: str, store: Path) -> AsyncClient:
    """Somebody whose keys are known to the server and kept in a folder."""
    config = AsyncClientConfig(encryption_enabled=True, store_sync_tokens=True)
    client = AsyncClient(synapse.url, synapse.user_id(name), store_path=str(store), config=config)
    assert isinstance(await client.login(PASSWORD), LoginResponse)
    await client.sync(timeout=0, full_state=True)
    await client.keys_upload()
    return client


async def together(bot: AsyncClient, alice: AsyncClient) -> str:
    """A room of both."""
    room = str((await alice.room_create(invite=[bot.user_id], is_direct=True)).room_id)
    await bot.join(room)
    return room


def text(body: str, **more: object) -> dict[str, object]:
    return {"msgtype": "m.text", "body": body, **more}


async def test_a_bot_is_invited_hears_answers_and_edits(bot: AsyncClient, alice: AsyncClient) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()

    async def invited(room: Any, event: InviteMemberEvent) -> None:
        if event.state_key == bot.user_id and event.membership == "invite":
            await bot.join(room.room_id)
            await heard.put("joined")

    async def said(_room: object, event: RoomMessageText) -> None:
        if event.sender != bot.user_id:
            await heard.put(event)

    await bot.sync(timeout=0, full_state=True)
    bot.add_event_callback(invited, InviteMemberEvent)
    bot.add_event_callback(said, RoomMessageText)

    async def talk() -> None:
        room = str((await alice.room_create(invite=[bot.user_id], is_direct=True)).room_id)
        assert await heard.get() == "joined"
        await alice.room_send(room, "m.room.message", text("hello"))
        event = await heard.get()
        assert (event.sender, event.body) == (alice.user_id, "hello")
        await bot.room_typing(room, True, 5000)
        await bot.room_read_markers(room, event.event_id, event.event_id)
        seen = {"rel_type": "m.annotation", "event_id": event.event_id, "key": "👀"}
        await bot.room_send(room, "m.reaction", {"m.relates_to": seen})
        first = await bot.room_send(room, "m.room.message", text("po…"))
        edited = {"rel_type": "m.replace", "event_id": first.event_id}
        new = text("* pong", **{"m.new_content": text("pong"), "m.relates_to": edited})
        await bot.room_send(room, "m.room.message", new)
        found = await alice.sync(timeout=1000, full_state=True)
        timeline = found.rooms.join[room].timeline.events
        assert [one.body for one in timeline if isinstance(one, RoomMessageText)][-1] == "* pong"

    life = asyncio.gather(bot.sync_forever(timeout=500), talk_then_stop(talk, bot))
    await life


async def talk_then_stop(talk: Any, bot: AsyncClient) -> None:
    try:
        await talk()
    finally:
        bot.stop_sync_forever()


async def test_files_go_both_ways(bot: AsyncClient, alice: AsyncClient) -> None:
    room = await together(bot, alice)
    sent, _keys = await alice.upload(io.BytesIO(b"a,b\n"), "text/csv", "table.csv", filesize=4)
    assert isinstance(sent, UploadResponse)
    await alice.room_send(
        room, "m.room.message", {"msgtype": "m.file", "body": "table.csv", "url": sent.content_uri}
    )
    got = await bot.download(sent.content_uri)
    assert isinstance(got, DownloadResponse)
    assert got.body == b"a,b\n"


@pytest.mark.expected_log("Error validating response|Got 429 response")
async def test_who_may_not_and_too_much(synapse: Synapse, bot: AsyncClient, alice: AsyncClient) -> None:
    stranger = AsyncClient(synapse.url, synapse.user_id("bot"))
    refused = await stranger.login("wrong")
    await stranger.close()
    assert isinstance(refused, LoginError)
    assert refused.status_code == "M_FORBIDDEN"

    room = await together(bot, alice)
    synapse.limit("alice", 1, 1)
    answers = [await alice.room_send(room, "m.room.message", text(str(number))) for number in range(4)]
    assert {getattr(one, "status_code", None) for one in answers} == {None, "M_LIMIT_EXCEEDED"}
    assert any(getattr(one, "retry_after_ms", None) for one in answers)
    synapse.limit("alice", None)

    synapse.log_out("alice")
    unknown = await alice.whoami()
    assert isinstance(unknown, WhoamiError)
    assert unknown.status_code == "M_UNKNOWN_TOKEN"


@pytest.mark.expected_log("Timed out")
async def test_a_server_that_is_dead_for_a_while(synapse: Synapse, bot: AsyncClient) -> None:
    room = str((await bot.room_create()).room_id)
    bot.config = AsyncClientConfig(encryption_enabled=False, request_timeout=1, max_timeouts=1)
    synapse.freeze()
    with pytest.raises(TimeoutError):
        await bot.room_send(room, "m.room.message", text("hello"), "one")
    synapse.thaw()
    assert isinstance(await bot.room_send(room, "m.room.message", text("hello"), "one"), RoomSendResponse)


@pytest.mark.expected_log("Missing session for device")
async def test_encrypted_messages_also_after_a_restart(synapse: Synapse, tmp_path: Path) -> None:
    (tmp_path / "alice").mkdir()
    alice = await with_keys(synapse, "alice", tmp_path / "alice")
    bot = await with_keys(synapse, "bot", tmp_path)
    encryption = {"type": "m.room.encryption", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
    room = str((await alice.room_create(invite=[bot.user_id], initial_state=[encryption])).room_id)
    await bot.join(room)
    await alice.sync(timeout=0, full_state=True)
    await alice.keys_query()

    async def say(body: str) -> None:
        content = text(body)
        sent = await alice.room_send(room, "m.room.message", content, ignore_unverified_devices=True)
        assert isinstance(sent, RoomSendResponse)

    await say("before")
    await bot.close()
    again = AsyncClient(synapse.url, device_id=bot.device_id, store_path=str(tmp_path), config=bot.config)
    again.restore_login(bot.user_id, bot.device_id, bot.access_token)
    await say("after")
    timeline = (await again.sync(timeout=5000, full_state=True)).rooms.join[room].timeline.events
    read = [(one.body, one.decrypted) for one in timeline if isinstance(one, RoomMessageText)]
    assert read == [("before", True), ("after", True)]
    plain = AsyncClient(
        synapse.url, synapse.user_id("alice"), config=AsyncClientConfig(encryption_enabled=False)
    )
    plain.access_token, plain.user_id = alice.access_token, alice.user_id
    stored = (await plain.room_messages(room, limit=2)).chunk
    assert {one.source["type"] for one in stored} == {"m.room.encrypted"}
    for client in (alice, again, plain):
        await client.close()
    for client in (alice, bot, again):
        client.store.database.close()  # which it leaves open
