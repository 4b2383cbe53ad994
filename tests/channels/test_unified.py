"""One conversation for all private chats of the owner, over two apps."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from desktop.channels.channels import entry
from tests.channels.loopback import Call
from tests.channels.slack_server import ALICE as ALICE_OF_SLACK
from tests.channels.slack_server import APP_TOKEN, BOT_TOKEN, SlackServer
from tests.channels.telegram_server import MALLORY, TelegramServer
from tests.servers.scripted import ScriptedServer
from tests.unit.core.test_conversations import Desk
from tests.unit.core.test_permits import use

ONE = "unified:default"


@pytest.fixture
async def slack(desk: Desk) -> AsyncIterator[SlackServer]:
    """The program of `desk` speaks with this Slack, too, and in one conversation."""
    async with SlackServer() as server:
        core = desk.owner.core
        core.keychain.remember(entry("slack", "botToken"), BOT_TOKEN)
        core.keychain.remember(entry("slack", "appToken"), APP_TOKEN)
        await core.change(
            {
                "agents.defaults.unifiedSession": True,
                "channels.slack.apiBase": server.base_url,
                "channels.slack.owner": str(ALICE_OF_SLACK["id"]),
                "channels.slack.enabled": True,
            }
        )
        yield server
        await desk.api.channels.switch("slack", False)


def saying(text: str) -> Callable[[Call], object]:
    return lambda call: call["text"] == text


async def test_the_owners_private_chats_continue_one_another_and_each_gets_its_answers(
    desk: Desk, telegram: TelegramServer, slack: SlackServer, server: ScriptedServer
) -> None:
    telegram.write("I am in Rome")
    await telegram.sent(saying("Good day."))
    server.script("say:In Rome.")
    slack.write("Where am I?")
    sent = await slack.sent(saying("In Rome."))
    assert sent["channel"] == slack.direct()["id"]
    assert [text for role, text in await desk.said(ONE) if role == "user"] == [
        "I am in Rome",
        "Where am I?",
    ]
    assert not [call for call in telegram.calls if call["text"] == "In Rome."]
    asked = server.requests[-1].body["messages"]
    assert [message["role"] for message in asked] == ["system", "user", "assistant", "user"]


async def test_groups_and_the_chats_of_others_stay_apart(
    desk: Desk, telegram: TelegramServer, slack: SlackServer
) -> None:
    await desk.owner.core.change({"channels.telegram.allow_from": [str(MALLORY["id"])]})
    friends = telegram.group()
    telegram.write("@nano_bot secret plans?", chat=friends)
    await telegram.sent(saying("Good day."))
    telegram.write("What does Alice say?", by=MALLORY)
    await telegram.sent(saying("Good day."), nth=2)
    keys = {line.key for line in await desk.api.conversations.list()}
    assert keys == {f"telegram:{friends['id']}", "telegram:66"}


async def test_a_message_of_another_chat_that_comes_meanwhile_is_answered_there(
    desk: Desk, telegram: TelegramServer, slack: SlackServer, server: ScriptedServer
) -> None:
    held = server.hold("Look it up")
    server.script(use("read_file", path="note.txt"), "say:For Telegram.", "say:For Slack.")
    telegram.write("Look it up")
    await asyncio.to_thread(server.wait_for_request)
    events = slack.write("And this?")
    await slack.until(lambda: all(event.acknowledged for event in events))
    held.set()
    await telegram.sent(saying("For Telegram."))
    await slack.sent(saying("For Slack."))


async def test_what_the_agent_says_and_asks_at_work_goes_to_the_chat_of_its_turn(
    desk: Desk, telegram: TelegramServer, slack: SlackServer, server: ScriptedServer
) -> None:
    held = server.hold("Make it")
    server.script(use("message", content="I begin."), use("exec", command="touch made"), "say:Made.")
    telegram.write("Make it")
    await asyncio.to_thread(server.wait_for_request)
    events = slack.write("And this?")
    await slack.until(lambda: all(event.acknowledged for event in events))
    held.set()
    await telegram.sent(saying("I begin."))
    question = await telegram.sent(lambda call: bool(call["reply_markup"]))
    ((allow, _deny),) = question["reply_markup"]["inline_keyboard"]
    telegram.press(question.result, allow["callback_data"])
    await telegram.sent(saying("Made."))
    await slack.sent(saying("Good day."))


async def test_a_reminder_goes_to_the_chat_it_was_made_in(
    desk: Desk, telegram: TelegramServer, slack: SlackServer, server: ScriptedServer
) -> None:
    server.script(use("cron", action="add", message="Tea", in_minutes=60), "say:I will.")
    telegram.write("Remind me of tea in an hour")
    await telegram.sent(saying("I will."))
    slack.write("Good morning")
    await slack.sent(saying("Good day."))
    (job,) = (await desk.api.jobs.all()).jobs
    await desk.api.jobs.run(job.id)
    await telegram.sent(saying("⏰ Tea"))


async def test_what_a_subagent_found_goes_to_the_chat_that_asked(
    desk: Desk, telegram: TelegramServer, slack: SlackServer, server: ScriptedServer
) -> None:
    held = server.hold("Count the stars")
    server.when("comes to this conversation", "say:Begun.")
    server.script(use("spawn", task="Count the stars", label="Stars"))
    telegram.write("How many stars are there?")
    await telegram.sent(saying("Begun."))
    server.when("Count the stars", "say:Seven.")
    slack.write("Good morning")
    await slack.sent(saying("Good day."))
    server.script("say:There are seven.")
    held.set()
    await telegram.sent(saying("There are seven."))
