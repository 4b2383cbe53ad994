"""Who looks elsewhere is told: that an answer is ready, and that a question waits, also after an end."""

import re

import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, rest, wait_listed
from tests.stories.window.test_acting import CARD, use, workspace

READY = "Your answer is ready"


@pytest.mark.soak
def test_an_answer_is_told_while_the_window_is_closed_unless_switched_off(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    for held in ("first", "second", "third"):
        server.hold(held)
    server.script("say:One.", "say:Two.", "say:Three.")
    desk.dismiss_notifications()
    with running_window(program) as window:
        desk.wait_active(TITLE)
        ask(window, "first")
        window.wait("Stop")
        server.hold("first").set()
        window.wait_text("Nanobot", "One.")
        rest(window)
        ask(window, "second")
        window.wait("Stop")
        desk.screenshot("list-running")
        desk.key("ctrl+w")
        desk.wait_notification("Nanobot is still running")
        desk.dismiss_notifications()
        server.hold("second").set()
        told = desk.wait_notification(READY)
        assert "Two." in told.text
        desk.screenshot("answer-ready")
        desk.click_notification()
        desk.wait_active(TITLE)
        window.wait_text("Nanobot", "Two.")
        window.gone(re.compile("^Waiting for you"))
        desk.key("ctrl+comma")
        window.wait("Settings", "dialog")
        window.select("Notifications", within="Pages")
        window.press(READY, "check box")
        desk.screenshot("notifications")
        desk.close_active("Settings")
        window.gone("Settings", "dialog")
        ask(window, "third")
        window.wait("Stop")
        desk.key("ctrl+w")
        until(lambda: not desk.windows("--name", f"^{TITLE}$"), "the window is closed")
        server.hold("third").set()
        icon = desk.tray(window.pid)
        until(lambda: "Working" not in icon.tooltip, "the answer is there")
        assert [one for one in desk.notifications() if one.title == READY] == [told]


def test_a_question_is_told_when_the_window_is_closed_and_outlives_the_program(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    folder = workspace(program)
    server.script(use(("exec", {"command": "touch asked.txt"})))
    desk.dismiss_notifications()
    with running_window(program) as window:
        desk.wait_active(TITLE)
        ask(window, "Make the file")
        window.wait(CARD)
        wait_listed(window, "Today", "Make the file")
        desk.screenshot("list-waiting")
        assert not any("touch asked.txt" in one.text for one in desk.notifications()), "it is in sight"
        desk.key("ctrl+w")
        until(lambda: any("touch asked.txt" in one.text for one in desk.notifications()), "it is told")
        window.process.terminate()
        assert window.process.wait(60) == 0
    with running_window(program) as window:
        desk.wait_active(TITLE)
        window.press("Waiting for you: 1")
        window.wait("Inbox", within=TITLE)
        desk.screenshot("question-after-restart")
        desk.key("Escape")
        window.gone("Inbox", within=TITLE)
        server.script("say:Now it is made.")
        desk.key("ctrl+shift+y")
        window.wait_text("Nanobot", "Now it is made.")
        until((folder / "asked.txt").exists, "the file is there")
        window.gone("Waiting for you: 1")
