"""How far the person trusts an MCP server: its word, the tools they accepted, the versions it runs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from desktop.config.mcp import McpServer
from desktop.core.pasted import plain
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import UsageError
from desktop.text import _
from desktop.tools.mcp.packages import packages

if TYPE_CHECKING:
    from desktop.core.core import Core


class TrustVerbs:
    """What the person says of servers."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """All of them, by name."""
        found = (self.mcp_trust, self.mcp_local, self.mcp_accept, self.mcp_update)
        return {verb.__name__: verb for verb in found}

    async def mcp_trust(self, arguments: Json, _send: Send) -> Json:
        """Whether a server is believed where it says that a tool only reads."""
        return await update(self._core, str(arguments["name"]), trusted=bool(arguments["on"]))

    async def mcp_local(self, arguments: Json, _send: Send) -> Json:
        """Whether the person says that a server is on this computer and only reads."""
        return await update(self._core, str(arguments["name"]), local=bool(arguments["on"]))

    async def mcp_accept(self, arguments: Json, _send: Send) -> Json:
        """The person accepts tools of a server, which is connected for it: `tools`, digest by name as they
        were seen, or all as they are now. Raises UsageError, AppError."""
        seen = arguments.get("tools")
        server = await (await self._core.workshop.servers()).reached(str(arguments["name"]))
        await server.accept(None if seen is None else {str(k): str(v) for k, v in seen.items()})
        return {"waiting": sorted(server.changed)}

    async def mcp_update(self, arguments: Json, _send: Send) -> Json:
        """Which packages of a server have another version now than the accepted one; with `take`, versions
        by package as they were shown, these are accepted. Raises UsageError, AppError, StorageError."""
        name = str(arguments["name"])
        take = arguments.get("take")
        if take is not None:
            await accept_pins(self._core, name, {str(key): str(value) for key, value in take.items()})
            return {"updates": []}
        found = await (await self._core.workshop.servers()).newer(name)
        kept = self._core.store.config.tools.mcp_servers[name].pinned
        return {
            "updates": [
                {"package": spec, "now": kept.get(spec, ""), "new": version}
                for spec, version in found.items()
            ]
        }


async def accept_pins(core: "Core", name: str, pins: Mapping[str, str]) -> None:
    """Take these versions beside those that are kept. Raises UsageError, ConfigError, StorageError."""
    async with core.servers_in_order:
        server = core.store.config.tools.mcp_servers.get(name)
        if server is None:
            raise no_server(name)
        await store(core, {name: server.model_copy(update={"pinned": {**server.pinned, **pins}})})


async def keep_pins(core: "Core", name: str, pins: Mapping[str, str]) -> None:
    """Keep the versions that a server is started with; nothing where it was removed meanwhile. Raises
    ConfigError, StorageError."""
    async with core.servers_in_order:
        if server := core.store.config.tools.mcp_servers.get(name):
            await store(core, {name: server.model_copy(update={"pinned": dict(pins)})})


async def update(core: "Core", name: str, **values: Any) -> Json:
    """Change fields of a server. Raises UsageError, ConfigError, StorageError."""
    async with core.servers_in_order:
        server = core.store.config.tools.mcp_servers.get(name)
        if server is None:
            raise no_server(name)
        await store(core, {name: server.model_copy(update=values)})
    return {}


async def store(core: "Core", changes: Mapping[str, McpServer | None]) -> None:
    """Write servers to the settings; None takes one out. Raises ConfigError, StorageError."""
    values = {name: plain(server) if server else None for name, server in changes.items()}
    if any("." in name for name in changes):  # a dot would be read as a step down
        here = core.store.config.tools.mcp_servers
        whole = {name: plain(server) for name, server in here.items()} | values
        await core.change(
            {"tools.mcpServers": {name: value for name, value in whole.items() if value is not None}}
        )
        return
    await core.change({f"tools.mcpServers.{name}": value for name, value in values.items()})


def no_server(name: str) -> UsageError:
    """Nobody has this name."""
    return UsageError(
        _("There is no MCP server called {name}.").format(name=name),
        _("The names are listed by: nanobot-desktop mcp list"),
    )


def packages_of(server: McpServer) -> list[Json]:
    """The packages of a server's command, and which version of each is run: {package, version}, "" where
    that is not known before the first start."""
    if server.kind != "stdio":
        return []
    return [
        {"package": one.spec, "version": version}
        for one in packages(server.command, server.args)
        if (version := one.exact or server.pinned.get(one.spec, "")) != "here"
    ]
