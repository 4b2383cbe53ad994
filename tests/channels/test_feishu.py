"""Feishu, from a message of somebody to the card that answers it."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession
from PIL import Image

from desktop.bus.events import ServiceChanged, TurnFinished
from desktop.channels.channel import Gone
from desktop.channels.channels import entry
from desktop.channels.feishu.frame import Frame, decoded
from desktop.channels.feishu.growing import Growing
from desktop.channels.feishu.rest import Rest
from desktop.paths import Home
from tests.channels.conftest import words_of_people
from tests.channels.feishu_server import (
    ALICE,
    APP_ID,
    GROUP,
    MALLORY,
    ME,
    SECRET,
    FeishuServer,
    Said,
)
from tests.channels.loopback import DROPPED_AFTER, Fault, Json, Upload
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.unit.core.test_permits import use


@pytest.fixture
async def feishu() -> AsyncIterator[FeishuServer]:
    async with FeishuServer() as found:
        yield found


@asynccontextmanager
async def talking(
    folder: Path, server: ScriptedServer, feishu: FeishuServer, **more: object
) -> AsyncIterator[Desk]:
    """A program that speaks with that Feishu, as Alice's."""
    Program(folder).use_server(server.url, "say:Good day.")
    async with started(Home(folder, folder / "models")) as desk:
        core = desk.owner.core
        core.keychain.remember(entry("feishu", "appSecret"), SECRET)
        await core.staying()
        await core.change(
            {
                "channels.feishu.apiBase": feishu.url,
                "channels.feishu.appId": APP_ID,
                "channels.feishu.owner": ALICE,
                "channels.feishu.enabled": True,
                **{f"channels.feishu.{name}": value for name, value in more.items()},
            }
        )
        await feishu.until(lambda: feishu.links)
        yield desk


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer, feishu: FeishuServer) -> AsyncIterator[Desk]:
    async with talking(tmp_path, server, feishu) as desk:
        yield desk


async def said(feishu: FeishuServer, wanted: str | Callable[[Said], object], nth: int = 1) -> Said:
    """The nth message of the bot with these words, or as wanted."""
    look = wanted if callable(wanted) else lambda one: one.text == wanted
    return (await feishu.until(lambda: [one for one in feishu.said.values() if look(one)][nth - 1 :]))[0]


def at(id_: str, name: str, number: int = 1) -> Json:
    """A mention."""
    return {"key": f"@_user_{number}", "id": {"open_id": id_, "union_id": "on"}, "name": name}


HERE: Json = {"mentions": [at(ME, "Nano")]}


async def test_the_owner_asks_and_gets_a_card(desk: Desk, feishu: FeishuServer) -> None:
    feishu.write("Hello")
    found = await said(feishu, "Good day.")
    assert (found.kind, found.to, found.reply) == ("interactive", feishu.chat(ALICE), "")
    session = f"feishu:{feishu.chat(ALICE)}"
    assert await desk.said(session) == [("user", "Hello"), ("assistant", "Good day.")]
    await feishu.until(lambda: not feishu.waiting)


async def test_a_stranger_gets_a_code_in_private_and_silence_in_a_group(
    desk: Desk, feishu: FeishuServer
) -> None:
    feishu.people[MALLORY] = "Mallory"
    feishu.write("@_user_1 Hello", by=MALLORY, group=GROUP, **HERE)
    feishu.write("Let me in", by=MALLORY)
    found = await said(feishu, lambda one: one.to == feishu.chat(MALLORY))
    (request,) = await desk.api.channels.requests()
    assert (request.code in found.text, request.name) == (True, "Mallory")
    assert {one.to for one in feishu.said.values()} == {feishu.chat(MALLORY)}


async def test_in_a_listed_group_a_mention_begins_a_topic_with_a_conversation(
    tmp_path: Path, server: ScriptedServer, feishu: FeishuServer
) -> None:
    async with talking(tmp_path, server, feishu, groupAllowFrom=[GROUP]) as desk:
        feishu.write("@_user_1 lunch?", by=MALLORY, group=GROUP, mentions=[at("ou_carol", "Carol")])
        people: Json = {"mentions": [at("ou_carol", "Carol"), at(ME, "Nano", 2)]}
        asked = feishu.write("@_user_2 ask @_user_1 and @_all", by=MALLORY, group=GROUP, **people)
        found = await said(feishu, "Good day.")
        assert (found.to, found.reply, found.topic) == (GROUP, asked["message_id"], True)
        more = {"root_id": asked["message_id"], "parent_id": asked["message_id"], "thread_id": "omt_1"}
        feishu.write("@_user_1 and?", by=MALLORY, group=GROUP, **HERE, **more)
        found = await said(feishu, "Good day.", 2)
        assert (found.reply, found.topic) == (asked["message_id"], True)
        session = f"feishu:{GROUP}:{asked['message_id']}"
        assert await words_of_people(desk, session) == ["ask @Carol and @all", "and?"]


async def test_without_topics_a_group_is_one_conversation_and_answers_may_quote(
    tmp_path: Path, server: ScriptedServer, feishu: FeishuServer
) -> None:
    more = {"topicIsolation": False, "replyToMessage": True, "groupAllowFrom": [GROUP]}
    async with talking(tmp_path, server, feishu, **more) as desk:
        asked = feishu.write("@_user_1 one", by=MALLORY, group=GROUP, **HERE)
        found = await said(feishu, "Good day.")
        assert (found.reply, found.topic) == (asked["message_id"], False)
        feishu.write("two", by=MALLORY, group=GROUP, parent_id=found.id)
        await said(feishu, "Good day.", 2)
        assert await words_of_people(desk, f"feishu:{GROUP}") == ["one", "two"]


async def test_what_a_message_answers_is_told(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer
) -> None:
    first = feishu.write("The train leaves at nine.", by=MALLORY)
    feishu.write("When?", parent_id=first["message_id"])
    await said(feishu, "Good day.")
    assert "The train leaves at nine." in str(server.requests[-1])


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("allowed", [True, False])
async def test_an_answer_grows_in_one_card_and_ends_whole(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer, *, lost: bool, allowed: bool
) -> None:
    server.script("slow:0.05")
    feishu.cards.allowed = allowed
    if lost:  # the answer to the call with the first words
        feishu.fail("POST /im/v1/messages", DROPPED_AFTER)
    feishu.write("Tell me")
    assert isinstance(await desk.end(), TurnFinished)
    (_asked, (_role, answer)) = await desk.said(f"feishu:{feishu.chat(ALICE)}")
    found = await said(feishu, answer.strip())
    await feishu.until(lambda: not found.content["config"]["streaming_mode"])
    assert found.content["config"]["summary"]["content"].startswith(answer.strip()[:20])
    if allowed:
        (card,) = [card for card in feishu.cards.all.values() if card.message]
        assert (found.edits, bool(card.grown)) == (0, not lost)
    else:
        assert found.edits
    assert len(feishu.said) == 1


async def test_a_message_of_the_agent_is_the_answer_unless_it_goes_on_with_its_work(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer
) -> None:
    server.script(use("message", content="Here is the plan."), "say:I have sent you the whole plan.")
    feishu.write("Plan it")
    assert isinstance(await desk.end(), TurnFinished)
    server.script(use("message", content="I begin."), use("list_dir", path="."), "say:There is nothing.")
    feishu.write("Look")
    await said(feishu, "There is nothing.")
    feishu.write("Thanks")
    await said(feishu, "Good day.")
    assert [one.text for one in feishu.said.values()] == [
        "Here is the plan.",
        "I begin.",
        "There is nothing.",
        "Good day.",
    ]


async def test_an_answer_that_can_be_edited_no_more_is_sent_again_whole(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer
) -> None:
    server.script("slow:0.05")
    feishu.cards.allowed, feishu.most_edits = False, 1
    feishu.write("Tell me")
    assert isinstance(await desk.end(), TurnFinished)
    (_asked, (_role, answer)) = await desk.said(f"feishu:{feishu.chat(ALICE)}")
    await said(feishu, answer.strip())
    assert len(feishu.said) == 2


async def test_the_last_edits_of_a_message_are_kept_for_its_end() -> None:
    async with ClientSession() as session:
        growing = Growing(Rest(session, None, "", "feishu"))
        for _number in range(15):
            growing.edit("om_1")
        growing.edit("om_2")
        with pytest.raises(Gone):
            growing.edit("om_1")


async def test_a_card_that_is_gone_is_replaced_by_another(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer
) -> None:
    server.script("slow:0.05")
    feishu.write("Tell me")
    await feishu.until(lambda: any(card.grown for card in feishu.cards.all.values()))
    feishu.cards.all.clear()
    assert isinstance(await desk.end(), TurnFinished)
    (_asked, (_role, answer)) = await desk.said(f"feishu:{feishu.chat(ALICE)}")
    await said(feishu, answer.strip())


async def test_forwarded_messages_are_read(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer
) -> None:
    feishu.people["ou_b0b"] = "Bob"
    for by, text in (("ou_b0b", "The train leaves at nine."), (MALLORY, "From platform two.")):
        feishu.write(text, by=by, upper_message_id="om_whole")
    feishu.write("x", kind="image", content={"image_key": "k"}, upper_message_id="om_whole")
    words = {"text": "Merged and Forwarded Message"}
    feishu.write("x", kind="merge_forward", content=words, message_id="om_whole")
    await said(feishu, "Good day.")
    (asked,) = await words_of_people(desk, f"feishu:{feishu.chat(ALICE)}")
    assert asked.splitlines() == [
        "[Forwarded]",
        "Bob: The train leaves at nine.",
        "Feishu …110a: From platform two.",
        "Alice: [image]",
    ]


async def test_markdown_is_that_of_cards_and_mentions_nobody(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer
) -> None:
    server.script("say:It is **so**, <at id=all></at> a_b\\_c &lt;\n\n## Head\n\n- one\n\n1\\. no list")
    feishu.write("Is it?")
    found = await said(feishu, lambda one: "so" in one.text and "list" in one.text)
    assert found.content["body"]["elements"][0]["tag"] == "markdown"
    assert "**so**" in found.text
    assert "<" not in found.text
    assert "## Head" in found.text
    assert "- one" in found.text
    assert "1&#46; no list" in found.text
    assert "It is so" in found.content["config"]["summary"]["content"]


async def test_markup_that_is_refused_goes_as_plain_text(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer
) -> None:
    feishu.markdown = False
    server.script("say:It is **so**.")
    feishu.write("Is it?")
    found = await said(feishu, "It is so.")
    assert found.content["body"]["elements"][0]["text"]["tag"] == "plain_text"


async def test_a_card_whose_answer_was_lost_is_not_there_twice(desk: Desk, feishu: FeishuServer) -> None:
    feishu.fail("POST /im/v1/messages", DROPPED_AFTER)
    feishu.write("Hello")
    await said(feishu, "Good day.")
    await feishu.sent(lambda call: call.name == "POST /im/v1/messages", nth=2)
    feishu.write("And again")
    await said(feishu, "Good day.", 2)
    assert [one.text for one in feishu.said.values()] == ["Good day.", "Good day."]


async def test_an_event_that_comes_again_is_answered_once(desk: Desk, feishu: FeishuServer) -> None:
    feishu.write("One")
    await said(feishu, "Good day.")
    feishu.again()
    feishu.write("Two")
    await said(feishu, "Good day.", 2)
    assert await words_of_people(desk, f"feishu:{feishu.chat(ALICE)}") == ["One", "Two"]


async def test_an_event_in_pieces_is_put_together(desk: Desk, feishu: FeishuServer) -> None:
    feishu.write("word " * 30_000)
    await said(feishu, "Good day.")
    (found,) = await words_of_people(desk, f"feishu:{feishu.chat(ALICE)}")
    assert found.startswith("word word")
    await feishu.until(lambda: not feishu.waiting)


async def test_files_go_both_ways(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer, tmp_path: Path
) -> None:
    picture, table = tmp_path / "workspace" / "cat.png", tmp_path / "workspace" / "out.csv"
    Image.new("RGB", (400, 300), "red").save(picture)
    table.write_text("c,d\n")
    server.script(use("message", content="Here.", media=[str(picture), str(table)]), "say:.")
    feishu.write("", files=(Upload("table.csv", "file", b"a,b\n"),))
    found = await said(feishu, lambda one: one.kind == "image")
    assert feishu.uploads[found.content["image_key"]].data == picture.read_bytes()
    found = await said(feishu, lambda one: one.kind == "file")
    upload = feishu.uploads[found.content["file_key"]]
    assert (upload.kind, upload.name, upload.data) == ("stream", "out.csv", b"c,d\n")
    messages = (await desk.api.conversations.read(f"feishu:{feishu.chat(ALICE)}")).messages
    assert Path(messages[0]["_files"][0]).read_bytes() == b"a,b\n"


async def test_a_text_with_looks_is_read_with_its_pictures(desk: Desk, feishu: FeishuServer) -> None:
    feishu.files["img_1"] = Upload("x", "image", b"picture")
    lines = [
        [{"tag": "text", "text": "See "}, {"tag": "a", "text": "this", "href": "https://x.org"}],
        [{"tag": "at", "user_id": "@_user_1"}, {"tag": "img", "image_key": "img_1"}],
        [{"tag": "code_block", "language": "PYTHON", "text": "x = 1"}],
    ]
    content = {"title": "Title", "content": lines}
    feishu.write(kind="post", content=content, mentions=[at("ou_carol", "Carol")])
    await said(feishu, "Good day.")
    (message, *_rest) = (await desk.api.conversations.read(f"feishu:{feishu.chat(ALICE)}")).messages
    assert message["content"].startswith("Title\nSee this (https://x.org)\n@Carol\n```python\nx = 1\n```")
    assert Path(message["_files"][0]).read_bytes() == b"picture"


async def test_a_question_is_answered_by_a_button_of_the_owner_alone(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.script(use("exec", command="touch made"), "say:Done.")
    feishu.write("make it")
    question = await said(feishu, lambda one: "touch made" in one.text)
    yes = next(iter(question.buttons))
    refused = feishu.press(question, yes, by=MALLORY)
    answer = await feishu.until(lambda: refused.answer)
    assert not list(tmp_path.rglob("made"))
    assert answer
    told = feishu.press(question, yes)
    await said(feishu, "Done.")
    assert list(tmp_path.rglob("made"))
    await feishu.until(lambda: told.answer)


async def test_a_message_shows_that_it_came(
    desk: Desk, feishu: FeishuServer, server: ScriptedServer
) -> None:
    held = server.hold("Slow one")
    asked = feishu.write("Slow one")
    await feishu.until(lambda: feishu.reactions)
    assert feishu.had == [(asked["message_id"], "THUMBSUP")]
    held.set()
    await said(feishu, "Good day.")
    await feishu.until(lambda: not feishu.reactions)


async def test_the_owner_is_written_to_first_by_their_id(desk: Desk, feishu: FeishuServer) -> None:
    await desk.api.channels.send("feishu", ALICE, "Time for tea")
    assert (await said(feishu, "Time for tea")).to == feishu.chat(ALICE)


async def test_a_connection_that_ends_early_comes_back_with_what_was_missed(
    desk: Desk, feishu: FeishuServer
) -> None:
    feishu.write("One")
    await said(feishu, "Good day.")
    feishu.close()
    await feishu.until(lambda: not feishu.links)
    feishu.write("Two")
    await said(feishu, "Good day.", 2)
    assert feishu.connections == 2


async def test_what_came_while_the_program_was_away_is_answered_once(
    tmp_path: Path, server: ScriptedServer, feishu: FeishuServer
) -> None:
    async with talking(tmp_path, server, feishu):
        feishu.write("One")
        await said(feishu, "Good day.")
        await feishu.until(lambda: not feishu.waiting)
    feishu.write("Two")
    async with talking(tmp_path, server, feishu) as desk:
        await said(feishu, "Good day.", 2)
        feishu.again()
        feishu.write("Three")
        await said(feishu, "Good day.", 3)
        assert await words_of_people(desk, f"feishu:{feishu.chat(ALICE)}") == ["One", "Two", "Three"]


async def test_a_connection_that_is_dead_is_noticed_by_its_ping(
    tmp_path: Path, server: ScriptedServer, feishu: FeishuServer
) -> None:
    feishu.ping = 0.2
    async with talking(tmp_path, server, feishu):
        feishu.freeze()
        await feishu.until(lambda: feishu.connections == 2)
        feishu.write("Hello")
        await said(feishu, "Good day.")


async def test_a_token_that_ends_early_is_asked_for_anew(desk: Desk, feishu: FeishuServer) -> None:
    feishu.token = "t-2"
    feishu.write("Hello")
    await said(feishu, "Good day.")


async def test_a_pause_that_feishu_wants_is_made_and_nothing_is_lost(
    desk: Desk, feishu: FeishuServer
) -> None:
    body = json.dumps({"code": 99991400, "msg": "request trigger frequency limit"}).encode()
    feishu.fail("POST /im/v1/messages", Fault(400, body, {"x-ogw-ratelimit-reset": "1"}))
    feishu.write("Hello")
    await said(feishu, "Good day.")
    assert len(feishu.said) == 1


async def test_wrong_keys_are_named_and_not_tried_again(
    tmp_path: Path, server: ScriptedServer, feishu: FeishuServer
) -> None:
    async with talking(tmp_path, server, feishu) as desk:
        tried = await desk.api.channels.test("feishu")
        assert (tried.ok, tried.name) == (True, "Nano")
        feishu.secret, feishu.token = "another", "t-3"
        assert (await desk.api.channels.test("feishu")).field == "appSecret"
        feishu.close()
        async for event in desk.events:
            if isinstance(event, ServiceChanged) and event.state == "needs_sign_in":
                assert "console" in event.detail
                break
        await desk.owner.core.change({"channels.feishu.appId": "cli_none"})
        assert (await desk.api.channels.test("feishu")).field == "appId"


async def test_a_chat_that_the_bot_is_not_in_is_told_once(desk: Desk, feishu: FeishuServer) -> None:
    body = json.dumps({"code": 230002, "msg": "The bot can not be outside the group."}).encode()
    feishu.fail("POST /im/v1/messages", Fault(400, body), None)
    await desk.api.channels.send("feishu", GROUP, "Time for tea")
    while not (found := (await desk.api.inbox.list()).notices):
        await anext(desk.events)
    assert "outside the group" in str(found[0].body)
    assert len([call for call in feishu.calls if call.name == "POST /im/v1/messages"]) == 1


@pytest.mark.expected_log("an event of a chat app could not be understood")
async def test_odd_events_hold_up_nothing(desk: Desk, feishu: FeishuServer) -> None:
    sender = {"sender_id": {"open_id": ALICE}, "sender_type": "user"}
    odd: object
    for odd in (
        {},
        [],
        {"sender": sender, "message": {}},
        {
            "sender": sender,
            "message": {"message_id": "x", "chat_id": "y", "content": "{", "message_type": "text"},
        },
        {"sender": {"sender_id": None}, "message": []},
        {"sender": {"sender_id": {"open_id": "ou_x"}, "sender_type": "app"}, "message": {}},
    ):
        feishu.tell("im.message.receive_v1", odd)
    feishu.tell("card.action.trigger", {"action": {"value": []}})
    feishu.tell("im.chat.member.bot.added_v1", {"chat_id": "oc_1"})
    feishu.links[-1].send(
        {"headers": {"type": "event", "sum": 3, "seq": 9, "message_id": "q"}, "method": 1}
    )
    feishu.links[-1].send(
        {"headers": {"type": "event", "sum": "x", "seq": 0, "message_id": "r"}, "method": 1}
    )
    feishu.write(kind="share_chat", content={"chat_id": "oc_x"})
    await said(feishu, "Good day.")
    await feishu.until(lambda: not feishu.waiting)
    assert await words_of_people(desk, f"feishu:{feishu.chat(ALICE)}") == ["[share_chat]"]


WHOLE = Frame(
    1,
    -7,
    (("type", "event"), ("message_id", "m-1"), ("sum", "1"), ("seq", "0")),
    '{"a":"你"}'.encode(),
    300,
    2**63 + 5,
    "gzip",
    "x",
    "log",
)
BYTES = bytes.fromhex(
    "08ac02108580808080808080800118f9ffffffffffffffff0120012a0d0a047479706512056576656e742a110a0a6d657373"
    "6167655f696412036d2d312a080a0373756d1201312a080a037365711201303204677a69703a0178420b7b2261223a22e4bd"
    "a0227d4a036c6f67"
)
"""The same frame as protobuf 6 of Google writes it."""


def test_frames_are_protobuf() -> None:
    assert WHOLE.encoded() == BYTES
    assert decoded(BYTES) == WHOLE
    assert decoded(b"\x52\x01x\x59abcdefgh\x65abcd" + BYTES) == WHOLE  # fields of later versions


@pytest.mark.parametrize("cut", [1, 2, 20, 60, len(BYTES) - 1])
def test_a_frame_that_is_cut_off_is_none(cut: int) -> None:
    with pytest.raises(ValueError, match="cut off"):
        decoded(BYTES[:cut])
    with pytest.raises(ValueError, match="without an end"):
        decoded(b"\xff" * 20)
