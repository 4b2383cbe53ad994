"""All MCP servers: up at the first message that needs them, side by side, each on its own.

A server that does not work keeps nobody waiting: a turn waits for the first attempt of each to end, and no
longer than some seconds; what is not there by then is left out of that turn.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop.bus.bus import Bus
from desktop.config import mcp_last
from desktop.config.mcp import McpServer
from desktop.errors import AppError, UsageError
from desktop.logs import masked
from desktop.services.status import ServiceState, Status
from desktop.tasks import in_thread, spawn
from desktop.text import _
from desktop.tools.base import Tool
from desktop.tools.exec.environment import Environment
from desktop.tools.mcp.environment import Secret, resolved
from desktop.tools.mcp.failures import SignInNeeded, silent_for, told
from desktop.tools.mcp.known import Known
from desktop.tools.mcp.listing import Tested, pages
from desktop.tools.mcp.names import names, switched_on
from desktop.tools.mcp.server import Server, Surroundings
from desktop.tools.mcp.settings import no_server
from desktop.tools.mcp.sign_in import SignIns
from desktop.tools.mcp.stdio import runnable
from desktop.tools.mcp.tool import tools_of
from desktop.tools.mcp.versions import fixed

PATIENCE_SECONDS = 8.0
"""How long a turn waits for servers that are still starting."""
_PATIENCE_AGAIN_SECONDS = 1.0
_OWN_FIELDS = {"enabled_tools", "disabled_tools", "trusted", "local", "tool_timeout", "enabled"}
"""Settings that a running server obeys without a new start."""
_AGAIN_SECONDS = 5.0
_LOG_BYTES = 64 * 1024
_LAST_LINES = 8


class Servers:
    """The servers of the settings that are switched on."""

    def __init__(
        self,
        config: Callable[[], Mapping[str, McpServer]],
        secret: Secret,
        known: Known,
        bus: Bus,
        logs: Path,
        files: Path,
        sign_ins: SignIns,
        keep_pins: Callable[[str, Mapping[str, str]], Awaitable[None]],
    ) -> None:
        """`logs`: the folder for what servers print; `files`: for pictures and other bytes of answers;
        `keep_pins` puts the versions of a server's packages into its settings."""
        self._config, self._files, self.known, self._sign_ins = config, files, known, sign_ins
        self._around = Surroundings(secret, Environment(), known, bus, logs, keep_pins, sign_ins.auth)
        self._running: dict[str, Server] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._woken = 0.0

    def wake(self) -> None:
        """Begin to connect whatever is switched on and not connected; waits for nothing."""
        again = time.monotonic() - self._woken > _AGAIN_SECONDS
        if again:
            self._woken = time.monotonic()
        for name, settings in self._config().items():
            if not settings.enabled:
                continue
            if name not in self._running:
                self._begin(name, settings)
            elif again and self._running[name].status.state is ServiceState.FAILED:
                self._running[name].nudge()

    async def tools(self) -> dict[str, Tool[Any]]:
        """The tools that are switched on, by our names for them, of the servers that are there in time.
        What a server says of one is not told to a model before the person has accepted it."""
        self.wake()
        await asyncio.gather(*(self._settled(server) for server in self._running.values()))
        return {
            name: tool
            for server in self._running.values()
            for name, tool in self.tools_of(server).items()
            if tool.listed.name not in server.changed and self.is_on(server.name, tool.listed.name, name)
        }

    async def _settled(self, server: Server) -> None:
        """Wait for a server that starts; not for long where it did not come up the last time."""
        if server.settled.is_set():
            return
        came_up = await in_thread(mcp_last.came_up, self._around.logs, server.name)
        until = server.began + (PATIENCE_SECONDS if came_up else _PATIENCE_AGAIN_SECONDS)
        if (left := until - time.monotonic()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await server.settled.wait()

    def tools_of(self, server: Server) -> dict[str, Any]:
        """All tools of a running server, also those switched off, by our names."""
        pairs = [(other.name, raw) for other in self._running.values() for raw in other.tools]
        return tools_of(server, names(pairs), self._files)

    def is_on(self, server: str, raw: str, full: str) -> bool:
        """Whether a tool is switched on."""
        settings = self._config().get(server)
        return settings is not None and switched_on(
            raw, full, settings.enabled_tools, settings.disabled_tools
        )

    def statuses(self) -> list[Status]:
        """The state of each server that was begun."""
        return [server.status for server in self._running.values()]

    def get(self, name: str) -> Server | None:
        """A server that was begun."""
        return self._running.get(name)

    async def reached(self, name: str) -> Server:
        """A server that is connected. Raises UsageError, AppError: why it does not work."""
        settings = self._config().get(name)
        if settings is None:
            raise no_server(name)
        if not settings.enabled:
            raise UsageError(_("The server {name} is off.").format(name=name), _("Turn it on."))
        server = self._running.get(name) or self._begin(name, settings)
        await server.reach()
        return server

    async def apply(self) -> None:
        """Obey changed settings: what is gone or off is stopped; what is reached otherwise, begun anew."""
        config = self._config()
        for name, server in list(self._running.items()):
            settings = config.get(name)
            if settings is None or not settings.enabled:
                self._leave(self._running.pop(name))
            elif _way(settings) != _way(server.settings):
                self._begin(name, settings)
            else:
                server.settings = settings

    def restart(self, name: str) -> None:
        """Begin a server anew. Raises UsageError."""
        settings = self._config().get(name)
        if settings is None:
            raise no_server(name)
        if settings.enabled:
            self._begin(name, settings)

    def _begin(self, name: str, settings: McpServer) -> Server:
        """A server in its first attempt to connect; one that was under this name ends before."""
        old, new = self._running.get(name), Server(name, settings, self._around)
        self._running[name] = new
        new.start(self._leave(old) if old else None)
        return new

    def _leave(self, server: Server) -> asyncio.Task[None]:
        task = spawn(server.stop(), name=f"mcp:stop:{server.name}")
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
        return task

    async def test(self, name: str, server: McpServer, secrets: Mapping[str, str]) -> Tested:
        """Connect once, list the tools and leave. `secrets` by their names in the keychain come before it.
        Raises AppError with what the server printed last."""

        async def secret(entry: str) -> str:
            return secrets.get(entry) or await self._around.secret(entry)

        async def keep(_name: str, _pins: Mapping[str, str]) -> None:
            """A trial settles nothing."""

        trial = Server(name, server, replace(self._around, secret=secret, bus=None, keep_pins=keep))
        began = time.monotonic()
        offset = await in_thread(_size, trial.log)
        try:
            async with trial.connection() as (client, _link):
                found = (await pages(client)).names
                info = client.server_info
                unused = await _unused(client)
        except Exception as error:
            why = told(error)
            if isinstance(why, SignInNeeded):
                raise why from error
            raise AppError(_with_log(why.text, self.log(name, offset)), why.remedy) from error
        seconds = round(time.monotonic() - began, 2)
        server_name = f"{info.name} {info.version}".strip() if info else ""
        return Tested(tuple(found), seconds, tuple(unused), server_name)

    async def newer(self, name: str) -> dict[str, str]:
        """The versions that a server's packages have now, where they are not the accepted ones; by how a
        package is written in its command. Raises UsageError, AppError."""
        settings = self._config().get(name)
        if settings is None:
            raise no_server(name)
        if settings.kind != "stdio":
            return {}
        ready = await resolved(name, settings, self._around.secret, self._around.usual)
        _fixed, now = await fixed(await in_thread(runnable, ready), {})
        return {spec: version for spec, version in now.items() if settings.pinned.get(spec) != version}

    async def sign_in(self, name: str, open_page: Callable[[str], None]) -> None:
        """Have the person sign in to a server at an address. Raises UsageError, AppError."""
        settings = self._config().get(name)
        if settings is None:
            raise no_server(name)
        if settings.kind == "stdio":
            raise UsageError(_("Only remote servers have a sign-in."))
        ready = await resolved(name, settings, self._around.secret, self._around.usual)
        await self._sign_ins.sign_in(name, settings, ready, open_page)

    async def sign_out(self, name: str) -> None:
        """Forget the tokens of a server. Raises KeychainError."""
        await self._sign_ins.sign_out(name)

    def log(self, name: str, offset: int = 0) -> str:
        """The last of what a server printed to its stderr, from `offset` on; without secrets (blocking)."""
        try:
            with mcp_last.log_of(self._around.logs, name).open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(offset if offset <= size else 0, size - _LOG_BYTES))
                return masked(file.read().decode("utf-8", "replace"))
        except OSError:
            return ""

    async def stop(self) -> None:
        """Leave all servers, side by side; of one that gave no answer so far, that is kept."""
        for server in self._running.values():
            waited = time.monotonic() - server.began
            if not server.settled.is_set() and waited > PATIENCE_SECONDS:
                await in_thread(mcp_last.keep, self._around.logs, server.name, silent_for(waited), up=False)
            self._leave(server)
        self._running.clear()
        await asyncio.gather(*self._leaving)


async def _unused(client: Any) -> list[str]:
    """What a server offers besides tools, and nothing here makes use of. Many say that they have such
    things and have none, so they are asked for; who cannot answer that is none the worse."""
    found = []
    for name, listing in (("prompts", client.list_prompts), ("resources", client.list_resources)):
        with suppress(Exception):
            if getattr(client.server_capabilities, name, None) and getattr(await listing(), name):
                found.append(name)
    return found


def _size(log: Path) -> int:
    """Bytes; 0 where there is none."""
    return log.stat().st_size if log.exists() else 0


def _way(settings: McpServer) -> Any:
    """All by which a server is started or reached."""
    return settings.model_dump(exclude=_OWN_FIELDS)


def _with_log(text: str, log: str) -> str:
    lines = [line for line in log.splitlines() if line.strip()][-_LAST_LINES:]
    return "\n".join([text, *lines])
