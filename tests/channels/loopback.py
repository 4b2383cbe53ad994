"""A chat service on this machine: what the servers of these tests have in common.

Each speaks its vendor's protocol so that the vendor's own client is content, keeps what was asked of it,
and can be told what to do wrong. All of it happens on the loop that started it; `InThread` is for tests
that have no loop.
"""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Self

from aiohttp import BodyPartReader, web

type Json = dict[str, Any]
type Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
PATIENCE = 20.0


@dataclass(frozen=True)
class Upload:
    """A file that came with a call."""

    name: str
    kind: str
    data: bytes


@dataclass
class Call:
    """One call as it came, and how it was answered."""

    name: str
    """In the service's words: `sendMessage`, `POST channels/5001/messages`, `chat.postMessage`."""
    fields: Json
    files: dict[str, Upload] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    result: Any = None
    error: str = ""
    """Why it was refused; empty for what was carried out."""

    def __getitem__(self, name: str) -> Any:
        return self.fields.get(name)


@dataclass(frozen=True)
class Fault:
    """What happens to a call instead of the answer. As it is: the connection is cut."""

    status: int = 0
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    carried_out: bool = False
    """What was asked is done before, and only its answer is lost."""
    silent: bool = False
    """The connection stays, and nothing comes."""


DROPPED = Fault()
DROPPED_AFTER = Fault(carried_out=True)
SILENT = Fault(silent=True)
SILENT_AFTER = Fault(silent=True, carried_out=True)
BAD_GATEWAY = Fault(
    502,
    b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>nginx</body>\r\n</html>\r\n",
    {"Content-Type": "text/html"},
)


class Refused(Exception):
    """The service says no: the answer, as its protocol has it."""

    def __init__(self, status: int, body: Json, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(str(body))
        self.status, self.body, self.headers = status, body, dict(headers or {})


def as_json(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """JSON without a charset in its type: where there is one, discord.py reads text."""
    made = web.Response(body=json.dumps(body).encode(), status=status, headers=headers)
    made.headers["Content-Type"] = "application/json"
    return made


class Loopback:
    """A server on 127.0.0.1. Stopped and started again it has the same port and what it knew."""

    def __init__(self) -> None:
        self.port = 0
        self.calls: list[Call] = []
        self._faults: list[tuple[str, Fault, list[int]]] = []
        self._held: dict[str, asyncio.Event] = {}
        self._runner: web.AppRunner | None = None
        self._changes: set[asyncio.Event] = set()
        self._ending = asyncio.Event()

    @property
    def url(self) -> str:
        """Where it is, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def routes(self, router: web.UrlDispatcher) -> None:
        """Say what is answered where."""
        raise NotImplementedError

    def name_of(self, request: web.Request) -> str:
        """What a request asks for, in the words of `Call.name`."""
        raise NotImplementedError

    # ---- its life

    async def start(self) -> Self:
        """Listen."""
        self._ending = asyncio.Event()
        app = web.Application(client_max_size=80 << 20, middlewares=[self._between])
        self.routes(app.router)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def stop(self) -> None:
        """Listen no more; every connection is cut."""
        self._ending.set()
        self.cut()
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *_error: object) -> None:
        await self.stop()

    def cut(self) -> None:
        """Cut every connection, as another network does."""
        server = self._runner.server if self._runner else None
        for connection in server.connections if server else ():
            if connection.transport is not None:
                connection.transport.abort()

    # ---- what is seen

    def changed(self) -> None:
        """Something happened that somebody may wait for."""
        for event in self._changes:
            event.set()

    async def until[T](self, look: Callable[[], T], within: float = PATIENCE) -> T:
        """Wait until what `look` returns is true; it is asked again whenever something happened here."""
        event = asyncio.Event()
        self._changes.add(event)
        try:
            async with asyncio.timeout(within):
                while not (found := look()):
                    await event.wait()
                    event.clear()
                return found
        except TimeoutError:
            raise AssertionError(f"not within {within} s. Asked: {self.calls[-20:]}") from None
        finally:
            self._changes.discard(event)

    async def sent(
        self, wanted: Callable[[Call], object], *, nth: int = 1, within: float = PATIENCE
    ) -> Call:
        """The first call, or the nth, that was carried out and is wanted. Waits for it."""
        return await self._find(lambda call: not call.error and bool(wanted(call)), nth, within)

    async def refused(
        self, wanted: Callable[[Call], object], *, nth: int = 1, within: float = PATIENCE
    ) -> Call:
        """The first call, or the nth, that was refused or lost and is wanted. Waits for it."""
        return await self._find(lambda call: bool(call.error) and bool(wanted(call)), nth, within)

    async def _find(self, wanted: Callable[[Call], bool], nth: int, within: float) -> Call:
        def look() -> list[Call]:
            found = [call for call in self.calls if wanted(call)]
            return found[nth - 1 :]

        return (await self.until(look, within))[0]

    def named(self, name: str) -> list[Call]:
        """What was carried out under this name, or names like `chat.*`, so far."""
        return [call for call in self.calls if not call.error and fnmatchcase(call.name, name)]

    # ---- what goes wrong

    def fail(self, name: str, fault: Fault, times: int | None = 1) -> None:
        """The next `times` calls of this name, or of names like `send*`, fail; None: until healed."""
        self._faults.append((name, fault, [-1 if times is None else times]))

    def hold(self, name: str) -> asyncio.Event:
        """Requests of this name wait until the event is set."""
        return self._held.setdefault(name, asyncio.Event())

    def heal(self) -> None:
        """Nothing goes wrong any more."""
        self._faults.clear()

    def _fault(self, name: str) -> Fault | None:
        for pattern, fault, left in self._faults:
            if left[0] and fnmatchcase(name, pattern):
                left[0] -= 1
                return fault
        return None

    @web.middleware
    async def _between(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        name = self.name_of(request)
        fault = self._fault(name)
        if name in self._held:
            await self._held[name].wait()
        try:
            if fault is None or fault.carried_out:
                answer = await handler(request)
            else:
                await request.read()
                self.keep(Call(name, {}, headers=request.headers, error=f"fault {fault.status}"))
        except Refused as refused:
            answer = as_json(refused.body, refused.status, refused.headers)
        except ConnectionError:  # who asked is gone: nobody's error, though aiohttp would log it as one
            return web.Response()
        if fault is None:
            return answer
        if fault.silent:
            await self._ending.wait()
        if fault.status:
            return web.Response(status=fault.status, body=fault.body, headers=fault.headers)
        if request.transport is not None:
            request.transport.abort()
        return web.Response()

    def keep(self, call: Call) -> None:
        """A call was answered."""
        self.calls.append(call)
        self.changed()


async def read(request: web.Request) -> tuple[Json, dict[str, Upload]]:
    """The fields and the files of a request, however they were sent."""
    fields: Json = dict(request.query)
    files: dict[str, Upload] = {}
    if request.content_type == "application/json":
        if text := await request.text():
            fields |= json.loads(text)
    elif request.content_type == "multipart/form-data":
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader)
            name, data = part.name or "", bytes(await part.read())
            if part.filename is None:
                fields[name] = data.decode()
            else:
                kind = part.headers.get("Content-Type", "application/octet-stream")
                files[name] = Upload(part.filename, kind, data)
    elif request.method in ("POST", "PUT", "PATCH"):
        fields |= {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    return fields, files


class InThread[S: Loopback]:
    """A server in a thread with a loop of its own, for tests without one."""

    def __init__(self, server: S) -> None:
        self.server = server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="loopback server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.run(self.server.start())
        return self

    def __exit__(self, *_error: object) -> None:
        try:
            self.run(self.server.stop())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def run[T](self, work: Coroutine[Any, Any, T]) -> T:
        """Have the server's loop do something, and wait: `run(server.sent(...))`."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def do[T](self, act: Callable[[S], T]) -> T:
        """Have the server do something at once: `do(lambda server: server.write("hello"))`."""

        async def acting() -> T:
            return act(self.server)

        return self.run(acting())
