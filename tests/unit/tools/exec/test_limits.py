"""How much a command may take, with the sandbox and without."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from desktop.tools.exec.sandbox import find, works
from tests.unit.tools.exec.conftest import Desk

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(sys.platform != "linux", reason="other kernels have other limits"),
]
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else "python3"


@pytest.fixture(params=["auto", "off"])
def boxed(desk: Desk, request: pytest.FixtureRequest) -> Desk:
    if request.param == "auto" and not works(find()):
        pytest.skip("bubblewrap cannot make namespaces on this system")
    desk.settings["sandbox"] = request.param
    return desk


async def test_memory(boxed: Desk) -> None:
    boxed.settings["max_memory"] = 200
    text = await boxed.run(f"{PYTHON} -c 'x = bytearray(400 * 2**20)'")
    assert "a command can use 200 MB of memory at most" in text
    assert "exit code 0" in await boxed.run(f"{PYTHON} -c 'x = bytearray(50 * 2**20)'")
    boxed.settings["max_memory"] = 0
    assert "exit code 0" in await boxed.run(f"{PYTHON} -c 'x = bytearray(400 * 2**20)'")


async def test_the_size_of_a_file(boxed: Desk) -> None:
    boxed.settings["max_file_size"] = 2
    text = await boxed.run(
        "head -c 3000000 /dev/zero > large; ulimit -f unlimited 2>/dev/null && echo raised"
    )
    assert "a file of a command can have 2 MB at most" in await boxed.run(
        "head -c 3000000 /dev/zero > large"
    )
    assert (boxed.workspace / "large").stat().st_size == 2 * 2**20
    if os.getuid() != 0 or boxed.settings["sandbox"] == "auto":
        assert "raised" not in text
    assert "exit code 0" in await boxed.run("head -c 2000000 /dev/zero > small")
    boxed.settings["max_file_size"] = 0
    assert "exit code 0" in await boxed.run("head -c 3000000 /dev/zero > large")


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="the kernel does not count root's")
async def test_processes_are_counted_in_the_sandbox_alone(desk: Desk) -> None:
    if not works(find()):
        pytest.skip("bubblewrap cannot make namespaces on this system")
    desk.settings |= {"sandbox": "auto", "max_processes": 20}
    begin = "from threading import Timer; [Timer(1, print).start() for _ in range({n})]"
    text = await desk.run(f"{PYTHON} -c '{begin.format(n=40)}'")
    assert "a command can have 20 processes and threads at most" in text
    assert "exit code 0" in await desk.run(f"{PYTHON} -c '{begin.format(n=10)}'")
    desk.settings["max_processes"] = 0
    assert "exit code 0" in await desk.run(f"{PYTHON} -c '{begin.format(n=40)}'")


async def test_a_scope_of_systemd_counts_all_of_a_command_together(desk: Desk) -> None:
    if not shutil.which("systemd-run") or not Path("/run/systemd/system").is_dir():
        pytest.skip("systemd does not run here")
    desk.settings["max_memory"] = 200
    half = f"{PYTHON} -c 'import time; x = bytearray(150 * 2**20); time.sleep(5)'"
    assert "200 MB of memory" in await desk.run(f"{half} & {half}; wait $! || exit 137")
    assert "XDG_RUNTIME_DIR" not in await desk.run("env")
