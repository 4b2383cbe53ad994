"""What the skill tmux tells the model to do works in the sandbox, and nothing of it outlives its call."""

import re
import subprocess
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from desktop.paths import resource
from desktop.tools.exec.environment import Environment
from desktop.tools.exec.sandbox import find, works
from desktop.tools.exec.walls import walls
from tests.unit.tools.exec.conftest import SOURCE, Desk, command_line

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(not (find() and works(find())), reason="bubblewrap is not here"),
]

SKILL = resource("skills", "tmux", "SKILL.md").read_text("utf-8")


def blocks() -> list[str]:
    """The commands that the skill shows, block by block."""
    return [textwrap.dedent(block) for block in re.findall(r"(?:^ {4}.+\n)+", SKILL, re.MULTILINE)]


@pytest.fixture
def boxed(desk: Desk, tmp_path: Path) -> Iterator[Desk]:
    desk.settings = {"sandbox": "auto"}
    desk.environment = Environment(SOURCE | {"SHELL": "/bin/bash"})
    desk.walls = lambda settings: walls(tmp_path / "home", desk.workspace, settings)
    yield desk
    left = [line for p in psutil.process_iter() if str(desk.workspace) in (line := command_line(p))]
    assert not left, f"still running: {left}"


async def test_a_session_of_its_own_in_one_call(boxed: Desk) -> None:
    own = next(block for block in blocks() if "python3 -q" in block)
    told = await boxed.run(own, timeout=120)
    assert ">>> print(6*7)\n42\n" in told
    assert told.endswith("exit code 0")


async def test_a_server_ends_with_its_call_as_the_skill_says(boxed: Desk) -> None:
    assert "when an `exec` call ends, all that it started ends, also a tmux server" in " ".join(
        SKILL.split()
    )
    start = 'tmux -S "$PWD/.tmux.sock" -f /dev/null new-session -d -s job; '
    assert "job" in await boxed.run(start + 'tmux -S "$PWD/.tmux.sock" list-sessions')
    assert "exit code 0" not in await boxed.run('tmux -S "$PWD/.tmux.sock" list-sessions')
    assert "job" in await boxed.run(start + 'tmux -S "$PWD/.tmux.sock" list-sessions'), (
        "and one can begin anew"
    )


async def test_a_session_that_the_person_shares(boxed: Desk) -> None:
    shared = boxed.workspace / "shared.sock"
    look, read = next(block for block in blocks() if "list-panes -a" in block).splitlines()
    subprocess.run(
        ["tmux", "-S", str(shared), "-f", "/dev/null", "new-session", "-d", "-s", "shared", "cat"],
        check=True,
    )
    try:
        assert "shared:0.0 cat" in await boxed.run(look.replace("WORKSPACE", str(boxed.workspace)))
        assert "exit code 0" in await boxed.run(read.replace("WORKSPACE", str(boxed.workspace)))
        boxed.context = {"guarded": True}
        assert "exit code 0" not in await boxed.run(look.replace("WORKSPACE", str(boxed.workspace)))
    finally:
        tmux = ["tmux", "-S", str(shared)]
        told = subprocess.run([*tmux, "display-message", "-p", "#{pid}"], check=True, capture_output=True)
        subprocess.run([*tmux, "kill-server"], check=True)
        with suppress(psutil.NoSuchProcess):
            psutil.Process(int(told.stdout)).wait(20)  # it goes a moment after it was told
