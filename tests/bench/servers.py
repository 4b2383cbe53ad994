"""What MCP servers cost: ten that come up side by side, twenty calls at once, and one that nobody calls.

Real children over stdio, through the real guard. The servers that come up are scripts without an SDK, whose
own start costs next to nothing, so that what is measured is ours.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.bench.table import Table, middle
from tests.bench.ticking import Lateness

SERVERS = 10
SLOWEST_S = 2.0
CALLS, CALL_S = 20, 0.5
IDLE_S = 30.0
_SHARE, _CALLS_MS, _IDLE_S = 1.3, 700, 0.05
_PEERS = Path(__file__).resolve().parents[1] / "servers" / "mcp"


async def measure(table: Table, runs: int) -> None:
    """All three parts."""
    await _together(table, runs)
    await _calls(table, runs)


async def _together(table: Table, runs: int) -> None:
    from desktop.config.mcp import McpServer

    script = str(_PEERS / "odd.py")
    delays = [SLOWEST_S * (number + 1) / SERVERS for number in range(SERVERS)]
    ten = {
        f"s{number}": McpServer(command=sys.executable, args=(script, "sound", str(delay)))
        for number, delay in enumerate(delays)
    }
    slowest = {"s9": ten["s9"]}
    late, ours, alone, ends = Lateness(), [], [], []
    for number in range(runs + 1):
        async with _servers(slowest) as servers:
            begun = time.perf_counter()
            await servers.tools()
            one = time.perf_counter() - begun
        async with late.watched(), _servers(ten) as servers:
            begun = time.perf_counter()
            await servers.tools()
            took = time.perf_counter() - begun
            found = sum(bool((up := servers.get(name)) and up.tools) for name in ten)
            if found != SERVERS:
                raise RuntimeError(f"{found} servers of {SERVERS} came up")
            begun = time.perf_counter()
            await servers.stop()
            ended = time.perf_counter() - begun
        if number:  # the first loads the SDK
            ours.append(took)
            alone.append(one)
            ends.append(ended)
    share = middle(ours) / middle(alone)
    table.line(
        f"{SERVERS} MCP servers come up",
        f"{middle(ours):.2f} s",
        f"the slowest alone {middle(alone):.2f} s",
        f"<= {_SHARE} x ({share:.2f} x)",
        share <= _SHARE,
    )
    table.line(f"{SERVERS} MCP servers end", f"{middle(ends):.2f} s")
    late.line(table, f"{SERVERS} MCP servers")


async def _calls(table: Table, runs: int) -> None:
    from desktop.config.mcp import McpServer

    server = McpServer(command=sys.executable, args=(str(_PEERS / "sound.py"),), trusted=True)
    times: list[float] = []
    async with _servers({"s": server}) as servers:
        await servers.tools()
        if found := servers.get("s"):
            await found.accept()
        tool: Any = (await servers.tools())["mcp_s_wait"]
        for _ in range(runs):
            begun = time.perf_counter()
            await asyncio.gather(*(_call(tool, seconds=CALL_S) for _ in range(CALLS)))
            times.append(time.perf_counter() - begun)
        ours = middle(times) * 1000
        table.line(
            f"{CALLS} MCP calls of {CALL_S} s at once",
            f"{ours:.0f} ms",
            "",
            f"<= {_CALLS_MS} ms",
            ours <= _CALLS_MS,
        )
        before = sum(os.times()[:2])
        await asyncio.sleep(IDLE_S)
        spent = sum(os.times()[:2]) - before
    table.line(
        f"CPU of {IDLE_S:.0f} s beside an idle MCP server",
        f"{spent:.2f} s",
        "",
        f"<= {_IDLE_S} s",
        spent <= _IDLE_S,
    )


async def _call(tool: Any, **arguments: Any) -> None:
    from desktop.tools.base import ToolContext

    folder = Path(tempfile.gettempdir())
    args = tool.arguments.model_validate(arguments)
    context = ToolContext("bench", "turn", "call", folder, folder)
    tool.claim(args, context)
    await tool.run(args, context)


@asynccontextmanager
async def _servers(config: dict[str, Any]) -> AsyncIterator[Any]:
    """The servers in a home of their own."""
    from desktop.bus.bus import Bus
    from desktop.config.keychain import Keychain
    from desktop.database.database import Database
    from desktop.tools.mcp.known import Known
    from desktop.tools.mcp.servers import Servers
    from desktop.tools.mcp.sign_in import SignIns

    async def secret(_name: str) -> str:
        return ""

    async def keep(_name: str, _pins: object) -> None:
        """There are none."""

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        database = Database(home / "state.db")
        await database.open()
        made = Servers(
            lambda: config,
            secret,
            Known(database),
            Bus(),
            home / "logs",
            home / "files",
            SignIns(Keychain()),
            keep,
        )
        try:
            yield made
        finally:
            await made.stop()
            await database.close()
