"""A person sets up Telegram in the window, says who they are, and talks from the phone."""

import json
import re

from tests.channels.loopback import InThread
from tests.channels.telegram_server import ALICE, TOKEN, TelegramServer
from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program


def test_telegram_is_set_up_in_the_window_and_answers_on_the_phone(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Good day.")
    with InThread(TelegramServer()) as peer:
        telegram = peer.server
        config = program.home / "config.json"
        settings = json.loads(config.read_text("utf-8"))
        config.write_text(
            json.dumps(settings | {"channels": {"telegram": {"apiBase": telegram.url}}}), "utf-8"
        )
        with running_window(program) as window:
            desk.wait_active(TITLE)
            desk.key("ctrl+comma")
            window.wait("Settings", "dialog")
            window.select("Channels", within="Pages")
            window.wait("Use Telegram")
            desk.screenshot("channels-empty")
            window.press("Details of Telegram")
            window.set_text("Bot token", TOKEN)
            window.press("Save Bot token")
            window.wait(re.compile("^Signed in as @nano_bot"))
            window.press("Use Telegram")
            window.wait(re.compile("Connected. Write to it in Telegram"))
            peer.do(lambda there: there.write("Hello?"))
            window.wait("Alice is me", "push button")
            desk.screenshot("channels-request")
            window.press("Alice is me", "push button")
            peer.run(
                telegram.sent(lambda call: call.name == "sendMessage" and "You are in" in call["text"])
            )
            peer.do(lambda there: there.write("What is this?"))
            sent = peer.run(telegram.sent(lambda call: call["text"] == "Good day."))
            assert sent["chat_id"] == ALICE["id"]
            window.wait(re.compile("Connected. Last message"))
            desk.screenshot("channels-connected")
            desk.close_active("Settings")
            window.wait(re.compile("What is this"))
            desk.screenshot("channels-conversation")
