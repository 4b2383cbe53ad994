"""The built-in model as a service: started when asked, shared, stopped when idle, back after a crash.

What is started here is a scripted program in the place of an engine: a `llama-server` on the PATH, run
through the real guard. The real engines answer in test_engine.py and in the stories.
"""

import asyncio
import hashlib
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.bus.bus import Bus
from desktop.errors import AppError
from desktop.providers import engine, local
from desktop.providers.local import BuiltinServer
from desktop.providers.weights import Model
from desktop.services import ServiceState

BODY = b"weights"
MODEL = Model(
    "tiny",
    "Tiny",
    "MIT",
    len(BODY),
    hashlib.sha256(BODY).hexdigest(),
    "http://127.0.0.1:1/tiny.gguf",
)
FAKE = """#!{python}
import http.server, json, os, pathlib, sys
notes = pathlib.Path({notes!r})
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
with (notes / "starts").open("a") as file:
    file.write(json.dumps([sys.argv, dict(os.environ)]) + "\\n")
if (notes / "broken").exists():
    sys.exit("broken")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with (notes / "asked").open("a") as file:
            file.write(json.dumps([self.headers["Authorization"], json.loads(body)]) + "\\n")
        if "die" in str(body):
            os._exit(3)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *arguments):
        pass
http.server.HTTPServer(("127.0.0.1", int(arguments["--port"])), Handler).serve_forever()
"""


def prompt(text: str) -> Callable[[], Awaitable[dict[str, Any]]]:
    async def start() -> dict[str, Any]:
        return {"messages": [{"role": "system", "content": text}]}

    return start


type Make = Callable[..., BuiltinServer]


class Notes:
    """What the scripted engine wrote down."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _lines(self, name: str) -> list[Any]:
        path = self.folder / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def starts(self) -> list[Any]:
        return self._lines("starts")

    @property
    def asked(self) -> list[Any]:
        return self._lines("asked")


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notes:
    """A llama-server on the PATH, and no Node."""
    programs = tmp_path / "bin"
    programs.mkdir()
    fake = programs / "llama-server"
    fake.write_text(FAKE.format(python=sys.executable, notes=str(tmp_path)))
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("PYTHONPATH", str(Path(local.__file__).parents[2]))
    monkeypatch.setenv("NANOBOT_PROVIDERS__OPENAI__API_KEY", "sk-not-for-children")
    return Notes(tmp_path)


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    """Makes servers over a models folder that holds the (tiny) model's file; stops them in the end."""
    (tmp_path / MODEL.file).write_bytes(BODY)
    made: list[BuiltinServer] = []

    def one(**options: Any) -> BuiltinServer:
        made.append(BuiltinServer(tmp_path, MODEL, **options))
        return made[-1]

    yield one
    for server in made:
        await server.stop()


async def reached(server: BuiltinServer, bus: Bus, *states: ServiceState) -> None:
    async with asyncio.timeout(60):
        with bus.subscribe() as changes:
            while server.status.state not in states:
                await anext(changes)


async def test_callers_share_one_start(make: Make, notes: Notes) -> None:
    server = make()
    first, second, third = await asyncio.gather(server.ensure(), server.start(), server.ensure())
    assert first is third
    assert second is None
    assert server.status.state is ServiceState.RUNNING
    assert len(notes.starts) == 1
    assert (first.model, first.window, first.max_tokens) == ("tiny", 8192, 2048)


async def test_how_the_engine_is_started(make: Make, notes: Notes) -> None:
    running = await make().ensure()
    (command, environment), *_ = notes.starts
    given = " ".join(command)
    for wanted in ("--host 127.0.0.1", "-c 8192", "-n 2048", "-np 1", "--alias tiny", "--jinja"):
        assert wanted in given
    assert f":{command[command.index('--port') + 1]}/v1" in running.base_url
    assert environment["OMP_WAIT_POLICY"] == "PASSIVE"
    assert environment["LLAMA_API_KEY"] == running.token
    assert running.token not in given + repr(running)
    assert "sk-not-for-children" not in environment.values()


async def test_the_stable_prompt_is_read_in_advance(make: Make, notes: Notes) -> None:
    server = make(warm=prompt("You are kind."))
    running = await server.ensure()
    async with asyncio.timeout(60):
        await asyncio.wait(server._tasks, return_when=asyncio.FIRST_COMPLETED)
    body = {"model": "tiny", **await prompt("You are kind.")(), "max_tokens": 1}
    assert notes.asked == [[f"Bearer {running.token}", body]]


async def test_it_stops_when_idle_but_not_in_use(make: Make, notes: Notes) -> None:
    bus = Bus()
    server = make(bus=bus, idle_seconds=0.05)
    async with server.use():
        assert server.status.state is ServiceState.RUNNING
        assert server._idle is None
    await reached(server, bus, ServiceState.OFF)
    async with server.use():
        assert server.status.state is ServiceState.RUNNING
    assert len(notes.starts) == 2


async def test_stopping_ends_a_start_and_tells_who_waited(make: Make, notes: Notes) -> None:
    server = make()
    waiting = asyncio.gather(server.ensure(), return_exceptions=True)
    await asyncio.sleep(0)
    await server.stop()
    (result,) = await waiting
    assert isinstance(result, AppError)
    assert server.status.state is ServiceState.OFF
    await server.stop()


@pytest.mark.expected_log("ended by itself")
async def test_a_crash_is_noticed_and_the_next_one_starts_it_again(make: Make, notes: Notes) -> None:
    bus = Bus()
    server = make(bus=bus, warm=prompt("die"))
    await server.ensure()
    await reached(server, bus, ServiceState.DEGRADED)
    assert "next question starts it again" in server.status.detail
    server._warm_messages = None
    await server.ensure()
    assert len(notes.starts) == 2


@pytest.mark.expected_log("did not start")
async def test_an_engine_that_does_not_come_up_is_told(make: Make, notes: Notes) -> None:
    (notes.folder / "broken").touch()
    server = make()
    with pytest.raises(AppError, match="did not start") as failure:
        await server.ensure()
    assert failure.value.remedy
    assert server.status.state is ServiceState.FAILED
    (notes.folder / "broken").unlink()
    await server.ensure()


async def test_without_the_file_it_says_how_to_get_it(notes: Notes, tmp_path: Path) -> None:
    server = BuiltinServer(tmp_path / "empty")
    with pytest.raises(AppError, match="not on this machine yet") as failure:
        await server.ensure()
    assert "local setup" in failure.value.remedy


async def test_without_an_engine_it_says_what_to_install(make: Make, notes: Notes) -> None:
    (notes.folder / "bin/llama-server").unlink()
    packaged = bool(await engine.node(installer=True))  # where the tests brought Node as a package
    with pytest.raises(AppError, match="not set up" if packaged else "nothing on this machine") as failure:
        await make().ensure()
    assert packaged or "llama-server" in failure.value.remedy
    assert packaged or "Node.js 20" in failure.value.remedy


async def test_with_node_but_no_engine_it_says_how_to_set_it_up(make: Make, notes: Notes) -> None:
    (notes.folder / "bin/llama-server").unlink()
    for name, text in (("node", "echo v20.1.0"), ("npm", "exit 1")):
        (notes.folder / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (notes.folder / "bin" / name).chmod(0o755)
    with pytest.raises(AppError, match="not set up yet") as failure:
        await make().ensure()
    assert failure.value.remedy == "Set it up in the settings or with: nanobot-desktop local setup"


async def test_what_is_installed_is_told_without_starting_it(notes: Notes, tmp_path: Path) -> None:
    found = await local.installed(tmp_path)
    assert (found.models, found.engine) == ((), "llama-server")
    assert notes.starts == []


async def test_a_node_that_is_too_old_or_no_node_is_not_used(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = notes.folder / "bin/node"
    for text in ("#!/bin/sh\necho v18.20.4\n", "#!/bin/sh\nexit 1\n", "not a program"):
        node.write_text(text)
        node.chmod(0o755)
        found = await engine.node()
        assert found is None or found.node != str(node)
    node.write_text("#!/bin/sh\necho v20.1.0\n")
    assert await engine.node() == engine.Node(str(node), ())
    assert os.environ["PATH"] == str(notes.folder / "bin")
