"""How late a loop comes to what is due: a tick each 5 ms, in our loop and in an empty one beside it.

The empty loop is a process of its own, ticking at the same time: what the machine itself makes late, it
makes late there, too.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from desktop.tasks import cancel, spawn
from tests.bench.table import Table, middle

_STEP = 0.005
_LEAST_MS = 16.0
_EMPTY = """
import asyncio, json, sys
async def main():
    loop, late = asyncio.get_running_loop(), []
    over = loop.run_in_executor(None, sys.stdin.read)
    print("ready", flush=True)
    while not over.done():
        due = loop.time() + 0.005
        await asyncio.sleep(0.005)
        late.append((loop.time() - due) * 1000)
    print(json.dumps(late))
asyncio.run(main())
"""


@dataclass
class Lateness:
    """In milliseconds, of each run: the latest tick and the 99th percentile, ours and the empty loop's."""

    ours: list[tuple[float, float]] = field(default_factory=list)
    empty: list[tuple[float, float]] = field(default_factory=list)

    def line(self, table: Table, what: str) -> None:
        """The medians."""
        latest, usual = (middle([run[at] for run in self.ours]) for at in (0, 1))
        theirs, usual_there = (middle([run[at] for run in self.empty]) for at in (0, 1))
        allowed = max(_LEAST_MS, 2 * theirs)
        table.line(
            f"latest tick (p99), {what}",
            f"{latest:.0f} ms ({usual:.0f})",
            f"empty loop {theirs:.0f} ms ({usual_there:.0f})",
            f"<= {allowed:.0f} ms",
            latest <= allowed,
        )

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Tick until the block ends."""
        pipes: dict[str, Any] = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
        other = await asyncio.create_subprocess_exec(sys.executable, "-c", _EMPTY, **pipes, limit=1 << 24)
        assert other.stdout is not None
        await other.stdout.readline()
        late: list[float] = []
        ticking = spawn(_tick(late), name="ticker")
        try:
            yield
        finally:
            await cancel(ticking)
            told, _errors = await other.communicate()
        self.ours.append(_latest(late))
        self.empty.append(_latest(json.loads(told)))


async def _tick(late: list[float]) -> None:
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _STEP
        await asyncio.sleep(_STEP)
        late.append((loop.time() - due) * 1000)


def _latest(late: list[float]) -> tuple[float, float]:
    ordered = sorted(late) or [0.0]
    return ordered[-1], ordered[int(len(ordered) * 0.99)]
