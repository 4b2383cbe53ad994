"""A core in this process, and a model server in another, for figures that need both."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from tests.stories.program import Program

ROOT = Path(__file__).resolve().parents[2]


@asynccontextmanager
async def running_core(home: Path, url: str, model: str, **defaults: Any) -> AsyncIterator[Any]:
    """The running core in a home of its own."""
    from desktop.bus.bus import Bus
    from desktop.core.core import Core
    from desktop.paths import Home
    from desktop.providers.host_process import ModelHost

    program = Program(home)
    program.use_server(url, model)
    config = json.loads((home / "config.json").read_text())
    config["agents"]["defaults"] |= defaults
    program.configure(**config)
    bus = Bus()
    core = await Core.start(Home(home, home / "models"), ModelHost(bus), bus)
    try:
        yield core
    finally:
        await core.stop()


@contextmanager
def server_apart() -> Iterator[str]:
    """The scripted server as a process of its own; its address."""
    pipes: dict[str, Any] = {"cwd": ROOT, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with ExitStack() as ends:
        process = ends.enter_context(
            subprocess.Popen([sys.executable, "-m", "tests.servers.scripted"], **pipes)
        )
        ends.callback(process.kill)
        assert process.stdout
        yield process.stdout.readline().strip()
