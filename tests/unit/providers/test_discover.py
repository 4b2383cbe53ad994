"""Servers found on this machine: the known shapes are offered, everything else on those ports is not."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from desktop.providers import discover
from desktop.providers.discover import Found

MODELS = {"data": [{"id": "m1"}, {"id": "m2"}]}
OLLAMA = {"/api/version": {"version": "0.9"}, "/api/tags": {"models": [{"name": "qwen3:8b"}]}}
LM_STUDIO = {
    "/api/v0/models": {
        "data": [
            {"id": "idle", "type": "llm", "state": "not-loaded"},
            {"id": "busy", "type": "vlm", "state": "loaded", "loaded_context_length": 4096},
            {"id": "vectors", "type": "embeddings", "state": "loaded"},
        ]
    }
}
LLAMA_CPP = {"/props": {"default_generation_settings": {"n_ctx": 8192}}, "/v1/models": MODELS}
VLLM = {"/v1/models": {"data": [{"id": "big", "owned_by": "vllm", "max_model_len": 32768}]}}


class _Server(ThreadingHTTPServer):
    def handle_error(self, *arguments: object) -> None:
        """The client hung up, as these tests make it do."""


class Machine:
    """One server on a socket that knows some paths; asked is every request it got."""

    def __init__(self) -> None:
        self.pages: dict[str, Any] = {}
        self.silent = threading.Event()
        self.silent.set()
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        handler = type("Handler", (_Handler,), {"machine": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self.silent.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    machine: Machine

    def do_GET(self) -> None:
        machine = self.machine
        machine.asked.append((self.command, self.path, dict(self.headers)))
        machine.silent.wait()
        page = machine.pages.get(self.path)
        if isinstance(page, int):
            self.send_response(page)
            self.send_header("Location", f"http://127.0.0.1:{machine.port}/elsewhere")
            self.end_headers()
            return
        body = page if isinstance(page, bytes) else json.dumps(page).encode()
        self.send_response(404 if page is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def machine() -> Iterator[Machine]:
    machine = Machine()
    yield machine
    machine.close()


@pytest.mark.parametrize(
    ("kind", "pages", "models", "window"),
    [
        ("ollama", OLLAMA, ("qwen3:8b",), None),
        ("lm_studio", LM_STUDIO, ("busy", "idle"), 4096),
        ("llama_cpp", LLAMA_CPP, ("m1", "m2"), 8192),
        ("vllm", VLLM, ("big",), 32768),
    ],
)
async def test_the_known_shape_is_offered(
    machine: Machine, kind: str, pages: dict[str, Any], models: tuple[str, ...], window: int | None
) -> None:
    machine.pages = pages
    found = await discover.servers({kind: machine.port})
    assert found == [Found(kind, f"http://127.0.0.1:{machine.port}/v1", models, window)]
    assert found[0].name == discover.NAMES[kind]
    assert {method for method, _path, _headers in machine.asked} == {"GET"}
    assert not any("Authorization" in headers for _method, _path, headers in machine.asked)


async def test_one_program_is_not_taken_for_another(machine: Machine) -> None:
    shapes: list[dict[str, Any]] = [OLLAMA, LM_STUDIO, LLAMA_CPP, VLLM]
    for right, pages in zip(discover.PORTS, shapes, strict=True):
        machine.pages = pages
        found = await discover.servers(dict.fromkeys(discover.PORTS, machine.port))
        assert [server.kind for server in found] == [right]


async def test_a_server_that_closes_after_each_answer_is_found() -> None:
    """Some say nothing of it, and a second question on the same connection gets no answer."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        body = json.dumps(OLLAMA[path]).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await reader.read(1)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        found = await discover.servers({"ollama": server.sockets[0].getsockname()[1]})
    assert [one.models for one in found] == [("qwen3:8b",)]


WRONG = {
    "a page": b"<html>hello</html>",
    "not UTF-8": b"\xff\xfe",
    "a list": [],
    "a number": 7,
    "other keys": {"version": 7, "data": "x", "models": None, "default_generation_settings": []},
    "odd entries": {"data": [None, 1, {"id": 3}], "version": ["1"]},
    "a redirect": 302,
    "a refusal": 401,
    "a fault": 500,
    "far too much": b" " * (2 << 20) + b"{}",
}


@pytest.mark.parametrize("what", WRONG)
async def test_anything_else_is_not(machine: Machine, what: str) -> None:
    paths = ("/api/version", "/api/tags", "/api/v0/models", "/props", "/v1/models")
    machine.pages = dict.fromkeys(paths, WRONG[what])
    assert await discover.servers(dict.fromkeys(discover.PORTS, machine.port)) == []
    assert "/elsewhere" not in [path for _method, path, _headers in machine.asked]


@pytest.mark.timeout(60)
async def test_a_silent_port_is_given_up(machine: Machine) -> None:
    machine.silent.clear()
    assert await discover.servers(dict.fromkeys(discover.PORTS, machine.port)) == []


async def test_a_closed_port_is_nothing() -> None:
    assert await discover.servers({"ollama": 1}) == []


@pytest.mark.parametrize(
    ("value", "port"),
    [
        ("127.0.0.1:9", 9),
        ("localhost:12", 12),
        ("http://127.0.0.1:13", 13),
        ("http://[::1]:14", 14),
        ("192.168.1.5:11434", None),
        ("ollama.example:11434", None),
        ("127.0.0.1", None),
        ("127.0.0.1:port", None),
        ("", None),
    ],
)
def test_only_a_loopback_ollama_host_is_honoured(
    monkeypatch: pytest.MonkeyPatch, value: str, port: int | None
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", value)
    assert discover._ollama_port() == port
