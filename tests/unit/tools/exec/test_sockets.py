"""A socket in the workspace on which something outside the sandbox listens, such as a tmux server that the
person shares: through it a command would leave the sandbox. Needs bubblewrap."""

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.tools.exec.sandbox import find, works
from desktop.tools.exec.walls import walls
from tests.unit.tools.exec.conftest import Desk

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(not (find() and works(find())), reason="bubblewrap is not here"),
]

CONNECT = (
    '/usr/bin/python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect({!r}); '
    "print('connected')\""
)


@pytest.fixture
def boxed(desk: Desk, tmp_path: Path) -> Desk:
    desk.settings = {"sandbox": "auto"}
    desk.walls = lambda settings: walls(tmp_path / "home", desk.workspace, settings)
    return desk


@contextlib.contextmanager
def listening(path: Path, *, whole: bool = False) -> Iterator[None]:
    """Something outside. `whole`: it was bound by its whole path, else by its name alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path.parent)
        try:
            server.bind(str(path) if whole else path.name)
        finally:
            os.chdir(here)
        server.listen(9)
        yield


@pytest.mark.parametrize("name", ["shared.sock", "deep/er/shared.sock", "granted"])
async def test_a_command_that_nobody_was_asked_about_cannot_leave_through_it(
    boxed: Desk, tmp_path: Path, name: str
) -> None:
    path = boxed.workspace / name
    boxed.context = {"guarded": True}
    if name == "granted":
        path = tmp_path / "opened/shared.sock"
        boxed.context["readable"] = (path.parent,)
    with listening(path):
        told = await boxed.run(CONNECT.format(str(path)))
        assert "connected" not in told
        assert "Refused" in told
        boxed.context |= {"guarded": False}
        assert "connected" in await boxed.run(CONNECT.format(str(path))), "the person was asked about that"


async def test_one_that_a_command_left_behind_is_in_nobodys_way(boxed: Desk) -> None:
    boxed.context = {"guarded": True}
    again = CONNECT.replace("s.connect({!r})", "s.bind({!r})").format("mine.sock")
    assert "connected" in await boxed.run(again)
    assert "connected" in await boxed.run(f"rm mine.sock; {again}")


async def test_many_files_do_not_hide_it(boxed: Desk) -> None:
    boxed.context = {"guarded": True}
    for number in range(50):
        (boxed.workspace / f"a{number}").mkdir()
        for inner in range(1_100):
            (boxed.workspace / f"a{number}/{inner}").touch()
    with listening(path := boxed.workspace / "a7/in/shared.sock", whole=True):
        assert "connected" not in await boxed.run(CONNECT.format(str(path)))
