"""Model servers found on this machine: offered, and used only after the person chose one."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program


@contextmanager
def ollama(port: int = 11434) -> Iterator[None]:
    """Something that answers like Ollama on its port, and counts nothing but GETs."""
    up, done = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readline()).split()[1].decode()
        bodies = {"/api/version": {"version": "0.9"}, "/api/tags": {"models": [{"name": "llama3:8b"}]}}
        body = json.dumps(bodies.get(path, {})).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", port)
        up.set()
        await done.wait()
        server.close()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        assert up.wait(60)
        yield
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(5)
        loop.close()


@pytest.fixture(autouse=True)
def _found() -> Iterator[None]:
    try:
        with ollama():
            yield
    except AssertionError:
        pytest.skip("port 11434 is taken: a real Ollama runs on this machine")


def test_a_found_server_is_offered_and_not_used_by_itself(program: Program) -> None:
    found = program.events("local", "list")[0]["servers"]
    assert [(s["kind"], s["models"]) for s in found] == [("Ollama", ["llama3:8b"])]
    shown = program.run("local", "list").stdout
    assert "nanobot-desktop provider set ollama --no-key --base http://127.0.0.1:11434/v1" in shown
    assert program.events("status")[0]["provider"] == "builtin"


def test_the_command_that_is_shown_makes_it_answer(program: Program, server: ScriptedServer) -> None:
    done = program.run("provider", "set", "ollama", "--no-key", "--base", server.url, "--model", "say:Hm.")
    assert done.returncode == 0
    assert program.run("ask", "hi").stdout == "Hm.\n"
    assert program.events("status")[0]["provider"] == "ollama"


@pytest.mark.soak
def test_onboard_offers_it_first(program: Program) -> None:
    said = program.run("onboard", given="\n\n").stdout
    assert "1  Ollama, running on this computer" in said
    assert program.events("status")[0]["provider"] == "builtin", "Enter skips"
