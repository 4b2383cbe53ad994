"""The agent acts in front of a person: calls are seen, a question is answered, the file is changed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, rest

COMMAND = "sort -r notes.txt > sorted.txt && wc -l < sorted.txt"
CARD = re.compile("^Permission: Run command")


def use(*calls: tuple[str, dict[str, Any]]) -> str:
    """A step of the model that calls tools."""
    return f"use:{json.dumps(calls)}"


def workspace(program: Program) -> Path:
    folder = program.home / "workspace"
    folder.mkdir()
    (folder / "notes.txt").write_text("alpha\nbeta\ngamma\n")
    return folder


def test_a_turn_reads_edits_and_asks_before_it_runs(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    folder = workspace(program)
    server.script(
        use(("read_file", {"path": "notes.txt"}), ("grep", {"pattern": "^b"})),
        use(("edit_file", {"path": "notes.txt", "old_text": "beta", "new_text": "delta"})),
        use(("exec", {"command": COMMAND})),
        "say:Sorted three lines.",
    )
    with running_window(program) as window:
        desk.wait_active(TITLE)
        ask(window, "Tidy my notes")
        window.wait(CARD)
        assert window.text("Command") == COMMAND
        assert not (folder / "sorted.txt").exists()
        desk.screenshot("card")
        desk.click_on(window.extents("Allow once"))
        window.wait_text("Nanobot", "Sorted three lines.")
        rest(window)
        assert (folder / "sorted.txt").read_text() == "gamma\ndelta\nalpha\n"
        window.wait("Read notes.txt, done")
        window.wait("Edited notes.txt, done")
        window.gone(CARD)
        desk.screenshot("folded")
        window.press(f"Ran {COMMAND}, done")
        assert "exit code 0" in window.wait_text("Result", "exit code 0")
        desk.screenshot("opened")


@pytest.mark.soak
def test_what_is_left_for_later_is_answered_from_the_inbox_after_a_restart(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    folder = workspace(program)
    server.script(use(("exec", {"command": "touch made.txt"})), "say:It waits for you.")
    with running_window(program) as window:
        ask(window, "Make the file")
        window.press("Later")
        window.wait_text("Nanobot", "It waits for you.")
        rest(window)
        assert not (folder / "made.txt").exists()
    with running_window(program) as window:
        desk.wait_active(TITLE)
        window.press("Waiting for you: 1")
        window.wait("Inbox", within=TITLE)
        desk.screenshot("inbox")
        server.script("say:Now it is made.")
        desk.key("Escape")
        window.gone("Inbox", within=TITLE)
        desk.key("ctrl+shift+y")
        window.wait_text("Nanobot", "Now it is made.")
        until((folder / "made.txt").exists, "the file is there")
        window.gone("Waiting for you: 1")
