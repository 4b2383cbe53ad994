"""DingTalk, from a message of somebody to the answer in its chat."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PIL import Image

from desktop.bus.events import ServiceChanged
from desktop.channels.channels import entry
from desktop.channels.markup.dingtalk import MARKUP
from desktop.channels.markup.split import pieces
from desktop.paths import Home
from tests.channels.conftest import words_of_people
from tests.channels.dingtalk_server import (
    ALICE,
    CLIENT,
    GROUP,
    MALLORY,
    MESSAGES,
    SECRET,
    DingTalkServer,
)
from tests.channels.loopback import BAD_GATEWAY, Fault, Json, Upload
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.unit.core.test_permits import use


@pytest.fixture
async def ding() -> AsyncIterator[DingTalkServer]:
    async with DingTalkServer() as found:
        yield found


@asynccontextmanager
async def talking(
    folder: Path, server: ScriptedServer, ding: DingTalkServer, **more: object
) -> AsyncIterator[Desk]:
    """A program that speaks with that DingTalk, as Alice's."""
    Program(folder).use_server(server.url, "say:Good day.")
    async with started(Home(folder, folder / "models")) as desk:
        core = desk.owner.core
        core.keychain.remember(entry("dingtalk", "clientSecret"), SECRET)
        await core.staying()
        await core.change(
            {
                "channels.dingtalk.apiBase": ding.url,
                "channels.dingtalk.clientId": CLIENT,
                "channels.dingtalk.owner": ALICE,
                "channels.dingtalk.enabled": True,
                **{f"channels.dingtalk.{name}": value for name, value in more.items()},
            }
        )
        await ding.until(lambda: ding.links)
        yield desk


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer, ding: DingTalkServer) -> AsyncIterator[Desk]:
    async with talking(tmp_path, server, ding) as desk:
        yield desk


async def said(ding: DingTalkServer, wanted: str | Callable[[Json], object], nth: int = 1) -> Json:
    """The nth message of the robot with these words, or as wanted."""
    look = wanted if callable(wanted) else lambda one: one["text"] == wanted
    return (await ding.until(lambda: [one for one in ding.said if look(one)][nth - 1 :]))[0]


async def test_the_owner_asks_and_gets_an_answer(desk: Desk, ding: DingTalkServer) -> None:
    ding.write("Hello")
    found = await said(ding, "Good day.")
    assert (found["to"], found["by"], found["kind"]) == (ALICE, "hook", "markdown")
    assert found["content"]["title"] == "Good day."
    await ding.until(lambda: not ding.waiting)
    assert await desk.said(f"dingtalk:{ALICE}") == [("user", "Hello"), ("assistant", "Good day.")]


async def test_a_stranger_gets_a_code_in_private_and_silence_in_a_group(
    desk: Desk, ding: DingTalkServer
) -> None:
    ding.write("Hello all", by=MALLORY, group=GROUP)
    ding.write("Let me in", by=MALLORY)
    found = await said(ding, lambda one: one["to"] == MALLORY)
    (request,) = await desk.api.channels.requests()
    assert request.code in found["text"]
    assert {one["to"] for one in ding.said} == {MALLORY}


async def test_somebody_of_another_organization_is_answered_by_the_address_alone(
    tmp_path: Path, server: ScriptedServer, ding: DingTalkServer
) -> None:
    async with talking(tmp_path, server, ding, allowFrom=["*"]) as desk:
        ding.hooks["out"] = "outsider"
        hook = f"{ding.url}/robot/sendBySession?session=out"
        ding.write("Hello", by="", senderId="$:LWCP_v1:$x", sessionWebhook=hook)
        assert (await said(ding, "Good day."))["to"] == "outsider"
        assert await words_of_people(desk, "dingtalk:$_LWCP_v1_$x") == ["Hello"]


async def test_people_of_a_listed_group_share_a_conversation(
    tmp_path: Path, server: ScriptedServer, ding: DingTalkServer
) -> None:
    async with talking(tmp_path, server, ding, groupAllowFrom=[GROUP]) as desk:
        ding.write("one", by=MALLORY, group=GROUP)
        assert (await said(ding, "Good day."))["to"] == GROUP
        ding.write("two", by="staff7", group=GROUP)
        await said(ding, "Good day.", 2)
        assert await words_of_people(desk, f"dingtalk:{GROUP}") == ["one", "two"]


async def test_each_person_of_a_group_can_have_a_conversation(
    tmp_path: Path, server: ScriptedServer, ding: DingTalkServer
) -> None:
    isolated = {"groupAllowFrom": [GROUP], "groupUserIsolation": True}
    async with talking(tmp_path, server, ding, **isolated) as desk:
        ding.write("one", by=MALLORY, group=GROUP)
        await said(ding, "Good day.")
        ding.write("two", by="staff7", group=GROUP)
        await said(ding, "Good day.", 2)
        assert await words_of_people(desk, f"dingtalk:{GROUP}:{MALLORY}") == ["one"]
        assert await words_of_people(desk, f"dingtalk:{GROUP}:staff7") == ["two"]
        assert {one["to"] for one in ding.said} == {GROUP}


async def test_private_messages_can_be_left_without_an_answer(
    tmp_path: Path, server: ScriptedServer, ding: DingTalkServer
) -> None:
    async with talking(tmp_path, server, ding, disablePrivateChat=True):
        ding.write("in private")
        ding.write("in the group", group=GROUP)
        await said(ding, "Good day.")
        await ding.until(lambda: not ding.waiting)
        assert {one["to"] for one in ding.said} == {GROUP}
        logs = (tmp_path / "workspace" / "sessions").glob("*.jsonl")
        assert not [log for log in logs if "in private" in log.read_text("utf-8")]


async def test_a_chat_is_reached_by_the_robot_where_its_address_has_ended(
    desk: Desk, ding: DingTalkServer
) -> None:
    ding.write("Hello", sessionWebhookExpiredTime=1_000)
    found = await said(ding, "Good day.")
    assert (found["to"], found["by"], found["kind"]) == (ALICE, "call", "sampleMarkdown")
    ding.write("Again")
    assert (await said(ding, "Good day.", 2))["by"] == "hook"
    ding.hooks.clear()
    await desk.api.channels.send("dingtalk", ALICE, "Time for tea")
    assert (await said(ding, "Time for tea"))["by"] == "call"


async def test_a_chat_is_reached_after_a_restart(
    tmp_path: Path, server: ScriptedServer, ding: DingTalkServer
) -> None:
    async with talking(tmp_path, server, ding):
        ding.write("Hello", group=GROUP)
        await said(ding, "Good day.")
    async with talking(tmp_path, server, ding) as desk:
        await desk.api.channels.send("dingtalk", GROUP, "Time for tea")
        assert (await said(ding, "Time for tea"))["by"] == "hook"


async def test_an_address_that_is_not_of_dingtalk_gets_nothing(desk: Desk, ding: DingTalkServer) -> None:
    ding.write("Hello", sessionWebhook="http://127.0.0.1:9/robot/sendBySession?session=1")
    assert (await said(ding, "Good day."))["by"] == "call"


async def test_what_dingtalk_does_not_take_now_goes_later_and_once(
    desk: Desk, ding: DingTalkServer
) -> None:
    ding.fail("/robot/sendBySession", BAD_GATEWAY)
    ding.write("Hello")
    await said(ding, "Good day.")
    body = b'{"code": "Throttling", "message": "slow down"}'
    ding.fail("/v1.0/robot/oToMessages/batchSend", Fault(429, body, {"Retry-After": "0"}), 5)
    ding.write("Again", sessionWebhook="")
    await said(ding, "Good day.", 2)
    assert [one["text"] for one in ding.said] == ["Good day.", "Good day."]


async def test_what_dingtalk_rejects_is_in_the_inbox_with_the_reason(
    desk: Desk, ding: DingTalkServer
) -> None:
    body = json.dumps({"code": "Forbidden.AccessDenied", "message": "needs qyapi_robot_sendmsg"}).encode()
    ding.fail("/v1.0/robot/oToMessages/batchSend", Fault(403, body))
    await desk.api.channels.send("dingtalk", ALICE, "Time for tea")
    while not (found := (await desk.api.inbox.list()).notices):
        await anext(desk.events)
    assert "qyapi_robot_sendmsg" in str(found[0].body)


async def test_a_question_is_answered_by_its_code(
    desk: Desk, ding: DingTalkServer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.script(use("exec", command="touch made"), "say:Done.")
    ding.write("make it")
    question = await said(ding, lambda one: "touch made" in one["text"])
    yes = question["text"].partition("“")[2].partition("”")[0]
    ding.write(yes, by=MALLORY)
    ding.write(yes)
    await said(ding, "Done.")
    assert list(tmp_path.rglob("made"))


async def test_files_go_both_ways(
    desk: Desk, ding: DingTalkServer, server: ScriptedServer, tmp_path: Path
) -> None:
    picture, table = tmp_path / "workspace" / "cat.png", tmp_path / "workspace" / "table.xlsx"
    Image.new("RGB", (400, 300), "red").save(picture)
    table.write_bytes(b"cells")
    server.script(use("message", content="Here.", media=[str(picture), str(table)]), "say:.")
    ding.write("look", files=(Upload("table.csv", "file", b"a,b\n"),))
    found = await said(ding, lambda one: one["kind"] == "sampleImageMsg")
    upload = ding.uploads[found["content"]["photoURL"]]
    assert (upload.kind, upload.data) == ("image", picture.read_bytes())
    found = await said(ding, lambda one: one["kind"] == "sampleFile")
    assert (found["content"]["fileName"], found["content"]["fileType"]) == ("table.xlsx", "xlsx")
    assert ding.uploads[found["content"]["mediaId"]].data == b"cells"
    messages = (await desk.api.conversations.read(f"dingtalk:{ALICE}")).messages
    assert Path(messages[0]["_files"][0]).read_bytes() == b"a,b\n"


async def test_files_on_servers_of_others_come_by_the_settings_alone(
    tmp_path: Path, server: ScriptedServer, ding: DingTalkServer
) -> None:
    async with talking(tmp_path, server, ding) as desk, DingTalkServer() as other:
        ding.elsewhere["55"] = f"{other.url}/files/55"
        other.files["code/55+="] = b"inside"
        moved: Json = {"downloadCode": "code/55+=", "fileName": "moved.txt"}
        for content in (moved, {"downloadUrl": f"{other.url}/files/55", "fileName": "link.txt"}):
            ding.write(msgtype="file", content=content)
        await said(ding, "Good day.", 2)
        told = await words_of_people(desk, f"dingtalk:{ALICE}")
        assert ["could not be received" in one for one in told] == [True, True]
        assert not other.calls


async def test_words_that_dingtalk_heard_are_the_text(desk: Desk, ding: DingTalkServer) -> None:
    ding.write(msgtype="audio", content={"downloadCode": "code/1+=", "recognition": "Buy milk"})
    await said(ding, "Good day.")
    replied = {"content": " and this?", "repliedMsg": {"senderId": "x", "content": {"text": "Tea at 5"}}}
    ding.write(msgtype="text", text=replied)
    await said(ding, "Good day.", 2)
    words = await words_of_people(desk, f"dingtalk:{ALICE}")
    assert words[0] == "Buy milk"
    assert "Tea at 5" in words[1]
    assert "and this?" in words[1]


async def test_a_message_that_is_told_twice_is_answered_once(desk: Desk, ding: DingTalkServer) -> None:
    data = ding.write("One")
    await said(ding, "Good day.")
    ding.tell(data)
    ding.write("Two")
    await said(ding, "Good day.", 2)
    await ding.until(lambda: not ding.waiting)
    assert await words_of_people(desk, f"dingtalk:{ALICE}") == ["One", "Two"]


async def test_a_ping_is_answered_with_what_it_brought(desk: Desk, ding: DingTalkServer) -> None:
    id_ = ding.ping()
    (found,) = await ding.until(
        lambda: [one for one in ding.acknowledged if one["headers"]["messageId"] == id_]
    )
    assert json.loads(found["data"]) == {"opaque": "0x7a"}


async def test_the_next_connection_is_there_before_the_old_one_ends(
    desk: Desk, ding: DingTalkServer
) -> None:
    old = ding.leave()
    await ding.until(lambda: ding.opened == 2)
    assert old.open
    old.send(ding._frame("CALLBACK", MESSAGES, json.dumps(ding.write("by the new"))))
    await said(ding, "Good day.")
    late = dict(ding.write("by the old"))
    old.send(ding._frame("CALLBACK", MESSAGES, json.dumps(late | {"msgId": "late"})))
    await said(ding, "Good day.", 3)
    old.close()
    await ding.until(lambda: old.ended)
    ding.write("again by the new")
    await said(ding, "Good day.", 4)
    assert ding.opened == 2


async def test_a_connection_that_ends_early_comes_back_with_what_was_missed(
    desk: Desk, ding: DingTalkServer
) -> None:
    for number in range(3):
        ding.close()
        await ding.until(lambda: not ding.links)
        ding.write(f"Note {number}")
        await said(ding, "Good day.", number + 1)


async def test_a_connection_that_is_dead_is_noticed_when_the_computer_wakes(
    desk: Desk, ding: DingTalkServer
) -> None:
    ding.freeze()
    ding.write("Hello")
    desk.owner.core.background.services.again()
    await said(ding, "Good day.")


async def test_what_came_while_the_program_was_away_is_answered_once(
    tmp_path: Path, server: ScriptedServer, ding: DingTalkServer
) -> None:
    async with talking(tmp_path, server, ding):
        ding.write("One")
        await said(ding, "Good day.")
        await ding.until(lambda: not ding.waiting)
    ding.write("Two")
    async with talking(tmp_path, server, ding) as desk:
        await said(ding, "Good day.", 2)
        assert await words_of_people(desk, f"dingtalk:{ALICE}") == ["One", "Two"]


async def test_a_token_that_ends_early_is_asked_for_anew(desk: Desk, ding: DingTalkServer) -> None:
    await desk.api.channels.send("dingtalk", ALICE, "First")
    await said(ding, "First")
    ding.token = "token-2"
    await desk.api.channels.send("dingtalk", ALICE, "Second")
    await said(ding, "Second")


async def test_a_wrong_secret_is_named_and_not_tried_again(desk: Desk, ding: DingTalkServer) -> None:
    tried = await desk.api.channels.test("dingtalk")
    assert (tried.ok, tried.name) == (True, CLIENT)
    ding.revoke()
    assert (await desk.api.channels.test("dingtalk")).field == "clientSecret"
    async for event in desk.events:
        if isinstance(event, ServiceChanged) and event.state == "needs_sign_in":
            assert "open-dev.dingtalk.com" in event.detail
            break


@pytest.mark.expected_log("an event of a chat app could not be understood|a frame that could not be read")
async def test_odd_events_hold_up_nothing(desk: Desk, ding: DingTalkServer) -> None:
    odd: Json
    for odd in (
        {},
        {"msgId": None, "senderStaffId": []},
        {"msgId": "x", "senderStaffId": ["a"], "msgtype": "text", "text": {"content": {"a": 1}}},
        {"msgId": "y", "senderStaffId": ALICE, "msgtype": "richText", "content": {"richText": [7]}},
        {
            "msgId": "z",
            "senderStaffId": ALICE,
            "msgtype": "text",
            "text": {"content": "a"},
            "createAt": "b",
        },
    ):
        ding.tell(odd)
    ding.tell("no JSON")
    ding.tell("[]")
    ding.tell("{}", "/v1.0/card/instances/callback")
    ding.links[0].send({"specVersion": "1.0"})
    ding.write("Hello")
    await said(ding, "Good day.")
    await ding.until(lambda: not ding.waiting)


def test_an_answer_is_in_dingtalks_markdown_and_no_longer_than_it_takes() -> None:
    links = "[here](https://a.example) and [https://b.example](https://c.example)"
    text = f"# Plan\n\nIt is **so**,\nsee {links}.\n\n- a\n- b"
    assert pieces(text, MARKUP, 18_000)[0][0] == (
        "# Plan\n\nIt is **so**,  \nsee [here](https://a.example) and "
        "https://b.example (https://c.example).\n\n- a\n- b"
    )
    long = pieces("字" * 20_000, MARKUP, 18_000)
    assert "".join(plain for _markup, plain in long) == "字" * 20_000
    assert max(len(markup.encode()) for markup, _plain in long) <= 18_000
