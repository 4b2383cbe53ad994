"""What covers the conversation: the page of damage, and nothing where something was said meanwhile."""

import asyncio
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop import tasks
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.first_run.setup import Setup
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.test_library import Desk


@pytest.fixture
def desk(home: Path, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest) -> Desk:
    Program(home).use_server(server.url, "say:Noted.")
    made = Desk(request.getfixturevalue("running"), qtbot)
    made.begin()
    return made


@pytest.mark.parametrize("talks", ["", "before anybody looked", "while somebody looks"])
def test_damage_covers_the_conversation_unless_something_was_said(desk: Desk, talks: str) -> None:
    jobs = desk.running.core.workspace / "cron" / "jobs.json"
    jobs.parent.mkdir(parents=True, exist_ok=True)
    jobs.write_text('{"jobs": [')
    setup = Setup(desk.door, ErrorReporter(desk.window), desk.window, desk.pane)
    held = desk.door.after["recovery.look"] = asyncio.Event()
    if talks == "before anybody looked":
        desk.talk.send("hello")
        desk.until(lambda: desk.said[1:] == ["Noted."])
    setup.look_for_damage()
    desk.until(lambda: "recovery.look" in desk.door.asked)
    if talks == "while somebody looks":
        desk.talk.send("hello")
        desk.until(lambda: desk.said[1:] == ["Noted."])
    held.set()

    def covered() -> bool:
        shown = desk.pane.stack.currentWidget()
        return shown is not None and shown.accessibleName() == "Something is damaged"

    desk.until(lambda: not any(task.get_name() == "setup:damage" for task in tasks._running))
    assert covered() is not bool(talks)
