"""Web servers for tests, and the way to them: names that only a test knows, public numbers, local sockets.

The guard of the client stays as it is: a test's resolver says which public number a name has, and a test's
dialler says which local server stands for that number.
"""

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpcore

PUBLIC = "93.184.216.34"
type Answer = Callable[["Asked"], Awaitable[bytes] | bytes]


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    writer: asyncio.StreamWriter


@dataclass
class Site(httpcore.AsyncNetworkBackend):
    """Pages by path, on a local server; and the dialler: what it was asked to dial is in `dialled`."""

    pages: dict[str, Answer] = field(default_factory=dict)
    names: dict[str, list[list[str]]] = field(default_factory=dict)
    """What a name resolves to: one list for each time it is asked, the last for ever after."""
    asked: list[Asked] = field(default_factory=list)
    dialled: list[str] = field(default_factory=list)
    port: int = 0

    async def resolve(self, host: str, port: int) -> list[str]:
        answers = self.names.get(host)
        if answers is None:
            if host.replace(".", "").isdigit() or ":" in host:
                return [host]
            raise OSError(host)
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.dialled.append(host)
        return await httpcore.AnyIOBackend().connect_tcp("127.0.0.1", self.port, timeout)

    async def sleep(self, seconds: float) -> None:
        await httpcore.AnyIOBackend().sleep(seconds)


@asynccontextmanager
async def serving(site: Site) -> AsyncIterator[Site]:
    """Answer for a site until the block ends."""
    talks: set[asyncio.Task[None] | None] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks.add(asyncio.current_task())
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            method, path, _version = first.split(" ")
            headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            asked = Asked(method, path, headers, body, writer)
            site.asked.append(asked)
            answer = site.pages.get(path.partition("?")[0], _missing)(asked)
            writer.write(answer if isinstance(answer, bytes) else await answer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or the test is over
        finally:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in talks:
            if task is not None:
                task.cancel()
        await asyncio.gather(*(task for task in talks if task), return_exceptions=True)


def page(
    body: str | bytes, kind: str = "text/html; charset=utf-8", status: int = 200, **headers: str
) -> bytes:
    """A whole answer."""
    data = body.encode() if isinstance(body, str) else body
    named = {"Content-Type": kind, "Content-Length": str(len(data)), "Connection": "close"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} X", *(f"{k}: {v}" for k, v in named.items()), "", ""]
    return "\r\n".join(lines).encode() + data


def _missing(_asked: Asked) -> bytes:
    return page("", status=404)


def moved(to: str, status: int = 302) -> bytes:
    """An answer that sends the client elsewhere."""
    return page("", status=status, Location=to)


def packed(data: bytes) -> bytes:
    """An answer that is gzip."""
    return page(gzip.compress(data), "text/plain", Content_Encoding="gzip")
