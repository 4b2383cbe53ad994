"""One MCP server: a task owns the connection, calls come from others, and it comes back when it breaks.

The SDK's client is entered and left in one task, or its cancel scopes break; so the owner holds it and
waits, and any task may call through it meanwhile. A call is sent once: one that was under way when the
connection broke has failed, whatever became of it.
"""

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop import __version__
from desktop.bus.bus import Bus
from desktop.config import mcp_last
from desktop.config.mcp import McpServer
from desktop.errors import AppError, KeychainError
from desktop.services.status import ServiceState, Status
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import _
from desktop.tools.base import ToolFailure
from desktop.tools.exec.environment import Environment
from desktop.tools.form import Asker
from desktop.tools.mcp.asking import Asking
from desktop.tools.mcp.environment import Ready, Secret, resolved
from desktop.tools.mcp.failures import Misconfigured, SignInNeeded, said, silent_for, told
from desktop.tools.mcp.http import Http
from desktop.tools.mcp.known import Known
from desktop.tools.mcp.link import Link
from desktop.tools.mcp.listing import Listed, learn, pages
from desktop.tools.mcp.renewing import Widen
from desktop.tools.mcp.sdk import load
from desktop.tools.mcp.stdio import Stdio, runnable
from desktop.tools.mcp.versions import fixed
from desktop.tools.mcp.wire import Wire, by_server, raw

CONNECT_SECONDS = 30.0
"""How long a server may take to start and greet."""
_LEAST_DELAY, _MOST_DELAY = 1.0, 300.0
_STEADY_SECONDS = 30.0
"""After how long a connection counts as one that works: the delays begin anew."""
_AGAIN_SECONDS = 10.0
_EVER = 86_400.0
"""Seconds that the SDK waits for an answer: the clock of a call is ours."""
_FORGOTTEN = "Session terminated"
"""How the SDK says that a server over HTTP does not know us any more."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What servers are given."""

    secret: Secret
    usual: Environment
    known: Known
    bus: Bus | None
    logs: Path
    keep_pins: Callable[[str, Mapping[str, str]], Awaitable[None]]
    """Keeps the versions of a server's packages in its settings. Raises StorageError."""
    auth: Callable[[str, McpServer, Ready, Widen], Awaitable[Any]]
    """The httpx2.Auth for a server by its name and settings; None where it needs none."""


class Server:
    """A server that is switched on: start(), call(), stop()."""

    def __init__(self, name: str, settings: McpServer, around: Surroundings) -> None:
        self.name, self.settings, self._around = name, settings, around
        self.status = Status(f"mcp:{name}", around.bus)
        self.problem: AppError | None = None
        """Why it does not work, or what is odd about it."""
        self.tools: dict[str, Listed] = {}
        """What it offered when it was asked last, by its own names."""
        self.changed: frozenset[str] = frozenset()
        """Tools that are new or changed: the person has not accepted them as they are."""
        self.title = ""
        """What it calls itself, with its version."""
        self.settled = asyncio.Event()
        """Set once the first attempt to connect has ended."""
        self.began = time.monotonic()
        self._client: Any = None
        self._link: Link | None = None
        self._bell, self._nudge = asyncio.Event(), asyncio.Event()
        self._stale = False
        self._turned = asyncio.Condition()
        self._asking = Asking(name)
        self._stopping = False
        self._failed = 0
        """How many attempts to connect came to nothing."""
        self._steady = False
        self._owner: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        """Whether a call could be sent."""
        return self._client is not None and self._link is not None and not self._link.lost

    @property
    def log(self) -> Path:
        """The file that has its stderr."""
        return mcp_last.log_of(self._around.logs, self.name)

    def start(self, after: asyncio.Task[None] | None = None) -> None:
        """Begin to connect, once `after` has ended; waits for nothing."""
        self._owner = spawn(self._own(after), name=f"mcp:{self.name}")

    def nudge(self) -> None:
        """Try again at once, if it is waiting to."""
        self._nudge.set()

    async def stop(self) -> None:
        """Leave it; nothing that was started for it is left."""
        self._stopping = True
        while self._owner is not None and not self._owner.done():
            self._owner.cancel()
            self._bell.set()
            await asyncio.wait({self._owner}, timeout=_AGAIN_SECONDS)  # one may be swallowed
        await self._asking.stop()
        self.status.set(ServiceState.OFF)
        stopped = AppError(_("The server was stopped."), _("Turn it on and try again."))
        await self._down(stopped, was_up=False)

    def offers(self, tool: Listed) -> bool:
        """Whether the server still has this tool just as it was listed then, and as the person knows it."""
        found = self.tools.get(tool.name)
        return found is not None and found.identity == tool.identity and tool.name not in self.changed

    async def call(self, tool: Listed, arguments: dict[str, Any], asker: Asker | None = None) -> Any:
        """The server's answer, unchecked; `asker` puts what the server asks in it to the person. Raises
        ToolFailure, StorageError; the server is told of an end."""
        seconds = self.settings.tool_timeout
        until = time.monotonic() + seconds
        try:
            client = await self.reach(seconds)
        except AppError as error:
            text = f"The MCP server {self.name} does not work now, nothing was done: {error.text}"
            raise ToolFailure(text) from None
        if not self.offers(tool):  # what was agreed to is not what would be called
            raise ToolFailure(
                f"The MCP server {self.name} changed this tool meanwhile; nothing was done. Look at the "
                "tools again in your next answer."
            )
        left = max(0.1, until - time.monotonic())
        link = self._link
        try:
            sent = client.call_tool(tool.name, arguments, read_timeout_seconds=_EVER)
            answer = await self._asking.call(asker, left, sent)
        except Exception as error:
            raise ToolFailure(self._failed_call(error, link)) from error
        self._steady = True
        self.status.last_ok = time.time()
        return raw(answer)

    async def reach(self, seconds: float = CONNECT_SECONDS + 5) -> Any:
        """The client, connected; waits for one attempt to connect. Raises AppError: why there is none."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._turned:
                failed = self._failed
                while not self.connected and self._failed == failed:
                    self.nudge()
                    await self._turned.wait()
        if not self.connected:
            raise self.problem or silent_for(seconds)
        return self._client

    def _failed_call(self, error: Exception, link: Link | None) -> str:
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

        if isinstance(error, TimeoutError) or (
            isinstance(error, MCPError) and error.code == REQUEST_TIMEOUT and not by_server(error)
        ):
            return (
                f"The MCP server {self.name} gave no answer within {self.settings.tool_timeout:.0f} s and "
                "was told to stop. It may have done a part of it."
            )
        if link is not None and link.failure and not link.lost:
            why, link.failure = link.failure, None  # of this answer alone
            return f"{why.text} Whether the call was carried out is not known."
        if link is not None and (link.lost or self._client is None):
            why = link.failure or AppError("The connection broke.")
            return (
                f"{why.text} That was in the middle of this call: whether it was carried out is not known, "
                "and it is not repeated by itself. The server is being connected again."
            )
        gone = isinstance(error, MCPError) and (
            (error.code == CONNECTION_CLOSED and not by_server(error))
            or (error.message == _FORGOTTEN and getattr(link, "status", 0) == 404)
        )
        if gone and link is not None and not self._asking.count:
            link.lost = True  # over HTTP nothing else tells
            self._bell.set()
        if gone:
            return (
                f"The connection to the MCP server {self.name} broke in the middle of this call: whether "
                "it was carried out is not known, and it is not repeated by itself."
            )
        refusal = getattr(link, "refusal", lambda: None)()
        return f"The MCP server {self.name} did not carry this out: {told(error, refusal).text}"

    # The rest runs in the owner's task.

    async def _own(self, after: asyncio.Task[None] | None) -> None:
        attempt = 0
        try:
            if after:
                await asyncio.wait({after})
            while not self._stopping:
                self._nudge.clear()
                self.status.set(ServiceState.STARTING)
                problem, was_up = await self._once()
                await in_thread(mcp_last.keep, self._around.logs, self.name, problem, up=was_up)
                if self._steady:
                    attempt = 0
                await self._down(problem, was_up=was_up)
                delay = min(_MOST_DELAY, _LEAST_DELAY * 2**attempt) * random.uniform(0.8, 1.2)
                attempt += 1
                await self._rest(problem, delay)
        finally:
            self._client = self._link = None
            self.settled.set()

    async def _once(self) -> tuple[AppError, bool]:
        """Connect, serve until it breaks; why it did, and whether it had been up at all."""
        self._steady, up = False, 0.0
        try:
            async with self.connection() as (client, link):
                await self._list(client)
                up = time.monotonic()
                await self._up(client, link)
                await in_thread(mcp_last.keep, self._around.logs, self.name, self.problem, up=True)
                await self._serve(client, link)
            problem = link.failure or AppError(
                _("The connection was lost."), _("It reconnects automatically. See the server’s log.")
            )
        except Exception as error:
            problem = told(error)
        finally:
            self._client = None
        self._steady |= bool(up) and time.monotonic() - up > _STEADY_SECONDS
        return problem, bool(up)

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[tuple[Any, Link]]:
        """A client, connected. Raises AppError, or whatever the SDK does."""
        around = self._around
        ready = await resolved(self.name, self.settings, around.secret, around.usual)
        if self.settings.kind == "stdio":
            ready, pins = await fixed(await in_thread(runnable, ready), self.settings.pinned)
            if pins != self.settings.pinned:  # what is run from now on
                self.settings = self.settings.model_copy(update={"pinned": pins})
                await around.keep_pins(self.name, pins)
        elif not ready.url:
            raise Misconfigured(_("The server has no address."), _("Enter its address."))
        client_of, info = await in_thread(load)
        self._bell = asyncio.Event()
        link = await self._link_to(ready)
        client = client_of(
            Wire(link).streams(),
            mode=self.settings.protocol,
            message_handler=self._hear,
            elicitation_callback=self._asking.elicit,
            client_info=info(name="nanobot-desktop", version=__version__),
            cache=None,
            read_timeout_seconds=CONNECT_SECONDS,
        )
        entered = False
        try:
            async with asyncio.timeout(CONNECT_SECONDS) as limit, client:
                entered = True
                limit.reschedule(None)
                yield client, link
        except Exception as error:
            raise _explained(error, link, entered) from error

    async def _link_to(self, ready: Ready) -> Link:
        if self.settings.kind == "stdio":
            return Stdio(ready, self.log, self._bell)
        auth = await self._around.auth(self.name, self.settings, ready, self._asking.widen)
        return Http(ready, self.settings.kind, self._bell, auth)

    async def _hear(self, message: Any) -> None:
        """What the server tells by itself."""
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self._note_change()

    def _note_change(self) -> None:
        self._stale = True
        self._bell.set()

    async def _list(self, client: Any) -> None:
        self._stale = False
        listing = await in_thread(learn, self.name, self.settings, await pages(client))
        digests = {tool.name: tool.digest for tool in listing.tools}
        self.changed = await self._around.known.changed(self.name, digests)
        self.tools = {tool.name: tool for tool in listing.tools}
        self.problem = listing.oddity
        info = client.server_info
        self.title = said(f"{info.name} {info.version}") if info else ""

    async def _list_again(self, client: Any, link: Link) -> None:
        """The tools have changed, and are told with what is odd about them; without a list, the old one
        stays."""
        try:
            await self._list(client)
        except Exception as error:
            if link.lost:
                raise
            self.problem = told(error)
        self._tell()
        await in_thread(mcp_last.keep, self._around.logs, self.name, self.problem, up=True)

    async def accept(self, seen: Mapping[str, str] | None = None) -> None:
        """The person accepts these tools (digest by name, as they were seen), or all as they are now. What
        has changed since it was seen stays unaccepted. Raises StorageError."""
        now = {name: tool.digest for name, tool in self.tools.items()}
        agreed = now if seen is None else {name: d for name, d in seen.items() if now.get(name) == d}
        await self._around.known.accept(self.name, agreed)
        self.changed -= agreed.keys()
        self._tell()

    def _tell(self) -> None:
        """That it runs, and what waits for the person."""
        waits = _("Accept its new or changed tools before the agent can use them.") if self.changed else ""
        odd = self.problem.text if self.problem else ""
        if self.connected:
            self.status.set(ServiceState.RUNNING, " ".join(filter(None, (waits, odd))))

    async def _up(self, client: Any, link: Link) -> None:
        async with self._turned:
            self._client, self._link = client, link
            self.settled.set()
            self._tell()
            self._turned.notify_all()

    async def _down(self, problem: AppError, *, was_up: bool) -> None:
        async with self._turned:
            self.problem = problem
            self._failed += not was_up
            self.settled.set()
            self._turned.notify_all()

    async def _serve(self, client: Any, link: Link) -> None:
        """Until the connection breaks; the list of tools is kept up to date."""
        listening = spawn(self._listen(client), name=f"mcp:listen:{self.name}")
        try:
            while not (link.lost or self._stopping):
                await self._bell.wait()
                self._bell.clear()
                if self._stale and not link.lost:
                    await self._list_again(client, link)
        finally:
            await cancel(listening)

    async def _listen(self, client: Any) -> None:
        """Servers of 2026 tell of changes only who asks for it."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        tools = client.server_capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or not (tools and tools.list_changed):
            return
        try:
            async with client.listen(tools_list_changed=True) as events:
                self._note_change()  # there may have been one before we listened
                async for _event in events:
                    self._note_change()
        except Exception as error:
            _log.info("%s does not tell of changes: %s", self.name, said(str(error)))

    async def _rest(self, problem: AppError, delay: float) -> None:
        """Wait before the next attempt; for good where only the person can help."""
        if isinstance(problem, SignInNeeded):
            self.status.set(ServiceState.NEEDS_SIGN_IN, problem.text)
            await self._nudge.wait()
        elif isinstance(problem, Misconfigured | KeychainError):
            self.status.set(ServiceState.FAILED, problem.text)
            await self._nudge.wait()
        else:
            again = _("{reason} Retrying in {seconds:.0f} s.")
            self.status.set(ServiceState.DEGRADED, again.format(reason=problem.text, seconds=delay))
            with suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._nudge.wait()


def _explained(error: Exception, link: Link, entered: bool) -> AppError:
    if link.failure is None and not entered:
        if noisy := getattr(link, "noisy", lambda: None)():
            return noisy  # type: ignore[no-any-return]
        if isinstance(error, TimeoutError):
            return silent_for(CONNECT_SECONDS)
    return told(error, getattr(link, "refusal", lambda: link.failure)())
