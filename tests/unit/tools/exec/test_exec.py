"""exec: what a command gets, what the model reads of it, and that nothing of it stays."""

import asyncio
import os
import signal
import subprocess
import time
import tracemalloc
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.config.tools import ExecTool
from desktop.paths import persons_umask
from desktop.tasks import cancel, in_thread, spawn
from desktop.tools.base import ToolContext, ToolFailure
from desktop.tools.exec.environment import Environment
from desktop.tools.exec.output import MOST_CHARACTERS, Output, plain
from desktop.tools.exec.sandbox import Sandbox
from desktop.tools.exec.tool import Exec
from desktop.tools.exec.tree import MARK, new_mark, sweep
from desktop.tools.permissions.policy import Situation, Verdict, decide
from tests.unit.tools.exec.conftest import SOURCE, Desk


async def test_the_output_comes_in_order_and_the_exit_code_last(desk: Desk) -> None:
    text = await desk.run("echo one; echo two >&2; echo three; exit 3")
    assert text == "one\ntwo\nthree\nexit code 3"
    assert await desk.run("true") == "(no output)\nexit code 0"
    assert (await desk.run("kill -9 $$")).endswith("exit code 137")


async def test_stdin_is_empty(desk: Desk) -> None:
    assert await desk.run("cat; read x; echo $?") == "1\nexit code 0"


async def test_it_runs_in_the_working_folder_or_the_one_named(desk: Desk) -> None:
    (desk.workspace / "sub").mkdir()
    assert (await desk.run("pwd")).startswith(f"{desk.workspace}\n")
    assert (await desk.run("pwd", working_dir="sub")).startswith(f"{desk.workspace}/sub\n")
    with pytest.raises(ToolFailure, match="does not exist"):
        await desk.run("pwd", working_dir="none")


async def test_commands_that_cannot_be_started_say_why(desk: Desk) -> None:
    with pytest.raises(ToolFailure, match="zero byte"):
        await desk.run("echo \0")
    with pytest.raises(ToolFailure, match="too long"):
        await desk.run("echo " + "x" * 3_000_000)


async def test_no_key_is_in_the_environment(desk: Desk) -> None:
    lines = (await desk.run("env")).splitlines()
    names = {line.partition("=")[0] for line in lines[:-1]}
    assert names - {"NANOBOT_COMMAND", "_", "SHLVL", "PWD", "OLDPWD"} == {
        "PATH",
        "SHELL",
        "LC_TIME",
        "TERM",
    }


async def test_path_is_the_login_shells_and_is_asked_for_once(desk: Desk, tmp_path: Path) -> None:
    shell = tmp_path / "shell"
    shell.write_text(
        '#!/bin/sh\necho Welcome to this computer\necho asked >> "$0.log"\n'
        'test "$1" = -l || exit\nPATH=/of/the/profile:/usr/bin:/bin\neval "$3"\necho bye\n'
    )
    shell.chmod(0o755)
    desk.environment = Environment({**SOURCE, "SHELL": str(shell)})
    desk.settings["path_append"] = "/more"
    for _ in range(2):
        assert await desk.run('echo "$PATH"') == "/of/the/profile:/usr/bin:/bin:/more\nexit code 0"
    assert (tmp_path / "shell.log").read_text() == "asked\n"


async def test_without_an_answer_of_the_login_shell_path_is_our_own(desk: Desk) -> None:
    desk.environment = Environment({**SOURCE, "SHELL": "/no/such/shell"})
    assert await desk.run('echo "$PATH"') == "/usr/bin:/bin\nexit code 0"


async def test_a_command_out_of_time_is_ended_and_shows_what_it_had(desk: Desk) -> None:
    text = await desk.run(
        f"trap '' TERM; echo begun; {desk.sleep} & setsid {desk.sleep} & {desk.sleep}", timeout=1
    )
    assert text.startswith("begun\n[ended after 1 seconds")
    assert text.endswith("exit code 124")


async def test_the_timeout_of_the_settings_counts_without_another(desk: Desk) -> None:
    desk.settings["timeout"] = 1
    assert "ended after 1 seconds" in await desk.run(f"exec >&- 2>&-; {desk.sleep}")


@pytest.mark.parametrize("sandbox", ["off", "auto"])
@pytest.mark.parametrize(
    "command",
    [
        "SLEEP & echo done",
        "(setsid SLEEP &) ; echo done",
        "setsid sh -c '(trap \"\" TERM; SLEEP; SLEEP) & ' < /dev/null > /dev/null 2>&1; echo done",
        "env -i sh -c 'SLEEP & echo done'",
    ],
    ids=["a job", "a daemon that holds the pipe", "a stubborn daemon", "without the mark, in the session"],
)
async def test_what_is_left_in_the_background_is_ended(desk: Desk, command: str, sandbox: str) -> None:
    desk.settings["sandbox"] = sandbox
    text = await desk.run(command.replace("SLEEP", desk.sleep))
    assert text.startswith("done\n[it left processes in the background")
    assert text.endswith("exit code 0")


@pytest.mark.parametrize("network", [False, True])
async def test_what_goes_by_itself_is_no_word_worth(desk: Desk, network: bool) -> None:
    desk.settings |= {"sandbox": "auto", "max_memory": 0, "max_processes": 0, "max_file_size": 0}
    desk.context["network"] = network
    assert await desk.run("sleep 0.05 & echo done; exit 3") == "done\nexit code 3"
    assert (await desk.run("kill -9 $$")).endswith("exit code 137")


async def test_a_command_that_forks_without_end_is_ended(desk: Desk) -> None:
    script = desk.workspace / "spread.sh"
    script.write_text(
        f"n=$1\ntrap '' TERM\n[ $n = 0 ] || {{ sh $0 $((n-1)) & sh $0 $((n-1)) & }}\n{desk.sleep}\n"
    )
    assert "ended after 1 seconds" in await desk.run("sh spread.sh 6", timeout=1)


async def test_cancelling_ends_everything_before_it_returns(desk: Desk) -> None:
    os.mkfifo(desk.workspace / "begun")
    stubborn = (
        f"trap '' TERM; setsid {desk.sleep} & {desk.sleep} & echo $$ $! > begun; while :; do sleep 1; done"
    )
    running = spawn(desk.run(stubborn), name="command")
    pids = [int(pid) for pid in (await in_thread((desk.workspace / "begun").read_text)).split()]
    await cancel(running)
    assert running.cancelled()
    assert not [pid for pid in pids if psutil.pid_exists(pid) and not _is_zombie(pid)]


def _is_zombie(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def test_cancelling_at_the_start_leaves_nothing(desk: Desk) -> None:
    for turns in range(12):
        running = spawn(desk.run(desk.sleep), name="command")
        for _ in range(turns):
            await asyncio.sleep(0)
        await cancel(running)
        assert running.cancelled()


async def test_endless_output_is_drained_and_its_ends_are_shown(desk: Desk) -> None:
    text = await desk.run("echo first; yes | head -c 100M; echo; echo last", timeout=300)
    assert text.startswith("first\ny\n")
    assert "about 104,847," in text
    assert text.endswith("\nlast\nexit code 0")
    assert len(text) < MOST_CHARACTERS + 100


async def test_a_shell_finds_programs_of_the_appended_folders(desk: Desk) -> None:
    program = desk.workspace / "hello"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    desk.settings["path_append"] = str(desk.workspace)
    assert await desk.run("hello") == "hello\nexit code 0"


async def test_any_bytes_become_text(desk: Desk) -> None:
    assert await desk.run(r"printf 'a\377b\n\303\244\n'") == "a\ufffdb\nä\nexit code 0"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"10%\r50%\r100%\r\ndone\r\n", "100%\ndone\n"),
        (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07end\x1b(B", "red end"),
        (b"b\x08bo\x08ol\x08ld\x07\x00", "bold"),
        (b"a\tb\r\r\n", "a\tb\n"),
        (b"\x1b", ""),
    ],
)
def test_what_is_for_a_terminal_only_is_left_out(data: bytes, text: str) -> None:
    assert plain(data) == text


def test_the_middle_of_a_long_output_is_left_out() -> None:
    output = Output()
    output.feed(b"a" * 6_000 + b"b" * 6_000)
    text = output.text()
    assert text == "a" * 5_000 + "\n[... about 2,000 characters left out ...]\n" + "b" * 5_000


def test_little_of_an_endless_output_is_kept() -> None:
    output, block = Output(), bytes(1 << 20)
    tracemalloc.start()
    for _ in range(200):
        output.feed(block)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 << 20
    assert output.size == 200 << 20


@given(st.lists(st.binary(max_size=50_000), max_size=30))
def test_output_of_any_kind_is_bounded(blocks: list[bytes]) -> None:
    output = Output()
    for block in blocks:
        output.feed(block)
    assert len(output.text()) <= MOST_CHARACTERS + 80
    if sum(map(len, blocks)) <= 1 << 16:
        whole = plain(b"".join(blocks))
        assert output.text() == whole or len(whole) > MOST_CHARACTERS


async def test_what_a_killed_program_left_running_is_ended_and_nothing_else() -> None:
    killed = subprocess.Popen(["true"])
    killed.wait()
    marks = (f"{killed.pid}:{time.time():.0f}:aa", f"{os.getpid()}:1000:aa", new_mark(), "another's")
    started = [subprocess.Popen(["sleep", "600"], env={**os.environ, MARK: mark}) for mark in marks]
    try:
        assert await in_thread(sweep) == 2
        assert [process.wait(30) for process in started[:2]] == [-signal.SIGKILL] * 2
        assert [process.poll() for process in started[2:]] == [None, None]
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask")
async def test_files_of_a_command_are_as_open_as_the_person_has_them(desk: Desk) -> None:
    before = os.umask(0o077)
    os.umask(before)
    assert before == 0o077
    await desk.run("echo x > made")
    assert (desk.workspace / "made").stat().st_mode & 0o777 == 0o666 & ~persons_umask()


async def test_a_skill_s_key_goes_to_the_commands_that_use_it_and_nowhere_else(desk: Desk) -> None:
    desk.context = {"keys": {"WEATHER_KEY": "weather", "OTHER_KEY": "other", "PATH": "weather"}}
    desk.values = {("weather", "WEATHER_KEY"): "wk-123456789", ("weather", "PATH"): "/evil"}
    assert "None" in await desk.run('python3 -c \'import os; print(os.environ.get("WEATHER" + "_KEY"))\'')
    said = await desk.run("echo $WEATHER_KEY; printf %s $WEATHER_KEY | base64; echo ${#WEATHER_KEY} $PATH")
    assert "wk-123456789" not in said
    assert said.startswith("[hidden]\n[hidden]\n12 ")
    assert "/evil" not in said
    (desk.workspace / "weather").mkdir()
    (desk.workspace / "weather" / "run.sh").write_text("echo ${#WEATHER_KEY}; echo ${#OTHER_KEY}")
    assert "12\n0" in await desk.run("sh weather/run.sh")
    with pytest.raises(ToolFailure, match="OTHER_KEY has no value"):
        await desk.run("echo $OTHER_KEY")


async def test_a_command_that_gets_a_key_is_always_asked_about(desk: Desk) -> None:
    settings = ExecTool()
    tool = Exec(lambda: settings, Sandbox(lambda: desk.walls(settings)), desk.environment, desk.secret)
    context = ToolContext(
        "here", "turn", "call", desk.workspace, desk.workspace, keys={"WEATHER_KEY": "weather"}
    )
    harmless = tool.claim(tool.arguments(command="ls"), context)
    assert (harmless.always_ask, harmless.environment) == ("", {})
    given = tool.claim(tool.arguments(command="curl -H $WEATHER_KEY x"), context)
    assert "WEATHER_KEY (weather)" in given.always_ask
    assert given.environment == {"WEATHER_KEY": "•••"}
    situation = Situation(
        "autonomous", desk.workspace, desk.workspace, desk.workspace, "here", sandboxed=True
    )
    assert decide("exec", harmless, situation).verdict is Verdict.ALLOW
    assert decide("exec", given, situation).verdict is Verdict.ASK
