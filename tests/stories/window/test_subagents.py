"""Subagents in front of a person: seen at work, asked about, stopped; commands, completed and answered."""

import json
import re

import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, rest

CARD = re.compile("^Permission: Run command")


def spawning(*labels: str) -> str:
    return f"use:{json.dumps([['spawn', {'task': f'Task {label}', 'label': label}] for label in labels])}"


def test_two_work_in_sight_one_asks_and_its_result_is_a_line_that_opens(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    (program.home / "workspace").mkdir()
    server.hold("Task Letters")
    server.when("Task Letters", "say:No letters.")
    server.when("Task Prices", f"use:{json.dumps([['exec', {'command': 'touch prices.txt'}]])}")
    server.when("exit code 0", "say:Three **prices** found.")
    server.when("Three **prices** found.", "say:The prices are there.")
    server.script(spawning("Prices", "Letters"), "say:Two have begun.")
    with running_window(program) as window:
        desk.wait_active(TITLE)
        ask(window, "Look into both")
        window.wait_text("Nanobot", "Two have begun.")
        window.wait(CARD)
        window.wait(re.compile("^Subagent Letters"))
        desk.screenshot("subagents-ask")
        window.press("Allow once")
        window.wait_text("Nanobot", "The prices are there.")
        window.gone(CARD)
        assert (program.home / "workspace" / "prices.txt").exists()
        window.press("Result of Prices, done")
        window.wait_text("Result of Prices", "Three prices found.")
        desk.screenshot("subagents-result")
        window.wait(re.compile("^Subagent Letters"))
        window.press("Stop", "push button")  # no answer is on its way, but one still works
        window.gone(re.compile("^Subagent Letters"))
        rest(window)
        desk.screenshot("subagents-stopped")


@pytest.mark.soak
def test_a_command_is_completed_by_the_keyboard_and_answered_without_a_model(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    with running_window(program) as window:
        desk.wait_active(TITLE)
        ask(window, "Hello")
        window.wait_text("Nanobot", "Hello there.")
        rest(window)
        window.focus("Message")
        desk.type("/ne")
        window.wait("Completions")
        desk.screenshot("completions")
        desk.key("Return")
        window.wait_text("Message", "/new")
        window.gone("Completions")
        desk.key("Return")
        window.wait_text("Nanobot", re.compile("^New session"))
        window.wait("New session")
        desk.screenshot("command")
        assert not any(b"/new" in request.raw for request in server.requests)
        desk.type("/etc/hosts")
        window.wait_text("Message", "/etc/hosts")
        window.gone("Completions")
