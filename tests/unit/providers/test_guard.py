"""A foreign program ends with ours, however ours ends."""

import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

GUARD = [sys.executable, "-c", "import sys; from desktop.providers.guard import main; main(sys.argv[1:])"]
TREE = """
import os, subprocess, sys
import signal
signal.signal(signal.SIGTERM, signal.{answer})
code = "signal.signal(signal.SIGTERM, signal.{child}); print('up', flush=True); signal.pause()"
subprocess.Popen([sys.executable, "-c", "import signal; " + code])
signal.pause()
"""


def guarded(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*GUARD, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture(
    params=[("SIG_DFL", "SIG_DFL"), ("SIG_IGN", "SIG_DFL"), ("SIG_DFL", "SIG_IGN")],
    ids=["polite", "stubborn", "stubborn child"],
)
def guard(request: pytest.FixtureRequest) -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    """A guard over a program with a child of its own; one of them may ignore SIGTERM."""
    answer, child = request.param
    with guarded(sys.executable, "-c", TREE.format(answer=answer, child=child)) as process:
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        yield process, psutil.Process(process.pid).children(recursive=True)
        process.kill()


def gone(processes: list[psutil.Process]) -> bool:
    assert len(processes) == 2
    return not psutil.wait_procs(processes, timeout=8)[1]


def test_the_end_of_its_stdin_ends_the_tree(
    guard: tuple[subprocess.Popen[str], list[psutil.Process]],
) -> None:
    process, tree = guard
    assert process.stdin
    process.stdin.close()
    assert gone(tree)
    process.wait(5)


def test_asked_to_end_it_ends_the_tree(guard: tuple[subprocess.Popen[str], list[psutil.Process]]) -> None:
    process, tree = guard
    process.terminate()
    assert gone(tree)
    process.wait(5)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_killed_it_takes_the_program_along() -> None:
    with guarded(sys.executable, "-c", "import signal; print('up', flush=True); signal.pause()") as process:
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        children = psutil.Process(process.pid).children()
        process.kill()
        assert not psutil.wait_procs(children, timeout=5)[1]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ((sys.executable, "-c", "raise SystemExit(7)"), 7),
        ((sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"), 137),
        (("/no/such/program",), 127),
    ],
)
def test_the_exit_code_is_passed_on(command: tuple[str, ...], code: int) -> None:
    with guarded(*command) as process:
        assert process.wait(10) == code
