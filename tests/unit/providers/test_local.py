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
from desktop.providers import local
from desktop.providers.catalogue import Model
from desktop.providers.local import BuiltinServer
from desktop.services.status import ServiceState
from desktop.tasks import spawn
from tests.servers.gguf import gguf

BODY = gguf(window=32768)
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
    """A llama-server on the PATH."""
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
    assert environment["LLAMA_ARG_CACHE_RAM"] == "256"
    assert environment["LLAMA_API_KEY"] == running.token
    assert running.token not in given + repr(running)
    assert "sk-not-for-children" not in environment.values()


async def test_the_stable_prompt_is_read_in_advance(make: Make, notes: Notes) -> None:
    server = make(warm=prompt("You are kind."))
    running = await server.ensure()
    async with asyncio.timeout(60):
        assert server._warming
        await server._warming
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
    assert "restarts with the next question" in server.status.detail
    server._warm_messages = None
    await server.ensure()
    assert len(notes.starts) == 2


@pytest.mark.expected_log("did not start")
async def test_an_engine_that_does_not_come_up_is_told(make: Make, notes: Notes) -> None:
    (notes.folder / "broken").touch()
    server = make()
    with pytest.raises(AppError, match="could not be started") as failure:
        await server.ensure()
    assert failure.value.remedy
    assert server.status.state is ServiceState.FAILED
    (notes.folder / "broken").unlink()
    await server.ensure()


async def test_without_the_file_it_says_how_to_get_it(notes: Notes, tmp_path: Path) -> None:
    server = BuiltinServer(tmp_path / "empty")
    with pytest.raises(AppError, match="not on this computer yet") as failure:
        await server.ensure()
    assert "local setup qwen2.5-coder-0.5b-instruct" in failure.value.remedy


async def test_what_is_installed_is_told_without_starting_it(notes: Notes, tmp_path: Path) -> None:
    found = await local.installed(tmp_path)
    assert (found.models, found.engine) == ((), "llama-server")
    assert notes.starts == []


async def test_a_question_to_another_model_waits_for_the_answers_under_way(
    make: Make, notes: Notes, tmp_path: Path
) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(gguf())
    server, order, until = make(), list[str](), asyncio.Event()

    async def ask(name: str) -> None:
        async with server.use(name) as running:
            order.append(running.model)
            await until.wait()

    async with asyncio.timeout(60):
        first = spawn(ask(""), name="first")
        await server.ensure()
        others = [spawn(ask(str(own)), name="own"), spawn(ask("tiny"), name="again")]
        await asyncio.sleep(0)
        assert [start[0][start[0].index("--alias") + 1] for start in notes.starts] == ["tiny"]
        until.set()
        await asyncio.gather(first, *others)
    assert sorted(order) == sorted(["tiny", "tiny", str(own)])
    await server.start()
    assert notes.starts[-1][0][notes.starts[-1][0].index("--alias") + 1] == "tiny"


async def test_it_stays_while_the_window_is_open(make: Make, notes: Notes) -> None:
    bus = Bus()
    server = make(bus=bus, idle_seconds=0.01)
    server.keep(True)
    await server.ensure()
    await server._end_idle()
    assert server.status.state is ServiceState.RUNNING
    server.keep(False)
    await reached(server, bus, ServiceState.OFF)
    assert len(notes.starts) == 1


async def test_a_model_that_is_larger_than_the_memory_is_told(notes: Notes, tmp_path: Path) -> None:
    path = tmp_path / "huge.gguf"
    path.write_bytes(gguf())
    os.truncate(path, 1 << 42)  # a file of 4 TB that takes no room
    with pytest.raises(AppError, match="GB of memory") as failure:
        async with BuiltinServer(tmp_path).use(str(path)):
            pass
    assert "smaller model" in failure.value.remedy
    assert notes.starts == []


@pytest.mark.expected_log("did not start")
async def test_an_architecture_that_no_engine_knows_is_told_by_its_name(
    notes: Notes, tmp_path: Path
) -> None:
    (notes.folder / "bin/llama-server").unlink()
    path = tmp_path / "new.gguf"
    path.write_bytes(gguf("architecture-of-next-year"))
    with pytest.raises(AppError, match="architecture-of-next-year") as failure:
        async with BuiltinServer(tmp_path).use(str(path)):
            pass
    assert failure.value.remedy
