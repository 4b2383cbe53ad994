"""ask and chat against a scripted server: what a person and a script see of one turn."""

import json
import signal

import psutil
import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event


def test_a_question_is_answered_on_stdout_alone(program: Program, server: ScriptedServer) -> None:
    program.cold = True  # as it is for a person
    program.use_server(server.url, "say:The answer is 42.")
    done = program.run("ask", "What is it?")
    assert (done.returncode, done.stdout, done.stderr) == (0, "The answer is 42.\n", "")
    sent = server.requests[0].body["messages"]
    assert sent[0]["role"] == "system"
    assert sent[-1]["content"].startswith("What is it?")
    assert server.requests[0].body["temperature"] == 0.1


def test_json_tells_the_turn_line_by_line(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Hi you.")
    events = program.events("ask", "Hello", "--session", "work")
    turn = [e for e in events if e["event"].startswith(("turn_", "text_"))]
    assert turn[0]["event"] == "turn_started"
    assert {e["session"] for e in turn} == {"work"}
    assert "".join(e["text"] for e in turn if e["event"] == "text_delta") == "Hi you."
    assert turn[-1]["event"] == "turn_finished"
    assert turn[-1]["text"] == "Hi you."


@pytest.mark.soak
def test_the_next_question_carries_the_conversation(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Noted.")
    program.run("ask", "My name is Ada.")
    program.run("ask", "Who am I?")
    first, second = (request.body["messages"] for request in server.requests)
    assert second[: len(first)] == first, "the prompt only grows at its end"
    assert [m["role"] for m in second] == ["system", "user", "assistant", "user"]


@pytest.mark.soak
def test_a_question_from_standard_input(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "echo")
    done = program.run("ask", "-", given="line one\nline two\n")
    assert "line one\nline two" in done.stdout


def test_an_empty_question_is_wrong_usage(program: Program) -> None:
    done = program.run("ask", "  ")
    assert done.returncode == 2
    assert "No question" in done.stderr


def test_a_conversation_from_a_pipe(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Yes.")
    done = program.run("chat", given="one\n\ntwo\n")
    assert done.stdout == "Yes.\nYes.\n"
    assert done.returncode == 0


def test_what_was_said_can_be_listed_and_shown(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Paris.")
    program.run("ask", "Capital of France?", "--session", "geo")
    assert [row["key"] for row in program.events("sessions", "list")] == ["geo"]
    shown = program.events("sessions", "show", "geo")
    assert [(m["role"], m["content"]) for m in shown] == [
        ("user", "Capital of France?"),
        ("assistant", "Paris."),
    ]
    assert "Capital of France?" in program.run("sessions", "show", "geo").stdout
    assert program.run("sessions", "show", "other").returncode == 2


def test_another_command_goes_through_the_one_that_runs(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Shared.")
    with program.started("chat", "--json") as chat:
        assert chat.stdin is not None
        chat.stdin.write("first\n")
        chat.stdin.flush()
        read_event(chat, "turn_finished")
        status = program.events("status")[0]
        assert status["running"]["pid"] == chat.pid
        assert program.run("ask", "second").stdout == "Shared.\n"
        assert program.run("ask", "third", "--session", "other").stdout == "Shared.\n"
    assert {r.connection for r in server.requests} == {server.requests[0].connection}, "one warm host"


@pytest.mark.soak
def test_two_asks_at_once_are_both_answered(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "slow:0.02")
    with program.started("ask", "--json", "one") as one, program.started("ask", "--json", "two") as two:
        assert read_event(one, "turn_finished")["text"]
        assert read_event(two, "turn_finished")["text"]
        assert (one.wait(60), two.wait(60)) == (0, 0)


def test_interrupting_keeps_what_was_shown(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "slow:0.1")
    with program.started("ask", "--json", "a long story") as ask:
        shown = read_event(ask, "text_delta")["text"]
        ask.send_signal(signal.SIGINT)
        assert ask.wait(60) == 130
    assert server.requests[0].left.wait(1), "the server saw the end"
    answer = program.events("sessions", "show")[-1]
    assert answer["content"].startswith(shown)
    assert answer["_stopped"] is True


def test_ctrl_c_in_a_conversation_ends_the_answer_only(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url)
    server.script("slow:0.1", "say:Still here.")
    with program.started("chat", "--json") as chat:
        assert chat.stdin is not None
        chat.stdin.write("a long story\n")
        chat.stdin.flush()
        read_event(chat, "text_delta")
        chat.send_signal(signal.SIGINT)
        assert read_event(chat, "turn_finished")["stopped"] is True
        chat.stdin.write("and now?\n")
        chat.stdin.flush()
        assert read_event(chat, "turn_finished")["text"] == "Still here."


@pytest.mark.parametrize("signals", [(signal.SIGHUP, signal.SIGHUP, signal.SIGTERM), (signal.SIGINT,) * 3])
def test_a_terminal_that_closes_or_an_impatient_person_leaves_nothing_behind(
    program: Program, server: ScriptedServer, signals: tuple[signal.Signals, ...]
) -> None:
    program.use_server(server.url, "say:Hi.")
    with program.started("chat", "--json") as chat:
        assert chat.stdin is not None
        chat.stdin.write("hello\n")
        chat.stdin.flush()
        read_event(chat, "turn_finished")
        children = psutil.Process(chat.pid).children(recursive=True)
        for number in signals:
            chat.send_signal(number)
        assert chat.wait(60) == 130
    _gone, alive = psutil.wait_procs(children, timeout=10)
    assert not alive
    assert program.run("ask", "again").stdout == "Hi.\n"


def test_a_crash_leaves_the_question_and_says_it_has_no_answer(
    program: Program, server: ScriptedServer
) -> None:
    program.use_server(server.url, "silence")
    with program.started("ask", "--json", "are you there?") as ask:
        server.wait_for_request()
        ask.kill()
    done = program.run("sessions", "show")
    assert "are you there?" in done.stdout
    assert "has no answer yet" in done.stderr
    program.use_server(server.url, "say:Back again.")
    assert program.run("ask", "and now?").stdout == "Back again.\n"


def test_templates_are_written_once_and_never_over_an_edit(
    program: Program, server: ScriptedServer
) -> None:
    program.use_server(server.url, "say:ok")
    program.run("ask", "hi")
    workspace = program.home / "workspace"
    assert {p.name for p in workspace.glob("*.md")} == {
        "AGENTS.md",
        "HEARTBEAT.md",
        "SOUL.md",
        "TOOLS.md",
        "USER.md",
    }
    (workspace / "SOUL.md").write_text("Speak like a pirate.", "utf-8")
    (workspace / "TOOLS.md").unlink()
    program.run("ask", "hi again")
    assert "Speak like a pirate." in json.dumps(server.requests[-1].body["messages"][0])
    assert not (workspace / "TOOLS.md").exists()


def test_an_identity_file_replaces_ours(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:ok")
    (program.home / "workspace").mkdir(parents=True)
    (program.home / "workspace" / "IDENTITY.md").write_text("You are Rosa.", "utf-8")
    program.run("ask", "hi")
    assert server.requests[0].body["messages"][0]["content"].startswith("You are Rosa.")
