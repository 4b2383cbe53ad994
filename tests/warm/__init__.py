"""Model hosts, programs and MCP servers with their libraries loaded, for tests that are not of starts.

Loading openai is most of a second of work, as are our own modules and the MCP SDK, each time anew. Here one
loads them and forks what is wanted: the program's own code, in a process of its own that knows nothing of
the one before. `host` is for cores in a test's own process, tests/warm/program.py is for whole programs.
How a host starts, ends and dies is tested with the real one, in tests/unit/providers and in the stories.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.providers.host_process import ModelHost

_HERE = Path(__file__).parent
_sockets: dict[str, Path] = {}
"""Of the processes that fork hosts and servers, while there are any."""


@contextmanager
def forking(what: str, *arguments: str) -> Iterator[Path]:
    """A process that forks hosts or programs; where it listens."""
    root = str(_HERE.parents[1])
    with (
        tempfile.TemporaryDirectory(prefix="warm-") as folder,
        subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.warm", what, f"{folder}/socket", *arguments],
            cwd=root,
            env=os.environ | {"PYTHONPATH": root},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield Path(folder) / "socket"
        process.stdin.close()


@pytest.fixture(autouse=True, scope="session")
def warm() -> Iterator[None]:
    """Have hosts forked from here on; for a conftest of a folder whose tests ask models."""
    with _from_here_on("host"):
        yield


@pytest.fixture(autouse=True, scope="session")
def warm_mcp() -> Iterator[None]:
    """The same for MCP servers; for a conftest of a folder whose tests start many."""
    with _from_here_on("mcp"):
        yield


@contextmanager
def _from_here_on(what: str) -> Iterator[None]:
    if sys.platform != "linux" or what in _sockets:
        yield
        return
    with forking(what) as path:
        _sockets[what] = path
        yield
        del _sockets[what]


def _stub(what: str) -> list[str] | None:
    if what not in _sockets:
        return None
    return [sys.executable, "-I", "-S", str(_HERE / "stub.py"), str(_sockets[what])]


def host_command() -> list[str] | None:
    """What starts a model host that is loaded already; None where the folder's conftest has no `warm`."""
    return _stub("host")


def host(bus: Bus | None = None) -> ModelHost:
    """A model host; loaded already where the folder's conftest has `warm`."""
    return ModelHost(bus, command=host_command())


def mcp_command(script: Path | str, *arguments: str) -> list[str]:
    """What starts an MCP server of tests/servers/mcp; the SDK is loaded already where the folder's conftest
    has `warm_mcp`. What such a server starts is no descendant of whoever started it."""
    return [*(_stub("mcp") or [sys.executable]), str(script), *arguments]
