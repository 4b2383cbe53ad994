"""The verbs of MCP servers: list, add, change, remove and bring back, test, switch, trust, sign in.

A secret value goes to the keychain before the settings name it, and never into them.
"""

import asyncio
import re
import secrets as random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from desktop.config.mcp import KEYCHAIN, McpServer, keychain_name, sign_in_name, sounds_secret
from desktop.core.pasted import LONGEST_NAME, plain, servers, validated
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import KeychainError, UsageError
from desktop.services import ServiceState
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core
    from desktop.tools.mcp.servers import Servers

_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_NAME}}}")
_TRIAL = "_trial"
"""Stands for the name of a server that has none yet."""
_KINDS = (("env", "env"), ("headers", "header"))


class ServerVerbs:
    """Acts on MCP servers."""

    def __init__(self, core: "Core") -> None:
        self._core = core
        self._in_order = asyncio.Lock()
        """Changes do not overtake one another."""
        self._removed: dict[str, tuple[str, McpServer, dict[str, str]]] = {}

    def verbs(self) -> dict[str, Verb]:
        """All of them, by name."""
        shown = (self.mcp, self.mcp_tools, self.mcp_log, self.mcp_parse, self.mcp_test)
        changed = (self.mcp_save, self.mcp_remove, self.mcp_restore, self.mcp_switch, self.mcp_trust)
        rest = (self.mcp_tool, self.mcp_accept, self.mcp_restart, self.mcp_sign_in, self.mcp_sign_out)
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
            "command": server.command,
            "args": list(server.args),
            "env": dict(server.env),
            "cwd": server.cwd,
            "url": server.url,
            "headers": dict(server.headers),
            "oauth": server.auth == "oauth",
            "timeout": server.tool_timeout,
            "protocol": server.protocol,
            "enabled": server.enabled,
            "trusted": server.trusted,
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
        """The tools of a server, which is connected for it. Raises UsageError, AppError."""
        running = await self._core.workshop.servers()
        server = await running.reached(str(arguments["name"]))
        return {
            "state": server.status.state.value,
            "detail": server.status.detail,
            "tools": [
                {
                    "name": tool.listed.name,
                    "tool": full,
                    "description": tool.listed.description,
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
        given = _given(arguments)
        entries = {
            keychain_name(name, entry, key): value
            for kind, entry in _KINDS
            for key, value in given[kind].items()
        }
        with_secrets = _referring(server, given)
        return await running.test(name, with_secrets, entries)

    # ---- changing them

    async def mcp_save(self, arguments: Json, _send: Send) -> Json:
        """Add a server (`new`), or change one; `before` is its name until now. What `server` does not say
        stays. Raises UsageError, KeychainError, StorageError; then the settings are as they were."""
        name, before = str(arguments["name"]).strip(), str(arguments.get("before") or "")
        async with self._in_order:
            self._check_name(name, before, new=bool(arguments.get("new")))
            base = self._config().get(before or name)
            server = _merged(base, arguments["server"])
            given = _with_secret_looking(server, _given(arguments))
            await self._keep(name, before, server, given)
            settings = _referring(server, given)
            changes: dict[str, McpServer | None] = {name: settings}
            if before and before != name:
                changes[before] = None
            await self._store(changes)
            await self._drop_unused(before or name, base, name, settings)
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
        for kind, entry in _KINDS:
            for key, value in given[kind].items():
                await self._core.keychain.set(keychain_name(name, entry, key), value)
            for key, value in getattr(server, kind).items():
                if value == KEYCHAIN and before and before != name and key not in given[kind]:
                    kept = await self._core.keychain.get(keychain_name(before, entry, key))
                    if kept:
                        await self._core.keychain.set(keychain_name(name, entry, key), kept)
        if before and before != name and (tokens := await self._core.keychain.get(sign_in_name(before))):
            await self._core.keychain.set(sign_in_name(name), tokens)

    async def _drop_unused(self, before: str, old: McpServer | None, name: str, new: McpServer) -> None:
        """Take out of the keychain what the settings do not refer to any more."""
        if old is None:
            return
        wanted = set(_entries(name, new))
        for entry in _entries(before, old):
            if entry not in wanted:
                await self._core.keychain.delete(entry)
        if before != name and old.auth == "oauth":
            await self._core.keychain.delete(sign_in_name(before))

    async def mcp_remove(self, arguments: Json, _send: Send) -> Json:
        """Take a server out of the settings and its secrets out of the keychain; `undo` brings them back
        while the program runs. Raises UsageError, StorageError."""
        name = str(arguments["name"])
        async with self._in_order:
            server = self._server(name)
            kept: dict[str, str] = {}
            names = [*_entries(name, server), *([sign_in_name(name)] if server.url else [])]
            try:
                for entry in names:
                    if value := await self._core.keychain.get(entry):
                        kept[entry] = value
            except KeychainError:
                names = []  # shut: what is in it stays, for the server may come back
            await self._store({name: None})
            for entry in names:
                await self._core.keychain.delete(entry)
            await (await self._core.workshop.servers()).known.forget(name)
            token = random.token_hex(8)
            self._removed[token] = (name, server, kept)
        return {"undo": token}

    async def mcp_restore(self, arguments: Json, _send: Send) -> Json:
        """Bring a removed server back. Raises UsageError, KeychainError, StorageError."""
        async with self._in_order:
            token = str(arguments["undo"])
            if token not in self._removed:
                raise UsageError(_("There is nothing to bring back."))
            name, server, kept = self._removed[token]
            if name in self._config():
                raise UsageError(_("There is a server called {name} already.").format(name=name))
            for entry, value in kept.items():
                await self._core.keychain.set(entry, value)
            await self._store({name: server})
            del self._removed[token]
        return {"name": name}

    async def mcp_switch(self, arguments: Json, _send: Send) -> Json:
        """Switch a server on or off."""
        return await self._update(arguments, enabled=bool(arguments["on"]))

    async def mcp_trust(self, arguments: Json, _send: Send) -> Json:
        """Whether a server is believed where it says that a tool only reads."""
        return await self._update(arguments, trusted=bool(arguments["on"]))

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
        return await self._update(arguments, enabled_tools=tuple(enabled), disabled_tools=tuple(disabled))

    async def mcp_accept(self, arguments: Json, _send: Send) -> Json:
        """The tools that a server changed are fine as they are now."""
        name = str(arguments["name"])
        self._server(name)
        if server := (await self._core.workshop.servers()).get(name):
            await server.accept()
        return {}

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
            await self._update(arguments, auth="oauth")
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
            raise UsageError(
                _("There is no MCP server called {name}.").format(name=name),
                _("The names are listed by: nanobot-desktop mcp list"),
            )
        return server

    async def _update(self, arguments: Json, **values: Any) -> Json:
        name = str(arguments["name"])
        async with self._in_order:
            await self._store({name: self._server(name).model_copy(update=values)})
        return {}

    async def _store(self, changes: Mapping[str, McpServer | None]) -> None:
        """Write servers to the settings; None takes one out."""
        values = {name: plain(server) if server else None for name, server in changes.items()}
        if any("." in name for name in changes):  # a dot would be read as a step down
            whole = {name: plain(server) for name, server in self._config().items()} | values
            await self._core.change(
                {"tools.mcpServers": {name: value for name, value in whole.items() if value is not None}}
            )
            return
        await self._core.change({f"tools.mcpServers.{name}": value for name, value in values.items()})


def _given(arguments: Json) -> dict[str, dict[str, str]]:
    """The secret values of a request, by kind and name; empty ones were not given."""
    found = arguments.get("secrets") or {}
    return {
        kind: {str(k): str(v) for k, v in (found.get(kind) or {}).items() if v} for kind, _entry in _KINDS
    }


def _merged(base: McpServer | None, given: Mapping[str, Any]) -> McpServer:
    """The server as it will be: what is not said stays, what is said to be nothing goes, and a command and
    an address exclude each other."""
    changed = validated(given).model_dump(mode="json", by_alias=True, exclude_unset=True)
    cleared = {key for key, value in given.items() if value is None}
    kept = {key: value for key, value in (plain(base) if base else {}).items() if key not in cleared}
    if changed.get("url") and "command" not in changed:
        kept = {key: value for key, value in kept.items() if key not in ("command", "args", "cwd", "type")}
    if changed.get("command") and "url" not in changed:
        kept = {key: value for key, value in kept.items() if key not in ("url", "headers", "auth", "type")}
    server = validated(kept | changed)
    if not (server.command if server.kind == "stdio" else server.url):
        raise UsageError(
            _("A server needs a command or an address."), _("Give one of the two, and try again.")
        )
    return server


def _with_secret_looking(
    server: McpServer, given: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """The given secrets, and the values in the settings that look like ones."""
    return {
        kind: {
            **{key: value for key, value in getattr(server, kind).items() if sounds_secret(key, value)},
            **given[kind],
        }
        for kind, _entry in _KINDS
    }


def _referring(server: McpServer, given: Mapping[str, Mapping[str, str]]) -> McpServer:
    """The server with KEYCHAIN in the place of each secret."""
    values = {
        kind: {**getattr(server, kind), **dict.fromkeys(given[kind], KEYCHAIN)}
        for kind, _entry in _KINDS
        if given[kind]
    }
    return server.model_copy(update=values)


def _entries(name: str, server: McpServer) -> list[str]:
    """Names of a server's values in the keychain."""
    return [
        keychain_name(name, entry, key)
        for kind, entry in _KINDS
        for key, value in getattr(server, kind).items()
        if value == KEYCHAIN
    ]
