"""Another version is installed under the program that runs: it says so, and begins anew when asked to."""

import sys
from pathlib import Path

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, rest

CODE = (
    "import sys; sys.frozen, sys.executable = True, sys.argv.pop(1);"
    " from desktop.__main__ import main; main()"
)
WAITS = "Nanobot restarts once its answers are done."


class Installed(Program):
    """A program that is one file, as a frozen one is."""

    file: Path

    @property
    def command(self) -> list[str]:
        return [str(self.file)]

    def install(self, version: str) -> None:
        """Put a version in the place of the one that is there, as dpkg does it."""
        begin = f"export PYTHONPATH= NANOBOT_STORY_VERSION={version}"
        start = f'exec {sys.executable} -P -c "{CODE}" {self.file} "$@"'
        unfinished = self.file.with_suffix(".dpkg-new")
        unfinished.write_text(f"#!/bin/sh\n{begin}\n{start}\n", "utf-8")
        unfinished.chmod(0o755)
        unfinished.replace(self.file)


def version(pid: int) -> str:
    environment = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    told = (line.partition("=")[2] for line in environment if line.startswith("NANOBOT_STORY_VERSION="))
    return next(told, "")  # nothing is there while one program takes the place of another


def test_an_upgrade_is_told_and_begins_once_the_answers_are_done(
    tmp_path: Path, server: ScriptedServer, desk: Desk
) -> None:
    program = Installed(tmp_path / "home", cold=True)
    (tmp_path / "opt").mkdir()
    program.file = tmp_path / "opt" / "nanobot"
    program.install("1")
    program.use_server(server.url, "say:Fifty-six.")
    with running_window(program) as window:
        ask(window, "How are you?")
        rest(window)
        (program.file.parent / "other").touch()
        held = server.hold("seven times eight")
        ask(window, "What is seven times eight?")
        server.wait_for_request(2)
        program.install("2")
        window.wait("A new version was installed.", "label")
        window.wait("Restart to use it.", "label")
        window.wait("Dismiss", "push button")
        desk.screenshot("upgraded")
        window.set_text("Message", "a draft")
        window.press("Restart")
        window.wait(WAITS, "label")
        window.wait("Restart now", "push button")
        desk.screenshot("upgrade-waits")
        assert version(window.pid) == "1"
        held.set()
        window.until(lambda: version(window.pid) == "2", "the new version runs")
        window.wait_text("Nanobot", "Fifty-six.")
        window.wait_text("Message", "a draft")
        desk.wait_active(TITLE)
        assert not window.all("A new version was installed.")
