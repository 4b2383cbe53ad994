"""The tools of the agent, made when the first turn needs them and not before: their imports are heavy."""

import asyncio
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.config.needed import skill_entry
from desktop.config.tools import search_entry
from desktop.errors import KeychainError
from desktop.tasks import cancel, in_thread, spawn
from desktop.tools.base import Tool
from desktop.tools.toolset import Toolset

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from desktop.bus.bus import Bus
    from desktop.config.keychain import Keychain
    from desktop.config.schema import Config
    from desktop.cron.service import Scheduler
    from desktop.database.database import Database
    from desktop.paths import Home
    from desktop.services.status import Status
    from desktop.tools.files.kept import Kept
    from desktop.tools.mcp.servers import Servers
    from desktop.tools.memory import Search
    from desktop.tools.web.reader import Reader

ALONE = ("message", "spawn", "cron")
"""What a subagent does without."""
SMALL_MODEL = ("web_fetch", "cron")
"""What a small model can handle beside its own file tools."""
UNDO = "undo"
"""The folder of the home where the old bytes of changed files are kept."""


class Alone:
    """The tools of those that work for an agent: none that speaks, begins others, or is an MCP server's."""

    def __init__(self, toolbox: "Toolbox") -> None:
        self._workshop = toolbox

    async def toolset(self, *, small_model: bool) -> Toolset:
        """As for an agent, without those."""
        toolset = await self._workshop.own(small_model=small_model)
        return Toolset(
            {name: tool for name, tool in toolset.tools.items() if name not in ALONE}, small_model
        )


class Toolbox:
    """The Toolsets of an agent."""

    def __init__(
        self,
        home: "Home",
        workspace: Path,
        config: "Callable[[], Config]",
        keychain: "Keychain",
        bus: "Bus",
        database: "Database",
        recall: "Search",
        jobs: "Callable[[], Scheduler]",
        keep_pins: "Callable[[str, Mapping[str, str]], Awaitable[None]]",
    ) -> None:
        """`recall` looks for what was said, for memory_search; `jobs` are those of cron; `keep_pins` puts
        the versions of an MCP server's packages into its settings."""
        self._home, self._workspace, self._config, self._keychain = home, workspace, config, keychain
        self._bus, self._database, self._recall, self._jobs = bus, database, recall, jobs
        self._keep_pins = keep_pins
        self._servers: Servers | None = None
        self._waking: asyncio.Task[None] | None = None
        self._made: dict[str, Tool[Any]] = {}
        self._simple: dict[str, Tool[Any]] = {}
        self._making = asyncio.Lock()
        self._pages: Reader | None = None

    @property
    def for_subagents(self) -> "Alone":
        """The Toolsets of subagents."""
        return Alone(self)

    async def toolset(self, *, small_model: bool) -> Toolset:
        """Those that a model gets; few and simple ones for a small model."""
        self.wake(small_model=small_model)
        toolset = await self.own(small_model=small_model)
        if small_model or not self._has_servers():
            return toolset
        return Toolset({**toolset.tools, **await (await self.servers()).tools()}, small_model)

    def wake(self, *, small_model: bool = False) -> None:
        """Have the MCP servers come up, if a turn may need them; waits for nothing."""
        if not small_model and self._has_servers() and (self._waking is None or self._waking.done()):
            self._waking = spawn(self._wake(), name="mcp:wake")

    async def _wake(self) -> None:
        (await self.servers()).wake()

    def _has_servers(self) -> bool:
        return any(server.enabled for server in self._config().tools.mcp_servers.values())

    async def servers(self) -> "Servers":
        """The MCP servers. Nothing of theirs is loaded before this is asked for."""
        async with self._making:
            if self._servers is None:
                self._servers = await in_thread(self._make_servers)
        return self._servers

    def _make_servers(self) -> "Servers":
        from desktop.tools.mcp.keychain import ForServers
        from desktop.tools.mcp.known import Known
        from desktop.tools.mcp.servers import Servers
        from desktop.tools.mcp.sign_in import SignIns

        keychain = ForServers(self._keychain)
        return Servers(
            lambda: self._config().tools.mcp_servers,
            keychain.secret,
            Known(self._database),
            self._bus,
            self._home.logs / "mcp",
            self._workspace / "files" / "mcp",
            SignIns(keychain),
            self._keep_pins,
        )

    @functools.cached_property
    def kept(self) -> "Kept":
        """The old bytes of files that the agent changed."""
        from desktop.tools.files.kept import Kept

        return Kept(self._home.root / UNDO)

    async def apply(self) -> None:
        """Obey changed settings."""
        if self._servers is not None:
            await self._servers.apply()

    def statuses(self) -> "list[Status]":
        """The states of what tools are reached through."""
        return self._servers.statuses() if self._servers else []

    async def own(self, *, small_model: bool) -> Toolset:
        """The program's own tools."""
        await self._jobs().read()
        tools = await self.all()
        if small_model:
            return Toolset({**self._simple, **{name: tools[name] for name in SMALL_MODEL}}, small_model)
        commands = self._config().tools.commands.enable
        return Toolset(
            {name: tool for name, tool in tools.items() if commands or name != "exec"}, small_model
        )

    async def all(self) -> dict[str, Tool[Any]]:
        """Every tool there is, by name."""
        async with self._making:
            if not self._made:
                made = await in_thread(self._make)
                self._made = {tool.name: tool for tool in made}
        return self._made

    def _make(self) -> list[Tool[Any]]:
        from desktop.tools.cron import Cron
        from desktop.tools.exec.toolbox import exec_tools
        from desktop.tools.exec.tree import sweep
        from desktop.tools.files.toolbox import file_tools, simple_tools
        from desktop.tools.memory import MemorySearch
        from desktop.tools.message import Message
        from desktop.tools.permissions.places import OWN, fences
        from desktop.tools.spawn import Spawn
        from desktop.tools.web.toolbox import web_tools

        kept = self.kept
        kept.sweep()
        sweep()
        home, workspace = self._home.root, self._workspace
        hidden = (*fences(home, workspace).roots, home)
        own = [workspace.joinpath(*parts) for parts in OWN]
        files = (kept, (*hidden, *own), (home, workspace))
        self._simple = {tool.name: tool for tool in simple_tools(*files)}
        tools = [
            *file_tools(*files),
            *exec_tools(lambda: self._config().tools.commands, home, workspace, self._skill_key),
            *web_tools(lambda: self._config().tools.web, self._search_key, self._reader()),
            MemorySearch(self._recall),
            Message(),
            Spawn(),
            Cron(self._jobs()),
        ]
        for tool in (*tools, *self._simple.values()):  # made here, in a thread, and kept
            assert tool.schema
            assert tool.brief_schema
        return tools

    def _reader(self) -> "Reader":
        from desktop.tools.web.reader import Reader

        self._pages = Reader()
        return self._pages

    async def stop(self) -> None:
        """End the children of the tools."""
        await cancel(self._waking)
        ends = [part.stop() for part in (self._pages, self._servers) if part is not None]
        await asyncio.gather(*ends)

    async def sandbox(self) -> tuple[bool, str]:
        """Whether commands run in a sandbox, and a sentence about it."""
        from desktop.tools.exec.sandbox import state

        return await in_thread(state, self._config().tools.commands)

    async def _skill_key(self, skill: str, variable: str) -> str:
        """The value of a variable that a skill needs: of its own, else of the environment by that name; ""
        where there is none. Raises KeychainError."""
        plain = os.environ.get(variable, "")
        try:
            return await self._keychain.get(skill_entry(skill, variable)) or plain
        except KeychainError:
            if plain:
                return plain
            raise

    async def _search_key(self, engine: str) -> str:
        """The key of a search engine, "" where none is stored. Raises KeychainError."""
        return await self._keychain.get(search_entry(engine)) or ""
