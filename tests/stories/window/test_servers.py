"""A person adds an MCP server by pasting its settings, lets the agent use it, and switches a tool off."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, rest

TIME = str(Path(sys.executable).with_name("mcp-server-time"))
PASTED = json.dumps({"mcpServers": {"time": {"command": TIME, "args": ["--local-timezone", "UTC"]}}})
CALL = f"use:{json.dumps([['mcp_time_get_current_time', {'timezone': 'Europe/Berlin'}]])}"
CARD = re.compile("^Permission: Use MCP server")


def page(window: Window, desk: Desk) -> None:
    """Open the page of the settings."""
    desk.wait_active(TITLE)
    desk.key("ctrl+comma")
    window.wait("Settings", "dialog")
    window.select("MCP servers", within="Pages")


def offered(server: ScriptedServer) -> list[str]:
    """The tools that the model was last told of, without those of the program."""
    tools: list[dict[str, Any]] = server.requests[-1].body.get("tools", [])
    names = [str(tool["function"]["name"]) for tool in tools]
    return [name for name in names if name.startswith("mcp_")]


def test_a_pasted_server_is_used_with_a_yes_and_one_of_its_tools_is_switched_off(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    with running_window(program) as window:
        page(window, desk)
        desk.screenshot("servers-empty")
        window.press("Paste settings…")
        window.set_text("Settings as JSON", PASTED)
        window.wait("To be added", "label")
        window.wait(re.compile("^Add$"), "push button")
        desk.screenshot("servers-paste")
        window.press("Add", "push button")
        window.wait("time: Running · 2 tools · 2 not accepted")
        window.wait("Tool convert_time")
        desk.screenshot("servers-open")
        window.press("Accept", "push button")
        window.wait("time: Running · 2 tools")
        window.press("Tool convert_time")
        window.wait("time: Running · 1 of 2 tools")
        desk.close_active("Settings")
        window.gone("Settings", "dialog")
        server.script(CALL, "say:It is noon in Berlin.")
        ask(window, "How late is it in Berlin?")
        window.wait(CARD)
        desk.screenshot("servers-card")
        assert offered(server) == ["mcp_time_get_current_time"]
        window.press("Allow once")
        window.wait("Used time · get_current_time timezone=Europe/Berlin, done")
        window.wait_text("Nanobot", "It is noon in Berlin.")
        rest(window)
        desk.screenshot("servers-answer")
        result = str(server.requests[-1].body["messages"][-1]["content"])
        assert "Europe/Berlin" in result
    stored = json.loads((program.home / "config.json").read_text("utf-8"))["tools"]["mcpServers"]["time"]
    assert stored["disabledTools"] == ["convert_time"]


@pytest.mark.soak
def test_a_server_that_cannot_start_says_so_in_its_place_and_is_taken_away_and_back(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    with running_window(program) as window:
        page(window, desk)
        window.press("Add manually…")
        window.set_text("Name", "broken")
        window.set_text("Program", "no-such-program")
        window.press("Add", "push button")
        window.wait("broken: Failed")
        desk.screenshot("servers-failed")
        window.press("Remove: broken")
        window.wait("broken removed.")
        window.press("Undo")
        window.wait("Use server broken")
        until(lambda: "broken" in (program.home / "config.json").read_text("utf-8"), "it is back")
