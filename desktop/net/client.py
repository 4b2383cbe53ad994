"""The guarded HTTP client.

The guard sits where a connection is made: the name is resolved once, every address it has must be public,
and exactly that address is dialled, while TLS and the Host header keep the name. So no second answer of a
name server, no redirect and no odd spelling of a number reaches the inside of a network. Nothing of the
environment goes along: no cookies, no proxies, no credentials.
"""

import asyncio
import ssl
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import certifi
import httpcore

from desktop import __version__
from desktop.net.addresses import is_public

type Resolve = Callable[[str, int], Awaitable[list[str]]]
"""A name and a port -> the numeric addresses to connect to. Raises OSError."""

MOST_BYTES = 10 * 1024 * 1024
SECONDS = 20.0
REDIRECTS = 5
_CONNECT_SECONDS = 10.0
_AGENT = f"Mozilla/5.0 (compatible; NanobotDesktop/{__version__})"
_REDIRECTING = (301, 302, 303, 307, 308)


class FetchError(Exception):
    """A page that did not come. `text` is for the model."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Refused(FetchError):
    """An address that must not be fetched."""


@dataclass(frozen=True, slots=True)
class Page:
    """What came. `address` is where it came from in the end, without its fragment."""

    address: str
    status: int
    content_type: str
    body: bytes
    cut: bool = False
    """There was more than MOST_BYTES."""


@dataclass(frozen=True, slots=True)
class Query:
    """A request beside the address: for the servers of search engines."""

    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


async def resolve(host: str, port: int) -> list[str]:
    """All addresses that the system knows for a name."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class _Guarded(httpcore.AsyncNetworkBackend):
    """Dials only public addresses."""

    def __init__(self, resolve: Resolve, dial: httpcore.AsyncNetworkBackend, guarded: bool) -> None:
        self._resolve, self._dial, self._guarded = resolve, dial, guarded

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError):
            raise FetchError(f"There is no host called {host}. Check the address.") from None
        if self._guarded and (not addresses or not all(is_public(address) for address in addresses)):
            raise Refused(f"{host} is not on the public internet; such addresses are never fetched.")
        failure: Exception = FetchError(f"{host} could not be reached.")
        for address in addresses:
            try:
                return await self._dial.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def sleep(self, seconds: float) -> None:
        await self._dial.sleep(seconds)


class Client:
    """Fetches pages, each over connections of its own."""

    def __init__(
        self, resolve: Resolve = resolve, dial: httpcore.AsyncNetworkBackend | None = None
    ) -> None:
        self._resolve, self._dial = resolve, dial or httpcore.AnyIOBackend()
        self._tls: ssl.SSLContext | None = None

    async def fetch(self, address: str, query: Query | None = None, *, configured: bool = False) -> Page:
        """A page with its redirects followed. `configured`: the person named this server in the settings,
        so it may be anywhere; it is not left by a redirect. Raises FetchError."""
        try:
            async with asyncio.timeout(SECONDS):
                return await self._follow(address, query or Query(), configured)
        except TimeoutError:
            raise FetchError(f"{_host(address)} took longer than {SECONDS:.0f} seconds.") from None
        except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, OSError) as error:
            why = type(error).__name__
            raise FetchError(f"{_host(address)} could not be read ({why}).") from None

    async def _follow(self, address: str, query: Query, configured: bool) -> Page:
        backend = _Guarded(self._resolve, self._dial, guarded=not configured)
        async with httpcore.AsyncConnectionPool(
            ssl_context=self._context(), network_backend=backend, http2=False
        ) as pool:
            for _hop in range(REDIRECTS + 1):
                address = checked(address)
                answer = await self._one(pool, address, query)
                if isinstance(answer, Page):
                    return answer
                if configured:
                    raise FetchError(
                        f"{_host(address)} redirects to another address. Correct the settings."
                    )
                address = urljoin(address, answer)
        raise FetchError(f"{_host(address)} redirects more than {REDIRECTS} times.")

    async def _one(self, pool: httpcore.AsyncConnectionPool, address: str, query: Query) -> Page | str:
        """The page, or where it is said to be."""
        headers = {"User-Agent": _AGENT, "Accept": "*/*", "Accept-Encoding": "gzip, identity"}
        headers |= {"Host": urlsplit(address).netloc, **query.headers}
        timeouts = {"connect": _CONNECT_SECONDS, "read": SECONDS, "write": SECONDS, "pool": SECONDS}
        async with pool.stream(
            query.method,
            address,
            headers=[(name.encode(), value.encode()) for name, value in headers.items()],
            content=query.body or None,
            extensions={"timeout": timeouts},
        ) as response:
            got = {name.lower().decode(): value.decode("latin-1") for name, value in response.headers}
            if response.status in _REDIRECTING and got.get("location"):
                return got["location"]
            body, cut = await _body(response, got.get("content-encoding", "").strip().lower())
            return Page(address, response.status, got.get("content-type", ""), body, cut)

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
            self._tls.load_verify_locations(certifi.where())
        return self._tls


async def _body(response: httpcore.Response, coding: str) -> tuple[bytes, bool]:
    """The body, unpacked, and whether it was cut: never more than MOST_BYTES, however small it came."""
    if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise FetchError(f"The page is packed in a way that was not asked for ({coding}).")
    unpack = zlib.decompressobj(wbits=47) if coding not in ("", "identity") else None
    body = bytearray()
    async for chunk in response.aiter_stream():
        try:
            left = MOST_BYTES + 1 - len(body)
            body += unpack.decompress(chunk, left) if unpack else chunk
        except zlib.error:
            raise FetchError("The page is damaged: it cannot be unpacked.") from None
        if len(body) > MOST_BYTES:
            return bytes(body[:MOST_BYTES]), True
    return bytes(body), False


def checked(address: str) -> str:
    """The address as it is fetched: http or https, a host, no credentials, no fragment. Raises Refused."""
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise Refused("This is not an address of the web.") from None
    if parts.scheme.lower() not in ("http", "https"):
        raise Refused("Only http and https addresses can be fetched.")
    if not host or any(letter.isspace() for letter in address.strip()):
        raise Refused("This is not an address of the web.")
    if "@" in parts.netloc:
        raise Refused("An address with a user name or a password in it is never fetched.")
    try:
        name = host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        raise Refused("This is not the name of a host.") from None
    place = f"[{name}]" if ":" in name else name
    netloc = place if port is None else f"{place}:{port}"
    path = "".join(letter if letter.isascii() else _quoted(letter) for letter in parts.path or "/")
    search = "".join(letter if letter.isascii() else _quoted(letter) for letter in parts.query)
    return urlunsplit((parts.scheme.lower(), netloc, path, search, ""))


def _quoted(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode(errors="replace"))


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or "The server"
    except ValueError:
        return "The server"
