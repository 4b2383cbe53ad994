"""A proxy on a real socket: HTTP, CONNECT and SOCKS5, each leading to one server whatever was asked for."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Proxy:
    """A proxy that runs. `asked`: the hosts that it was asked for, each with the kind of asking."""

    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)


@asynccontextmanager
async def proxy_to(port: int) -> AsyncIterator[Proxy]:
    """A proxy on this machine whose every connection ends at a server on this machine."""
    proxy, running = Proxy(), dict[asyncio.StreamWriter, asyncio.Task[None] | None]()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        running[writer] = asyncio.current_task()
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, IndexError):
            first = await reader.readexactly(1)
            begun = await (
                _socks(proxy, reader, writer) if first == b"\x05" else _http(proxy, reader, writer, first)
            )
            inside, outside = await asyncio.open_connection("127.0.0.1", port)
            outside.write(begun)
            await asyncio.gather(_pump(reader, outside), _pump(inside, writer))
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for writer in running:
            writer.close()
        await asyncio.gather(*filter(None, running.values()))


async def _http(
    proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, first: bytes
) -> bytes:
    head = first + await reader.readuntil(b"\r\n\r\n")
    method, target, _version = head.split(b"\r\n")[0].decode().split(" ")
    if b"proxy-authorization:" in head.lower():
        proxy.logins.append("http")
    if method == "CONNECT":
        proxy.asked.append(("connect", target.rpartition(":")[0]))
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        return b""
    host, _, path = target.removeprefix("http://").partition("/")
    proxy.asked.append(("http", host))
    return head.replace(target.encode(), f"/{path}".encode(), 1)


async def _socks(proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    ways = await reader.readexactly((await reader.readexactly(1))[0])
    if 2 in ways:
        writer.write(b"\x05\x02")
        await reader.readexactly(1)
        for _part in range(2):
            await reader.readexactly((await reader.readexactly(1))[0])
        proxy.logins.append("socks")
        writer.write(b"\x01\x00")
    else:
        writer.write(b"\x05\x00")
    _version, _command, _, kind = await reader.readexactly(4)
    size = (await reader.readexactly(1))[0] if kind == 3 else {1: 4, 4: 16}[kind]
    host = await reader.readexactly(size)
    await reader.readexactly(2)
    proxy.asked.append(("socks", host.decode() if kind == 3 else ".".join(map(str, host))))
    writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
    return b""


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
