"""Starting at login: the file that the desktop reads begins the program in the tray, with this home."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program


def owner(program: Program) -> int:
    return int((program.events("status")[0]["running"] or {}).get("pid", 0))


@pytest.mark.soak
def test_the_desktop_starts_it_in_the_tray(tmp_path: Path, server: ScriptedServer, desk: Desk) -> None:
    program = Program(tmp_path / 'a "home" for $5 100%')
    program.environment["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    program.use_server(server.url)
    program.configure(presence={"login": True})
    entry = tmp_path / "config" / "autostart" / "io.github.nanobot_desktop.desktop"
    with running_window(program, "--hidden", shown=False):
        until(entry.exists, "the file is there")
    until(lambda: not owner(program), "the program has ended")

    environment = program.full_environment
    del environment["NANOBOT_DESKTOP_HOME"]
    subprocess.run(["gio", "launch", str(entry)], env=environment, check=True, timeout=20)
    pid = until(lambda: owner(program), "the program runs")
    try:
        assert desk.tray(pid).tooltip == TITLE
        assert not desk.windows("--pid", str(pid), "--name", f"^{TITLE}$")
    finally:
        os.kill(pid, signal.SIGTERM)
    until(lambda: not owner(program), "the program has ended")

    program.configure(presence={"login": False})
    with running_window(program, "--hidden", shown=False):
        until(lambda: not entry.exists(), "the file is gone")
