"""Appointments as a person keeps them: set by plain words, seen on the screen, answered there."""

import json
import re
import time
from datetime import datetime, timedelta

import pytest

from tests.desktop.daemon import Daemon
from tests.desktop.desk import Desk
from tests.desktop.session import nested_session
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event
from tests.stories.window.talk import ask, rest

QUICK = "Quick chat"


def in_seconds(seconds: float) -> str:
    return (datetime.now() + timedelta(seconds=seconds)).isoformat(timespec="seconds")


def remind(server: ScriptedServer, window: Window, seconds: float, text: str = "Call Anna") -> None:
    """Have the agent set a reminder, in so many seconds."""
    call = ["cron", {"action": "add", "message": text, "at": in_seconds(seconds)}]
    server.script(f"use:{json.dumps([call])}", "say:I will remind you.")
    ask(window, "Remind me in a moment to call Anna")
    window.wait_text("Nanobot", "I will remind you.")
    rest(window)


def notices(program: Program) -> list[dict[str, object]]:
    return program.events("inbox", "list")


def test_a_reminder_by_plain_words_comes_can_be_snoozed_and_is_answered(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    with running_window(program) as window:
        remind(server, window, 15)
        [job] = program.events("cron", "list")
        assert (job["message"], job["plain"]) == ("Call Anna", True)
        assert len(server.requests) == 2
        desk.close_active(TITLE)
        window.gone(TITLE, "frame")
        desk.wait_notification("Call Anna")
        assert len(server.requests) == 2, "no model is asked when it is due"
        desk.screenshot("reminder")
        [notice] = notices(program)
        assert notice["kind"] == "reminder"
        assert abs(float(str(notice["at"])) - job["next"]) < 1.5

        desk.press_notification("Snooze")
        until(lambda: float(str(notices(program)[0]["due"])) > time.time() + 500, "it is snoozed")
        desk.dismiss_notifications()
        until(lambda: not desk.windows("--class", "^Dunst$"), "nothing is on the screen")
        program.run("inbox", "snooze", str(notice["id"]), "--minutes", "0.02")
        until(lambda: desk.windows("--class", "^Dunst$"), "it is back")

        desk.press_notification("Reply")
        window.wait(QUICK, "dialog")
        desk.wait_active(QUICK)
        desk.type("I have called her")
        server.script("say:Well done.")
        desk.key("Return")
        window.wait_text("Nanobot", "Well done.")
        desk.screenshot("reminder-reply")
        said = [str(m["content"]) for m in server.requests[-1].body["messages"]]
        assert any("⏰ Call Anna" in text for text in said), "the conversation knows of the reminder"
        assert program.events("cron", "list") == []
        [run] = program.events("cron", "log")
        assert (run["outcome"], run["name"]) == ("ok", job["name"])


@pytest.mark.soak
def test_a_reminder_is_set_while_it_is_written_and_no_model_is_asked(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    with running_window(program) as window:
        for said, asked in (
            ("明天下午三点提醒我开会", "开会"),
            ("remind me in 20 minutes to call Anna", "call Anna"),
        ):
            window.set_text("Message", said)
            window.wait(re.compile(f"^Reminder: .*{asked}"))
            desk.screenshot(f"reminder-chip-{asked}")
            window.focus("Message")
            desk.key("Return")
            window.wait(re.compile(f"^Reminder set: {asked}"))
            [job] = program.events("cron", "list")
            assert (job["message"], job["plain"]) == (asked, True)
            desk.screenshot(f"reminder-set-{asked}")
            desk.key("ctrl+z")
            until(lambda: program.events("cron", "list") == [], "it is taken back")
            window.wait_text("Message", said)
        desk.key("Escape")
        window.wait_text("Nanobot", "Noted.")
        [request] = server.requests
        assert "call Anna" in str(request.body["messages"][-1]), (
            "the first that a model hears is what Esc sent"
        )


@pytest.mark.soak
def test_a_reply_typed_into_the_notification_arrives(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Noted.")
    with nested_session("--notify", "none") as environment:
        program.environment.update(environment)
        with (
            Daemon(program.home, "--reply", environment=environment) as daemon,
            running_window(program) as window,
        ):
            remind(server, window, 3)
            daemon.wait("Call Anna")
            daemon.reply("Call Anna", "Tell her I am late")
            window.wait_text("Nanobot", "Noted.")
            assert "Tell her I am late" in str(server.requests[-1].body["messages"][-1])
            until(lambda: notices(program) == [], "it is done with")
            assert daemon.titles().count("Call Anna") == 1


@pytest.mark.soak
def test_serve_and_the_window_share_the_appointments(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url, "say:Noted.")
    with program.started("serve", "--json", seconds=120) as serving:
        read_event(serving, "serving")
        made = program.events(
            "cron", "add", "--name", "Tea", "--message", "Drink", "--plain", "--every", "60"
        )
        assert made[0]["name"] == "Tea"
        program.run("cron", "add", "--name", "Now", "--message", "Now!", "--plain", "--at", in_seconds(2))
        desk.wait_notification("Now")
        with running_window(program) as window:
            read_event(serving, "waiting")
            program.run(
                "cron", "add", "--name", "Here", "--message", "Here!", "--plain", "--at", in_seconds(2)
            )
            desk.wait_notification("Here")
            desk.wait_active(TITLE)
            desk.key("ctrl+q")
            window.process.wait(60)
        read_event(serving, "serving")
        serving.terminate()
        assert serving.wait(60) == 0
    names = [run["name"] for run in program.events("cron", "log")]
    assert (names.count("Now"), names.count("Here")) == (1, 1)
