"""What chat apps cost: the loop's steps when one is switched on, an idle minute, memory, and how soon a
message is with the model and a thousand answers are out."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil

from desktop.api.client import Api
from desktop.api.remote import Remote
from desktop.paths import Home
from tests.bench.bare_chat import APPS as BARE
from tests.bench.table import Table, middle
from tests.bench.ticking import Lateness
from tests.channels.app import App
from tests.channels.apps import apps
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

IDLE_S = 60
_SETTLED_S = 6.0
_ROOT = Path(__file__).resolve().parents[2]


class _Bench:
    """The apps' servers and the model's in this process, the program in another."""

    def __init__(self, stack: ExitStack) -> None:
        self.server = stack.enter_context(ScriptedServer())
        self.apps = [app for app in apps(stack) if app.name in BARE]
        self.program = Program(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "home")
        self.program.use_server(self.server.url, "say:ok")
        for app in self.apps:
            self.program.environment |= app.environment()
        config = self.program.home / "config.json"
        settings: dict[str, Any] = json.loads(config.read_text("utf-8"))
        settings["channels"] = {"messagesPerMinute": 600, "dailyMessages": 100_000}
        for app in self.apps:
            settings["channels"][app.name] = {"allowFrom": ["*"], **app.settings()}
        config.write_text(json.dumps(settings), "utf-8")

    @property
    def api(self) -> Api:
        return Api(Remote(Home(self.program.home, self.program.home / "models")))

    async def turn(self, app: App, on: bool) -> None:
        """Switch an app on, until it listens, or off."""
        await self.api.settings.change({f"channels.{app.name}.enabled": on})
        while on and not any(
            one.name == app.name and one.state == "running" for one in await self.states()
        ):
            await asyncio.sleep(0.05)

    async def states(self) -> Any:
        return await self.api.channels.all()

    @contextmanager
    def bare(self, app: App | None) -> Iterator[subprocess.Popen[bytes]]:
        """An app's library by itself; without an app a bare loop."""
        words = [app.name, json.dumps(app.settings())] if app else ["nothing", "{}"]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.bare_chat", *words],
            env=os.environ | (app.environment() if app else {}),
            stdout=subprocess.PIPE,
            cwd=_ROOT,
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == b"up"
            yield process
        finally:
            process.kill()
            process.wait()


def measure(table: Table, runs: int) -> None:
    """All of it."""
    with ExitStack() as stack:
        bench = _Bench(stack)
        with bench.program.started("serve", "--json", seconds=3600) as serve:
            asyncio.run(_costs(table, bench, psutil.Process(serve.pid)))
            asyncio.run(_delays(table, bench, runs))
            bench.program.run("quit")
        asyncio.run(_steps(table, bench, runs))


def _mb(process: psutil.Process) -> float:
    return float(process.memory_full_info().uss) / 2**20


def _cpu(process: psutil.Process) -> float:
    return float(sum(process.cpu_times()[:2]))


async def _idle(process: psutil.Process) -> tuple[float, float]:
    """Its memory once it is settled, and the CPU that an idle minute takes."""
    await asyncio.sleep(_SETTLED_S)
    began = _cpu(process)
    await asyncio.sleep(IDLE_S)
    return _mb(process), _cpu(process) - began


async def _costs(table: Table, bench: _Bench, serve: psutil.Process) -> None:
    """Memory of each app and CPU of an idle minute with it, beside its library's."""
    with bench.bare(None) as loop:
        await asyncio.sleep(1)
        empty = _mb(psutil.Process(loop.pid))
    await asyncio.sleep(_SETTLED_S)
    for app in bench.apps:
        with bench.bare(app) as alone:
            theirs, bare = await _idle(psutil.Process(alone.pid))
        before = _mb(serve)
        await bench.turn(app, on=True)
        ours, spent = await _idle(serve)
        await bench.turn(app, on=False)
        more, theirs = ours - before, theirs - empty
        table.line(
            f"memory of {app.name} (USS)",
            f"{more:.1f} MB",
            f"library {theirs:.1f} MB",
            "<= library + 5 MB",
            more <= theirs + 5,
        )
        table.line(
            f"CPU, {app.name} idle {IDLE_S} s",
            f"{spent:.2f} s",
            f"library {bare:.2f} s",
            "<= library + 0.05 s",
            spent <= bare + 0.05,
        )


async def _delays(table: Table, bench: _Bench, runs: int) -> None:
    """From a message to the model's request, beside a turn of another window of the same program, and
    beside the library alone, until it has the message."""
    app = bench.apps[0]
    hop = middle(await asyncio.to_thread(_hops, bench, app, runs))
    await bench.turn(app, on=True)
    taken: dict[str, list[float]] = {"chat": [], "window": []}
    for number in range(4 * runs):
        for whose in taken:
            count, began = len(bench.server.requests), time.monotonic()
            if whose == "chat":
                app.write(f"Hello {number}", 0)
            else:
                await bench.api.turns.submit("window:bench", f"Hello {number}")
            await asyncio.to_thread(bench.server.wait_for_request, count + 1)
            if number >= runs:
                taken[whose].append((time.monotonic() - began) * 1000)
            await asyncio.sleep(1.2)
    chat, window = middle(taken["chat"]), middle(taken["window"])
    table.line(
        f"a message of {app.name} is with the model",
        f"{chat:.1f} ms",
        f"of a window {window:.1f} ms, with the library alone {hop:.1f} ms",
        "<= window + 5 ms",
        chat <= window + 5,
    )
    await _thousand(table, bench, app)


def _hops(bench: _Bench, app: App, runs: int) -> list[float]:
    """How soon an app's library by itself has a message, ms."""
    taken = []
    with bench.bare(app) as alone:
        assert alone.stdout is not None
        for number in range(4 * runs):
            time.sleep(0.3)
            began = time.monotonic()
            app.write(f"Hello {number}", 0)
            assert alone.stdout.readline().strip() == b"heard"
            taken.append((time.monotonic() - began) * 1000)
        while app.waiting():
            time.sleep(0.05)
    return taken[runs:]


async def _thousand(table: Table, bench: _Bench, app: App) -> None:
    """A thousand messages to ten chats at once, at a message a second for each."""
    asked = len(bench.server.requests)
    for person in range(10):
        app.write("Hello", person)
    await asyncio.to_thread(bench.server.wait_for_request, asked + 10)
    began = time.monotonic()
    for number in range(1000):
        await bench.api.channels.send(app.name, app.chat(number % 10), f"Out {number}.")
    while (done := sum("Out " in text for text in app.said())) < 1000 and time.monotonic() < began + 300:
        await asyncio.sleep(0.5)
    seconds = time.monotonic() - began
    table.line(
        "1,000 messages to 10 chats",
        f"{seconds:.0f} s",
        f"{done} there, 99 s at the pace",
        "<= 1.1 x, all",
        done == 1000 and seconds <= 110,
    )


async def _steps(table: Table, bench: _Bench, runs: int) -> None:
    """The loop while an app is switched on and off, in this process."""
    from desktop.bus.bus import Bus
    from desktop.core.core import Core
    from desktop.providers.host_process import ModelHost

    for app in bench.apps:
        os.environ.update(app.environment())
    bus = Bus()
    home = Home(bench.program.home, bench.program.home / "models")
    core = await Core.start(home, ModelHost(bus), bus)
    try:
        await core.staying()
        for app in bench.apps:
            lateness = Lateness()
            for _run in range(runs):
                async with lateness.watched():
                    await core.change({f"channels.{app.name}.enabled": True})
                    channel = core.background.chats.channels.get(app.name)
                    assert channel is not None
                    await channel.up.wait()
                    await core.change({f"channels.{app.name}.enabled": False})
            lateness.line(table, f"{app.name} on and off")
    finally:
        await core.stop()
