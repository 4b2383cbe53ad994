"""MCP servers: list, add, change, remove and bring back, test, switch, trust, sign in.

A secret value goes to the keychain before the settings name it, and never into them.
"""

import re
import secrets as random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from desktop.api.streams import following
from desktop.config.mcp import KINDS, McpServer, keychain_name
from desktop.errors import UsageError
from desktop.services.status import ServiceState
from desktop.tasks import in_thread
from desktop.text import _
from desktop.tools.mcp.fields import Secrets, merged, referring, with_secret_looking
from desktop.tools.mcp.kept import drop_unused, keep, kept_of
from desktop.tools.mcp.keychain import ForServers
from desktop.tools.mcp.listing import Tested, told
from desktop.tools.mcp.pasted import LONGEST_NAME, Pasted, servers, validated
from desktop.tools.mcp.settings import Package, versions_of
from desktop.tools.permissions.visible import visible

if TYPE_CHECKING:
    from desktop.tools.mcp.keychain import Entries
    from desktop.tools.mcp.servers import Servers as Running
    from desktop.tools.mcp.settings import ServerSettings

__all__ = ["Package", "Pasted", "Secrets", "Servers", "Tested"]

_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_NAME}}}")
_TRIAL = "_trial"
"""Stands for the name of a server that has none yet."""


@dataclass(frozen=True, slots=True)
class ServerLine:
    """A server of the settings and how it is. Values in the keychain stand as KEYCHAIN."""

    name: str
    kind: str = "stdio"
    packages: tuple[Package, ...] = ()
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    oauth: bool = False
    client_id: str = ""
    client_secret: bool = False
    """Whether there is one."""
    timeout: float = 30.0
    """Seconds."""
    protocol: str = "auto"
    enabled: bool = True
    trusted: bool = False
    local: bool = False
    state: str = "off"
    detail: str = ""
    last_ok: float | None = None
    title: str = ""
    """What it calls itself."""
    tools_total: int = 0
    tools_on: int = 0
    changed: tuple[str, ...] = ()
    """Its tools that are not accepted as they are now."""
    problem: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool of a server: `name` there and `tool` here; `told`: what a model would be told of it, `seen`:
    the same with every hidden sign shown."""

    name: str
    tool: str
    description: str
    told: str
    seen: str
    digest: str
    on: bool
    read_only: bool
    destructive: bool
    changed: bool


@dataclass(frozen=True, slots=True)
class ServerTools:
    """The tools of a server; `known`: whether any was accepted before."""

    state: str
    detail: str
    known: bool
    tools: tuple[ServerTool, ...]


@dataclass(frozen=True, slots=True)
class Newer:
    """A package of a server that has a newer version than the accepted one."""

    package: str
    now: str
    new: str


@dataclass(frozen=True, slots=True)
class SignInPage:
    """A page that is to be opened in the browser."""

    url: str


type Removed = tuple[str, McpServer, dict[str, str], dict[str, str]]
"""A name, its server, its entries of the keychain, and the tools that were accepted."""


class Servers:
    """Acts on MCP servers."""

    def __init__(
        self, settings: "ServerSettings", running: "Callable[[], Awaitable[Running]]", keychain: "Entries"
    ) -> None:
        """`running`: those that run; nothing of theirs is loaded before it is called."""
        self._settings, self._running, self._keychain = settings, running, ForServers(keychain)
        self._removed: dict[str, Removed] = {}

    # ---- what there is

    async def all(self) -> tuple[ServerLine, ...]:
        """All servers of the settings, with their states; connects to none."""
        running = await self._running()
        return tuple(_line(name, server, running) for name, server in self._settings.all().items())

    async def tools(self, name: str) -> ServerTools:
        """The tools of a server, which is connected for it. Raises UsageError, AppError."""
        running = await self._running()
        server = await running.reached(name)
        return ServerTools(
            server.status.state.value,
            server.status.detail,
            bool(await running.known.of(server.name)),
            tuple(
                ServerTool(
                    tool.listed.name,
                    full,
                    tool.listed.description,
                    told(tool.listed),
                    visible(told(tool.listed)),
                    tool.listed.digest,
                    running.is_on(server.name, tool.listed.name, full),
                    tool.listed.read_only,
                    tool.listed.destructive,
                    tool.listed.name in server.changed,
                )
                for full, tool in running.tools_of(server).items()
            ),
        )

    async def log(self, name: str) -> str:
        """The last of what a server printed to its stderr. Raises UsageError."""
        self._settings.one(name)
        return await in_thread((await self._running()).log, name)

    async def parse(self, text: str) -> tuple[Pasted, ...]:
        """The servers in a pasted text. Raises UsageError."""
        return tuple(await in_thread(servers, text))

    async def test(
        self, name: str = "", server: Mapping[str, Any] | None = None, secrets: Secrets | None = None
    ) -> Tested:
        """Connect once: a server by `name`, or as it is in `server` (as config.json has it) with its
        secrets, saved or not. Raises UsageError, AppError: what is wrong, and what it printed last."""
        running, name = await self._running(), name or _TRIAL
        settings = validated(server) if server is not None else self._settings.one(name)
        given = (secrets or Secrets()).by_kind()
        entries = {
            keychain_name(name, entry, key): value
            for kind, entry in KINDS
            for key, value in given[kind].items()
        }
        return await running.test(name, referring(settings, given), entries)

    # ---- changing them

    async def save(
        self,
        name: str,
        server: Mapping[str, Any],
        secrets: Secrets | None = None,
        *,
        new: bool = False,
        before: str = "",
    ) -> str:
        """Add a server (`new`), or change one; `before` is its name until now. `server` is as config.json
        has it; what it does not say stays, None takes a field out. Gives its name. Raises UsageError,
        KeychainError, StorageError; then the settings are as they were."""
        name, settings = name.strip(), self._settings
        async with settings.in_order:
            self._check_name(name, before, new=new)
            base = settings.all().get(before or name)
            whole = merged(base, server)
            given = with_secret_looking(whole, (secrets or Secrets()).by_kind())
            await keep(self._keychain, name, before, whole, given)
            stored = referring(whole, given)
            changes: dict[str, McpServer | None] = {name: stored}
            if before and before != name:
                changes[before] = None
            await settings.store(changes)
            await drop_unused(self._keychain, before or name, base, name, stored)
            if before and before != name:
                known = (await self._running()).known  # what was accepted goes with it
                await known.forget(name)
                await known.accept(name, await known.of(before))
                await known.forget(before)
            if any(given.values()):
                (await self._running()).restart(name)
        return name

    def _check_name(self, name: str, before: str, *, new: bool) -> None:
        if not _NAME.fullmatch(name):
            raise UsageError(
                _("A server name can have up to {n} letters, digits, - and _.").format(n=LONGEST_NAME),
                _("Choose another name."),
            )
        taken = name in self._settings.all()
        if taken and (new or (before and before != name)):
            raise UsageError(
                _("There is already a server named {name}.").format(name=name), _("Choose another name.")
            )
        if not new:
            self._settings.one(before or name)

    async def remove(self, name: str) -> str:
        """Take a server out of the settings and its secrets out of the keychain; what this gives brings
        them back while the program runs. Raises UsageError, StorageError."""
        async with self._settings.in_order:
            server = self._settings.one(name)
            kept = await kept_of(self._keychain, name, server)
            await self._settings.store({name: None})
            for entry in kept or ():
                await self._keychain.delete(entry)
            known = (await self._running()).known
            accepted = await known.of(name)
            await known.forget(name)
            token = random.token_hex(8)
            values = {entry: value for entry, value in (kept or {}).items() if value}
            self._removed[token] = (name, server, values, accepted)
        return token

    async def restore(self, undo: str) -> str:
        """Bring a removed server back; its name. Raises UsageError, KeychainError, StorageError."""
        async with self._settings.in_order:
            if undo not in self._removed:
                raise UsageError(_("There is nothing to restore."))
            name, server, kept, accepted = self._removed[undo]
            if name in self._settings.all():
                raise UsageError(_("There is already a server named {name}.").format(name=name))
            for entry, value in kept.items():
                await self._keychain.set(entry, value)
            await (await self._running()).known.accept(name, accepted)
            await self._settings.store({name: server})
            del self._removed[undo]
        return name

    async def switch(self, name: str, *, on: bool) -> None:
        """Switch a server on or off. Raises UsageError, StorageError."""
        await self._settings.update(name, enabled=on)

    async def switch_tool(self, name: str, tool: str, *, on: bool) -> None:
        """Switch a tool (the server's name of it) on or off. Raises UsageError, StorageError."""
        server, running = self._settings.one(name), await self._running()
        found = running.get(name)
        here = running.tools_of(found) if found else {}
        both = {tool, *(full for full, one in here.items() if one.listed.name == tool)}
        enabled = [one for one in server.enabled_tools if one not in both]
        disabled = [one for one in server.disabled_tools if one not in both]
        if "*" in enabled:
            disabled += [] if on else [tool]
        elif on:
            enabled.append(tool)
        await self._settings.update(name, enabled_tools=tuple(enabled), disabled_tools=tuple(disabled))

    async def restart(self, name: str) -> None:
        """Begin a server anew. Raises UsageError."""
        (await self._running()).restart(name)

    # ---- how far it is trusted

    async def trust(self, name: str, *, on: bool) -> None:
        """Whether a server is believed where it says that a tool only reads. Raises UsageError."""
        await self._settings.update(name, trusted=on)

    async def say_local(self, name: str, *, on: bool) -> None:
        """Whether the person says that a server is on this computer and only reads. Raises UsageError."""
        await self._settings.update(name, local=on)

    async def accept(self, name: str, tools: Mapping[str, str] | None = None) -> tuple[str, ...]:
        """The person accepts tools of a server, which is connected for it: these, digest by name as they
        were seen, or all as they are now. Gives those that still wait. Raises UsageError, AppError."""
        server = await (await self._running()).reached(name)
        await server.accept(None if tools is None else dict(tools))
        return tuple(sorted(server.changed))

    async def newer(self, name: str) -> tuple[Newer, ...]:
        """Which packages of a server have another version now than the accepted one. Raises UsageError,
        AppError."""
        found = await (await self._running()).newer(name)
        kept = self._settings.one(name).pinned
        return tuple(Newer(spec, kept.get(spec, ""), version) for spec, version in found.items())

    async def take(self, name: str, versions: Mapping[str, str]) -> None:
        """Accept versions, by package, as they were shown. Raises UsageError, StorageError."""
        await self._settings.accept_pins(name, versions)

    # ---- signing in

    async def sign_in(self, name: str) -> AsyncIterator[SignInPage]:
        """Sign in to a server in the browser. Raises UsageError, AppError; closing it ends it."""

        async def work(tell: Callable[[SignInPage], None]) -> None:
            server, running = self._settings.one(name), await self._running()
            await running.sign_in(name, lambda url: tell(SignInPage(url)))
            if server.auth != "oauth":
                await self._settings.update(name, auth="oauth")
            running.restart(name)

        async with aclosing(following(work, name="servers:sign_in")) as events:
            async for event in events:
                if event is not None:
                    yield event

    async def sign_out(self, name: str) -> None:
        """Forget what signing in to a server gave. Raises UsageError, KeychainError."""
        self._settings.one(name)
        running = await self._running()
        await running.sign_out(name)
        running.restart(name)


def _line(name: str, server: McpServer, running: "Running") -> ServerLine:
    found = running.get(name) if server.enabled else None
    state = found.status.state if found else ServiceState.OFF
    tools = running.tools_of(found) if found else {}
    problem = found.problem if found and state is not ServiceState.STARTING else None
    return ServerLine(
        name,
        server.kind,
        versions_of(server),
        server.command,
        tuple(server.args),
        dict(server.env),
        server.cwd,
        server.url,
        dict(server.headers),
        server.auth == "oauth",
        server.client_id,
        bool(server.client_secret),
        server.tool_timeout,
        server.protocol,
        server.enabled,
        server.trusted,
        server.local,
        state.value,
        found.status.detail if found else "",
        found.status.last_ok if found else None,
        found.title if found else "",
        len(tools),
        sum(running.is_on(name, tool.listed.name, full) for full, tool in tools.items()),
        tuple(sorted(found.changed)) if found else (),
        problem.text if problem else "",
        problem.remedy if problem else "",
    )
