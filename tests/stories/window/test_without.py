"""A desktop that lacks something: a tray, a notification daemon, a Secret Service, or all of them. The
program works, says what is missing, and is never hidden where nobody finds it. And the quick chat,
opened by a command."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.desktop.desk import Desk
from tests.desktop.session import nested_session
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, rest
from tests.stories.window.test_presence import shown, wait_state

QUICK = "Quick chat"
NO_TRAY = "This desktop has no tray, so closing the window minimizes it."
NO_DAEMON = "No program on this desktop shows notifications. Notifications are in the inbox."
WELL = {
    "": "The shortcut works.",
    "tray": "The tray icon is shown.",
    "notify": "dunst doesn’t support replies. Reply opens the conversation.",
}
MISSING = {"tray": NO_TRAY, "notify": NO_DAEMON}


def remind(program: Program, text: str) -> None:
    """Have a reminder made that is due in a moment."""
    moment = (datetime.now() + timedelta(seconds=0.5)).isoformat(timespec="milliseconds")
    made = ("cron", "add", "--name", text, "--message", text, "--plain", "--at", moment)
    assert program.run(*made).returncode == 0


def missing_keychain(program: Program) -> str:
    """What is said to a person who gives a key."""
    done = program.run("provider", "set", "openai", "--model", "gpt", given="sk-some-key-or-other\n")
    assert "sk-some" not in done.stdout + done.stderr
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize(
    "lacking",
    [
        *(pytest.param((one,), id=one, marks=pytest.mark.soak) for one in ("tray", "notify", "secrets")),
        pytest.param(("tray", "notify", "secrets"), id="all"),
    ],
)
def test_what_a_desktop_lacks_is_said_and_stops_nothing(
    program: Program, server: ScriptedServer, tmp_path: Path, lacking: tuple[str, ...]
) -> None:
    program.use_server(server.url, "say:At your service.")
    options = [(f"--{part}", "missing" if part == "secrets" else "none") for part in lacking]
    with nested_session(*(word for option in options for word in option)) as environment:
        program.environment |= environment
        desk = Desk(tmp_path, environment)
        with running_window(program) as window:
            ask(window, "Are you there?")
            window.wait_text("Nanobot", "At your service.")
            rest(window)
            remind(program, "Call Anna")
            until(lambda: [n["title"] for n in program.events("inbox", "list")] == ["Call Anna"], "it came")
            if "notify" not in lacking:
                desk.wait_notification("Call Anna")

            wanted = {text for part, text in WELL.items() if part not in lacking}
            missed = {MISSING[part] for part in lacking if part in MISSING}
            _look_at_settings(window, desk, wanted | missed)
            _look_at_the_keychain(program, "secrets" in lacking)
            _close_and_come_back(program, window, desk, tray="tray" not in lacking)


def _look_at_settings(window: Window, desk: Desk, told: set[str]) -> None:
    """The page about this tells what works and what does not."""
    desk.wait_active(TITLE)
    window.press("Settings")
    window.wait("Settings", "dialog")
    window.select("Tray and startup", within="Pages")
    for text in told:
        window.wait(text)
    for text in {*WELL.values(), *MISSING.values()} - told:
        assert not window.all(text), text
    desk.wait_active("Settings")
    desk.key("Escape")
    window.gone("Settings", "dialog")


def _look_at_the_keychain(program: Program, lacking: bool) -> None:
    said = missing_keychain(program)
    if not lacking:
        assert said == ""
        return
    assert "keychain" in said.lower()
    assert len(said.splitlines()) == 2, "a sentence and a remedy"


def _close_and_come_back(program: Program, window: Window, desk: Desk, *, tray: bool) -> None:
    desk.close_active(TITLE)
    wait_state(desk, window.pid, "Withdrawn" if tray else "Iconic")
    if tray:
        desk.tray(window.pid).click()
    else:
        assert not desk.in_tray(window.pid)
        assert program.run().returncode == 0
    shown(window, desk)
    window.wait_text("Nanobot", "At your service.")


@pytest.mark.soak
def test_without_anything_a_hidden_start_is_minimised(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    program.use_server(server.url, "say:At your service.")
    options = ("--tray", "none", "--notify", "none", "--secrets", "missing")
    with nested_session(*options) as environment:
        program.environment |= environment
        desk = Desk(tmp_path, environment)
        with running_window(program, "--hidden", shown=False) as window:
            wait_state(desk, window.pid, "Iconic")
            assert program.run("quick").returncode == 0
            window.wait(QUICK, "dialog")


@pytest.mark.soak
def test_the_quick_chat_by_command(program: Program, server: ScriptedServer, desk: Desk) -> None:
    program.use_server(server.url, "say:At your service.")
    with running_window(program, "quick", shown=False) as window:
        window.wait(QUICK, "dialog")
        desk.wait_active(QUICK)
        assert not window.all(TITLE, "frame")
        desk.tray(window.pid)
        desk.type("Are you there?")
        desk.key("Return")
        window.wait_text("Nanobot", "At your service.")
        desk.screenshot("quick-by-command")
        desk.key("Escape")
        window.gone(QUICK, "dialog")

        desk.copy("What is this?")
        again = program.run("quick", "--clipboard")
        assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
        window.wait(QUICK, "dialog")
        window.wait_text("Message", "> What is this?", within=QUICK)
        assert not window.all(TITLE, "frame")
        desk.key("Escape")
        window.gone(QUICK, "dialog")
        assert program.events("quick") == [{"opened": True}]
        window.wait(QUICK, "dialog")
