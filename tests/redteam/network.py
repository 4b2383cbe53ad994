"""A private network with a hostile resolver and web server in it, made in namespaces of this process.

enter() has to be called in a process of its own, before it starts a thread. As an ordinary account it takes
a user namespace. The servers have public numbers, so the program's guard stays as it is.
"""

import asyncio
import ctypes
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

GOOD, EVIL = "93.184.216.34", "93.184.216.35"
_NEAR, _FAR = "198.51.100.1", "198.51.100.2"
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
ORDINARY = 61234
"""The account that plays an ordinary one where this process is root."""


def enter() -> None:
    """Leave the computer's network for one with nobody in it. Raises OSError where that is not possible."""
    uid, gid = os.getuid(), os.getgid()
    if uid == 0:
        os.unshare(os.CLONE_NEWNET | os.CLONE_NEWNS)
    else:
        os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET | os.CLONE_NEWNS)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
        Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
    _mount("none", "/", _MS_REC | _MS_PRIVATE)
    _ip("link", "set", "lo", "up")
    with tempfile.NamedTemporaryFile("w", delete=False) as file:
        file.write(f"nameserver {GOOD}\noptions timeout:1 attempts:1\n")
    Path(file.name).chmod(0o644)
    _mount(file.name, os.path.realpath("/etc/resolv.conf"), _MS_BIND)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def open_python(folder: Path) -> None:
    """Let other accounts run this Python where it lies in a home closed to them: that home becomes a new
    one with nothing but the Python in it, in this process's namespace alone."""
    base = Path(os.path.realpath(sys.base_prefix))
    shut = next((p for p in reversed(base.parents) if not p.stat().st_mode & 0o001), None)
    if shut is None:
        return
    aside = folder / "python"
    aside.mkdir()
    _mount(str(base), str(aside), _MS_BIND)
    _mount("tmpfs", str(shut), 0, "tmpfs")
    shut.chmod(0o755)
    base.mkdir(parents=True)
    _mount(str(aside), str(base), _MS_BIND)


def open_tun() -> None:
    """Let other accounts connect networks of their own, as they can where the device has its usual mode."""
    if Path("/dev/net/tun").exists():
        beside = Path(tempfile.mkdtemp()) / "tun"
        os.mknod(beside, 0o020666, os.makedev(10, 200))
        beside.chmod(0o666)
        _mount(str(beside), "/dev/net/tun", _MS_BIND)


def _mount(source: str, target: str, flags: int, kind: str = "") -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), target.encode(), kind.encode() or None, flags, None):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


@dataclass
class Hit:
    """A request that reached the outside."""

    host: str
    path: str
    body: bytes = b""


@dataclass
class Outside:
    """The web and the name server, in a thread; every request is kept."""

    pages: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    """By host and path: kind of content, content. Others are not found, with the path in the answer."""
    hits: list[Hit] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """What was asked of the name server."""
    moved: dict[str, str] = field(default_factory=dict)
    """Redirects, by host and path."""
    find: Callable[[str], bytes] = lambda query: b'{"results": []}'
    """What the search engine answers."""
    rebound: set[str] = field(default_factory=set)
    """Names that are public when they are first asked for, and this computer from then on."""
    _thread: int = 0

    def start(self) -> None:
        """Put the servers into a network of their own, which this process reaches by a wire: what is there
        is another computer. Raises OSError."""
        apart, wired, up = threading.Event(), threading.Event(), threading.Event()

        def serve() -> None:
            os.unshare(os.CLONE_NEWNET)  # of this thread alone
            self._thread = threading.get_native_id()
            apart.set()
            wired.wait(10)
            _ip("address", "add", f"{_FAR}/30", "dev", "far")
            for number in (GOOD, EVIL):
                _ip("address", "add", f"{number}/32", "dev", "far")
            for device in ("lo", "far"):
                _ip("link", "set", device, "up")
            asyncio.run(self._serve(up))

        threading.Thread(target=serve, daemon=True).start()
        apart.wait(10)
        _ip("link", "add", "near", "type", "veth", "peer", "name", "far")
        _ip("link", "set", "far", "netns", str(self._thread))
        _ip("address", "add", f"{_NEAR}/30", "dev", "near")
        _ip("link", "set", "near", "up")
        _ip("route", "add", "default", "via", _FAR)
        wired.set()
        if not up.wait(10):
            raise OSError("the servers did not come up")

    async def _serve(self, up: threading.Event) -> None:
        for number in (GOOD, EVIL):
            await asyncio.start_server(self._web, number, 80)
        await asyncio.start_server(self._web, EVIL, 443, ssl=_unknown_certificate())
        loop = asyncio.get_running_loop()
        await loop.create_datagram_endpoint(lambda: _Names(self), (GOOD, 53))
        up.set()
        await asyncio.Event().wait()

    async def _web(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            _method, path, _version = head.split("\r\n")[0].split(" ", 2)
            headers = {
                k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head.split("\r\n")[1:])
            }
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            host = headers.get("host", "")
            self.hits.append(Hit(host, path, body))
            status, kind, content, more = self._answer(host, path)
            length = len(content)
            writer.write(
                f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n{more}Content-Length: {length}\r\n"
                "Connection: close\r\n\r\n".encode()
                + content
            )
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, ValueError):
            pass
        finally:
            writer.close()

    def _answer(self, host: str, path: str) -> tuple[int, str, bytes, str]:
        if host.startswith("search."):
            return 200, "application/json", self.find(path), ""
        where = f"{host}{path}"
        if where in self.moved:
            return 302, "text/plain", b"", f"Location: {self.moved[where]}\r\n"
        if where in self.pages:
            kind, content = self.pages[where]
            return 200, kind, content, ""
        return 404, "text/html", f"<p>nothing at {path}</p>".encode(), ""

    def page(self, address: str, text: str, *links: str, kind: str = "text/html") -> str:
        """Put a page up; gives its address."""
        parts = urlsplit(address)
        where = f"{parts.netloc}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else "")
        body = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
        self.pages[where] = (
            kind,
            f"<html><body><article><p>{text}</p>{body}</article></body></html>".encode(),
        )
        return address

    def saw(self, text: str) -> bool:
        """Whether this reached anybody outside, in a request or a name."""
        plain = any(text in hit.path or text.encode() in hit.body or text in hit.host for hit in self.hits)
        return plain or any(text.lower() in name.lower() for name in self.names)


def _unknown_certificate() -> ssl.SSLContext:
    """A certificate that this server made for itself."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = f"{folder}/key", f"{folder}/certificate"
        words = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=evil.example")
        subprocess.run([*words, "-keyout", key, "-out", certificate], check=True, capture_output=True)
        context.load_cert_chain(certificate, key)
    return context


class _Names(asyncio.DatagramProtocol):
    """Every name is at GOOD, but those with "evil" in them, which are at EVIL."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        at, labels = 12, []
        while data[at]:
            labels.append(data[at + 1 : at + 1 + data[at]].decode("latin-1"))
            at += 1 + data[at]
        kind = struct.unpack(">H", data[at + 1 : at + 3])[0]
        name = ".".join(labels)
        again = name in self._outside.names
        self._outside.names.append(name)
        question = data[12 : at + 5]
        place = "127.0.0.1" if again and name in self._outside.rebound else EVIL if "evil" in name else GOOD
        number = socket.inet_aton(place)
        answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + number if kind == 1 else b""
        head = data[:2] + struct.pack(">HHHHH", 0x8180, 1, bool(answer), 0, 0)
        self._transport.sendto(head + question + answer, addr)  # type: ignore[attr-defined]
