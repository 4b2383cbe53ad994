"""Models, servers and questions at their worst: a sentence, a remedy, nothing lost, the next turn works."""

import json
import signal
import socket
from typing import Any

import psutil
import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event, say

PATIENCE: dict[str, Any] = {"idleTimeoutS": 1}


def told(stderr: str) -> list[str]:
    """The lines that a person reads on stderr: sentences, nothing from the inside of the program."""
    assert "Traceback" not in stderr
    assert "Error:" not in stderr
    return stderr.splitlines()


MORE = [
    (["status:403"], "does not allow this key to use test-model", "Choose another model"),
    (["status:404"], "has no model named test-model", "Check the model name"),
    (["status:413"], "too large for Custom server", "Start a new conversation"),
    (["quota"], "out of quota or credit", "Top it up"),
    (["status:503"] * 4, "Custom server had an error (503).", "Try again later"),
    (["html"], "returns a web page, not a model", "sign in first"),
]


@pytest.mark.parametrize(
    ("answers", "sentence", "remedy"),
    [
        (["status:401"], "Custom server did not accept the key.", "provider set custom"),
        (["status:429:7200"], "Too many requests to Custom server.", "in 2 h."),
        (["overflow"] * 2, "too long for test-model", "Start a new conversation"),
        (["silence"], "Custom server did not respond in time.", "raise the timeout"),
        (["drop"] * 2, "Custom server stopped before", "Try again."),
        *(pytest.param(*case, marks=pytest.mark.soak) for case in MORE),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_server_that_does_not_answer(
    program: Program, server: ScriptedServer, answers: list[str], sentence: str, remedy: str
) -> None:
    program.use_server(server.url, "test-model", **PATIENCE)
    server.script(*answers, "say:Back again.")
    done = program.run("chat", given="first question\nsecond question\n")
    assert (done.returncode, done.stdout) == (0, "Back again.\n")
    lines = told(done.stderr)
    assert sentence in lines[-2]
    assert remedy in lines[-1]
    assert all("Retrying in" in line for line in lines[:-2])
    assert program.said() == [("user", "first question"), *ANSWERED]
    assert sentence in str(program.shown()[1]["_error_text"])


ANSWERED = [("assistant", ""), ("user", "second question"), ("assistant", "Back again.")]


@pytest.mark.parametrize(
    ("answer", "shown", "sentence"),
    [
        ("cut", "half an ", "stopped before the answer was complete"),
        ("stall", "two words ", "did not respond in time"),
        ("error", "so far ", "had an error"),
    ],
)
def test_an_answer_that_ends_early_is_kept_as_far_as_it_came(
    program: Program, server: ScriptedServer, answer: str, shown: str, sentence: str
) -> None:
    program.use_server(server.url, **PATIENCE)
    server.script(answer, "say:Whole.")
    done = program.run("ask", "first")
    assert (done.returncode, done.stdout) == (1, f"{shown}\n")
    lines = told(done.stderr)
    assert len(lines) == 2
    assert sentence in lines[0]
    again = program.run("ask", "second")
    assert (again.returncode, again.stdout, again.stderr) == (0, "Whole.\n", "")
    assert program.said()[:2] == [("user", "first"), ("assistant", shown)]


def test_a_wrong_key_is_an_exit_code_for_scripts(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "status:401")
    done = program.run("ask", "first", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert events[-1]["event"] == "turn_failed"
    assert events[-1]["kind_of_error"] == "SignInNeeded"
    assert events[-1]["remedy"]


def test_too_many_requests_are_waited_for(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url)
    server.script("status:429:0.01", "say:Here you are.")
    done = program.run("ask", "first")
    assert (done.returncode, done.stdout) == (0, "Here you are.\n")
    assert "Retrying" in done.stderr


@pytest.mark.parametrize(
    "address",
    [pytest.param("http://nowhere.invalid/v1", marks=pytest.mark.soak), "http://127.0.0.1:{port}/v1"],
)
def test_no_network_and_nobody_at_the_address(
    program: Program, server: ScriptedServer, address: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = address.format(port=closed.getsockname()[1])
    program.use_server(url)
    done = program.run("ask", "first")
    lines = told(done.stderr)
    assert done.returncode == 1
    assert lines[-2] == f"Custom server can’t be reached at {url}."
    assert lines[-1].startswith("Check the network")
    program.use_server(server.url, "say:Back again.")
    assert program.run("ask", "second").stdout == "Back again.\n"
    assert program.said()[0] == ("user", "first")


@pytest.mark.soak
def test_an_answer_of_twenty_megabytes_is_ended(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url)
    server.script("huge:20", "say:Short.")
    done = program.run("chat", given="first\nsecond\n")
    assert told(done.stderr) == [
        "The answer from Custom server was far too long and was stopped.",
        "Ask for a shorter answer.",
    ]
    kept = program.shown()[1]["content"]
    assert kept == done.stdout.removesuffix("\nShort.\n"), "what was shown is what is kept"
    assert 10_000_000 < len(kept) < 17_000_000


def test_an_answer_that_is_no_utf_8(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "badutf8")
    done = program.run("ask", "first")
    assert (done.returncode, done.stdout) == (0, "caf\N{REPLACEMENT CHARACTER} 中\n")


def test_the_model_host_killed_in_mid_answer(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url)
    server.script("slow:0.05", "say:Back again.")
    with program.started("chat", "--json") as chat:
        say(chat, "first")
        shown = read_event(chat, "text_delta")["text"]
        [host] = [c for c in psutil.Process(chat.pid).children() if "--model-host" in c.cmdline()]
        host.kill()
        failed = read_event(chat, "turn_failed")
        assert failed["error"] == "The process that talks to models quit unexpectedly."
        assert failed["remedy"] == "Try again; it restarts automatically."
        say(chat, "second")
        assert read_event(chat, "turn_finished")["text"] == "Back again."
    assert program.said()[1][1].startswith(shown)


@pytest.mark.soak
def test_a_failure_through_the_running_program_reads_the_same(
    program: Program, server: ScriptedServer
) -> None:
    program.use_server(server.url)
    server.script("status:401", "say:one", "status:401")
    alone = program.run("ask", "first")
    with program.started("chat", "--json") as chat:
        say(chat, "hello")
        read_event(chat, "turn_finished")
        through = program.run("ask", "first")
        wrong = program.run("provider", "set", "no-such-name", "--no-key")
    assert (alone.returncode, alone.stdout, alone.stderr) == (1, through.stdout, through.stderr)
    assert through.returncode == 1
    assert (wrong.returncode, told(wrong.stderr)[0]) == (2, "There is no provider named no-such-name.")


def test_the_running_program_killed_while_another_waits(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Hello.")
    with program.started("chat", "--json") as owner:
        say(owner, "hello")
        read_event(owner, "turn_finished")
        server.script("silence")
        with program.started("ask", "are you there?") as ask:
            server.wait_for_request(2)
            owner.kill()
            assert ask.wait(60) == 1
            assert ask.stderr is not None
            assert told(ask.stderr.read()) == [
                "The running Nanobot quit during the request.",
                "Your message is saved. Ask again, or see it with: nanobot-desktop sessions show",
            ]
    assert program.said()[-1] == ("user", "are you there?")
    assert program.run("ask", "and now?").stdout == "Hello.\n"


@pytest.mark.soak
def test_a_conversation_goes_on_when_the_program_it_went_through_is_killed(
    program: Program, server: ScriptedServer
) -> None:
    program.use_server(server.url, "say:Hello.")
    with program.started("chat", "--json") as owner:
        say(owner, "hello")
        read_event(owner, "turn_finished")
        with program.started("chat", "--json") as client:
            say(client, "hello")
            read_event(client, "turn_finished")
            server.script("silence")
            say(client, "are you there?")
            server.wait_for_request(3)
            owner.kill()
            assert "quit during the request" in read_event(client, "failed")["error"]
            say(client, "and now?")
            assert read_event(client, "turn_finished")["text"] == "Hello."


def test_a_provider_that_nobody_knows(program: Program, server: ScriptedServer) -> None:
    program.configure(agents={"defaults": {"provider": "no-such-provider", "model": "m"}})
    done = program.run("ask", "first")
    lines = told(done.stderr)
    assert done.returncode == 1
    assert "no-such-provider" in lines[-2]
    assert "provider list" in lines[-1]
    program.use_server(server.url, "say:Back again.")
    assert program.run("ask", "second").stdout == "Back again.\n"
    assert program.said()[0] == ("user", "first")


@pytest.mark.parametrize(
    "question",
    [
        "x" * 1_000_000,
        "line\n" * 200_000,
        "nul \0 and half a letter \udcff, right to left \u202e and back \u2066",
    ],
    ids=["a megabyte", "many lines", "odd letters"],
)
def test_a_question_of_any_form(program: Program, server: ScriptedServer, question: str) -> None:
    program.use_server(server.url, "say:Noted.")
    done = program.run("ask", "-", given=question.rstrip("\n"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "Noted.\n", "")
    kept = program.said()[0][1]
    assert kept == question.rstrip("\n").replace("\udcff", "\N{REPLACEMENT CHARACTER}")
    sent = server.requests[0].body["messages"][-1]["content"]
    assert sent.startswith(kept[:1000])


def test_an_argument_that_is_no_utf_8(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:Noted.")
    done = program.run("chat", "--session", "k\udce9", given="caf\udce9\nagain\n")
    assert (done.returncode, done.stdout) == (0, "Noted.\nNoted.\n")
    assert program.run("ask", "a\udce9", "--session", "k\udce9", "--json").returncode == 0
    asked = [text for role, text in program.said("k\udce9") if role == "user"]
    assert asked == ["caf\N{REPLACEMENT CHARACTER}", "again", "a\N{REPLACEMENT CHARACTER}"]


@pytest.mark.parametrize(
    "key",
    [
        *("../../etc/passwd", "x" * 300, "[/red] {key}"),
        *(pytest.param(key, marks=pytest.mark.soak) for key in ("a/b\\c", "..", "🙂" * 80, "con", " ")),
    ],
)
def test_a_conversation_of_any_name(program: Program, server: ScriptedServer, key: str) -> None:
    program.use_server(server.url, "say:Noted.")
    assert program.run("ask", "hello", "--session", key).stdout == "Noted.\n"
    assert [row["key"] for row in program.events("sessions", "list")] == [key]
    assert program.run("sessions", "list").returncode == 0
    assert program.said(key) == [("user", "hello"), ("assistant", "Noted.")]
    assert len(list((program.home / "workspace" / "sessions").iterdir())) == 1


def test_a_terminal_that_knows_few_letters_gets_the_answer(
    program: Program, server: ScriptedServer
) -> None:
    program.use_server(server.url, "say:caf\xe9 中文")
    program.environment["PYTHONIOENCODING"] = "latin-1"
    done = program.run("ask", "hello", encoding="latin-1")
    assert (done.returncode, done.stdout) == (0, "caf\xe9 ??\n")


def test_a_hang_up_of_the_terminal_keeps_what_was_shown(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "slow:0.1")
    with program.started("ask", "--json", "a long story") as ask:
        shown = read_event(ask, "text_delta")["text"]
        ask.send_signal(signal.SIGHUP)
        assert ask.wait(60) == 130
    assert program.said()[1][1].startswith(shown)
