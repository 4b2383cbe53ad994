"""The one way out: what the environment names is followed or told, and never for this machine."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import certifi
import httpx
import httpx2
import psutil
import pytest

from desktop.net import way_out
from desktop.net.way_out import WrongVariable
from tests.servers.proxies import proxy_to
from tests.servers.scripted import ScriptedServer

SOCKS = {"ALL_PROXY": "socks5://proxy.example:1080"}
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.mark.parametrize(
    ("environ", "url", "proxy"),
    [
        ({}, "https://a.example", ""),
        (SOCKS, "https://a.example", "socks5://proxy.example:1080"),
        (SOCKS, "http://a.example", "socks5://proxy.example:1080"),
        ({"all_proxy": "socks://127.0.0.1:1080/"}, "https://a.example", "socks5h://127.0.0.1:1080"),
        ({"HTTPS_PROXY": "http://p:3128"}, "https://a.example", "http://p:3128"),
        ({"HTTPS_PROXY": "http://p:3128"}, "http://a.example", ""),
        ({"HTTP_PROXY": "p.example"}, "http://a.example", "http://p.example:80"),
        ({"HTTPS_PROXY": "http://u:p%40ss@p:1"}, "https://a.example", "http://u:p%40ss@p:1"),
        ({"HTTPS_PROXY": "http://[::1]:3128"}, "https://a.example", "http://[::1]:3128"),
        ({"https_proxy": "", "HTTPS_PROXY": "http://p:1"}, "https://a.example", ""),
        (SOCKS | {"NO_PROXY": "a.example"}, "https://a.example", ""),
        (SOCKS | {"NO_PROXY": "b.example, .a.example"}, "https://x.a.example", ""),
        (SOCKS | {"NO_PROXY": "*.a.example"}, "https://x.a.example", ""),
        (SOCKS | {"NO_PROXY": "a.example"}, "https://nota.example", "socks5://proxy.example:1080"),
        (SOCKS | {"NO_PROXY": "a.example:8080"}, "https://a.example", "socks5://proxy.example:1080"),
        (SOCKS | {"NO_PROXY": "a.example:443"}, "https://a.example", ""),
        (SOCKS | {"NO_PROXY": "10.0.0.0/8"}, "http://10.1.2.3:11434", ""),
        (SOCKS | {"NO_PROXY": "fd00::/8"}, "http://[fd00::1]:80", ""),
        (SOCKS | {"no_proxy": "*"}, "https://a.example", ""),
        (SOCKS | {"no_proxy": "", "NO_PROXY": "*"}, "https://a.example", "socks5://proxy.example:1080"),
        (SOCKS, "http://127.0.0.1:8080", ""),
        (SOCKS, "http://127.8.9.1", ""),
        (SOCKS, "https://localhost:1", ""),
        (SOCKS, "http://x.localhost.", ""),
        (SOCKS, "http://[::1]:1", ""),
        (SOCKS, "http://[::ffff:127.0.0.1]:1", ""),
        (SOCKS, "http://0.0.0.0:11434", ""),
        ({"ALL_PROXY": "gopher://x"}, "http://127.0.0.1", ""),
    ],
)
def test_which_proxy_an_address_has(environ: Mapping[str, str], url: str, proxy: str) -> None:
    assert way_out.proxy_for(url, environ) == proxy


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("gopher://p:1", "kind"),
        ("socks4://p:1", "kind"),
        ("ftp://p", "kind"),
        ("http://", "address"),
        ("http://p:port", "address"),
        ("http://p:99999", "address"),
        ("http://p p:1", "address"),
        ('"http://p:1"', "kind"),
        ("http://[::1:1", "address"),
    ],
)
def test_a_wrong_proxy_is_named_with_what_to_do_and_without_its_password(value: str, fault: str) -> None:
    with pytest.raises(WrongVariable) as caught:
        way_out.proxy_for("https://a.example", {"HTTPS_PROXY": value})
    assert caught.value.fault == fault
    assert caught.value.text.startswith("HTTPS_PROXY ")
    assert "socks5://" in caught.value.remedy
    secret = way_out.WrongVariable("ALL_PROXY", "kind", "socks4://me:hunter2@p:1")
    assert "hunter2" not in str(secret)


def test_wrong_certificates_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    for environ, fault in (
        ({"SSL_CERT_FILE": str(tmp_path / "none.pem")}, "missing"),
        ({"SSL_CERT_FILE": str(tmp_path)}, "missing"),
        ({"SSL_CERT_FILE": str(tmp_path / "empty.pem")}, "unreadable"),
        ({"SSL_CERT_DIR": str(tmp_path / "none")}, "missing"),
    ):
        (found,) = way_out.faults(environ)
        assert (found.fault, found.variable) == (fault, next(iter(environ)))
    assert way_out.faults({"SSL_CERT_FILE": certifi.where(), "SSL_CERT_DIR": f"{tmp_path}:/no/such"}) == []


async def _fetched(library: object, url: str) -> str:
    async with way_out.client(library, timeout=5) as client:
        return str((await client.get(url)).json()["data"][0]["id"])


@pytest.mark.parametrize("library", [httpx, httpx2])
@pytest.mark.parametrize("scheme", ["http", "socks5", "socks5h", "socks"])
async def test_a_client_goes_through_the_proxy_and_to_this_machine_directly(
    library: object, scheme: str, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(server.url.split(":")[2].split("/")[0])
    async with proxy_to(port) as proxy:
        monkeypatch.setenv("ALL_PROXY", f"{scheme}://me:secret@127.0.0.1:{proxy.port}")
        assert await _fetched(library, "http://model.example/v1/models") == "echo"
        kind = "http" if scheme == "http" else "socks"
        assert (proxy.asked, proxy.logins) == ([(kind, "model.example")], [kind])
        assert await _fetched(library, f"{server.url}/models") == "echo"
        assert len(proxy.asked) == 1


@pytest.mark.parametrize("library", [httpx, httpx2])
async def test_of_many_connections_at_once_few_stay(library: Any, server: ScriptedServer) -> None:
    """What is connected to a port of this machine, by the kernel's own list."""
    port = int(server.url.split(":")[2].split("/")[0])
    async with way_out.client(library, timeout=20) as client:
        await asyncio.gather(*(client.get(f"{server.url}/models") for _ in range(60)))
        assert (
            1
            <= len([one for one in psutil.Process().net_connections("tcp4") if one.raddr[1:] == (port,)])
            <= 20
        )


@pytest.mark.parametrize("library", [httpx, httpx2])
@pytest.mark.parametrize(("scheme", "kind"), [("http", "connect"), ("socks5h", "socks")])
async def test_an_address_with_tls_goes_through_any_proxy(
    library: Any, scheme: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As far as the proxy: behind it nobody answers."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = closed.getsockname()[1]
    async with proxy_to(nobody) as proxy:
        monkeypatch.setenv("ALL_PROXY", f"{scheme}://127.0.0.1:{proxy.port}")
        for _time in range(2):
            with pytest.raises(library.TransportError):
                await _fetched(library, "https://model.example/v1/models")
        assert proxy.asked == [(kind, "model.example")] * 2


@pytest.mark.parametrize("library", [httpx, httpx2])
async def test_wrong_variables_stop_only_what_needs_them(
    library: object, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.setenv("ALL_PROXY", "socks4://127.0.0.1:9")
    assert await _fetched(library, f"{server.url}/models") == "echo"
    with pytest.raises(WrongVariable, match="ALL_PROXY"):
        await _fetched(library, "http://model.example/")
    monkeypatch.setenv("NO_PROXY", "model.example")
    with pytest.raises(WrongVariable, match="SSL_CERT_FILE"):
        await _fetched(library, "https://model.example/")


def test_what_libraries_find_is_made_harmless() -> None:
    script = (
        "import json, os; from desktop.net import way_out; way_out.tidy();"
        "print(json.dumps([dict(os.environ), [one.variable for one in way_out.faults()]]))"
    )
    wrong = {"ALL_PROXY": "socks://p:1", "HTTPS_PROXY": "gopher://x", "SSL_CERT_FILE": "/none"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | wrong, stdout=subprocess.PIPE, check=True
    )
    left, faults = json.loads(done.stdout)
    assert left["ALL_PROXY"] == "socks5h://p:1"
    assert not {"HTTPS_PROXY", "SSL_CERT_FILE"} & set(left)
    assert "127.0.0.1" in left["NO_PROXY"]
    assert faults == ["HTTPS_PROXY", "SSL_CERT_FILE"]
