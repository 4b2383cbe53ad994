"""A child process of the program's own that speaks in frames: the model host, the part that has WhatsApp.

It leaves by itself when its stdin ends, so it is gone with the program however that dies. What it needs to
know goes over its pipe: its environment is ours without anything that looks like a key.
"""

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from desktop import frames
from desktop.tasks import end_child

if sys.platform != "win32":
    import fcntl

_STOP_SECONDS = 0.7
_SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "SECRET", "PASSWORD", "_ACCESS_KEY")
_SDK_PREFIXES = ("OPENAI_", "LITELLM_", "ANTHROPIC_")
_log = logging.getLogger(__name__)


class Child(asyncio.SubprocessProtocol):
    """The running child: what it writes becomes frames and log lines."""

    def __init__(
        self,
        name: str,
        receive: Callable[[Mapping[str, Any]], None],
        lost: Callable[["Child"], None],
        level: int = logging.WARNING,
    ) -> None:
        """`name` is for the log, as is the level of what it says on stderr; `lost` is told when nothing
        more comes of it."""
        self._name, self._receive, self._lost, self._level = name, receive, lost, level
        self._splitter = frames.Splitter()
        self._gone = asyncio.Event()
        self.over = False
        """Whether nothing more comes of it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        stdin = transport.get_pipe_transport(0)
        assert isinstance(stdin, asyncio.WriteTransport)
        self._stdin = stdin
        if sys.platform == "linux":  # a long conversation in one go: through 64 kB it takes 6 ms more
            with contextlib.suppress(OSError, ValueError):  # ValueError: it was stopped at once
                fcntl.fcntl(stdin.get_extra_info("pipe"), fcntl.F_SETPIPE_SZ, 1 << 20)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            for frame in self._splitter.feed(data):
                self._receive(frame)
        else:
            for line in filter(str.strip, data.decode(errors="replace").splitlines()):
                _log.log(self._level, "%s: %s", self._name, line)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self.over = True
            self._lost(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport.close()
        self._gone.set()

    @property
    def pid(self) -> int:
        return self._transport.get_pid()

    def write(self, *payloads: bytes) -> None:
        """Send; what is written to a process that is gone is lost, and `lost` is told."""
        if not self._stdin.is_closing():
            for payload in payloads:  # joined they would be copied once more
                self._stdin.write(payload)

    def kill(self) -> None:
        """End it at once."""
        end_child(self._transport)

    async def end(self) -> None:
        """Close its stdin, which ends it, and wait; kill it if it does not go."""
        self._stdin.close()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await self._gone.wait()
        except TimeoutError:
            self.kill()
            await self._gone.wait()


async def start[C: Child](make: Callable[[], C], command: Sequence[str]) -> C:
    """Run a command as such a child. Raises OSError."""
    apart: dict[str, Any] = {"start_new_session": True}  # Ctrl+C is for the program, not for its child
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    loop = asyncio.get_running_loop()
    _transport, child = await loop.subprocess_exec(make, *command, env=environment(), **apart)
    return child


def environment() -> dict[str, str]:
    """Ours, without keys."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.upper().endswith(_SECRET_ENDINGS) and not name.upper().startswith(_SDK_PREFIXES)
    }
