"""The session bus starts the program by its name, and asks the one that runs: what the menu's entry does,
and links, where a desktop goes by DBusActivatable."""

import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

from desktop.paths import APP_ID
from tests.desktop.bus import Bus, BusError
from tests.desktop.desk import Desk
from tests.desktop.session import nested_session
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.soak.computer import Found
from tests.stories.program import COMMAND, Program

PATH = "/io/github/nanobot_desktop"
DBUS, DBUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
LINK = "nanobot-desktop://chat?text=Tell%20me"
UNKNOWN = "Nanobot doesn’t know what the link asks for."


@pytest.fixture
def bus(session: dict[str, str]) -> Iterator[Bus]:
    with Bus(session["DBUS_SESSION_BUS_ADDRESS"], 60) as found:
        yield found


@pytest.fixture
def session() -> Iterator[dict[str, str]]:
    """Here no other test's window has the name."""
    with nested_session("--secrets", "none") as environment:
        yield environment


def ask(bus: Bus, method: str, signature: str, *arguments: object) -> None:
    bus.call(APP_ID, PATH, f"org.freedesktop.Application.{method}", signature, *arguments)


def owner(bus: Bus) -> int:
    """The process that has the name; 0 where none has."""
    try:
        found = bus.call(DBUS, DBUS_PATH, f"{DBUS}.GetConnectionUnixProcessID", "s", APP_ID)
    except BusError:
        return 0
    return int(found)


def test_the_window_that_runs_is_asked(
    program: Program, server: ScriptedServer, session: dict[str, str], bus: Bus, tmp_path: Path
) -> None:
    program.use_server(server.url, "say:Hello.")
    program.environment |= session
    other = Program(tmp_path / "other", dict(program.environment))
    other.use_server(server.url, "say:Hello.")
    desk = Desk(tmp_path, session)
    with running_window(program, "--hidden", shown=False) as window:
        until(lambda: owner(bus) == window.pid, "the window has its name")
        ask(bus, "Activate", "a{sv}", {"activation-token": ("s", "none")})
        window.wait(TITLE, "frame")
        desk.wait_active(TITLE)
        (number,) = desk.windows("--pid", str(window.pid), "--name", f"^{TITLE}$")
        known = desk.run("xprop", "-id", number, "_KDE_NET_WM_DESKTOP_FILE")
        assert f'"{APP_ID}"' in known, "panels show it by the menu's entry"

        ask(bus, "ActivateAction", "sava{sv}", "quick", [], {})
        window.wait("Quick chat", "dialog")
        desk.wait_active("Quick chat")
        desk.key("Escape")
        window.gone("Quick chat")
        ask(bus, "ActivateAction", "sava{sv}", "quit", [("s", "now")], {})

        ask(bus, "Open", "asa{sv}", [LINK, "nanobot://exec?command=id", "file:///etc/passwd"], {})
        window.wait_text("Message", "> Tell me", within="Quick chat")
        window.wait(UNKNOWN, "label")

        with running_window(other) as second:
            second.wait("Message", states="enabled")
            assert owner(bus) == window.pid, "the first one keeps it"
    until(lambda: not owner(bus), "the name goes with the program")
    assert not server.requests


@contextmanager
def started(bus: Bus, environment: dict[str, str]) -> Iterator[Window]:
    """The window of the program that the bus has started."""
    pid = owner(bus)
    assert pid
    window = Window(cast("subprocess.Popen[str]", Found(pid)), environment)
    try:
        yield window
    finally:
        window.close()
        os.kill(pid, signal.SIGTERM)
        until(lambda: not owner(bus), "the program has ended")


def test_it_is_started_by_the_bus(
    program: Program, server: ScriptedServer, session: dict[str, str], bus: Bus, tmp_path: Path
) -> None:
    program.use_server(server.url, "say:Hello.")
    program.environment |= session
    told = ("NANOBOT_DESKTOP_HOME", "NANOBOT_DESKTOP_LANGUAGE", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON")
    variables = [f"{name}={program.full_environment[name]}" for name in told]
    command = shlex.join(["/usr/bin/env", *variables, *COMMAND, "--activated"])
    service = Path(session["DESKTOP_SESSION_FOLDER"], "services", f"{APP_ID}.service")
    service.write_text(f"[D-BUS Service]\nName={APP_ID}\nExec={command}\n", "utf-8")
    desk = Desk(tmp_path, session)
    bus.call(DBUS, DBUS_PATH, f"{DBUS}.ReloadConfig")

    ask(bus, "Activate", "a{sv}", {})
    with started(bus, session) as window:
        window.wait(TITLE, "frame")
        desk.wait_active(TITLE)
        window.wait("Message", states="enabled focused")
        desk.screenshot("started-by-the-bus")

    ask(bus, "Open", "asa{sv}", [LINK, "nanobot://exec?command=id"], {})
    with started(bus, session) as window:
        window.wait_text("Message", "> Tell me", within="Quick chat")
        window.wait(UNKNOWN, "label")

    ask(bus, "ActivateAction", "sava{sv}", "quick", [], {})
    with started(bus, session) as window:
        window.wait("Quick chat", "dialog")
        assert not window.all(TITLE, "frame"), "the quick chat alone was wanted"

    with running_window(program, "--hidden", shown=False) as window:
        until(lambda: owner(bus) == window.pid, "the window has its name")
        until((program.home / "ipc").exists, "and its home")
        assert program.run("--activated").returncode == 0
        window.wait(TITLE, "frame")
    assert not server.requests
