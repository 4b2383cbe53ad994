"""Slack, from a message in the workspace to the answer there."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from PIL import Image

from desktop.bus.events import ServiceChanged
from desktop.channels.channels import entry
from desktop.paths import Home
from tests.channels.conftest import words_of_people
from tests.channels.loopback import Call, Upload
from tests.channels.slack_server import ALICE, APP_TOKEN, BOT_TOKEN, MALLORY, SlackServer
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.unit.core.test_permits import use


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as found:
        yield found


@asynccontextmanager
async def talking(folder: Path, server: ScriptedServer, slack: SlackServer) -> AsyncIterator[Desk]:
    """A program that speaks with that Slack, as Alice's."""
    Program(folder).use_server(server.url, "say:Good day.")
    async with started(Home(folder, folder / "models")) as desk:
        core = desk.owner.core
        core.keychain.remember(entry("slack", "botToken"), BOT_TOKEN)
        core.keychain.remember(entry("slack", "appToken"), APP_TOKEN)
        await core.staying()
        await core.change(
            {
                "channels.slack.apiBase": slack.base_url,
                "channels.slack.owner": str(ALICE["id"]),
                "channels.slack.enabled": True,
            }
        )
        yield desk


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer, slack: SlackServer) -> AsyncIterator[Desk]:
    async with talking(tmp_path, server, slack) as desk:
        yield desk


def posted(text: str = "Good day.") -> Callable[[Call], object]:
    return lambda call: call.name == "chat.postMessage" and call["text"] == text


async def test_the_owner_asks_and_is_answered_before_slack_asks_again(
    desk: Desk, slack: SlackServer
) -> None:
    (event,) = slack.write("What is <https://x.org|this>?")
    sent = await slack.sent(posted())
    assert sent["channel"] == slack.direct()["id"]
    await slack.until(lambda: event.acknowledged)
    assert event.attempts == 1
    key = f"slack:{slack.direct()['id']}"
    assert await desk.said(key) == [("user", "What is this (https://x.org)?"), ("assistant", "Good day.")]
    await slack.sent(lambda call: call.name == "reactions.add" and call["name"] == "eyes")
    await slack.sent(lambda call: call.name == "reactions.add" and call["name"] == "white_check_mark")
    await slack.sent(lambda call: call.name == "reactions.remove" and call["name"] == "eyes")


async def test_a_message_whose_answer_failed_loses_its_sign_and_gets_none_for_done(
    desk: Desk, slack: SlackServer, server: ScriptedServer
) -> None:
    server.script("status:400")
    slack.write("Hello")
    await slack.sent(lambda call: call.name == "reactions.remove" and call["name"] == "eyes")
    assert {call["name"] for call in slack.named("reactions.add")} == {"eyes"}


async def test_a_mention_in_a_channel_is_answered_once_in_a_thread(desk: Desk, slack: SlackServer) -> None:
    general = slack.channel()
    slack.write("Just talking", channel=general)
    slack.write("<@U0000000BOT> hello", channel=general, by=MALLORY)
    events = slack.write("<@U0000000BOT> hello", channel=general)
    await slack.until(lambda: all(one.acknowledged for one in events))
    sent = await slack.sent(posted())
    assert sent["thread_ts"] == events[0].payload["event"]["ts"]
    slack.write("<@U0000000BOT> more", channel=general, thread_ts=sent["thread_ts"])
    again = await slack.sent(posted(), nth=2)
    assert again["thread_ts"] == sent["thread_ts"]
    assert len(slack.named("chat.postMessage")) == 2
    key = f"slack:{general['id']}:{sent['thread_ts']}"
    assert [text for role, text in await desk.said(key) if role == "user"] == ["hello", "more"]


async def test_a_stranger_gets_a_code(desk: Desk, slack: SlackServer) -> None:
    slack.write("Let me in", by=MALLORY)
    sent = await slack.sent(lambda call: call.name == "chat.postMessage")
    (request,) = await desk.api.channels.requests()
    assert request.code in sent["text"]
    assert (request.sender, request.name) == (MALLORY["id"], "mallory")


async def test_a_question_of_a_channel_goes_to_the_owner_alone(
    desk: Desk, slack: SlackServer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.script(use("exec", command="touch made"), "say:Done.")
    slack.write("<@U0000000BOT> make it", channel=slack.channel())
    question = await slack.sent(lambda call: bool(call["blocks"]))
    assert question["channel"] == slack.direct()["id"]
    buttons = question["blocks"][-1]["elements"]
    message = {"ts": question.result["ts"]}
    slack.press(message, slack.direct(), buttons[0]["action_id"], buttons[0]["value"], by=MALLORY)
    told = await slack.sent(lambda call: call.name == "response_url")
    assert "owner" in told["text"]
    assert not list(tmp_path.rglob("made"))
    slack.press(message, slack.direct(), buttons[0]["action_id"], buttons[0]["value"])
    await slack.sent(posted("Done."))
    assert list(tmp_path.rglob("made"))


async def test_files_go_both_ways(
    desk: Desk, slack: SlackServer, server: ScriptedServer, tmp_path: Path
) -> None:
    picture = tmp_path / "workspace" / "cat.png"
    Image.new("RGB", (40, 30), "red").save(picture)
    server.script(use("message", content="Here is the cat.", media=[str(picture)]), "say:.")
    slack.write("look", files=(Upload("table.csv", "text/csv", b"a,b\n"),))
    sent = await slack.sent(lambda call: call.name == "upload")
    assert next(iter(sent.files.values())).data == picture.read_bytes()
    messages = (await desk.api.conversations.read(f"slack:{slack.direct()['id']}")).messages
    assert Path(messages[0]["_files"][0]).read_bytes() == b"a,b\n"


async def test_a_link_that_slack_ends_is_opened_again(desk: Desk, slack: SlackServer) -> None:
    slack.write("One")
    await slack.sent(posted())
    slack.socket.recycle()
    slack.write("Two")
    await slack.sent(posted(), nth=2)


async def test_a_link_that_is_cut_is_no_error_of_the_program(desk: Desk, slack: SlackServer) -> None:
    slack.write("Hello")
    await slack.sent(posted())
    slack.cut()
    async for event in desk.events:
        if isinstance(event, ServiceChanged) and event.state == "degraded":
            assert event.detail.startswith("The connection was lost.")
            break


async def test_a_pause_is_kept(desk: Desk, slack: SlackServer) -> None:
    slack.slow_down("chat.postMessage", 1)
    slack.write("Hello")
    await slack.sent(posted())


async def test_tokens_that_are_swapped_or_revoked_are_named(desk: Desk, slack: SlackServer) -> None:
    keychain = desk.owner.core.keychain
    tried = await desk.api.channels.test("slack")
    assert (tried.ok, tried.name) == (True, "nano (Nano)")
    keychain.remember(entry("slack", "botToken"), APP_TOKEN)
    assert (await desk.api.channels.test("slack")).field == "botToken"
    keychain.remember(entry("slack", "botToken"), BOT_TOKEN)
    await slack.until(lambda: slack.socket.links)
    slack.revoke(APP_TOKEN)
    assert (await desk.api.channels.test("slack")).field == "appToken"
    async for event in desk.events:
        if isinstance(event, ServiceChanged) and event.state == "needs_sign_in":
            assert "api.slack.com" in event.detail
            break


async def test_a_message_that_is_edited_while_it_waits_is_answered_as_it_is_then(
    desk: Desk, slack: SlackServer, server: ScriptedServer
) -> None:
    held = server.hold("First")
    slack.write("First")
    await asyncio.to_thread(server.wait_for_request)
    (second,) = slack.write("Secnd")
    (edit,) = slack.rewrite(second.payload["event"], "Second")
    await slack.until(lambda: edit.acknowledged)
    held.set()
    await slack.sent(posted(), nth=2)
    assert await words_of_people(desk, f"slack:{slack.direct()['id']}") == ["First", "Second"]


async def test_a_file_is_fetched_after_slack_was_told_and_only_from_slack(
    desk: Desk, slack: SlackServer
) -> None:
    held = slack.hold("download")
    (event,) = slack.write("look", files=(Upload("table.csv", "text/csv", b"a,b"),))
    await slack.until(lambda: event.acknowledged)
    held.set()
    await slack.sent(posted())
    elsewhere = f"http://localhost:{slack.port}/api/files"
    slack.write("and this", linked=({"id": "F1", "name": "plan.txt", "url_private": elsewhere},))
    await slack.sent(posted(), nth=2)
    assert "plan.txt" in (await words_of_people(desk, f"slack:{slack.direct()['id']}"))[-1]
    assert not [call for call in slack.calls if call.name == "files"]


async def test_what_was_said_in_a_thread_before_comes_along_once_as_words_of_others(
    desk: Desk, slack: SlackServer
) -> None:
    general = slack.channel()
    (first,) = slack.write("Lunch at noon?", channel=general, by=MALLORY)
    thread = first.payload["event"]["ts"]
    for number in range(25):
        slack.write(f"Vote {number}", channel=general, by=MALLORY, thread_ts=thread)
    slack.write("<@U0000000BOT> what do they say?", channel=general, thread_ts=thread)
    await slack.sent(posted())
    slack.write("<@U0000000BOT> thanks", channel=general, thread_ts=thread)
    await slack.sent(posted(), nth=2)
    messages = (await desk.api.conversations.read(f"slack:{general['id']}:{thread}")).messages
    asked, _answered, thanked, *_rest = messages
    lines = asked["content"].splitlines()
    assert lines[1] == "> mallory: Vote 5"
    assert lines[20:] == ["> mallory: Vote 24", "", "what do they say?"]
    assert (asked["_origin"], asked["_sources"]) == ("untrusted", ["mallory (Slack)"])
    assert (thanked["content"], thanked.get("_origin")) == ("thanks", None)
    assert len(slack.named("conversations.replies")) == 1


async def test_a_thread_that_may_not_be_read_is_answered_without(desk: Desk, slack: SlackServer) -> None:
    slack.scopes.discard("channels:history")
    general = slack.channel()
    (first,) = slack.write("Lunch at noon?", channel=general, by=MALLORY)
    thread = first.payload["event"]["ts"]
    slack.write("<@U0000000BOT> hello", channel=general, thread_ts=thread)
    await slack.sent(posted())
    assert await words_of_people(desk, f"slack:{general['id']}:{thread}") == ["hello"]


async def test_another_program_with_the_tokens_is_told_of_and_ours_goes_on(
    tmp_path: Path, server: ScriptedServer, slack: SlackServer
) -> None:
    url = f"ws://127.0.0.1:{slack.port}/link/?ticket={slack.socket.ticket()}"
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as other:
        await other.receive()
        async with talking(tmp_path, server, slack) as desk:
            events = (one async for one in desk.events if isinstance(one, ServiceChanged))
            told = await anext(one async for one in events if "2 connections" in one.detail)
            assert told.state == "running"
            slack.write("Hello")
            slack.write("Hello again")
            await slack.sent(posted(), nth=2)
