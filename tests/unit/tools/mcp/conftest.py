"""A set of real servers for each test: what is put into `config` is there, and all is gone after it."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from desktop.agent.arguments import arguments_of
from desktop.bus.bus import Bus
from desktop.config.mcp import McpServer
from desktop.database.database import Database
from desktop.services.status import ServiceState
from desktop.tasks import spawn
from desktop.tools.base import Claim, Tool, ToolContext, ToolFailure, ToolResult
from desktop.tools.mcp.known import Known
from desktop.tools.mcp.server import Server
from desktop.tools.mcp.servers import Servers
from desktop.tools.mcp.sign_in import SignIns
from tests.warm import mcp_command, warm_mcp

__all__ = ["warm_mcp"]

ROOT = Path(__file__).parents[4]
PEERS = ROOT / "tests" / "servers" / "mcp"
BIN = Path(sys.executable).parent


class Memory:
    """A keychain that lasts as long as the test."""

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}

    async def get(self, name: str) -> str | None:
        return self.entries.get(name)

    async def set(self, name: str, value: str) -> None:
        self.entries[name] = value

    async def delete(self, name: str) -> None:
        self.entries.pop(name, None)


class Place:
    """Servers, and what a test does with them."""

    def children(self) -> list[psutil.Process]:
        """The processes that were started since."""
        return [one for one in psutil.Process().children(recursive=True) if one not in self._before]

    def __init__(self, folder: Path, database: Database) -> None:
        self.folder, self.bus, self.keychain = folder, Bus(), Memory()
        self.config: dict[str, McpServer] = {}
        self._before = set(psutil.Process().children(recursive=True))
        self.known = Known(database)

        async def secret(name: str) -> str:
            return self.keychain.entries.get(name, "")

        self.servers = Servers(
            lambda: self.config,
            secret,
            self.known,
            self.bus,
            folder / "logs",
            folder / "files" / "mcp",
            SignIns(self.keychain, patience=20),
            self._keep,
        )
        self.tools: dict[str, Tool[Any]] = {}

    async def _keep(self, name: str, pins: Mapping[str, str]) -> None:
        self.config[name] = self.config[name].model_copy(update={"pinned": dict(pins)})
        await self.servers.apply()

    @property
    def notes(self) -> Path:
        return self.folder / "notes"

    def noted(self) -> list[str]:
        return self.notes.read_text().split() if self.notes.exists() else []

    def sound(self, *more: str, cold: bool = False, **settings: Any) -> McpServer:
        """`cold`: not forked, so that it ends as itself, and what it starts is its own."""
        script = PEERS / "sound.py"
        command, *args = [sys.executable, str(script)] if cold else mcp_command(script)
        return McpServer(command=command, args=(*args, "--notes", str(self.notes), *more), **settings)

    def odd(self, way: str, **settings: Any) -> McpServer:
        return McpServer(command=sys.executable, args=(str(PEERS / "odd.py"), way), **settings)

    async def up(self, **config: McpServer) -> dict[str, Tool[Any]]:
        """Put servers in, wait for each however slow this computer is, and accept what the new ones say;
        the tools that the agent has then."""
        self.config.update(config)
        self.servers.wake()
        for name in config:
            if found := self.servers.get(name):
                await found.settled.wait()
                await found.accept()
        self.tools = await self.servers.tools()
        return self.tools

    def server(self, name: str) -> Server:
        found = self.servers.get(name)
        assert found
        return found

    def context(self) -> ToolContext:
        return ToolContext("s", "t", "c", self.folder, self.folder)

    def claim(self, name: str, /, **arguments: Any) -> Claim:
        tool = self.tools[name]
        claim: Claim = tool.claim(arguments_of(tool, json.dumps(arguments)), self.context())
        return claim

    async def call(self, name: str, /, **arguments: Any) -> ToolResult:
        tool = self.tools[name]
        made = await tool.run(arguments_of(tool, json.dumps(arguments)), self.context())
        assert isinstance(made, ToolResult)
        return made

    def begin(self, name: str, /, **arguments: Any) -> asyncio.Task[ToolResult | ToolFailure]:
        """A call under way; its failure is its result."""

        async def call() -> ToolResult | ToolFailure:
            try:
                return await self.call(name, **arguments)
            except ToolFailure as failure:
                return failure

        return spawn(call(), name=name)

    async def until(self, what: Callable[[], bool], seconds: float = 60) -> None:
        async with asyncio.timeout(seconds):
            while not what():
                await asyncio.sleep(0.01)

    async def state(self, name: str, state: ServiceState, seconds: float = 60) -> None:
        await self.until(lambda: self.server(name).status.state is state, seconds)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    database = Database(tmp_path / "state.db")
    await database.open()
    made = Place(tmp_path, database)
    yield made
    await made.servers.stop()
    await database.close()


@asynccontextmanager
async def serving(script: str, *arguments: str, port: int = 0) -> AsyncIterator[str]:
    """A server at an address: `PORT` in its arguments is `port`, or a free one. Yields its root."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = port or free.getsockname()[1]
    words = [str(port) if word == "PORT" else word for word in arguments]
    child = await asyncio.create_subprocess_exec(
        *mcp_command(PEERS / script, *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(60):
            while not await _answers(port):
                await asyncio.sleep(0.02)
        yield f"http://127.0.0.1:{port}"
    finally:
        if child.returncode is None:
            child.kill()
        await child.wait()
        async with asyncio.timeout(60):
            while await _answers(port):  # a forked one is gone a moment after its stub
                await asyncio.sleep(0.01)


async def _answers(port: int) -> bool:
    try:
        _reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
