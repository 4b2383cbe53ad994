"""A provider is set up in the settings: a wrong key is told in its place, the right one answers."""

import re
from collections.abc import Iterator
from contextlib import suppress

import keyring
import pytest
from keyring.errors import PasswordDeleteError

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, texts
from tests.stories.window.talk import ask, rest

WRONG, KEY = "sk-card-wrong-1f8e", "sk-card-right-9d2c"
MODEL = "say:At your service."


@pytest.fixture(autouse=True)
def _no_key_yet(desk: Desk) -> Iterator[None]:
    yield
    with suppress(PasswordDeleteError):
        keyring.delete_password("nanobot-desktop", "groq")


@pytest.mark.soak
def test_a_wrong_key_and_then_a_right_one(program: Program, server: ScriptedServer, desk: Desk) -> None:
    program.use_server(server.url)
    program.configure(providers={"custom": {"apiBase": server.url}, "groq": {"apiBase": server.url}})
    server.script("status:401")
    with running_window(program) as window:
        desk.wait_active(TITLE)
        desk.key("ctrl+comma")
        window.wait("Settings", "dialog")
        window.press("Details of Groq")
        window.focus("Key", "text")
        desk.type(WRONG)
        window.focus("Model", "text")
        desk.type(MODEL)
        window.press("Test Groq")
        window.wait("Not accepted.")
        window.wait(re.compile("did not accept the key"))
        desk.screenshot("card-wrong-key")
        assert keyring.get_password("nanobot-desktop", "groq") is None
        window.focus("Key", "text")
        desk.key("ctrl+a")
        desk.type(KEY)
        window.press("Test Groq")
        window.wait(re.compile("Works: “At your service.”"))
        assert not window.find(re.compile(KEY)), "no name tells it"
        window.press("Use Groq for answers")
        window.wait(re.compile("Groq: In use"))
        desk.screenshot("card-right-key")
        assert keyring.get_password("nanobot-desktop", "groq") == KEY
        desk.key("Escape")
        window.gone("Settings", "dialog")
        desk.wait_active(TITLE)
        ask(window, "Are you there?")
        window.wait_text("Nanobot", "At your service.")
        rest(window)
        assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    assert not [path for path, content in texts(program.home) if KEY.encode() in content]
