"""The agent acts, as a person at a terminal and a script see it: files, commands, questions, kills."""

import json
import os
import pty
import select
import signal
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event


def use(*calls: tuple[str, dict[str, Any]]) -> str:
    """A step of the model that calls tools."""
    return f"use:{json.dumps(calls)}"


def told(server: ScriptedServer) -> list[str]:
    """What the model was told by tools, in its last request."""
    messages = server.requests[-1].body["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


@pytest.fixture
def workspace(program: Program, server: ScriptedServer) -> Path:
    program.use_server(server.url)
    workspace = program.home / "workspace"
    workspace.mkdir()
    (workspace / "notes.txt").write_text("alpha\nbeta\ngamma\n")
    return workspace


def test_a_turn_reads_searches_edits_and_runs(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    server.script(
        use(("read_file", {"path": "notes.txt"}), ("grep", {"pattern": "^b"})),
        use(("edit_file", {"path": "notes.txt", "old_text": "beta", "new_text": "delta"})),
        use(("exec", {"command": "sort -r notes.txt > sorted.txt && wc -l < sorted.txt"})),
        "say:Sorted three lines.",
    )
    done = program.run("ask", "Tidy my notes", "--approve", "all")
    assert (done.returncode, done.stdout) == (0, "Sorted three lines.\n")
    assert "✓ edit_file notes.txt" in done.stderr
    assert (workspace / "notes.txt").read_text() == "alpha\ndelta\ngamma\n"
    assert (workspace / "sorted.txt").read_text() == "gamma\ndelta\nalpha\n"
    read, found, _edited, ran = told(server)
    assert "2| beta" in read
    assert "notes.txt:2" in found
    assert "exit code 0" in ran
    outcomes = [(e["tool"], e["outcome"], e["reason"]) for e in program.events("audit")]
    assert outcomes[0] == ("exec", "ok", "all")
    assert [tool for tool, _outcome, _reason in outcomes] == ["exec", "edit_file", "grep", "read_file"]


def test_a_question_nobody_answers_waits_and_is_answered_after_a_restart(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    server.script(use(("exec", {"command": "touch made.txt"})), "say:It waits for you.")
    events = program.events("ask", "Make the file")
    kinds = [event["event"] for event in events]
    assert kinds.index("tool_started") < kinds.index("permission_asked") < kinds.index("tool_finished")
    assert events[-1]["text"] == "It waits for you."
    assert "not answered yet" in told(server)[0]
    assert not (workspace / "made.txt").exists()
    (waiting,) = program.events("inbox", "list")
    assert "touch made.txt" in waiting["title"]
    server.script("say:Now it is made.")
    done = program.run("approve", waiting["id"])
    assert (done.returncode, done.stdout) == (0, "Now it is made.\n")
    assert (workspace / "made.txt").exists()
    assert program.events("inbox", "list") == []
    again = program.run("approve", waiting["id"])
    assert again.returncode == 2
    assert "no longer open" in again.stderr


def waits_for_a_script(program: Program, server: ScriptedServer, workspace: Path) -> str:
    """A question about a script that has changed since; its id."""
    script = workspace / "do.sh"
    script.write_text("touch harmless")
    server.script(use(("exec", {"command": "sh do.sh"})), "say:It waits.")
    program.run("ask", "Do it")
    (waiting,) = program.events("inbox", "list")
    script.write_text("touch other")
    server.script("say:Well.")
    return str(waiting["id"])


@pytest.mark.soak
def test_a_late_yes_to_what_changed_since_is_asked_for_again_at_once(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    old = waits_for_a_script(program, server, workspace)
    done = program.run("approve", old, seconds=40)
    assert done.returncode == 1
    assert "do.sh changed since you allowed this." in done.stderr
    (new,) = program.events("inbox", "list")
    assert new["id"] != old
    assert f"nanobot-desktop approve {new['id']}" in done.stderr
    assert not list(workspace.glob("harmless")) + list(workspace.glob("other"))
    server.script("say:Now.")
    assert program.run("approve", new["id"]).returncode == 0
    assert (workspace / "other").exists()
    assert program.events("inbox", "list") == []


@pytest.mark.soak
def test_a_script_that_gives_a_late_yes_is_told_of_the_new_question(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    old = waits_for_a_script(program, server, workspace)
    events = program.events("approve", old, seconds=40)
    (asked,) = [event for event in events if event["event"] == "permission_asked"]
    assert "do.sh changed since you allowed this." in asked["card"]["why"]
    (new,) = program.events("inbox", "list")
    assert new["id"] == asked["question"] != old
    assert not (workspace / "other").exists()


@pytest.mark.soak
def test_in_a_terminal_the_new_card_is_answered_where_it_is_shown(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    old = waits_for_a_script(program, server, workspace)
    shown = in_terminal(program, ["approve", old], "? ", "y\n")
    assert "do.sh changed since you allowed this." in shown
    assert (workspace / "other").exists()
    assert program.events("inbox", "list") == []


@pytest.mark.soak
def test_a_no_later_is_told_to_the_model(program: Program, server: ScriptedServer, workspace: Path) -> None:
    server.script(use(("exec", {"command": "touch made.txt"})), "say:It waits.")
    program.run("ask", "Make the file")
    (waiting,) = program.events("inbox", "list")
    server.script("say:Then I leave it.")
    done = program.run("approve", waiting["id"], "--no", "--reason", "wrong folder")
    assert done.stdout == "Then I leave it.\n"
    assert "wrong folder" in server.requests[-1].body["messages"][-1]["content"]
    assert not (workspace / "made.txt").exists()


@pytest.mark.soak
def test_a_standing_answer_is_kept_and_only_for_calls_like_it(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    server.script(use(("exec", {"command": "wc -l notes.txt"})), "say:Waits.")
    program.run("ask", "Count")
    (waiting,) = program.events("inbox", "list")
    server.script("say:Three.")
    program.run("approve", waiting["id"], "--always")
    server.script(use(("exec", {"command": "wc -l notes.txt"})), "say:Three again.")
    program.run("ask", "Count again")
    assert program.events("inbox", "list") == []
    server.script(use(("exec", {"command": "wc -l notes.txt; touch other"})), "say:Waits.")
    program.run("ask", "Count and more")
    assert len(program.events("inbox", "list")) == 1
    assert not (workspace / "other").exists()


def test_in_a_terminal_a_key_answers(program: Program, server: ScriptedServer, workspace: Path) -> None:
    server.script(use(("exec", {"command": "touch made.txt"})), "say:Made.")
    shown = in_terminal(program, ["ask", "Make it"], "? ", "y\n")
    assert "touch made.txt" in shown
    assert "Made." in shown
    assert (workspace / "made.txt").exists()


def in_terminal(program: Program, arguments: list[str], until: str, keys: str) -> str:
    """Run a command in a terminal of its own, press keys once it shows something; all it showed."""
    ours, theirs = pty.openpty()
    process = program.begin(
        *arguments,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**program.full_environment, "TERM": "dumb"},
        start_new_session=True,
    )
    os.close(theirs)
    shown, end, pressed = "", time.monotonic() + 90, False
    try:
        while time.monotonic() < end:
            if select.select([ours], [], [], 1)[0]:
                try:
                    piece = os.read(ours, 65536)
                except OSError:  # the terminal is closed: the command has ended
                    break
                shown += piece.decode(errors="replace")
            if until in shown and not pressed:
                pressed = True
                os.write(ours, keys.encode())
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return shown


def test_a_kill_in_the_middle_of_a_call_reads_interrupted_and_repeats_nothing(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    server.script(use(("exec", {"command": "echo once >> ran.txt; touch begun; sleep 600"})))
    with program.started("ask", "Run it", "--approve", "all", "--json") as process:
        read_event(process, "tool_started")
        end = time.monotonic() + 60
        while not (workspace / "begun").exists() and time.monotonic() < end:
            process.poll()
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    server.script("say:I see it was interrupted.")
    done = program.run("ask", "What happened?")
    assert done.stdout == "I see it was interrupted.\n"
    assert told(server) == ["interrupted"]
    assert (workspace / "ran.txt").read_text() == "once\n"


def test_stopping_ends_the_command_and_all_it_started(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    mark = f"sleep {os.getpid()}7"
    server.script(use(("exec", {"command": f"trap '' TERM; {mark} & touch begun; wait"})))
    with program.started("ask", "Run it", "--approve", "all", "--json") as process:
        read_event(process, "tool_started")
        end = time.monotonic() + 60
        while not (workspace / "begun").exists() and time.monotonic() < end:
            process.poll()
        process.send_signal(signal.SIGINT)
        process.wait(60)
    left = [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == mark.split()]
    assert not left


def test_keys_and_the_program_s_own_files_are_out_of_reach(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    (workspace / "link").symlink_to(program.home / "config.json")
    server.script(
        use(
            ("read_file", {"path": "../config.json"}),
            ("read_file", {"path": "link"}),
            ("read_file", {"path": "~/.ssh/id_rsa"}),
            ("write_file", {"path": "sessions/cli%3Adirect.jsonl", "content": "x"}),
        ),
        use(("exec", {"command": f"cat {program.home}/config.json"})),
        "say:No way.",
    )
    program.run("ask", "Try", "--approve", "all")
    entries = program.events("audit")
    assert {entry["outcome"] for entry in entries} == {"denied"}, entries
    assert all("apiBase" not in text for text in told(server))


@pytest.mark.soak
def test_a_file_given_along_is_named_to_the_model(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    server.script("say:I see it.")
    assert program.run("ask", "Look", "--file", str(workspace / "notes.txt")).returncode == 0
    assert str(workspace / "notes.txt") in server.requests[-1].body["messages"][-1]["content"]
    assert program.run("ask", "Look", "--file", "/nowhere").returncode == 2


@pytest.mark.soak
def test_what_a_turn_changed_is_taken_back_and_done_again(
    program: Program, server: ScriptedServer, workspace: Path
) -> None:
    server.script(
        use(("edit_file", {"path": "notes.txt", "old_text": "beta", "new_text": "delta"})),
        use(
            ("write_file", {"path": "new.txt", "content": "new"}), ("exec", {"command": "date > when.txt"})
        ),
        "say:Done.",
    )
    program.run("ask", "Tidy my notes", "--approve", "all")
    (line,) = program.events("undo")[0]["turns"]
    assert line["files"] == [str(workspace / "notes.txt"), str(workspace / "new.txt")]
    done = program.run("undo", line["turn"])
    assert done.returncode == 0
    assert done.stdout.count("restored") == 2
    assert (workspace / "notes.txt").read_text() == "alpha\nbeta\ngamma\n"
    assert not (workspace / "new.txt").exists()
    assert (workspace / "when.txt").exists(), "nobody knows what a command changed"
    program.run("undo", line["turn"], "--again")
    assert (workspace / "notes.txt").read_text() == "alpha\ndelta\ngamma\n"
    (workspace / "notes.txt").write_text("my own")
    left = program.events("undo", line["turn"])[0]["left"]
    assert [file["why"] for file in left] == ["It has changed since."]
    assert (workspace / "notes.txt").read_text() == "my own"
    assert program.run("undo", line["turn"]).returncode == 2, "nothing is left to be taken back"
