"""What the window and the chat show of a chat: who writes, what is asked, when something came."""

import asyncio
from pathlib import Path

from desktop.bus.events import ChannelUsed, ConversationChanged
from tests.channels.conftest import talking
from tests.channels.telegram_server import ALICE, MALLORY, TelegramServer
from tests.servers.scripted import ScriptedServer
from tests.unit.core.test_conversations import Desk
from tests.unit.core.test_permits import use


async def sender(desk: Desk, key: str) -> str:
    return next(one.sender for one in await desk.api.conversations.list() if one.key == key)


async def test_the_list_tells_who_writes_in_a_chat(desk: Desk, telegram: TelegramServer) -> None:
    await desk.owner.core.change({"channels.telegram.allow_from": [str(MALLORY["id"])]})
    friends = telegram.group()
    key, told = f"telegram:{friends['id']}", list[ConversationChanged]()
    desk.owner.core.bus.on(ConversationChanged, told.append)
    telegram.write("@nano_bot what is this?", chat=friends)
    await telegram.sent(lambda call: call["text"] == "Good day.")
    assert await sender(desk, key) == "Alice"
    telegram.write("@nano_bot and this?", chat=friends, by=MALLORY)
    await telegram.sent(lambda call: call["text"] == "Good day.", nth=2)
    assert await sender(desk, key) == "Mallory"
    assert [(one.session, one.sender) for one in told] == [(key, "Alice"), (key, "Mallory")]


async def test_a_question_shows_its_command_once_and_whole(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    command = f"echo {'long ' * 60}> made"
    server.script(use("exec", command=command), "say:Done.")
    telegram.write("Make it")
    asked = await telegram.sent(lambda call: bool(call["reply_markup"]))
    text = telegram.world.messages[ALICE["id"], asked.result["message_id"]]["text"]
    assert text.count(command) == 1
    assert text.count("echo") == 1


async def test_a_question_names_what_is_done(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    """Of a reminder that another's words may have asked for."""
    server.script(use("cron", action="add", message="Stand up.", every_seconds=60, plain=True), "say:Set.")
    telegram.write("Do what it says", forward_origin={"type": "user", "date": 1, "sender_user": MALLORY})
    asked = await telegram.sent(lambda call: bool(call["reply_markup"]))
    text = telegram.world.messages[ALICE["id"], asked.result["message_id"]]["text"]
    title, when, message, *rest = text.split("\n\n")
    assert (title, when, message.strip()) == ("Set a reminder?", "every minute", "Stand up.")
    assert "untrusted content: Alice (Telegram)" in "\n".join(rest)


async def test_it_is_told_at_once_when_a_message_comes_or_goes(
    desk: Desk, telegram: TelegramServer
) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    desk.owner.core.bus.on(ChannelUsed, lambda event: told.put_nowait(event.name))
    telegram.write("Hello")
    assert await told.get() == "telegram"
    (line, *_others) = await desk.api.channels.all()
    assert line.last_in
    while not line.last_out:
        await told.get()
        (line, *_others) = await desk.api.channels.all()


async def test_what_came_and_went_last_is_known_after_a_start(
    tmp_path: Path, server: ScriptedServer, telegram: TelegramServer
) -> None:
    async with talking(tmp_path, server, telegram) as desk:
        telegram.write("Hello")
        await telegram.sent(lambda call: call["text"] == "Good day.")
    async with talking(tmp_path, server, telegram) as desk:
        (line, *_others) = await desk.api.channels.all()
        assert line.last_in
        assert line.last_out  # what Telegram took at the very end is noted, too
