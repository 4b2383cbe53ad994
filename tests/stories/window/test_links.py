"""Links from the desktop: they show what they are about, and whatever follows is the person's doing."""

import json
from urllib.parse import quote

import pytest

from tests.desktop.desk import Desk
from tests.desktop.noise import harmless
from tests.desktop.window import TITLE, Window, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

QUICK = "Quick chat"
UNKNOWN = "Nanobot doesn’t know what the link asks for."
SETTINGS = {"mcpServers": {"link": {"command": "no-such-server", "args": ["--at", "http://evil.example"]}}}
OFFERED = f"nanobot-desktop://mcp?settings={quote(json.dumps(SETTINGS), safe='')}"


def opened(program: Program, link: str) -> None:
    """Also while the window is just coming up: then another one begins, and leaves it to this one."""
    done = program.run(link)
    assert (done.returncode, done.stdout) == (0, "")
    assert all(map(harmless, done.stderr.splitlines())), done.stderr


def refused(program: Program, window: Window, link: str, told: str) -> None:
    """In the terminal, and in the window, for whoever clicked."""
    done = program.run(link)
    assert (done.returncode, done.stdout) in ((1, ""), (2, ""))
    assert done.stderr.startswith(f"{told}\n")
    window.wait(told, "label")


def test_links_to_a_window_that_runs(program: Program, server: ScriptedServer, desk: Desk) -> None:
    program.use_server(server.url, "say:Paris.")
    program.talk("cli:capitals", "What is the capital of France?")
    program.talk("cli:rivers", "Where is the Seine?")
    asked = len(server.requests)
    with running_window(program) as window:
        opened(program, "nanobot-desktop://conversation/cli%3Acapitals")
        window.wait_text("You", "What is the capital of France?")
        opened(program, "nanobot:conversation/cli:rivers")
        window.wait_text("You", "Where is the Seine?")

        refused(
            program, window, "nanobot://conversation/no-such", "The conversation of the link is not here."
        )
        refused(program, window, "nanobot://exec?command=id", UNKNOWN)
        refused(program, window, "nanobot://chat?text=%zz", "The link is not encoded correctly.")
        refused(program, window, "nanobot://chat?text=" + "a" * 100_000, "The link is too long.")
        window.wait_text("You", "Where is the Seine?")

        opened(program, "nanobot-desktop://chat?text=Tell%20me%0Aeverything")
        window.wait(QUICK, "dialog")
        desk.wait_active(QUICK)
        window.wait_text("Message", "> Tell me\n> everything", within=QUICK)
        window.wait("This text comes from a link.", "label", within=QUICK)
        desk.screenshot("text-of-a-link")
        desk.key("Return")  # of a person who was typing somewhere else
        window.gone(QUICK)
    assert len(server.requests) == asked
    assert len(program.events("sessions", "list")) == 2


@pytest.mark.soak
def test_a_server_from_a_link_is_added_by_the_person_alone(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.use_server(server.url)
    with running_window(program, OFFERED) as window:
        window.wait("Settings", "dialog")
        window.wait_text("Settings as JSON", '"command": "no-such-server"')
        window.wait("no-such-server --at http://evil.example", "label")
        window.wait("Add", states="enabled")
        desk.screenshot("server-of-a-link")
        window.wait("Cancel", states="focused")
        assert program.events("mcp", "list") == []
        refused(program, window, "nanobot://exec?command=id", UNKNOWN)
        desk.wait_active("Settings")
        settings = window.wait("Settings", "dialog")
        labels = [node.name for node in settings.walk() if node.showing and node.role == "label"]
        assert UNKNOWN in labels, "in front of the window, not behind the settings"
        desk.screenshot("refused-link-in-settings")
        window.press("Dismiss")
        done = program.run(OFFERED)
        assert done.returncode == 1
        assert done.stderr.startswith("Another server is being added or edited.\n")
        window.press("Cancel")
        window.gone("Settings as JSON")
        assert program.events("mcp", "list") == []

        opened(program, OFFERED)
        window.wait("Add", states="enabled")
        window.press("Add")
        window.until(lambda: [one["name"] for one in program.events("mcp", "list")] == ["link"], "added")
        told = program.run(OFFERED)
        assert told.returncode == 2
        assert told.stderr.startswith("There is already a server named link.\n")


@pytest.mark.soak
def test_a_link_begins_the_program(program: Program, server: ScriptedServer, desk: Desk) -> None:
    program.use_server(server.url, "say:Paris.")
    program.talk("cli:capitals", "What is the capital of France?")
    with running_window(program, "nanobot-desktop://chat?text=Hello", shown=False) as window:
        window.wait_text("Message", "> Hello", within=QUICK)
        assert not window.all(TITLE, "frame"), "the quick chat alone was wanted"
    with running_window(program, "nanobot-desktop://conversation/cli:capitals") as window:
        window.wait_text("You", "What is the capital of France?")
    with running_window(program, "nanobot-desktop://conversation/no-such") as window:
        window.wait("The conversation of the link is not here.", "label")
    assert len(server.requests) == 1
