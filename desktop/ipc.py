"""Who owns a home, and how everybody else talks to the owner.

One process owns a home: it holds the lock beside the file `ipc` and answers on a loopback port. The
file, readable by its owner alone, holds the port and a random token; without the token a connection
is closed before a byte of it is interpreted. The lock goes with the process, however it dies.

A connection carries one request. After the token, one JSON object a line: {"verb", "arguments"}, then from
the owner any number of {"event": ...} lines and one {"result": ...} or {"failed": {"text", "remedy",
"kind"}}. A client that hangs up before that ends its request.
"""

import asyncio
import hmac
import json
import logging
import os
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.errors import AppError, explain, told
from desktop.logs import mask
from desktop.paths import Home
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import _

if TYPE_CHECKING:
    from filelock import FileLock

type Json = dict[str, Any]
type Send = Callable[[Json], None]
type Handler = Callable[[str, Json, Send], Awaitable[Json]]
"""Answers one request: verb, arguments, a way to send events; returns the result."""

_TOKEN_LENGTH = 43
_LINE_LIMIT = 64 * 2**20
_STRANGERS = 8
_log = logging.getLogger(__name__)


class Ownership:
    """The lock on a home. Released by release() or by the death of the process."""

    def __init__(self, lock: "FileLock") -> None:
        self._lock = lock

    @classmethod
    def take(cls, home: Home) -> "Ownership | None":
        """Become the owner, or None if another process is. Raises OSError for an unusable folder."""
        from filelock import FileLock, Timeout

        home.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = FileLock(home.ipc.with_suffix(".lock"), mode=0o600, thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return None
        return cls(lock)

    def release(self) -> None:
        """Let the next process own the home."""
        self._lock.release()


class Server:
    """The owner's ear: answers every client with one handler, each request in its own task."""

    def __init__(self, home: Home, handler: Handler) -> None:
        self._home, self._handler = home, handler
        self._token = secrets.token_urlsafe(32)
        self._server: asyncio.Server | None = None
        self._strangers = 0
        self._connections: dict[asyncio.StreamWriter, asyncio.Task[Any] | None] = {}
        self._answers: set[asyncio.Task[None]] = set()
        self._quiet = asyncio.Event()
        self._quiet.set()

    async def start(self) -> None:
        """Listen on a free loopback port and publish it. Raises OSError."""
        self._server = await asyncio.start_server(self._welcome, "127.0.0.1", 0, limit=_LINE_LIMIT)
        mask(self._token)
        port = self._server.sockets[0].getsockname()[1]
        _write_private(self._home.ipc, {"port": port, "token": self._token, "pid": os.getpid()})

    async def finish(self) -> None:
        """Withdraw the address and wait until the requests under way are answered."""
        if self._server is not None:
            await in_thread(self._home.ipc.unlink, missing_ok=True)
            self._server.close()
            await self._quiet.wait()

    async def stop(self) -> None:
        """Withdraw the address and hang up on everyone."""
        if self._server is not None:
            await in_thread(self._home.ipc.unlink, missing_ok=True)
            self._server.close()
            await cancel(*self._answers)
            connections = [task for task in self._connections.values() if task]
            for writer in self._connections:
                writer.transport.abort()
            await asyncio.gather(*connections)

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections[writer] = asyncio.current_task()
        try:
            if self._strangers < _STRANGERS and await self._knows_the_token(reader):
                await self._serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
            _log.debug("a client went away: %s", type(error).__name__)
        finally:
            del self._connections[writer]
            writer.close()

    async def _knows_the_token(self, reader: asyncio.StreamReader) -> bool:
        self._strangers += 1
        try:
            async with asyncio.timeout(5):
                given = await reader.readexactly(_TOKEN_LENGTH + 1)
        finally:
            self._strangers -= 1
        return hmac.compare_digest(given, self._token.encode() + b"\n")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = json.loads(await reader.readline())
        verb, arguments = str(request["verb"]), dict(request["arguments"])

        def send(line: Json) -> None:
            if not writer.is_closing():
                writer.write(json.dumps(line).encode() + b"\n")

        answer = spawn(self._answer(verb, arguments, send), name=f"ipc:{verb}")
        hung_up = spawn(reader.read(1), name="ipc:hung-up")
        self._answers.add(answer)
        self._quiet.clear()
        try:
            await asyncio.wait({answer, hung_up}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancel(answer, hung_up)
            self._answers.discard(answer)
            if not self._answers:
                self._quiet.set()
        await writer.drain()

    async def _answer(self, verb: str, arguments: Json, send: Send) -> None:
        try:
            send({"result": await self._handler(verb, arguments, send)})
        except Exception as error:
            failure = explain(error)
            if failure is not error:
                _log.exception("request %s failed", verb)
            send(
                {
                    "failed": {
                        "text": failure.text,
                        "remedy": failure.remedy,
                        "kind": type(failure).__name__,
                    }
                }
            )


class NoOwnerError(Exception):
    """Nobody answers at the published address, or nothing is published."""


async def call(home: Home, verb: str, arguments: Json) -> AsyncGenerator[Json]:
    """Ask the owner: its events, then {"result": ...}. Closing the iterator ends the request there.

    Raises NoOwnerError when there is nobody to ask, AppError as the owner told it.
    """
    try:
        address = json.loads(await in_thread(home.ipc.read_text, "utf-8"))
        reader, writer = await asyncio.open_connection("127.0.0.1", address["port"], limit=_LINE_LIMIT)
        token = str(address["token"])
    except (OSError, ValueError, KeyError) as error:
        raise NoOwnerError from error
    try:
        request = json.dumps({"verb": verb, "arguments": arguments})
        writer.write(f"{token}\n{request}\n".encode())
        while line := await reader.readline():
            answer = json.loads(line)
            if failed := answer.get("failed"):
                raise told(failed["kind"], failed["text"], failed["remedy"])
            yield answer
            if "result" in answer:
                return
        raise _cut_off()
    except ConnectionError as error:
        raise _cut_off() from error
    finally:
        writer.close()


def _cut_off() -> AppError:
    return AppError(
        _("The running Nanobot ended in the middle of the request."),
        _("What you wrote is stored. Ask again, or look with: nanobot-desktop sessions show"),
    )


def _write_private(path: Path, content: Json) -> None:
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file)
    temporary.replace(path)
