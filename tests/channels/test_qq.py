"""QQ, from a message of somebody to the replies that it may have."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PIL import Image

from desktop.bus.events import ServiceChanged
from desktop.channels.channels import entry
from desktop.inbox.inbox import Notice
from desktop.paths import Home
from tests.channels.conftest import words_of_people
from tests.channels.loopback import DROPPED_AFTER, Json, Upload
from tests.channels.qq_server import ALICE, APP_ID, GROUP, MALLORY, SECRET, QQServer
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.unit.core.test_permits import use


@pytest.fixture
async def qq() -> AsyncIterator[QQServer]:
    async with QQServer() as found:
        yield found


@asynccontextmanager
async def talking(
    folder: Path, server: ScriptedServer, qq: QQServer, **more: object
) -> AsyncIterator[Desk]:
    """A program that speaks with that QQ, as Alice's."""
    Program(folder).use_server(server.url, "say:Good day.")
    async with started(Home(folder, folder / "models")) as desk:
        core = desk.owner.core
        core.keychain.remember(entry("qq", "secret"), SECRET)
        await core.staying()
        await core.change(
            {
                "channels.qq.apiBase": qq.url,
                "channels.qq.appId": APP_ID,
                "channels.qq.owner": ALICE,
                "channels.qq.enabled": True,
                **{f"channels.qq.{name}": value for name, value in more.items()},
            }
        )
        await qq.until(lambda: qq.links and qq.sessions)
        yield desk


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer, qq: QQServer) -> AsyncIterator[Desk]:
    async with talking(tmp_path, server, qq) as desk:
        yield desk


async def said(qq: QQServer, wanted: str | Callable[[Json], object], nth: int = 1) -> Json:
    """The nth message of the bot with these words, or as wanted."""
    look = wanted if callable(wanted) else lambda one: one.get("content") == wanted
    return (await qq.until(lambda: [one for one in qq.said if look(one)][nth - 1 :]))[0]


async def test_the_owner_asks_and_gets_a_reply(desk: Desk, qq: QQServer) -> None:
    face = base64.b64encode(json.dumps({"text": "呲牙"}).encode()).decode()
    asked = qq.write(f'Hello <faceType=1,faceId="13",ext="{face}">')
    found = await said(qq, "Good day.")
    assert (found["kind"], found["to"]) == ("users", ALICE)
    assert (found["msg_id"], found["msg_type"]) == (asked["id"], 0)
    assert await desk.said(f"qq:{ALICE}") == [("user", "Hello [呲牙]"), ("assistant", "Good day.")]


async def test_a_stranger_gets_a_code_in_private_and_silence_in_a_group(desk: Desk, qq: QQServer) -> None:
    qq.write("Hello all", by=MALLORY, group=GROUP)
    qq.write("Let me in", by=MALLORY)
    found = await said(qq, lambda one: one["to"] == MALLORY)
    (request,) = await desk.api.channels.requests()
    assert request.code in found["content"]
    assert {one["to"] for one in qq.said} == {MALLORY}


async def test_in_a_listed_group_a_mention_is_answered_there(
    tmp_path: Path, server: ScriptedServer, qq: QQServer
) -> None:
    async with talking(tmp_path, server, qq, groupAllowFrom=[GROUP]) as desk:
        asked = qq.write("hello", by=MALLORY, group=GROUP)
        found = await said(qq, "Good day.")
        assert (found["kind"], found["to"], found["msg_id"]) == ("groups", GROUP, asked["id"])
        named = {"mentions": [{"member_openid": "B07", "is_you": True}, {"id": "C4", "username": "Carol"}]}
        data: Json = {"id": "ROBOT1.0_all", "group_openid": GROUP, "author": {"member_openid": MALLORY}}
        qq.asked[data["id"]] = {}
        qq.tell("GROUP_MESSAGE_CREATE", data | named | {"content": "<@B07> ask <@C4> then"})
        await said(qq, "Good day.", 2)
        assert await words_of_people(desk, f"qq:{GROUP}") == ["hello", "ask @Carol then"]


async def test_a_long_answer_is_at_most_three_messages_and_says_where_the_rest_is(
    desk: Desk, qq: QQServer, server: ScriptedServer
) -> None:
    server.script("say:" + "word " * 4000)
    asked = qq.write("Tell me all")
    last = await said(qq, lambda one: "Read the rest" in one["content"])
    assert len(qq.said) == 3
    assert {one["msg_id"] for one in qq.said} == {asked["id"]}
    assert sorted(one["msg_seq"] for one in qq.said) == [1, 2, 3]
    assert len(last["content"]) < 4200


async def test_a_reply_whose_answer_was_lost_is_not_said_twice(desk: Desk, qq: QQServer) -> None:
    qq.fail(f"POST /v2/users/{ALICE}/messages", DROPPED_AFTER)
    qq.write("Hello")
    await qq.refused(lambda call: call.error == "40054005")
    qq.write("And again")
    await said(qq, "Good day.", 2)
    assert [one["content"] for one in qq.said] == ["Good day.", "Good day."]


async def test_what_comes_too_late_waits_in_the_inbox_and_goes_after_the_next_message(
    desk: Desk, qq: QQServer, server: ScriptedServer
) -> None:
    held = server.hold("Slow one")
    asked = qq.write("Slow one")
    await asyncio.to_thread(server.wait_for_request)
    qq.expired.add(asked["id"])
    held.set()
    await qq.refused(lambda call: call.error == "40034105")
    note = await _notice(desk)
    assert "only in reply" in str(note.body)
    qq.write("Are you there?")
    await said(qq, "Good day.")
    assert await desk.api.channels.again(note.id)
    await said(qq, "Good day.", 2)


async def _notice(desk: Desk) -> Notice:
    while not (found := (await desk.api.inbox.list()).notices):
        await anext(desk.events)
    return found[0]


async def test_a_bot_that_may_write_first_does(desk: Desk, qq: QQServer) -> None:
    qq.begins = True
    asked = qq.write("Hello")
    await said(qq, "Good day.")
    qq.expired.add(asked["id"])
    await desk.api.channels.send("qq", ALICE, "Time for tea")
    found = await said(qq, "Time for tea")
    assert "msg_id" not in found


async def test_markdown_that_is_refused_goes_as_plain_text(
    tmp_path: Path, server: ScriptedServer, qq: QQServer
) -> None:
    server.script("say:It is **so**.", "say:It is **so**.")
    async with talking(tmp_path, server, qq, msgFormat="markdown"):
        qq.write("Is it?")
        await said(qq, "It is so.")
        qq.markdown = True
        qq.write("Is it?")
        found = await said(qq, lambda one: one["msg_type"] == 2)
        assert found["markdown"] == {"content": "It is **so**."}


async def test_what_takes_long_is_said_to_take_long(
    desk: Desk, qq: QQServer, server: ScriptedServer
) -> None:
    held = server.hold("Slow one")
    qq.write("Slow one")
    await said(qq, "⏳")
    held.set()
    await said(qq, "Good day.")


async def test_files_go_both_ways(desk: Desk, qq: QQServer, server: ScriptedServer, tmp_path: Path) -> None:
    picture = tmp_path / "workspace" / "cat.png"
    Image.new("RGB", (400, 300), "red").save(picture)
    server.script(use("message", content="Here is the cat.", media=[str(picture)]), "say:.")
    qq.write("look", files=(Upload("table.csv", "file", b"a,b\n"),))
    found = await said(qq, lambda one: one["msg_type"] == 7)
    upload = qq.uploads[found["media"]["file_info"]]
    assert (upload.kind, upload.name, upload.data) == ("1", "cat.png", picture.read_bytes())
    messages = (await desk.api.conversations.read(f"qq:{ALICE}")).messages
    assert Path(messages[0]["_files"][0]).read_bytes() == b"a,b\n"


async def test_a_question_is_answered_by_its_code(
    desk: Desk, qq: QQServer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.script(use("exec", command="touch made"), "say:Done.")
    qq.write("make it")
    question = await said(qq, lambda one: "touch made" in one.get("content", ""))
    yes = question["content"].partition("“")[2].partition("”")[0]
    qq.write(yes, by=MALLORY)
    qq.write(yes)
    await said(qq, "Done.")
    assert list(tmp_path.rglob("made"))


@pytest.mark.parametrize("code", [4009, 1001])
async def test_a_connection_that_qq_ends_early_comes_back_with_what_was_missed(
    desk: Desk, qq: QQServer, code: int
) -> None:
    qq.write("One")
    await said(qq, "Good day.")
    qq.close(code)
    await qq.until(lambda: not qq.links)
    qq.write("Two")
    await said(qq, "Good day.", 2)
    assert (qq.identified, qq.resumed) == (1, 1)


async def test_a_session_that_is_forgotten_begins_anew(desk: Desk, qq: QQServer) -> None:
    qq.write("One")
    await said(qq, "Good day.")
    qq.forget()
    qq.close(4006)
    await qq.until(lambda: qq.identified == 2)
    qq.write("Two")
    await said(qq, "Good day.", 2)


async def test_what_came_while_the_program_was_away_is_answered_once(
    tmp_path: Path, server: ScriptedServer, qq: QQServer
) -> None:
    async with talking(tmp_path, server, qq):
        qq.write("One")
        await said(qq, "Good day.")
    qq.write("Two")
    async with talking(tmp_path, server, qq) as desk:
        await said(qq, "Good day.", 2)
        qq.write("Three")
        await said(qq, "Good day.", 3)
        assert await words_of_people(desk, f"qq:{ALICE}") == ["One", "Two", "Three"]
    assert qq.resumed == 1


async def test_a_connection_that_is_dead_is_noticed_by_its_beat(
    tmp_path: Path, server: ScriptedServer, qq: QQServer
) -> None:
    qq.heartbeat = 0.2
    async with talking(tmp_path, server, qq):
        qq.freeze()
        await qq.until(lambda: qq.resumed)
        qq.write("Hello")
        await said(qq, "Good day.")


async def test_a_token_that_ends_early_is_asked_for_anew(desk: Desk, qq: QQServer) -> None:
    qq.token = "token-2"
    qq.write("Hello")
    await said(qq, "Good day.")


async def test_a_wrong_secret_is_named_and_not_tried_again(desk: Desk, qq: QQServer) -> None:
    tried = await desk.api.channels.test("qq")
    assert (tried.ok, tried.name) == (True, "Nano")
    qq.secret, qq.token = "another", "token-3"
    assert (await desk.api.channels.test("qq")).field == "secret"
    qq.close(4009)
    async for event in desk.events:
        if isinstance(event, ServiceChanged) and event.state == "needs_sign_in":
            assert "q.qq.com" in event.detail
            break


@pytest.mark.parametrize(("code", "words"), [(4914, "sandbox"), (4915, "banned"), (4014, "read")])
async def test_a_bot_that_qq_shuts_out_says_why_and_stops(
    desk: Desk, qq: QQServer, code: int, words: str
) -> None:
    qq.shut_out(code)
    async for event in desk.events:
        if isinstance(event, ServiceChanged) and event.state == "failed":
            assert words in event.detail
            break
    assert not qq.links


@pytest.mark.expected_log("an event of a chat app could not be understood")
async def test_odd_events_hold_up_nothing(desk: Desk, qq: QQServer) -> None:
    odd: Json
    for odd in (
        {},
        {"id": None, "author": []},
        {"id": "x", "author": {"user_openid": ["a"]}, "content": {"a": 1}},
        {"id": "y", "author": {"user_openid": ALICE}, "attachments": [{"url": "http://["}, 7]},
        {"id": "z", "author": {"user_openid": ALICE}, "content": "\ud800", "timestamp": 5},
    ):
        qq.tell("C2C_MESSAGE_CREATE", odd)
    qq.tell("INTERACTION_CREATE", {"id": "1"})
    qq.write("Hello")
    await said(qq, "Good day.")
