"""MCP servers in the real program: added at the terminal, used in an answer, gone when it is killed."""

import json
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.servers.registry import Registry
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event
from tests.stories.test_acting import told, use
from tests.warm import mcp_command

SOUND = str(Path(__file__).parents[1] / "servers" / "mcp" / "sound.py")


def add(program: Program, name: str = "s", *command: str) -> dict[str, Any]:
    (done,) = program.events("mcp", "add", name, *(command or mcp_command(SOUND)))
    return done


def test_a_server_is_added_tried_and_used(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url)
    added = add(program)
    assert added["name"] == "s"
    assert "echo" in {tool["name"] for tool in added["tools"]}, "what is accepted by adding it"
    (listed,) = program.events("mcp", "list")
    assert (listed["name"], listed["state"]) == ("s", "off")
    (tried,) = program.events("mcp", "test", "s")
    assert "echo" in tried["tools"]
    assert "mcp_s_echo" in {tool["tool"] for tool in program.events("mcp", "tools", "s")}
    server.script(use(("mcp_s_echo", {"text": "through the server"})), "say:It answered.")
    done = program.run("ask", "Try the server", "--approve", "all")
    assert (done.returncode, done.stdout) == (0, "It answered.\n")
    assert "✓ mcp_s_echo s · echo text=through the server" in done.stderr
    (result,) = told(server)
    assert result.endswith("through the server")
    assert "came from outside" in result
    (entry,) = program.events("audit")
    assert (entry["effect"], entry["reason"]) == ("send", "all")
    assert program.run("mcp", "remove", "s").returncode == 0
    assert program.events("mcp", "list") == []


def test_what_follows_a_command_is_its_own(program: Program) -> None:
    program.events("mcp", "add", "a", "cmd", "--url", "x", "-v")
    program.events("mcp", "add", "--env", "A=b", "b", "--header", "C=d", "cmd")
    program.run("mcp", "add", "c", "--", "cmd", "--json")
    program.events("mcp", "add", "d", "--url", "https://x.org/sse")
    a, b, c, d = program.events("mcp", "list")
    assert (a["command"], a["args"]) == ("cmd", ["--url", "x", "-v"])
    assert (b["command"], b["args"], b["env"], b["headers"]) == ("cmd", [], {"A": "b"}, {"C": "d"})
    assert (c["command"], c["args"]) == ("cmd", ["--json"])
    assert (d["kind"], d["url"]) == ("sse", "https://x.org/sse")


@pytest.mark.soak
def test_a_server_that_came_otherwise_says_nothing_to_a_model_before_a_yes(
    program: Program, server: ScriptedServer
) -> None:
    program.use_server(server.url)
    config = program.home / "config.json"
    settings = json.loads(config.read_text("utf-8"))
    settings.setdefault("tools", {})["mcpServers"] = {"s": {"command": sys.executable, "args": [SOUND]}}
    config.write_text(json.dumps(settings), "utf-8")
    server.script("say:Hello.")
    assert program.run("ask", "Hello").returncode == 0
    assert "mcp_s_" not in json.dumps(server.requests[-1].body)
    told_now = program.run("mcp", "tools", "s")
    assert "not accepted" in told_now.stdout
    assert "nanobot-desktop mcp accept s" in told_now.stderr
    accepted = program.run("mcp", "accept", "s")
    assert "mcp_s_add\n" in accepted.stdout
    assert "    a (integer)\n" in accepted.stdout
    server.script("say:Hello again.")
    assert program.run("ask", "Hello again").returncode == 0
    assert "mcp_s_echo" in json.dumps(server.requests[-1].body)
    assert program.run("mcp", "set", "s", "--local-reads").returncode == 0
    assert program.events("mcp", "list")[0]["local"] is True
    assert program.run("mcp", "set", "s").returncode == 2


@pytest.mark.soak
def test_a_call_waits_for_a_yes_and_shows_what_is_sent(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url)
    add(program)
    server.script(use(("mcp_s_echo", {"text": "my secret"})), "say:It waits.")
    events = program.events("ask", "Send it")
    asked = next(event for event in events if event["event"] == "permission_asked")
    assert asked["card"]["title"] == "Use MCP server?"
    assert "my secret" in asked["card"]["body"]
    (waiting,) = program.events("inbox", "list")
    server.script("say:Now it is sent.")
    assert program.run("approve", waiting["id"]).returncode == 0
    assert told(server)[-1].endswith("my secret")


@pytest.mark.soak
def test_a_newer_version_of_a_package_is_shown_and_taken_with_a_yes(
    program: Program, tmp_path: Path
) -> None:
    with Registry() as registry:
        registry.publish("sound-server", "1.0.0")
        words = (
            "--env",
            f"npm_config_registry={registry.url}",
            "--env",
            f"npm_config_cache={tmp_path / 'c'}",
        )
        program.events("mcp", "add", *words, "s", "npx", "-y", "sound-server")
        registry.publish("sound-server", "2.0.0")
        (shown,) = program.events("mcp", "update", "s")
        assert shown["updates"] == [{"package": "sound-server", "now": "1.0.0", "new": "2.0.0"}]
        (listed,) = program.events("mcp", "list")
        assert listed["packages"] == [{"package": "sound-server", "version": "1.0.0"}]
        done = program.run("mcp", "update", "s", "--yes")
        assert "sound-server: 1.0.0 → 2.0.0" in done.stdout
        (listed,) = program.events("mcp", "list")
        assert listed["packages"] == [{"package": "sound-server", "version": "2.0.0"}]


def test_what_does_not_work_is_said_with_a_remedy(program: Program) -> None:
    program.events("mcp", "add", "bad", "no-such-program")
    done = program.run("mcp", "test", "bad")
    assert done.returncode == 1
    assert done.stderr == (
        "The program no-such-program was not found.\nInstall it, or enter its full path. npx comes with "
        "Node.js, uvx with uv.\n"
    )
    again = program.run("mcp", "add", "bad", "true")
    assert (again.returncode, again.stderr.splitlines()[0]) == (2, "There is already a server named bad.")
    for wrong in (
        ("mcp", "add", "x"),
        ("mcp", "add", "--url", "https://x.org", "x", "true"),
        ("mcp", "tools", "x"),
    ):
        assert program.run(*wrong).returncode == 2


def test_doctor_tells_what_was_wrong_with_a_server_last(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url)
    program.events("mcp", "add", "bad", "sh", "-c", "exit 3")
    assert program.run("ask", "Hello").returncode == 0
    found = [f for f in program.events("doctor") if f["part"] == "MCP servers"]
    assert [(f["ok"], f["state"]) for f in found] == [
        (False, "bad: Last attempt: The server exited with code 3.")
    ]
    assert found[0]["remedy"]


@pytest.mark.soak
def test_kill_9_of_the_program_leaves_no_server(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url)
    for name in ("one", "two"):
        add(program, name, sys.executable, SOUND)  # not forked: what it breeds is its own
        program.run("mcp", "set", name, "--local-reads")  # else --approve all is no yes to a second server
    server.script(
        use(("mcp_one_breed", {}), ("mcp_two_breed", {})),
        use(("mcp_one_wait", {"seconds": 600})),
        "say:Done.",
    )
    with program.started("ask", "Go", "--approve", "all", "--json") as process:
        for _ in range(2):
            read_event(process, "tool_finished")
        read_event(process, "tool_started")
        below = psutil.Process(process.pid).children(recursive=True)
        servers = [
            p for p in below if SOUND in " ".join(p.cmdline()) or "time.sleep(600)" in " ".join(p.cmdline())
        ]
        assert len(servers) >= 6, "two servers, their guards and what they bred"
        process.kill()
        process.wait()
        _gone, alive = psutil.wait_procs(servers, timeout=10)
        assert not [p.cmdline() for p in alive]


@pytest.mark.soak
def test_the_end_of_the_program_is_the_end_of_its_servers(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url)
    add(program)
    server.script(use(("mcp_s_pid", {})), "say:Done.")
    assert program.run("ask", "Go", "--approve", "all").returncode == 0
    pid = int(told(server)[0].split()[-1])
    assert not psutil.pid_exists(pid)
