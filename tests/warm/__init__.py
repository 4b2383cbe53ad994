"""A model host that has its libraries loaded, for tests that are not about its start.

Loading openai is most of a second of work, in each test anew. Here one process loads it and forks a host
for each that is wanted: the program's own, in a process of its own that knows nothing of the one before.
What the program starts is tests/warm/stub.py, which hands its pipes over and lives as long as that host.
How a host starts, ends and dies is tested with the real one, in tests/unit/providers and in the stories.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.providers.host_process import ModelHost

_HERE = Path(__file__).parent
_sockets: list[Path] = []
"""Of the process that forks hosts, while there is one."""


@pytest.fixture(autouse=True, scope="session")
def warm() -> Iterator[None]:
    """Have hosts forked from here on; for a conftest of a folder whose tests ask models."""
    if sys.platform != "linux" or _sockets:
        yield
        return
    with (
        tempfile.TemporaryDirectory(prefix="warm-") as folder,
        subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.warm", f"{folder}/socket"],
            cwd=_HERE.parents[1],
            env={"PYTHONPATH": str(_HERE.parents[1])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        _sockets.append(Path(folder) / "socket")
        yield
        _sockets.clear()
        process.stdin.close()


def host(bus: Bus | None = None) -> ModelHost:
    """A model host; loaded already where the folder's conftest has `warm`."""
    if not _sockets:
        return ModelHost(bus)
    return ModelHost(bus, command=[sys.executable, "-I", "-S", str(_HERE / "stub.py"), str(_sockets[0])])
