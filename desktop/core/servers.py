"""The verbs of MCP servers: list, add, change, remove and bring back, test, switch, trust, sign in.

A secret value goes to the keychain before the settings name it, and never into them.
"""

import re
import secrets as random
from collections.abc import Mapping
from typing import TYPE_CHECKING

from desktop.config.mcp import KEYCHAIN, KINDS, McpServer, keychain_name, sign_in_name
from desktop.core.pasted import LONGEST_NAME, servers, validated
from desktop.core.server_fields import (
    given_secrets,
    keychain_entries,
    merged,
    referring,
    with_secret_looking,
)
from desktop.core.server_trust import no_server, packages_of, store, update
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import KeychainError, UsageError
from desktop.services import ServiceState
from desktop.tasks import in_thread
from desktop.text import _
from desktop.tools.mcp.keychain import ForServers
from desktop.tools.mcp.listing import told
from desktop.tools.permissions.visible import visible

if TYPE_CHECKING:
    from desktop.core.core import Core
    from desktop.tools.mcp.servers import Servers

_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_NAME}}}")
_TRIAL = "_trial"
"""Stands for the name of a server that has none yet."""


class ServerVerbs:
    """Acts on MCP servers."""

    def __init__(self, core: "Core") -> None:
        self._core, self._keychain = core, ForServers(core.keychain)
        self._removed: dict[str, tuple[str, McpServer, dict[str, str], dict[str, str]]] = {}

    def verbs(self) -> dict[str, Verb]:
        """All of them, by name."""
        shown = (self.mcp, self.mcp_tools, self.mcp_log, self.mcp_parse, self.mcp_test)
        changed = (self.mcp_save, self.mcp_remove, self.mcp_restore, self.mcp_switch)
        rest = (self.mcp_tool, self.mcp_restart, self.mcp_sign_in, self.mcp_sign_out)
        return {verb.__name__: verb for verb in (*shown, *changed, *rest)}

    # ---- what there is

    async def mcp(self, _arguments: Json, _send: Send) -> Json:
        """All servers of the settings, with their states; connects to none."""
        running = await self._core.workshop.servers()
        return {"servers": [self._line(name, server, running) for name, server in self._config().items()]}

    def _line(self, name: str, server: McpServer, running: "Servers") -> Json:
        found = running.get(name) if server.enabled else None
        state = found.status.state if found else ServiceState.OFF
        tools = running.tools_of(found) if found else {}
        problem = found.problem if found and state is not ServiceState.STARTING else None
        return {
            "name": name,
            "kind": server.kind,
            "packages": packages_of(server),
            "command": server.command,
            "args": list(server.args),
            "env": dict(server.env),
            "cwd": server.cwd,
            "url": server.url,
            "headers": dict(server.headers),
            "oauth": server.auth == "oauth",
            "client_id": server.client_id,
            "client_secret": bool(server.client_secret),
            "timeout": server.tool_timeout,
            "protocol": server.protocol,
            "enabled": server.enabled,
            "trusted": server.trusted,
            "local": server.local,
            "state": state.value,
            "detail": found.status.detail if found else "",
            "last_ok": found.status.last_ok if found else None,
            "title": found.title if found else "",
            "tools_total": len(tools),
            "tools_on": sum(running.is_on(name, tool.listed.name, full) for full, tool in tools.items()),
            "changed": sorted(found.changed) if found else [],
            "problem": problem.text if problem else "",
            "remedy": problem.remedy if problem else "",
        }

    async def mcp_tools(self, arguments: Json, _send: Send) -> Json:
        """The tools of a server, which is connected for it; `known`: whether any was accepted before.
        Raises UsageError, AppError."""
        running = await self._core.workshop.servers()
        server = await running.reached(str(arguments["name"]))
        return {
            "state": server.status.state.value,
            "detail": server.status.detail,
            "known": bool(await running.known.of(server.name)),
            "tools": [
                {
                    "name": tool.listed.name,
                    "tool": full,
                    "description": tool.listed.description,
                    "told": told(tool.listed),
                    "seen": visible(told(tool.listed)),
                    "digest": tool.listed.digest,
                    "on": running.is_on(server.name, tool.listed.name, full),
                    "read_only": tool.listed.read_only,
                    "destructive": tool.listed.destructive,
                    "changed": tool.listed.name in server.changed,
                }
                for full, tool in running.tools_of(server).items()
            ],
        }

    async def mcp_log(self, arguments: Json, _send: Send) -> Json:
        """The last of what a server printed to its stderr."""
        name = str(arguments["name"])
        self._server(name)
        running = await self._core.workshop.servers()
        return {"text": await in_thread(running.log, name)}

    async def mcp_parse(self, arguments: Json, _send: Send) -> Json:
        """The servers in a pasted text. Raises UsageError."""
        return {"servers": await in_thread(servers, str(arguments["text"]))}

    async def mcp_test(self, arguments: Json, _send: Send) -> Json:
        """Connect once: a server by `name`, or as it is in `server` with `secrets`, saved or not.
        Raises UsageError, AppError: what is wrong, and what it printed last."""
        running = await self._core.workshop.servers()
        name = str(arguments.get("name") or _TRIAL)
        server = validated(arguments["server"]) if "server" in arguments else self._server(name)
        given = given_secrets(arguments)
        entries = {
            keychain_name(name, entry, key): value
            for kind, entry in KINDS
            for key, value in given[kind].items()
        }
        with_secrets = referring(server, given)
        return await running.test(name, with_secrets, entries)

    # ---- changing them

    async def mcp_save(self, arguments: Json, _send: Send) -> Json:
        """Add a server (`new`), or change one; `before` is its name until now. What `server` does not say
        stays. Raises UsageError, KeychainError, StorageError; then the settings are as they were."""
        name, before = str(arguments["name"]).strip(), str(arguments.get("before") or "")
        async with self._core.servers_in_order:
            self._check_name(name, before, new=bool(arguments.get("new")))
            base = self._config().get(before or name)
            server = merged(base, arguments["server"])
            given = with_secret_looking(server, given_secrets(arguments))
            await self._keep(name, before, server, given)
            settings = referring(server, given)
            changes: dict[str, McpServer | None] = {name: settings}
            if before and before != name:
                changes[before] = None
            await store(self._core, changes)
            await self._drop_unused(before or name, base, name, settings)
            if before and before != name:
                await self._move_accepted(before, name)
            if any(given.values()):
                (await self._core.workshop.servers()).restart(name)
        return {"name": name}

    def _check_name(self, name: str, before: str, *, new: bool) -> None:
        if not _NAME.fullmatch(name):
            raise UsageError(
                _("A server's name has up to {n} letters, digits, - and _.").format(n=LONGEST_NAME),
                _("Choose another name."),
            )
        taken = name in self._config()
        if taken and (new or (before and before != name)):
            raise UsageError(
                _("There is a server called {name} already.").format(name=name), _("Choose another name.")
            )
        if not new:
            self._server(before or name)

    async def _keep(
        self, name: str, before: str, server: McpServer, given: Mapping[str, Mapping[str, str]]
    ) -> None:
        """Put secret values into the keychain; those of a renamed server are there under its old name."""
        for kind, entry in KINDS:
            for key, value in given[kind].items():
                await self._keychain.set(keychain_name(name, entry, key), value)
            for key, value in getattr(server, kind).items():
                if value == KEYCHAIN and before and before != name and key not in given[kind]:
                    kept = await self._keychain.get(keychain_name(before, entry, key))
                    if kept:
                        await self._keychain.set(keychain_name(name, entry, key), kept)
        if before and before != name and (tokens := await self._keychain.get(sign_in_name(before))):
            await self._keychain.set(sign_in_name(name), tokens)

    async def _move_accepted(self, before: str, name: str) -> None:
        """What was accepted of a server goes with it to its new name."""
        known = (await self._core.workshop.servers()).known
        await known.forget(name)
        await known.accept(name, await known.of(before))
        await known.forget(before)

    async def _drop_unused(self, before: str, old: McpServer | None, name: str, new: McpServer) -> None:
        """Take out of the keychain what the settings do not refer to any more."""
        if old is None:
            return
        wanted = set(keychain_entries(name, new))
        for entry in keychain_entries(before, old):
            if entry not in wanted:
                await self._keychain.delete(entry)
        if before != name and old.auth == "oauth":
            await self._keychain.delete(sign_in_name(before))

    async def mcp_remove(self, arguments: Json, _send: Send) -> Json:
        """Take a server out of the settings and its secrets out of the keychain; `undo` brings them back
        while the program runs. Raises UsageError, StorageError."""
        name = str(arguments["name"])
        async with self._core.servers_in_order:
            server = self._server(name)
            kept: dict[str, str] = {}
            names = [*keychain_entries(name, server), *([sign_in_name(name)] if server.url else [])]
            try:
                for entry in names:
                    if value := await self._keychain.get(entry):
                        kept[entry] = value
            except KeychainError:
                names = []  # shut: what is in it stays, for the server may come back
            await store(self._core, {name: None})
            for entry in names:
                await self._keychain.delete(entry)
            known = (await self._core.workshop.servers()).known
            accepted = await known.of(name)
            await known.forget(name)
            token = random.token_hex(8)
            self._removed[token] = (name, server, kept, accepted)
        return {"undo": token}

    async def mcp_restore(self, arguments: Json, _send: Send) -> Json:
        """Bring a removed server back. Raises UsageError, KeychainError, StorageError."""
        async with self._core.servers_in_order:
            token = str(arguments["undo"])
            if token not in self._removed:
                raise UsageError(_("There is nothing to bring back."))
            name, server, kept, accepted = self._removed[token]
            if name in self._config():
                raise UsageError(_("There is a server called {name} already.").format(name=name))
            for entry, value in kept.items():
                await self._keychain.set(entry, value)
            await (await self._core.workshop.servers()).known.accept(name, accepted)
            await store(self._core, {name: server})
            del self._removed[token]
        return {"name": name}

    async def mcp_switch(self, arguments: Json, _send: Send) -> Json:
        """Switch a server on or off."""
        return await update(self._core, str(arguments["name"]), enabled=bool(arguments["on"]))

    async def mcp_tool(self, arguments: Json, _send: Send) -> Json:
        """Switch a tool (`tool`: the server's name of it) on or off."""
        name, raw, on = str(arguments["name"]), str(arguments["tool"]), bool(arguments["on"])
        server = self._server(name)
        running = await self._core.workshop.servers()
        found = running.get(name)
        ours = [
            full for full, t in (running.tools_of(found) if found else {}).items() if t.listed.name == raw
        ]
        both = {raw, *ours}
        enabled = [tool for tool in server.enabled_tools if tool not in both]
        disabled = [tool for tool in server.disabled_tools if tool not in both]
        if "*" in enabled:
            disabled += [] if on else [raw]
        elif on:
            enabled.append(raw)
        return await update(
            self._core, str(arguments["name"]), enabled_tools=tuple(enabled), disabled_tools=tuple(disabled)
        )

    async def mcp_restart(self, arguments: Json, _send: Send) -> Json:
        """Begin a server anew. Raises UsageError."""
        (await self._core.workshop.servers()).restart(str(arguments["name"]))
        return {}

    async def mcp_sign_in(self, arguments: Json, send: Send) -> Json:
        """Sign in to a server in the browser: {"event": "open", "url"} is to be opened. Raises UsageError,
        AppError; cancelling it ends it."""
        name = str(arguments["name"])
        server = self._server(name)
        running = await self._core.workshop.servers()
        await running.sign_in(name, lambda url: send({"event": "open", "url": url}))
        if server.auth != "oauth":
            await update(self._core, str(arguments["name"]), auth="oauth")
        running.restart(name)
        return {}

    async def mcp_sign_out(self, arguments: Json, _send: Send) -> Json:
        """Forget what signing in to a server gave. Raises UsageError, KeychainError."""
        name = str(arguments["name"])
        self._server(name)
        running = await self._core.workshop.servers()
        await running.sign_out(name)
        running.restart(name)
        return {}

    # ---- the settings

    def _config(self) -> Mapping[str, McpServer]:
        return self._core.store.config.tools.mcp_servers

    def _server(self, name: str) -> McpServer:
        server = self._config().get(name)
        if server is None:
            raise no_server(name)
        return server
