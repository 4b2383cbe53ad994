"""The way to a server that is a command: a child behind a guard, and lines of JSON both ways.

Not the SDK's own: that one takes lines of any length, piece by piece on the event loop, and does not tell
that the child has ended. On Windows it is, for its job objects.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
import threading
from asyncio.subprocess import SubprocessStreamProtocol
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from desktop.errors import AppError
from desktop.paths import self_command
from desktop.tasks import cancel, end_child, in_thread, see_through, spawn
from desktop.text import _
from desktop.tools.mcp.drain import LARGEST as LARGEST_LOG
from desktop.tools.mcp.drain import drain
from desktop.tools.mcp.environment import Ready
from desktop.tools.mcp.failures import Misconfigured, said
from desktop.tools.mcp.guard import HIDDEN_ARGUMENT
from desktop.tools.mcp.link import LARGEST, too_large

_CHUNK = 1 << 18
_IN_THREAD = 100_000
"""Bytes from which on a message is not parsed on the event loop."""
_MOST_NOISE = 2_000
_MOST_NOISE_BYTES = 4 * 1024 * 1024
_NOISE_ALONE_SECONDS = 10.0
_LAST_WORDS_SECONDS = 0.3
_MOST_IN_A_SECOND = 300
_REST = 0.005
_CLOSED_SECONDS = 0.5
_ASKED_SECONDS = 5.0
"""Longer than the guard takes to end all below it."""
_REAPED_SECONDS = 10.0


class _Child(SubprocessStreamProtocol):
    """The guard, and through it the server's stdin and stdout."""

    def __init__(self) -> None:
        super().__init__(limit=_CHUNK, loop=asyncio.get_running_loop())
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


class Stdio:
    """A Link to a command."""

    def __init__(self, ready: Ready, log: Path, bell: asyncio.Event) -> None:
        self._ready, self._log, self._bell = ready, log, bell
        self.lost = False
        self.failure: AppError | None = None
        self._noise, self._noise_bytes, self._first_noise = 0, 0, ""
        self._second, self._heard = 0.0, 0
        """When a second began, and the messages since."""
        self._spoke = False
        """It sent a message."""
        self._giving_up: asyncio.TimerHandle | None = None
        self._reading: asyncio.Task[None] | None = None
        self._child: tuple[asyncio.SubprocessTransport, _Child] | None = None

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Any]:
        """Start the command. Raises OSError."""
        if sys.platform == "win32":
            async with _windows(self) as streams:
                yield streams
            return
        import anyio

        to_us, read = anyio.create_memory_object_stream[Any](0)
        write, from_us = anyio.create_memory_object_stream[Any](0)
        tasks: list[asyncio.Task[None]] = []
        try:
            await self._begin()
            tasks.append(spawn(self._watch(to_us), name="mcp:read"))
            tasks.append(spawn(self._send(from_us), name="mcp:write"))
            yield read, write
        finally:
            for stream in (read, write, from_us):
                stream.close()
            try:
                await see_through(self._end(), name="mcp:end")
                await cancel(*tasks)
            finally:
                to_us.close()

    def made_up(self, error: Any) -> bool:
        """None is: only the server writes here."""
        return False

    async def _begin(self) -> None:
        stderr = await in_thread(self.open_log)
        try:
            failed = await see_through(self._start(stderr), name="mcp:start")
        finally:
            os.close(stderr)
        if failed:
            raise failed

    async def _start(self, stderr: int) -> OSError | ValueError | None:
        """Start it. What goes wrong is returned: it is for the one who waits, not for the log."""
        ready = self._ready
        argv = self_command(HIDDEN_ARGUMENT, str(os.getpid()), ready.command, *ready.args)
        if not getattr(sys, "frozen", False):
            argv.insert(1, "-E")  # PYTHON... variables are the server's, not the guard's
        try:
            self._child = await asyncio.get_running_loop().subprocess_exec(
                _Child,
                *argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=stderr,
                env=ready.env,
                cwd=ready.cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return error
        return None

    def open_log(self) -> int:
        """The file that takes the server's stderr; begun anew where it has grown large (blocking)."""
        self._log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        handle = os.open(self._log, flags, 0o600)
        trim(handle)
        return handle

    async def _watch(self, to_us: Any) -> None:
        """Hand on what the server says until it ends; then tell."""
        assert self._child
        transport, child = self._child
        reading = self._reading = spawn(self._receive(child, to_us), name="mcp:receive")
        exited = spawn(child.exited.wait(), name="mcp:exit")
        try:
            await asyncio.wait({reading, exited}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({reading}, timeout=_LAST_WORDS_SECONDS)  # what it said before it ended
            if self.failure is None and not reading.done():
                self.failure = self.ended(transport.get_returncode())
            elif self.failure is None:
                await asyncio.wait({exited}, timeout=_LAST_WORDS_SECONDS)
                self.failure = self.ended(transport.get_returncode())
        finally:
            await cancel(reading, exited)
            self.lose()
            to_us.close()

    def lose(self) -> None:
        """It broke."""
        self.lost = True
        self._bell.set()

    async def _receive(self, child: _Child, to_us: Any) -> None:
        assert child.stdout
        pieces: list[bytes] = []
        size = 0
        while data := await child.stdout.read(_CHUNK):
            *lines, rest = data.split(b"\n")
            for line in lines:
                whole = b"".join([*pieces, line])
                pieces, size = [], 0
                if whole.strip() and not await self._deliver(whole, to_us):
                    return
            pieces.append(rest)
            size += len(rest)
            if size > LARGEST:
                self.failure = too_large()
                return

    async def _deliver(self, line: bytes, to_us: Any) -> bool:
        """Hand on one message; False if no more is to be taken."""
        import anyio
        from mcp.shared.message import SessionMessage

        try:
            if len(line) > LARGEST:
                self.failure = too_large()
                return False
            if not line.lstrip().startswith(b"{"):
                return self._hears_noise(line)
            if len(line) > _IN_THREAD:
                message = await in_thread(_parsed, line)
            else:
                message = _parsed(line)
        except (ValueError, RecursionError):
            return self._hears_noise(line)
        self._spoke = True
        await self._pace()
        try:
            await to_us.send(SessionMessage(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return False
        return True

    async def _pace(self) -> None:
        """The loop has other things to do as well than to hear a server that talks without end."""
        now = asyncio.get_running_loop().time()
        if now - self._second >= 1.0:
            self._second, self._heard = now, 0
        self._heard += 1
        if self._heard > _MOST_IN_A_SECOND:
            await asyncio.sleep(_REST)

    def _hears_noise(self, line: bytes) -> bool:
        """A line that is no message: many servers let one slip, some say nothing else."""
        if not (self._noise or self._spoke):
            later = asyncio.get_running_loop().call_later
            self._giving_up = later(_NOISE_ALONE_SECONDS, self._give_up)
        self._noise += 1
        self._noise_bytes += len(line)
        self._first_noise = self._first_noise or said(line[:400].decode("utf-8", "replace"))
        if self._noise > _MOST_NOISE or self._noise_bytes > _MOST_NOISE_BYTES:
            self.failure = self.noisy()
            return False
        return True

    def _give_up(self) -> None:
        """It said something that is no message, and nothing else since."""
        if not self._spoke and self._reading:
            self.failure = self.failure or self.noisy()
            self._reading.cancel()

    def noisy(self) -> AppError | None:
        """What it says instead of messages; None if it did not say such a thing."""
        if not self._noise:
            return None
        return AppError(
            _("The server printed something that is not an MCP message: {text}").format(
                text=self._first_noise
            ),
            _("Check the command. It may need another argument to communicate over standard output."),
        )

    def ended(self, code: int | None) -> AppError:
        """The server has ended by itself."""
        if noise := self.noisy():
            return noise
        if code == 127:
            return AppError(
                _("The server’s command could not be run."),
                _("See its log for the reason, and correct the command."),
            )
        if code is not None and code > 128:
            number = code - 128
            name = signal.Signals(number).name if number in {*signal.Signals} else str(number)
            return AppError(
                _("The server was ended by the signal {name}.").format(name=name),
                _("It restarts automatically. Its log may say more."),
            )
        return AppError(
            _("The server exited with code {code}.").format(code=_("unknown") if code is None else code),
            _("See its log for the reason."),
        )

    async def _send(self, from_us: Any) -> None:
        assert self._child
        stdin = self._child[1].stdin
        assert stdin
        with contextlib.suppress(OSError):
            async for item in from_us:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()
        stdin.close()

    async def _end(self) -> None:
        """End the command and all that it started: by the end of its input, then asked, then made to."""
        if self._giving_up:
            self._giving_up.cancel()
        if self._child is None:
            return
        transport, child = self._child
        if child.stdin:
            child.stdin.close()
        asked, made_to = partial(end_child, transport, politely=True), partial(end_child, transport)
        for step, seconds in ((None, _CLOSED_SECONDS), (asked, _ASKED_SECONDS), (made_to, 1.0)):
            if child.exited.is_set():
                break
            if step:
                step()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await child.exited.wait()
        if sys.platform != "win32" and transport.get_returncode() in (None, -signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(transport.get_pid(), signal.SIGKILL)  # the guard was killed before it could do so
        with contextlib.suppress(TimeoutError):  # to close what is not known to have ended reaps it unseen
            async with asyncio.timeout(_REAPED_SECONDS):
                await child.exited.wait()
        transport.close()


def _parsed(line: bytes) -> Any:
    """A message; half characters in it are replaced, for nobody could send them on. Raises ValueError,
    RecursionError."""
    from mcp_types import jsonrpc_message_adapter

    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        text = json.dumps(json.loads(line.decode("utf-8", "replace")), ensure_ascii=False)
        return jsonrpc_message_adapter.validate_json(text.encode("utf-8", "replace"), by_name=False)


def runnable(ready: Ready) -> Ready:
    """The same with the path of the command, which is there to be run (blocking). Raises Misconfigured."""
    if not ready.command:
        raise Misconfigured(_("The server has no command."), _("Enter the command that starts it."))
    if not ready.cwd.is_dir():
        raise Misconfigured(
            _("The server’s folder does not exist: {path}.").format(path=ready.cwd),
            _("Create it, or choose another one."),
        )
    if Path(ready.command).name != ready.command:
        found = shutil.which(ready.cwd / ready.command)
    else:
        found = shutil.which(ready.command, path=ready.env.get("PATH"))
    if found is None:
        raise Misconfigured(
            _("The program {command} was not found.").format(command=ready.command),
            _("Install it, or enter its full path. npx comes with Node.js, uvx with uv."),
        )
    return replace(ready, command=str(found))


def trim(handle: int, most: int = LARGEST_LOG) -> None:
    """Begin a log anew that has grown large; who writes at its end goes on at its beginning."""
    if os.fstat(handle).st_size > most:
        os.ftruncate(handle, 0)


def _drained(source: int, log: int) -> None:
    try:
        drain(source, log)
    finally:
        os.close(source)
        os.close(log)


@asynccontextmanager
async def _windows(link: Stdio) -> AsyncGenerator[Any]:
    """The SDK's transport, with an ear at it for its end."""
    import anyio
    from mcp.client.stdio import StdioServerParameters, stdio_client

    ready = link._ready  # noqa: SLF001
    parameters = StdioServerParameters(
        command=ready.command, args=list(ready.args), env=ready.env, cwd=ready.cwd
    )
    handle = await in_thread(link.open_log)
    source, sink = os.pipe()
    threading.Thread(target=_drained, args=(source, handle), daemon=True).start()
    with os.fdopen(sink, "w", encoding="utf-8") as log:  # to append means to seek, which no pipe can
        async with stdio_client(parameters, errlog=log) as (theirs, write):
            to_us, read = anyio.create_memory_object_stream[Any](0)

            async def hand_on() -> None:
                with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    async for item in theirs:
                        await to_us.send(item)
                link.failure = link.failure or link.ended(None)
                link.lose()
                to_us.close()

            task = spawn(hand_on(), name="mcp:read")
            try:
                yield read, write
            finally:
                await cancel(task)
                to_us.close()
                read.close()
