"""What an MCP server asks in the middle of an answer: at the terminal, from the inbox, for who said yes to
all, and for who is not there."""

import json
import os
import pty
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event
from tests.stories.test_acting import told, use

ASKING = str(Path(__file__).parents[1] / "servers" / "mcp" / "asking.py")
TEXT = {"type": "string"}
SEATS = {
    "message": "Which seat?\u202e",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Your name"},
            "row": {"type": "integer", "minimum": 1, "maximum": 30},
            "side": {
                "type": "string",
                "enum": ["w", "a"],
                "enumNames": ["Window", "Aisle"],
                "default": "w",
            },
        },
        "required": ["name", "row"],
    },
}
DEFAULTS = {
    "message": "All right?",
    "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean", "default": True}}},
}


@pytest.fixture
def asking(program: Program, server: ScriptedServer) -> Program:
    program.use_server(server.url)
    program.events("mcp", "add", "a", sys.executable, ASKING)
    return program


def have_it_ask(server: ScriptedServer, params: dict[str, Any]) -> None:
    server.script(use(("mcp_a_ask", {"params": params})), "say:Booked.")


def got(server: ScriptedServer) -> Any:
    """What the MCP server was answered."""
    text = told(server)[-1].partition("]\n")[2]
    return json.loads(text.partition("\n[")[0])


class Terminal:
    """A person at a terminal in which a command runs."""

    def __init__(self, master: int) -> None:
        self._master, self.seen, self._at = master, "", 0

    def until(self, text: str, seconds: float = 60) -> None:
        """Read until this is there, after what was waited for before."""
        end = time.monotonic() + seconds
        while text not in self.seen[self._at :]:
            ready, _write, _error = select.select([self._master], [], [], max(0, end - time.monotonic()))
            assert ready, self.seen
            try:
                self.seen += os.read(self._master, 65536).decode("utf-8", "replace")
            except OSError:  # the command has ended
                raise AssertionError(self.seen) from None
        self._at = self.seen.index(text, self._at) + len(text)

    def type(self, line: str) -> None:
        os.write(self._master, f"{line}\n".encode())


@contextmanager
def at_a_terminal(program: Program, *arguments: str) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    environment = program.full_environment | {"TERM": "dumb", "COLUMNS": "200"}
    with program.begin(*arguments, stdin=slave, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        try:
            yield Terminal(master)
            process.wait(30)
        finally:
            process.kill()
            os.close(master)


def test_a_form_is_filled_in_at_the_terminal(asking: Program, server: ScriptedServer) -> None:
    have_it_ask(server, SEATS)
    with at_a_terminal(asking, "ask", "Book a seat") as person:
        person.until("Enter = later")
        person.type("y")
        person.until("y = fill it in")
        assert "Question from an MCP server" in person.seen
        assert "U+202E" in person.seen
        assert "\u202e" not in person.seen
        assert "Never enter a password or a key here." in person.seen
        person.type("y")
        person.until("Your name")
        person.type("Ada")
        person.until("row (a whole number)")
        person.type("99")
        person.until("2 = Aisle")
        person.until("Enter = Window")
        person.type("2")
        person.until("row: Enter 30 or less.")
        person.until("row (a whole number)")
        person.type("12")
        person.until("Booked.")
    assert person.seen.count("  Your name:") == 1, "only what was wrong is asked again"
    assert got(server) == {"action": "accept", "content": {"name": "Ada", "row": 12, "side": "a"}}


def test_a_no_at_the_terminal_is_told_with_its_reason(asking: Program, server: ScriptedServer) -> None:
    have_it_ask(server, SEATS)
    with at_a_terminal(asking, "ask", "Book a seat") as person:
        person.until("Enter = later")
        person.type("y")
        person.until("y = fill it in")
        person.type("n too dear")
        person.until("Booked.")
    assert got(server) == {"action": "decline"}
    assert "Their reason: too dear" in told(server)[-1]


def test_a_yes_to_all_sends_the_defaults_and_nobody_sends_nothing(
    asking: Program, server: ScriptedServer
) -> None:
    have_it_ask(server, DEFAULTS)
    assert asking.run("ask", "Go on", "--approve", "all").returncode == 0
    assert got(server) == {"action": "accept", "content": {"ok": True}}
    entries = [(one["effect"], one["verdict"], one["reason"]) for one in asking.events("audit")]
    assert entries == [("send", "allowed", "all")] * 2, "the call, and the answer"
    have_it_ask(server, SEATS)
    assert asking.run("ask", "Book", "--approve", "all", "--session", "cli:b").returncode == 0
    assert got(server) == {"action": "cancel"}
    assert "nobody was there to answer" in told(server)[-1]
    page = {"mode": "url", "message": "Pay", "url": "https://pay.example/", "elicitationId": "1"}
    have_it_ask(server, page)
    assert asking.run("ask", "Pay", "--approve", "all", "--session", "cli:c").returncode == 0
    assert got(server) == {"action": "cancel"}, "no page of a server's choice opens unasked"


def test_a_form_waits_in_the_inbox_and_is_answered_from_there(
    asking: Program, server: ScriptedServer
) -> None:
    have_it_ask(server, SEATS)
    asking.run("mcp", "set", "a", "--local-reads")
    with asking.started("serve", "--json") as owner:
        read_event(owner, "serving")
        with at_a_terminal(asking, "ask", "Book a seat") as person:
            person.until("Enter = later")
            person.type("y")
            person.until("y = fill it in")
            [notice] = asking.events("inbox", "list")
            assert [field["name"] for field in notice["body"]["card"]["form"]["fields"]] == [
                "name",
                "row",
                "side",
            ]
            wrong = asking.run("approve", notice["id"], "--field", "row=0")
            assert wrong.returncode == 2
            assert "name: Required. row: Enter 1 or more." in wrong.stderr
            assert len(asking.events("inbox", "list")) == 1, "it stays open"
            right = asking.run("approve", notice["id"], "--field", "name=Ada", "--field", "row=3")
            assert right.returncode == 0, right.stderr
            person.type("")  # it was answered elsewhere
            person.until("Booked.")
    assert got(server) == {"action": "accept", "content": {"name": "Ada", "row": 3, "side": "w"}}
    assert asking.events("inbox", "list") == []
