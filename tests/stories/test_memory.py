"""The memory at a terminal: told, learned, looked up, compared, brought back, forgotten."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

READING, SUMMING = "long-term notes", "keep the memory"


def facts(program: Program, name: str = "USER") -> list[dict[str, Any]]:
    (found,) = program.events("memory", "show", name)
    (file,) = found["files"]
    return list(file["facts"])


@pytest.mark.soak
def test_three_things_are_told_learned_and_undone(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Noted.")
    server.when(SUMMING, "say:- Is called Anna.\n- Likes tea.\n- The shop opens at seven.")
    learned = "[USER] Is called Anna. (#1)\n[USER] Likes tea. (#1)\n[MEMORY] The shop opens at seven. (#1)"
    server.when(READING, f"say:{learned}")
    program.run("ask", "I am Anna, I like tea, and my shop opens at seven.")
    done = program.run("memory", "dream")
    assert (done.returncode, done.stderr) == (0, "")
    assert "USER.md" in done.stdout
    assert "Nothing new" in program.run("memory", "dream").stdout
    assert [(fact["text"], fact["session"]) for fact in facts(program)] == [
        ("Is called Anna.", "cli:direct"),
        ("Likes tea.", "cli:direct"),
    ]
    shown = program.run("memory", "show").stdout
    assert "The shop opens at seven." in shown
    assert "I am Anna" in shown, "the conversation that it is from"

    program.events("memory", "forget", "user", "Likes", "tea.")
    assert [fact["text"] for fact in facts(program)] == ["Is called Anna."]
    log = program.events("memory", "log")
    assert [version["cause"] for version in log][:2] == ["person", "dream"]
    assert "-- Likes tea." in program.run("memory", "diff", log[0]["id"]).stdout
    (lost,) = program.events("memory", "diff", log[1]["id"], log[0]["id"])
    assert (lost["name"], "- Likes tea." in lost["before"]) == ("USER.md", True)
    (back,) = program.events("memory", "restore", log[1]["id"][:8])
    assert back["commit"]
    assert [fact["text"] for fact in facts(program)] == ["Is called Anna.", "Likes tea."]

    path = program.home / "workspace/USER.md"
    path.write_text(path.read_text("utf-8") + "- By hand.\n", "utf-8")
    assert "+- By hand." in program.run("memory", "diff").stdout
    hits = program.events("memory", "search", "shop", "seven")
    assert {hit["kind"] for hit in hits} == {"summary", "message"}
    assert not program.events("memory", "search", "shop", "--until", "2020-01-01")
    asked = str(server.requests[-1].body["messages"])
    assert "Likes tea" in asked


def test_what_is_wrong_is_said(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Noted.")
    for wrong in (
        ("memory", "forget", "USER", "never", "said"),
        ("memory", "restore", "ffffffff"),
        ("memory", "search", "x", "--since", "yesterday"),
        ("memory", "show", "DIARY"),
    ):
        done = program.run(*wrong)
        assert (done.returncode, done.stdout) == (2, ""), wrong
        assert done.stderr
    workspace: Path = program.home / "workspace"
    (workspace / "USER.md").unlink()
    (workspace / "USER.md").mkdir()
    (workspace / "memory").mkdir(exist_ok=True)
    (workspace / "memory/MEMORY.md").write_bytes("- 喜欢茶，住在上海。\n".encode("gb18030"))
    assert "is a folder" in program.run("memory", "show").stderr
    assert [fact["text"] for fact in facts(program, "MEMORY")] == ["喜欢茶，住在上海。"]
    found = [json.loads(line) for line in program.run("doctor", "--json").stdout.splitlines()]
    (finding,) = [one for one in found if one["part"] == "Memory"]
    assert not finding["ok"]
    assert finding["remedy"]
