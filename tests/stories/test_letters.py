"""Output whatever letters the system's locale has: pipes get UTF-8, a terminal what it can show."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

SAID = "café 中文 👋"


@pytest.fixture(scope="module")
def few_letters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A locale with the letters of ASCII. C is none: Python takes it for a mistake, and UTF-8."""
    folder = tmp_path_factory.mktemp("locales")
    made = ["localedef", "-c", "-i", "en_US", "-f", "ANSI_X3.4-1968", str(folder / "few")]
    subprocess.run(made, check=True)
    return {"LOCPATH": str(folder), "LC_ALL": "few"}


@pytest.fixture
def program(program: Program, server: ScriptedServer, few_letters: dict[str, str]) -> Program:
    """In a locale of few letters."""
    program.use_server(server.url, f"say:{SAID}")
    program.environment |= few_letters
    return program


def on_a_terminal(program: Program, *arguments: str) -> str:
    """What a command writes to a terminal, until it ends."""
    inner, outer = pty.openpty()
    with subprocess.Popen(
        [*program.command, *arguments],
        env=program.full_environment,
        stdin=subprocess.DEVNULL,
        stdout=outer,
        stderr=subprocess.DEVNULL,
    ):
        os.close(outer)
        written = b""
        try:
            while block := os.read(inner, 65536):
                written += block
        except OSError:  # how Linux says that the other end is closed
            pass
        finally:
            os.close(inner)
    return written.decode("ascii").replace("\r\n", "\n")


def test_a_pipe_and_a_file_get_every_letter(program: Program, tmp_path: Path) -> None:
    assert program.run("ask", "hello").stdout == f"{SAID}\n"
    file = tmp_path / "answer.txt"
    with file.open("wb") as target:
        command = [*program.command, "ask", "hello"]
        subprocess.run(command, env=program.full_environment, stdout=target, check=True)
    assert file.read_bytes() == f"{SAID}\n".encode()
    assert [m["content"] for m in program.shown() if m["role"] == "assistant"] == [SAID, SAID]
    assert program.events("ask", "hello")[-1]["text"] == SAID


def test_so_do_tables_help_and_errors_in_another_language(program: Program) -> None:
    program.run("ask", "hello")
    program.environment["NANOBOT_DESKTOP_LANGUAGE"] = "zh_CN"
    for arguments, told in (
        (("sessions", "list"), "hello"),
        (("help", "command-line"), "# 命令行"),
        (("--help",), "个人"),
        (("ask", "--help"), "问题"),
        (("doctor",), "✓"),
    ):
        assert told in program.run(*arguments).stdout
    for arguments, told in (
        (("no-such-command",), "没有"),
        (("help", "no-such-topic"), "没有"),
        (("nanobot:no-such-link",), "链接"),
    ):
        done = program.run(*arguments)
        assert done.returncode == 2
        assert told in done.stderr
    program.environment |= {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    assert "nanobot-desktop chat" in program.run().stderr
    assert "屏幕" in program.run().stderr


def test_a_terminal_gets_the_letters_that_it_has(program: Program) -> None:
    assert on_a_terminal(program, "ask", "hello") == "caf? ?? ?\n"
    assert "hello" in on_a_terminal(program, "sessions", "list")


def test_json_loses_nothing_on_a_terminal_either(program: Program) -> None:
    lines = on_a_terminal(program, "ask", "hello", "--json").splitlines()
    assert json.loads(lines[-1])["text"] == SAID


@pytest.mark.parametrize(
    "wanted",
    ["gbk", *(pytest.param(one, marks=pytest.mark.soak) for one in ("latin-1", "cp437", "utf-16-le"))],
)
def test_who_asks_for_other_letters_gets_them(program: Program, wanted: str) -> None:
    """PYTHONIOENCODING is how to say so."""
    program.environment["PYTHONIOENCODING"] = wanted
    done = program.run("ask", "hello", encoding=wanted)
    assert done.stdout == f"{SAID}\n".encode(wanted, "replace").decode(wanted)
    done = program.run("ask", "hello", "--json", encoding=wanted)
    assert json.loads(done.stdout.splitlines()[-1])["text"] == SAID


def test_a_wish_for_errors_alone_is_none_for_letters(program: Program) -> None:
    program.environment["PYTHONIOENCODING"] = ":strict"
    assert program.run("ask", "hello").stdout == f"{SAID}\n"


def test_output_that_is_closed_is_no_fault(program: Program) -> None:
    command = " ".join([*program.command, "ask", "hello"])
    for closed in (">&-", ">&- 2>&-"):
        done = subprocess.run(
            ["sh", "-c", f"{command} {closed}"],
            env=program.full_environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [m["content"] for m in program.shown() if m["role"] == "assistant"] == [SAID, SAID]
