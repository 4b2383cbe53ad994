"""Finding, handing on, deleting and bringing back what was said, from the command line."""

import json
import os
import pty
import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program


def write(program: Program, name: str, *records: dict[str, object]) -> None:
    """A conversation as another program, or an older version, left it."""
    folder = program.home / "workspace" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    (folder / f"{name}.jsonl").write_text(lines, "utf-8")


def test_what_was_said_in_any_conversation_is_found(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Bring an umbrella to Reykjavík.")
    write(
        program,
        "old",
        {"role": "user", "content": "我们明天去北京开会", "timestamp": "2025-01-02T03:04:05+00:00"},
    )
    assert program.run("ask", "What about the rain?", "--session", "trip").returncode == 0
    (hit,) = program.events("sessions", "search", "UMBRELLA", "bring")
    assert (hit["session"], hit["role"], hit["title"]) == ("trip", "assistant", "What about the rain?")
    assert [hit["snippet"][a:b] for a, b in hit["marks"]] == ["Bring", "umbrella"]
    assert [h["session"] for h in program.events("sessions", "search", "北京")] == ["old"]
    shown = program.run("sessions", "search", "reykjavík")
    assert "Nanobot: Bring an umbrella to Reykjavík." in shown.stdout


@pytest.mark.soak
def test_an_index_that_is_damaged_or_lost_is_made_anew(program: Program) -> None:
    write(program, "a", {"role": "user", "content": "The password of the day is swordfish."})
    assert len(program.events("sessions", "search", "swordfish")) == 1
    with closing(sqlite3.connect(program.home / "state.db")) as database:
        database.execute("UPDATE search_words_data SET block = x'00ff00ff'")
        database.execute("DROP TABLE search_message")
        database.commit()
    assert len(program.events("sessions", "search", "swordfish")) == 1
    (program.home / "state.db").unlink()
    assert len(program.events("sessions", "search", "swordfish")) == 1


@pytest.mark.soak
def test_deleted_it_is_not_found_and_restored_it_is(program: Program) -> None:
    write(program, "fruit%3A%201", {"role": "user", "content": "remember the tangerines"})
    refused = program.run("sessions", "delete", "fruit: 1")
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    told = program.run("sessions", "delete", "fruit: 1", "--yes").stdout
    assert "nanobot-desktop sessions restore 'fruit: 1'" in told
    assert program.events("sessions", "search", "tangerines") == []
    assert program.run("sessions", "restore", "fruit: 1").returncode == 0
    assert len(program.events("sessions", "search", "tangerines")) == 1
    assert program.run("sessions", "restore", "fruit: 1").returncode == 2


def test_on_a_terminal_it_asks_before_it_deletes(program: Program) -> None:
    write(program, "a", {"role": "user", "content": "hello"})
    assert _answer(program, "n") == 1
    assert len(program.events("sessions", "list")) == 1
    assert _answer(program, "y") == 0
    assert program.events("sessions", "list") == []


def _answer(program: Program, letter: str) -> int:
    """Delete on a terminal, where the person types this; the exit code."""
    ours, theirs = pty.openpty()
    with program.begin("sessions", "delete", "a", stdin=theirs, stdout=theirs) as process:
        os.close(theirs)
        os.write(ours, f"{letter}\n".encode())
        code = process.wait(60)
    os.close(ours)
    return code


def test_a_conversation_is_exported(program: Program, tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "exec", "arguments": '{"command": "ls"}'}}
    write(
        program,
        "a",
        {"_type": "metadata", "key": "a", "metadata": {"title": "Files & <b>folders</b>"}},
        {
            "role": "user",
            "content": "list <script>alert(1)</script>",
            "timestamp": "2026-01-02T03:04:05+00:00",
        },
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": "secret result",
            "_gist": "ls",
            "_outcome": "failed",
        },
        {"role": "assistant", "content": "**Nothing** there."},
    )
    text = program.run("sessions", "export", "a").stdout
    assert text.startswith("# Files & <b>folders</b>\n")
    assert "list <script>alert(1)</script>\n" in text
    assert "- `exec ls (failed)`\n" in text
    assert "**Nothing** there.\n" in text
    assert "2026-01-0" in text
    assert "secret result" not in text
    page = tmp_path / "page.html"
    assert program.run("sessions", "export", "a", "--format", "html", "--output", str(page)).returncode == 0
    tags = _Tags()
    tags.feed(page.read_text("utf-8"))
    assert not {"script", "b", "img", "link"} & tags.seen
    assert "list <script>alert(1)</script>" in tags.text
    document = json.loads(program.run("sessions", "export", "a", "--format", "json").stdout)
    assert [m["role"] for m in document["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert program.run("sessions", "export", "b").returncode == 2


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data
