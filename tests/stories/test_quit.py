"""quit: whatever runs in a home has ended when the command says so, and nothing that was asked is lost."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop.errors import UsageError
from desktop.ipc.connection import Server
from desktop.ipc.ownership import Ownership
from desktop.paths import Home
from desktop.tasks import in_thread
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event, say


@contextmanager
def serving(program: Program) -> Iterator[subprocess.Popen[str]]:
    with program.started("serve", "--json") as process:
        read_event(process, "serving")
        yield process


def quits(program: Program, *arguments: str) -> None:
    """Nothing owns the home any more when the command returns."""
    done = program.run("quit", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Nanobot has quit.\n", "")
    ownership = Ownership.take(Home(program.home, program.home / "models"))
    assert ownership is not None
    ownership.release()


def test_where_nothing_runs_that_is_said(program: Program) -> None:
    done = program.run("quit")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Nanobot is not running.\n", "")
    assert program.events("quit", "--now") == [{"ended": []}]


def test_what_serves_has_gone_when_the_command_returns(program: Program) -> None:
    with serving(program) as serve:
        quits(program)
        assert serve.poll() == 0
        assert serve.stderr is not None
        assert serve.stderr.read() == "Nanobot was told to quit.\n"
    assert program.run("quit").stdout == "Nanobot is not running.\n"
    with serving(program) as serve:
        assert program.events("quit") == [{"ended": [serve.pid]}]
        assert serve.poll() == 0


def test_answers_are_waited_for(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Forty-two.")
    held = server.hold("six times seven")
    with serving(program) as serve, program.started("ask", "What is six times seven?") as asking:
        server.wait_for_request()
        done = program.run("quit", "--wait", "0")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            "Nanobot is still answering, so it did not quit.\n"
            "Wait until it is done, or stop its answers with: nanobot-desktop quit --now\n"
        )
        [told] = program.events("quit", "--wait", "0")
        assert (told["event"], "still answering" in told["error"]) == ("failed", True)
        assert serve.poll() is None, "who gave up waiting has quit nothing"

        with program.started("quit") as quitting:
            assert quitting.stdout is not None
            held.set()
            assert asking.wait(60) == 0
            assert asking.stdout is not None
            assert asking.stdout.read() == "Forty-two.\n"
            assert quitting.stdout.read() == "Nanobot has quit.\n"
            assert quitting.wait(60) == 0
        assert serve.poll() == 0
    assert program.said()[-1] == ("assistant", "Forty-two.")


def test_now_stops_answers_and_keeps_their_text(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "slow:0.2")
    with serving(program) as serve, program.started("ask", "--json", "A long story") as asking:
        read_event(asking, "text_delta")
        quits(program, "--now")
        assert serve.poll() == 0
        assert asking.wait(60) == 1
    assert "word" in program.said()[-1][1]


def test_a_question_that_owns_the_home_is_answered_first(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Fifty-six.")
    held = server.hold("seven times eight")
    with program.started("ask", "What is seven times eight?") as asking:
        server.wait_for_request()
        assert "still answering" in program.run("quit", "--wait", "0").stderr
        with program.started("quit") as quitting:
            held.set()
            assert quitting.wait(60) == 0
            assert asking.wait(60) == 0
            assert asking.stdout is not None
            assert asking.stdout.read() == "Fifty-six.\n"
    assert program.run("quit").stdout == "Nanobot is not running.\n"


def test_a_conversation_in_a_terminal_ends_at_its_prompt(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "echo")
    with program.started("chat", "--json") as chat:
        say(chat, "first line")
        read_event(chat, "turn_finished")
        quits(program)
        assert chat.poll() == 130
        assert chat.stderr is not None
        assert chat.stderr.read() == "Nanobot was told to quit.\n"


def test_conversations_in_other_terminals_end_at_their_prompts(
    program: Program, server: ScriptedServer
) -> None:
    program.use_server(server.url, "echo")
    with serving(program) as serve, program.started("chat", "--json") as chat:
        say(chat, "first line")
        read_event(chat, "turn_finished")
        quits(program)
        assert (serve.wait(60), chat.wait(60)) == (0, 130)
        assert chat.stderr is not None
        assert chat.stderr.read() == "Nanobot was told to quit.\n"


def test_a_conversation_at_its_prompt_keeps_nobody_from_ending(
    program: Program, server: ScriptedServer
) -> None:
    program.use_server(server.url, "echo")
    held = server.hold("six times nine")
    with program.started("ask", "What is six times nine?") as asking:
        server.wait_for_request()
        with program.started("chat", "--json", "--session", "cli:other") as chat:
            say(chat, "first line")
            read_event(chat, "turn_finished")
            held.set()
            assert asking.wait(60) == 0, "it does not wait for who waits for its end"
            say(chat, "second line")
            read_event(chat, "turn_finished")


def test_a_program_that_hangs_is_told_of(program: Program) -> None:
    with serving(program) as serve:
        serve.send_signal(signal.SIGSTOP)
        done = program.run("quit", "--wait", "1")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("Another Nanobot is using this home but doesn’t answer.\n")
        serve.send_signal(signal.SIGCONT)
        quits(program)


def test_a_home_that_is_held_without_a_word_is_told_of(program: Program) -> None:
    ownership = Ownership.take(Home(program.home, program.home / "models"))
    assert ownership is not None
    done = program.run("quit", "--wait", "0")
    assert done.returncode == 1
    assert done.stderr.startswith("Another Nanobot is using this home but doesn’t answer.\n")
    ownership.release()


async def test_a_version_that_knows_no_quit_is_told_of(program: Program, tmp_path: Path) -> None:
    """Its owner is this very process, which answers as 0.1.0 did."""
    home = Home(program.home, tmp_path)
    ownership = Ownership.take(home)
    assert ownership is not None

    async def answer(verb: str, _arguments: object, _send: object) -> dict[str, object]:
        if verb != "status":
            raise UsageError(f"Unknown request: {verb}.")
        return {"pid": 1, "front": "window"}

    older = Server(home, answer)
    await older.start()
    done = await in_thread(program.run, "quit")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("The running Nanobot is an older version, which can’t be told to quit.\n")
    await older.stop()
    ownership.release()


def test_wrong_times_are_refused(program: Program) -> None:
    for wrong in ("-1", "nan", "inf", "soon", "1e99", ""):
        done = program.run("quit", "--wait", wrong)
        assert done.returncode == 2, wrong
        assert "--wait" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_folder_that_can_hold_no_home_is_a_sentence(program: Program) -> None:
    program.home.parent.mkdir(exist_ok=True)
    program.home.write_text("a file")
    done = program.run("quit", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["event"] == "failed"
    assert "Traceback" not in done.stderr
