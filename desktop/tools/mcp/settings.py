"""The settings of MCP servers: read at any time, changed one after the other."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from desktop.config.mcp import McpServer
from desktop.errors import UsageError
from desktop.text import _
from desktop.tools.mcp.packages import packages
from desktop.tools.mcp.pasted import plain


class ServerSettings:
    """Those of one program."""

    def __init__(
        self,
        servers: Callable[[], Mapping[str, McpServer]],
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """`servers` are those of the settings; `change` changes settings by dotted name."""
        self._servers, self._change = servers, change
        self.in_order = asyncio.Lock()
        """Changes do not overtake one another."""

    def all(self) -> Mapping[str, McpServer]:
        """Every server by its name."""
        return self._servers()

    def one(self, name: str) -> McpServer:
        """One of them. Raises UsageError."""
        server = self._servers().get(name)
        if server is None:
            raise no_server(name)
        return server

    async def store(self, changes: Mapping[str, McpServer | None]) -> None:
        """Write servers; None takes one out. For who has `in_order`. Raises ConfigError, StorageError."""
        values = {name: plain(server) if server else None for name, server in changes.items()}
        if any("." in name for name in changes):  # a dot would be read as a step down
            whole = {name: plain(server) for name, server in self._servers().items()} | values
            await self._change(
                {"tools.mcpServers": {name: value for name, value in whole.items() if value is not None}}
            )
            return
        await self._change({f"tools.mcpServers.{name}": value for name, value in values.items()})

    async def update(self, name: str, **values: Any) -> None:
        """Change fields of a server. Raises UsageError, ConfigError, StorageError."""
        async with self.in_order:
            await self.store({name: self.one(name).model_copy(update=values)})

    async def accept_pins(self, name: str, pins: Mapping[str, str]) -> None:
        """Take these versions beside those that are kept. Raises UsageError, ConfigError, StorageError."""
        async with self.in_order:
            server = self.one(name)
            await self.store({name: server.model_copy(update={"pinned": {**server.pinned, **pins}})})

    async def keep_pins(self, name: str, pins: Mapping[str, str]) -> None:
        """Keep the versions that a server is started with; nothing where it was removed meanwhile. Raises
        ConfigError, StorageError."""
        async with self.in_order:
            if server := self._servers().get(name):
                await self.store({name: server.model_copy(update={"pinned": dict(pins)})})


@dataclass(frozen=True, slots=True)
class Package:
    """A package that a server is run from, and which version of it; "" where that is not known before the
    first start."""

    package: str
    version: str


def versions_of(server: McpServer) -> tuple[Package, ...]:
    """The packages of a server's command that are fetched."""
    if server.kind != "stdio":
        return ()
    found = packages(server.command, server.args)
    versions = ((one.spec, one.exact or server.pinned.get(one.spec, "")) for one in found)
    return tuple(Package(spec, version) for spec, version in versions if version != "here")


def no_server(name: str) -> UsageError:
    """Nobody has this name."""
    return UsageError(
        _("There is no MCP server named {name}.").format(name=name),
        _("List the names with: nanobot-desktop mcp list"),
    )
