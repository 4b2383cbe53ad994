"""The network of a command: the internet without this computer. Needs bubblewrap, pasta and slirp4netns."""

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from desktop.config.tools import ExecTool
from desktop.tools.exec.network import PASTA, SLIRP, has_route, scopes
from desktop.tools.exec.sandbox import find, private_network, state, works
from tests.unit.tools.exec.conftest import Desk

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(not has_route(), reason="this computer has no network to give to a command"),
]
TRY = 'for a in {addresses}; do timeout 2 bash -c ": <>/dev/tcp/$a/{port}" 2>&- && echo at $a; done'
WAY_OUT = "grep -c 00000000 /proc/net/route"


def only(folder: Path, *programs: str) -> str:
    """A PATH with these programs and the usual small ones."""
    folder.mkdir()
    for name in ("bash", "sh", "true", *programs):
        if place := shutil.which(name):
            (folder / name).symlink_to(place)
    return str(folder)


@pytest.fixture
def boxed(desk: Desk) -> Desk:
    if not works(find()):
        pytest.skip("bubblewrap cannot make namespaces on this system")
    desk.settings["sandbox"] = "auto"
    desk.context["network"] = True
    return desk


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """A service of this computer, at all of its addresses."""

    def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(hang_up, "0.0.0.0", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(("192.0.2.77", 9))  # sends nothing
        return str(one.getsockname()[0])


@pytest.mark.parametrize("tool", [PASTA, SLIRP])
async def test_this_computer_is_not_in_a_granted_network(
    boxed: Desk, port: int, tool: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    monkeypatch.setenv("PATH", only(tmp_path / "bin", tool, "bwrap"))
    assert private_network().endswith(tool), "it is installed, but does not work here"
    addresses = f"127.0.0.1 {own_address()} 10.0.2.2 169.254.1.1"
    text = await boxed.run(f"{TRY.format(addresses=addresses, port=port)}; {WAY_OUT}; umask", network=True)
    assert f"at {own_address()}" not in text
    assert "at 127.0.0.1" not in text
    lines = text.splitlines()
    assert int(lines[-3]) >= 1, text
    assert "exit code 0" in text
    assert await abstract(boxed, tmp_path) == "refused"


async def test_without_these_programs_it_can_be_reached_but_not_the_screen(
    boxed: Desk, port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", only(tmp_path / "bin", "bwrap"))
    assert private_network() == ""
    text = await boxed.run(TRY.format(addresses="127.0.0.1", port=port), network=True)
    assert "at 127.0.0.1" in text
    assert await abstract(boxed, tmp_path) == ("refused" if scopes() else "there")
    _works, sentence = state(ExecTool())
    assert "programs on this computer" in sentence


async def abstract(boxed: Desk, tmp_path: Path) -> str:
    """Whether a command reaches an abstract socket of somebody else, as that of a screen is."""
    name = f"nanobot-test-{os.getpid()}-{tmp_path.name}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        code = (
            "import socket; s = socket.socket(socket.AF_UNIX)\n"
            f"try: s.connect(chr(0) + '{name}'); print('there')\n"
            "except OSError: print('refused')"
        )
        text = await boxed.run(f"/usr/bin/python3 - <<'END'\n{code}\nEND", network=True)
    return text.splitlines()[0]


async def test_a_command_with_network_ends_with_all_it_started(boxed: Desk) -> None:
    assert "exit code 124" in await boxed.run(f"{boxed.sleep}", network=True, timeout=3)
    assert "exit code 7" in await boxed.run("exit 7", network=True)
    assert "exit code 137" in await boxed.run("kill -9 $$", network=True)
