"""A search key by a credential of systemd, from the folder to the engine's own address, over TLS."""

import asyncio
import json
import ssl
import subprocess
from pathlib import Path

import httpcore
import pytest

from desktop.bus.bus import Bus
from desktop.core.core import Core
from desktop.net.client import Client
from desktop.paths import Home
from desktop.tools.base import ToolContext
from desktop.tools.web.search import SearchArguments, WebSearch
from tests import warm

HOST = "api.search.brave.com"


def certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Of a server that says it is Brave, and of a client that believes it."""
    key, cert = folder / "key.pem", folder / "cert.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={HOST}"]
    words += ["-addext", f"subjectAltName=DNS:{HOST}", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(words, check=True, capture_output=True)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(cert, key)
    return server, ssl.create_default_context(cafile=str(cert))


class Here(httpcore.AnyIOBackend):
    """Every address is the server of the test."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):  # type: ignore[no-untyped-def]
        return await super().connect_tcp("127.0.0.1", self.port, timeout)


async def test_brave_gets_the_key_that_systemd_gave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    (credentials / "nanobot.search.brave.api_key").write_text("brave-secret-4444\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(credentials))
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    monkeypatch.setenv("NANOBOT_TOOLS__WEB__SEARCH__PROVIDER", "brave")
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        rows = [{"title": "Sky", "url": "https://sky.example/", "description": "Blue."}]
        body = json.dumps({"web": {"results": rows}}).encode()
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body)
        )
        await writer.drain()
        writer.close()

    here, believing = certificate(tmp_path)
    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=here)
    bus = Bus()
    core = await Core.start(Home(tmp_path / "home", tmp_path / "models"), warm.host(bus), bus)
    try:
        tool = (await core.toolbox.all())["web_search"]
        assert isinstance(tool, WebSearch)

        async def resolve(_host: str, _port: int) -> list[str]:
            return ["93.184.216.34"]

        client = Client(resolve, Here(server.sockets[0].getsockname()[1]))
        client._tls = believing
        asking = WebSearch(client, tool._settings, tool._key)
        context = ToolContext("here", "turn", "call", tmp_path, tmp_path)
        found = await asking.run(SearchArguments(query="sky"), context)
    finally:
        await core.stop()
        server.close()
        await server.wait_closed()
    assert "1. Sky" in found.text
    [request] = asked
    assert request.startswith(b"GET /res/v1/web/search?q=sky")
    assert b"\r\nX-Subscription-Token: brave-secret-4444\r\n" in request
    assert f"\r\nHost: {HOST}\r\n".encode() in request
    kept = b"".join(file.read_bytes() for file in (tmp_path / "home").rglob("*") if file.is_file())
    assert b"brave-secret-4444" not in kept
