"""The sandbox: what a command in it can read, write and reach. Needs bubblewrap."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from desktop.config.tools import ExecTool
from desktop.tools.base import ToolFailure
from desktop.tools.exec.sandbox import find, private_network, state, works
from desktop.tools.exec.view import Walls
from tests.unit.tools.exec.conftest import Desk

pytestmark = pytest.mark.machine


@pytest.fixture
def boxed(desk: Desk) -> Desk:
    if not works(find()):
        pytest.skip("bubblewrap cannot make namespaces on this system")
    desk.settings["sandbox"] = "auto"
    return desk


async def test_only_the_workspace_can_be_written_to(boxed: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    assert (await boxed.run("echo x > here && cat here")).startswith("x\n")
    assert "only the workspace" in await boxed.run("echo x > /usr/there", working_dir="/usr")
    with pytest.raises(ToolFailure, match="hidden in the sandbox"):
        await boxed.run("true", working_dir=str(outside))
    boxed.context["readable"] = (outside, tmp_path / "missing")
    assert "only the workspace" in await boxed.run("echo x > there", working_dir=str(outside))
    assert not (outside / "there").exists()
    boxed.context = {"writable": (outside, tmp_path / "missing")}
    assert "exit code 0" in await boxed.run("echo x > there", working_dir=str(outside))
    assert (outside / "there").exists()


async def test_fenced_places_are_empty_even_in_folders_that_were_granted(
    boxed: Desk, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    for name in ("keys/id", "keys/sub/id", "config.json"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("hush")
    (home / "link").symlink_to(home / "keys")
    boxed.walls = lambda _: Walls((home / "keys", home / "config.json", home / "missing"))
    boxed.context["writable"] = (home, home / "keys/sub")
    text = await boxed.run(
        "ls keys link/; cat config.json keys/id link/id keys/sub/id; echo x > keys/id",
        working_dir=str(home),
    )
    assert "hush" not in text
    assert "config.json: Permission denied" in text
    assert (home / "keys/id").read_text() == "hush"
    assert (home / "config.json").read_text() == "hush"


async def test_a_workspace_in_a_fenced_folder_is_there_alone(boxed: Desk, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("hush")
    (boxed.workspace / "sessions").mkdir()
    (boxed.workspace / "sessions/a.jsonl").write_text("kept")
    boxed.walls = lambda _: Walls((tmp_path,), (boxed.workspace / "sessions", boxed.workspace / "cron"))
    text = await boxed.run("ls ..; cat sessions/*; echo x > sessions/b; mv sessions old; echo y > new")
    assert text.startswith("workspace\nkept")
    assert "Read-only file system" in text
    assert (boxed.workspace / "new").exists()
    assert [p.name for p in (boxed.workspace / "sessions").iterdir()] == ["a.jsonl"]


async def test_there_is_no_network_unless_it_is_granted(boxed: Desk) -> None:
    connect = "exec 3<>/dev/tcp/127.0.0.1/{port} && echo there || echo 'no network'; exit 1"
    came = asyncio.Event()

    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        came.set()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, family=socket.AF_INET)
    async with server:
        command = connect.format(port=server.sockets[0].getsockname()[1])
        text = await boxed.run(command, network=True)
        assert "network=true" in text
        assert not came.is_set()
        boxed.context["network"] = True
        text = await boxed.run(command, network=True)
        assert "network=true" not in text
        if not private_network():
            assert "there" in text


async def test_sockets_of_the_desktop_session_are_out_of_reach(boxed: Desk) -> None:
    for folder in ("/tmp", "/run"):
        place = Path(folder) / f"nanobot-test-{os.getpid()}"
        with socket.socket(socket.AF_UNIX) as server:
            try:
                server.bind(str(place))
            except PermissionError:
                place = next(Path(folder).iterdir())  # an ordinary account makes nothing in /run
            try:
                assert "No such file" in await boxed.run(f"ls {place}")
            finally:
                if place.is_socket():
                    place.unlink()


async def test_privileges_cannot_be_used_to_look_behind(boxed: Desk, tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/id").write_text("hush")
    boxed.walls = lambda _: Walls((tmp_path / "keys",))
    boxed.context["writable"] = (tmp_path,)
    text = await boxed.run(f"umount {tmp_path}/keys; mount -o remount,rw /; cat {tmp_path}/keys/id")
    assert "hush" not in text


async def test_what_hides_from_its_parent_and_its_mark_ends_too(boxed: Desk) -> None:
    text = await boxed.run(
        f"env -i setsid sh -c '({boxed.sleep} &)' > /dev/null 2>&1 < /dev/null; echo done"
    )
    assert text.startswith("done\n")


async def test_a_command_out_of_time_is_ended_in_there(boxed: Desk) -> None:
    assert "exit code 124" in await boxed.run(
        f"trap '' TERM; setsid {boxed.sleep} & {boxed.sleep}", timeout=1
    )


def test_the_window_is_told_how_it_is() -> None:
    assert state(ExecTool())[0]
    off, sentence = state(ExecTool(sandbox="off"))
    assert not off
    assert "off" in sentence
    assert not works("/no/such/program")
