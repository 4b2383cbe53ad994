"""Runs one command to its end, its time limit or its cancellation; afterwards nothing of it runs."""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.paths import persons_umask
from desktop.tasks import in_daemon, see_through
from desktop.tools.exec.output import Output
from desktop.tools.exec.tree import MARK, Tree, new_mark

if sys.platform == "linux":
    import fcntl
    import resource

_GRACE = 0.2
"""How long what the shell left behind has to go by itself."""
_DRAIN_SECONDS = 1.0
_REAPED_SECONDS = 10.0
_LOUD = 1 << 22
_REST = 0.001


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    output: str
    timed_out: bool
    left: int
    """How many processes it left in the background, which were ended."""


class _Command(asyncio.SubprocessProtocol):
    """The running command: what it prints, and when it is over."""

    transport: asyncio.SubprocessTransport | None = None
    tree: Tree

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self.output = Output()
        self.exited, self.drained, self.gone = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self.transport = transport
        self.tree = Tree(transport.get_pid(), self._mark)
        if sys.platform == "linux":
            with contextlib.suppress(OSError, ValueError):  # it ended already
                resource.prlimit(transport.get_pid(), resource.RLIMIT_CORE, (0, 0))
                pipe = transport.get_pipe_transport(1)
                assert pipe is not None
                fcntl.fcntl(pipe.get_extra_info("pipe"), fcntl.F_SETPIPE_SZ, 1 << 20)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.output.feed(data)
        if self.output.size > _LOUD and self.transport is not None:
            pipe = self.transport.get_pipe_transport(fd)
            if isinstance(pipe, asyncio.ReadTransport):  # the loop has other things to do as well
                pipe.pause_reading()
                asyncio.get_running_loop().call_later(_REST, _resume, pipe)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.drained.set()

    def process_exited(self) -> None:
        self.exited.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()


def _resume(pipe: asyncio.ReadTransport) -> None:
    if not pipe.is_closing():
        pipe.resume_reading()


async def run(
    argv: Sequence[str], *, cwd: Path | None, environment: Mapping[str, str], seconds: float
) -> Ended:
    """Run a program with nothing on its stdin. Raises OSError, ValueError when it cannot start."""
    mark = new_mark()
    command = _Command(mark)
    timed_out, left = False, 0
    try:
        start = _start(command, argv, cwd, {**environment, MARK: mark})
        if error := await see_through(start, name="start of a command"):
            raise error
        async with asyncio.timeout(seconds):
            await command.exited.wait()
    except TimeoutError:
        timed_out = True
    finally:
        if command.transport is not None:
            left = await see_through(_end(command, command.transport), name="end of a command")
    assert command.transport is not None
    code = command.transport.get_returncode()
    return Ended(-1 if code is None else code, command.output.text(), timed_out, left)


async def _start(
    command: _Command, argv: Sequence[str], cwd: Path | None, environment: Mapping[str, str]
) -> OSError | ValueError | None:
    """Start it. What goes wrong is returned: it is for the one who waits, not for the log."""
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    try:
        await asyncio.get_running_loop().subprocess_exec(
            lambda: command,
            *argv,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=environment,
            umask=persons_umask(),
            **apart,
        )
    except (OSError, ValueError) as error:
        return error
    return None


async def _end(command: _Command, transport: asyncio.SubprocessTransport) -> int:
    """End what still runs, take what it printed, close. Returns how many were left in the background."""
    grace = _GRACE if command.exited.is_set() else 0.0
    left = await in_daemon(command.tree.end, grace, seconds=None)
    for event in (command.exited, command.drained, command.gone):
        if event is command.gone:
            transport.close()
        with contextlib.suppress(TimeoutError):  # something escaped and holds the pipe
            # To close what is not known to have ended would reap it unseen: that may take a while here.
            async with asyncio.timeout(_REAPED_SECONDS if event is command.exited else _DRAIN_SECONDS):
                await event.wait()
    return left if grace else 0
