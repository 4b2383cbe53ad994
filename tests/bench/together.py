"""All chat apps switched on at once, in mid-answer: how late the loop is, and how soon they all stand.

Each run is a process of its own: what an app loads, it loads once."""

import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil

from desktop.api.client import Api
from desktop.bus.events import TextDelta, TurnFinished
from desktop.cli.owner import Owner
from desktop.ipc.ownership import Ownership
from desktop.paths import Home
from tests.bench.table import Table, middle
from tests.bench.ticking import Lateness
from tests.channels.app import App
from tests.channels.apps import apps, let_in
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE_S = 60.0


def measure(table: Table, runs: int) -> None:
    """The medians of so many first times."""
    found: list[dict[str, Any]] = []
    for _run in range(runs):
        told = subprocess.run(
            [sys.executable, "-m", "tests.bench.together"], cwd=_ROOT, stdout=subprocess.PIPE, check=True
        )
        found.append(json.loads(told.stdout.splitlines()[-1]))
    lateness = Lateness([tuple(one["ours"]) for one in found], [tuple(one["empty"]) for one in found])
    lateness.line(table, f"{found[0]['apps']} apps on, mid-answer")
    seconds = middle([one["seconds"] for one in found])
    table.line("until all of them stand", f"{seconds:.1f} s")
    table.line("memory of all of them (USS)", f"{middle([one['memory'] for one in found]):.1f} MB")


def main() -> None:
    """One run; what it found as a line of JSON."""
    with ExitStack() as stack:
        server = stack.enter_context(ScriptedServer())
        program = Program(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "home")
        program.use_server(server.url, "slow:0.2")
        there = apps(stack)
        let_in(program, there, **{app.name: {"enabled": False} for app in there})
        sys.stdout.write(json.dumps(asyncio.run(_first(program, there))) + "\n")


async def _first(program: Program, there: list[App]) -> dict[str, Any]:
    home, me = Home(program.home, program.home / "models"), psutil.Process()
    ownership = Ownership.take(home)
    assert ownership is not None
    os.environ.update({name: value for app in there for name, value in app.environment().items()})
    owner, lateness = Owner(home, "serve", ownership), Lateness()
    await owner.start()
    try:
        await owner.core.staying()
        gc.freeze()
        gc.disable()  # the window collects when it rests: desktop/ui/garbage.py
        with owner.bus.subscribe() as events:
            await Api(owner).turns.submit("window:bench", "Tell me")
            while not isinstance(await anext(events), TextDelta):
                pass
            before, began = me.memory_full_info().uss, time.monotonic()
            async with lateness.watched():
                await owner.core.change({f"channels.{app.name}.enabled": True for app in there})
                for app in there:
                    channel = owner.core.background.chats.channels.get(app.name)
                    assert channel is not None
                    async with asyncio.timeout(_PATIENCE_S):
                        await channel.up.wait()
                seconds = time.monotonic() - began
                while not isinstance(await anext(events), TurnFinished):
                    pass
        return {
            "apps": len(there),
            "ours": lateness.ours[0],
            "empty": lateness.empty[0],
            "seconds": seconds,
            "memory": (me.memory_full_info().uss - before) / 2**20,
        }
    finally:
        await owner.stop()


if __name__ == "__main__":
    main()
