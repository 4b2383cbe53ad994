"""How everybody else talks to the owner of a home.

The owner answers at the address that the file `ipc` names. That is a unix socket in a folder of its own,
which this account alone can enter, and who is at the other end is asked of the system by both sides. On
Windows it is a loopback port with a random token.

A connection carries one request. (After the token, where there is one,) one JSON object a line: {"verb",
"arguments"}, then from the owner {"taken": true}, any number of {"event": ...} lines and one {"result":
...} or {"failed": {"text", "remedy", "kind"}}. Where the connection ends before "taken", nothing was done:
an owner that is leaving hangs up like that. A client that hangs up ends its request. Who connects and asks
nothing is hung up on: after a while, or at once when many do, the one that waits longest first.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import os
import secrets
import socket
import struct
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from desktop.errors import AppError, explain, told
from desktop.logs import mask
from desktop.paths import Home, own_folder, runtime_folder
from desktop.tasks import cancel, in_thread, see_through, spawn
from desktop.text import _

type Json = dict[str, Any]
type Send = Callable[[Json], None]
type Handler = Callable[[str, Json, Send], Awaitable[Json]]
"""Answers one request: verb, arguments, a way to send events; returns the result."""

_TOKEN_LENGTH = 43
_LINE_LIMIT = 64 * 2**20
_WAITING = 64
"""So many connections may wait that have not asked anything yet."""
_ASKING = 512
"""So many requests are answered at the same time."""
_BACKLOG = 1024
_GREETING_SECONDS = 10
_PAUSE_SECONDS = 1
_LONGEST_PATH = 103 if sys.platform == "darwin" else 107
"""Bytes of the path of a socket."""
_log = logging.getLogger(__name__)


class Server:
    """The owner's ear: answers every client with one handler, each request in its own task."""

    def __init__(self, home: Home, handler: Handler) -> None:
        self._home, self._handler = home, handler
        self._token = secrets.token_urlsafe(32)
        self._ear: socket.socket | None = None
        self._socket: Path | None = None
        self._leaving = False
        self._accepting: asyncio.Task[None] | None = None
        self._waiting: dict[asyncio.StreamWriter, None] = {}
        self._clients: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._answers: set[asyncio.Task[None]] = set()
        self._quiet = asyncio.Event()
        self._quiet.set()

    async def start(self) -> None:
        """Listen and publish where. Raises OSError."""
        await see_through(in_thread(self._listen), name="ipc:listen")
        assert self._ear is not None
        self._accepting = spawn(self._accept(self._ear), name="ipc:accept")
        if self._socket is None:
            mask(self._token)
            address: Json = {"port": self._ear.getsockname()[1], "token": self._token}
        else:
            address = {"socket": str(self._socket), "id": secrets.token_hex(8)}
        await in_thread(_write_private, self._home.ipc, {**address, "pid": os.getpid()})

    def _listen(self) -> None:
        if sys.platform == "win32":
            self._ear = socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)
        else:
            self._ear, self._socket = _bind(self._home)
            self._ear.listen(_BACKLOG)
        self._ear.setblocking(False)

    async def finish(self) -> None:
        """Withdraw the address and wait until the requests under way are answered. Who connected in the
        last moment is hung up on."""
        self._leaving = True
        await in_thread(self._withdraw)
        await self._quiet.wait()

    async def stop(self) -> None:
        """Withdraw the address and hang up on everyone."""
        if self._ear is None:
            return
        await in_thread(self._withdraw)
        await cancel(self._accepting)
        self._ear.close()
        await cancel(*self._answers)
        for writer in self._writers:
            writer.transport.abort()
        await cancel(*self._clients)

    def _withdraw(self) -> None:
        for path in (self._home.ipc, self._socket):
            if path is not None:
                path.unlink(missing_ok=True)

    async def _accept(self, ear: socket.socket) -> None:
        """Take in whoever connects. Not by asyncio.Server: what that has just accepted when it is closed is
        neither answered nor hung up on (seen with Python 3.12)."""
        while True:
            try:
                connection, _address = await asyncio.get_running_loop().sock_accept(ear)
            except ConnectionError:
                continue
            except OSError as error:  # such as too many open files
                _log.warning("no connection could be taken in: %s", error)
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            task = spawn(self._welcome(connection), name="ipc:welcome")
            self._clients.add(task)
            task.add_done_callback(self._clients.discard)

    async def _welcome(self, connection: socket.socket) -> None:
        writer = None
        try:
            reader, writer = await asyncio.open_connection(sock=connection, limit=_LINE_LIMIT)
            self._writers.add(writer)
            if _is_own(writer) and (request := await self._greeting(reader, writer)):
                await self._serve(json.loads(request), reader, writer)
        except (
            OSError,
            asyncio.IncompleteReadError,
            TimeoutError,
            ValueError,
            KeyError,
            TypeError,
        ) as error:
            _log.debug("a client went away: %s", type(error).__name__)
        finally:
            if writer is None:
                connection.close()
            else:
                self._writers.discard(writer)
                writer.close()

    async def _greeting(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        """The request of a client; empty where it has no right to one. One that does not say what it wants
        holds up nobody: there is a place for a new one at once."""
        if len(self._waiting) >= _WAITING:
            next(iter(self._waiting)).transport.abort()
        self._waiting[writer] = None
        try:
            async with asyncio.timeout(_GREETING_SECONDS):
                if sys.platform == "win32":
                    given = await reader.readexactly(_TOKEN_LENGTH + 1)
                    if not hmac.compare_digest(given, self._token.encode() + b"\n"):
                        return b""
                return await reader.readline()
        finally:
            self._waiting.pop(writer, None)

    async def _serve(
        self, request: Json, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        verb, arguments = str(request["verb"]), dict(request["arguments"])

        def send(line: Json) -> None:
            if not writer.is_closing():
                writer.write(json.dumps(line).encode() + b"\n")

        if self._leaving:
            return
        send({"taken": True})
        if len(self._answers) >= _ASKING:
            send({"failed": _failed(_busy())})
            await writer.drain()
            return
        answer = spawn(self._answer(verb, arguments, send), name=f"ipc:{verb}")
        hung_up = spawn(_end_of(reader), name="ipc:hung-up")
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
            send({"failed": _failed(failure)})


async def _end_of(reader: asyncio.StreamReader) -> None:
    with suppress(OSError):
        await reader.read(1)


def _failed(failure: AppError) -> Json:
    return {"text": failure.text, "remedy": failure.remedy, "kind": type(failure).__name__}


class NoOwnerError(Exception):
    """Nobody answers at the published address, or nothing is published."""


async def call(home: Home, verb: str, arguments: Json) -> AsyncGenerator[Json]:
    """Ask the owner: its events, then {"result": ...}. Closing the iterator ends the request there.

    Raises NoOwnerError when there is nobody to ask, AppError as the owner told it.
    """
    reader, writer, token = await _connect(home)
    taken = False
    try:
        request = json.dumps({"verb": verb, "arguments": arguments})
        writer.write(f"{token}{request}\n".encode())
        while line := await reader.readline():
            answer = json.loads(line)
            if "taken" in answer:
                taken = True
                continue
            if failed := answer.get("failed"):
                raise told(failed["kind"], failed["text"], failed["remedy"])
            yield answer
            if "result" in answer:
                return
        raise _cut_off() if taken else NoOwnerError
    except ConnectionError as error:
        raise (_cut_off() if taken else NoOwnerError) from error
    finally:
        writer.close()


async def ask(home: Home, name: str, arguments: Json | None = None) -> Json:
    """The reply to a request that has no events. Raises as call() does."""
    async for line in call(home, name, arguments or {}):
        if "result" in line:
            return dict(line["result"])
    raise _cut_off()


async def _connect(home: Home) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, str]:
    """A connection to the owner, and what has to be said first on it. Raises NoOwnerError, AppError."""
    try:
        address = json.loads(await in_thread(home.ipc.read_text, "utf-8"))
        if sys.platform == "win32":
            port, token = int(address["port"]), str(address["token"])
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=_LINE_LIMIT)
            return reader, writer, f"{token}\n"
        if "socket" not in address:
            raise _older(int(address["pid"]))
        reader, writer = await asyncio.open_unix_connection(str(address["socket"]), limit=_LINE_LIMIT)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoOwnerError from error
    if not _is_own(writer):
        writer.close()
        raise NoOwnerError
    return reader, writer, ""


def _older(pid: int) -> Exception:
    """Why an owner that published a port is not asked: others could have that port by now."""
    with suppress(OSError):
        os.kill(pid, 0)
        return AppError(
            _("An older version of Nanobot is running (process {pid}).").format(pid=pid),
            _("Quit it, then try again."),
        )
    return NoOwnerError()


def _is_own(writer: asyncio.StreamWriter) -> bool:
    """Whether the other end of a unix socket is this very account's, as the system says."""
    other = writer.get_extra_info("socket")
    if sys.platform == "linux":
        _pid, user, _group = struct.unpack(
            "=iII", other.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        )
    elif sys.platform == "darwin":
        _version, user = struct.unpack_from("=II", other.getsockopt(0, 1, 76))  # SOL_LOCAL, LOCAL_PEERCRED
    else:
        return True  # a port with a token
    return bool(user == os.geteuid())


def _bind(home: Home) -> tuple[socket.socket, Path]:
    """A socket in a folder that only this account can enter: in the home, or where its path is too long
    or its disk has none, in the runtime folder. Raises OSError."""
    folder = home.root / "ipc.d"
    if len(os.fsencode(folder / "socket")) <= _LONGEST_PATH:
        with suppress(OSError):
            return _bound(own_folder(folder) / "socket")
    name = hashlib.sha256(os.fsencode(os.path.realpath(home.root))).hexdigest()[:16]
    return _bound(runtime_folder() / name)


def _bound(path: Path) -> tuple[socket.socket, Path]:
    """What lies there is of an owner that is gone: the lock is ours."""
    path.unlink(missing_ok=True)
    ear = socket.socket(socket.AF_UNIX)
    try:
        ear.bind(str(path))
        path.chmod(0o600)
    except OSError:
        ear.close()
        raise
    return ear, path


def _busy() -> AppError:
    return AppError(_("The running Nanobot has too many requests."), _("Wait a moment, then try again."))


def _cut_off() -> AppError:
    return AppError(
        _("The running Nanobot quit during the request."),
        _("Your message is saved. Ask again, or see it with: nanobot-desktop sessions show"),
    )


def _write_private(path: Path, content: Json) -> None:
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file)
    temporary.replace(path)
