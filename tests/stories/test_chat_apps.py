"""Each chat app with the whole program: somebody writes, is answered, and the terminal tells of it."""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from tests.channels.apps import APPS, WhatsApp
from tests.servers.scripted import ScriptedServer
from tests.stories.program import PROGRAM, Program, read_event

pytestmark = pytest.mark.machine
_PATIENCE_S = 60.0


@pytest.mark.parametrize("name", [name for name in APPS if not (PROGRAM and name == WhatsApp.name)])
def test_a_message_is_answered_over_the_app_that_it_came_by(
    program: Program, server: ScriptedServer, name: str
) -> None:
    with ExitStack() as stack:
        app = APPS[name](stack, 1)
        program.use_server(server.url, "say:It is **noon**.")
        config = json.loads((program.home / "config.json").read_text("utf-8"))
        settings = {"enabled": True, "allowFrom": ["*"], **app.settings()}
        program.configure(**config, channels={name: settings})
        program.environment |= app.environment()
        app.prepare(program.home)
        with program.started("serve", "--json") as serve:
            read_event(serve, "serving")
            _until(lambda: _status(program, name)["state"] == "running")
            app.write("What time is it?", 0)
            _until(lambda: any("noon" in text for text in app.said()))
            told = _status(program, name)
            assert told["last_in"]
            assert told["last_out"]
    assert any("noon" in str(one.get("content")) for one in _said(program))


def _status(program: Program, name: str) -> dict[str, object]:
    (found,) = [one for one in program.events("channels", "status") if one["name"] == name]
    return found


def _said(program: Program) -> list[dict[str, object]]:
    logs = (program.home / "workspace" / "sessions").glob("*.jsonl")
    return [json.loads(line) for log in logs for line in log.read_text("utf-8").split("\n")[:-1]]


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)
