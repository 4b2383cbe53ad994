"""A model of this computer is fetched behind a conversation, through a hub that breaks off, and answers
there."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.providers.catalogue import SMALL
from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, running_window
from tests.servers.hub import Hub
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, rest

MB = 1_000_000
BREAKS = [80 * MB * n for n in range(1, 6)]


@pytest.fixture
def hub() -> Iterator[Hub]:
    models = Path(os.environ.get("NANOBOT_TEST_MODELS") or "~/.cache/nanobot-desktop/models").expanduser()
    if not (models / SMALL.file).exists():
        pytest.fail("the built-in model is not here: bash tests/run.sh brings it")
    with Hub(models / SMALL.file, BREAKS, pause_s=0.02) as hub:
        yield hub


@pytest.mark.soak  # half a gigabyte is fetched, hashed and loaded
def test_a_model_comes_while_the_conversation_goes_on_and_then_answers(
    program: Program, server: ScriptedServer, hub: Hub, desk: Desk
) -> None:
    program.use_server(server.url)
    program.environment["HF_ENDPOINT"] = hub.url
    with running_window(program) as window:
        desk.wait_active(TITLE)
        ask(window, "hi")
        window.wait_text("Nanobot", "Hello there.")
        rest(window)
        desk.key("ctrl+comma")
        window.wait("Settings", "dialog")
        window.press(f"Download: {SMALL.name}")
        window.wait(re.compile(r"1?\d\d of 491 MB"))
        window.focus("Pause")  # it is scrolled into sight
        desk.screenshot("fetching-settings")
        desk.key("Escape")
        window.gone("Settings", "dialog")
        window.wait(re.compile(r"Model status: Downloading a model: \d\d?%"))
        ask(window, "Are you still there?")
        window.wait_text("Nanobot", "Hello there.")
        rest(window)
        desk.screenshot("fetching-conversation")
        window.wait(re.compile(re.escape(f"Model: {SMALL.name}")))
        ask(window, "What is the capital of France?")
        window.wait_text("Nanobot", "Paris")
        rest(window)
        desk.screenshot("fetching-answered")
        asked = len(server.requests)
        assert "Paris" not in str(server.requests[-1].body)
    assert asked == len(server.requests)
    assert hub.asked[0] == ""
    assert hub.asked[1:] == [f"bytes={at}-" for at in BREAKS]
