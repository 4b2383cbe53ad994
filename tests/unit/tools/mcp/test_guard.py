"""The guard: a server's command, with all that it started, ends with the program and with itself."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from desktop.paths import self_command
from desktop.tools.mcp.guard import HIDDEN_ARGUMENT

FAMILY = """
import os, subprocess, sys, time
stray = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(os.getpid(), stray.pid, flush=True)
time.sleep(600)
"""


def command(*words: str, program: int = 0) -> list[str]:
    return self_command(HIDDEN_ARGUMENT, str(program or os.getpid()), *words)


async def gone(*pids: int) -> None:
    async with asyncio.timeout(60):
        while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in pids):
            await asyncio.sleep(0.01)


def test_bytes_and_exit_code_pass_as_they_are() -> None:
    done = subprocess.run(
        command("sh", "-c", "cat; echo oops >&2; exit 5"),
        input=b"\x00one\ntwo",
        capture_output=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == (b"\x00one\ntwo", b"oops\n", 5)


def test_a_command_that_cannot_run_says_so() -> None:
    done = subprocess.run(command("/no/such/command"), capture_output=True, check=False, input=b"")
    assert done.returncode == 127
    assert b"/no/such/command: No such file" in done.stderr


def test_it_costs_next_to_nothing() -> None:
    done = subprocess.run(
        [*command("true")[:1], "-X", "importtime", *command("true")[1:]],
        capture_output=True,
        check=True,
        input=b"",
    )
    names = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert not {"subprocess", "asyncio", "pydantic", "logging", "threading", "desktop.config"} & names


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_a_guard_that_is_ended_takes_the_command_along(how: signal.Signals) -> None:
    guard = subprocess.Popen(
        command(sys.executable, "-c", FAMILY),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert guard.stdin
    assert guard.stdout
    server, stray = map(int, guard.stdout.readline().split())
    try:
        guard.send_signal(how)
        guard.wait(5)
        await gone(server, *([stray] if how is signal.SIGTERM else []))
    finally:
        if psutil.pid_exists(stray):
            os.kill(stray, signal.SIGKILL)
        guard.stdin.close()
        guard.stdout.close()


async def test_kill_9_of_the_program_leaves_nothing(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os, subprocess, sys, time\n"
        f"argv = {command(program=1)[:-1]!r} + [str(os.getpid()), sys.executable, '-c', {FAMILY!r}]\n"
        "subprocess.Popen(argv, stdin=subprocess.PIPE, start_new_session=True)\n"
        "time.sleep(600)\n"
    )
    running = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE)
    assert running.stdout
    server, stray = map(int, running.stdout.readline().split())
    guard = psutil.Process(server).ppid()
    running.kill()
    running.wait()
    running.stdout.close()
    await gone(guard, server, stray)


def test_a_program_that_is_gone_already_starts_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    done = subprocess.run(command("touch", str(mark), program=1), input=b"", check=False)
    assert done.returncode != 0
    assert not mark.exists()
