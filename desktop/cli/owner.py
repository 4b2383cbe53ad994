"""Owning a home: the lock, the core behind it, and the ear for every other front end.

One process owns a home. The window takes it over from a command that owns it: the command is asked to
leave, ends what is under way, and goes on as a client where it has more to do. Whoever owns it can be told
to quit: an installer does that before it replaces the program.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

from desktop.api.subjects import Local, Subjects
from desktop.bus.bus import Bus
from desktop.bus.events import QuitWaits
from desktop.ipc.connection import NoOwnerError, Server
from desktop.ipc.ownership import QUIT, SERVE, WINDOW, Ownership
from desktop.paths import Home
from desktop.providers.host_process import ModelHost
from desktop.tasks import cancel, spawn

if TYPE_CHECKING:
    from desktop.api.client import Call
    from desktop.api.requests import Request, Requests
    from desktop.core.core import Core
    from desktop.inbox.presenter import Presenter

type Json = dict[str, Any]

_END = object()
"""Behind the last event of a call."""

_SHOWN_S = 1.0
"""So long a command has, once it is at rest, to print its answer and end by itself."""
_TOLD_S = 0.3
"""A wait that is shorter is not told."""

_log = logging.getLogger(__name__)


class Owner:
    """This process's hold on a home: start(), result() and events() for calls of the api, stop()."""

    def __init__(
        self,
        home: Home,
        front: str,
        ownership: Ownership,
        bus: Bus | None = None,
        *,
        end: Callable[[], object] = lambda: None,
    ) -> None:
        """`bus`: one on which somebody hears already; `end` has this front end begin its end in order."""
        self._home, self._front, self._ownership = home, front, ownership
        self._end = end
        self._quits: asyncio.Task[None] | None = None
        self.bus = bus or Bus()
        self.host = ModelHost(self.bus)
        self.core: Core
        self._requests: Requests
        self._server: Server
        self._ends = AsyncExitStack()
        self._under_way = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._leaving: asyncio.Task[None] | None = None
        self._gone = asyncio.Event()

    async def start(self, *, eager: bool = False, requests: "dict[str, Request] | None" = None) -> None:
        """Build the core and answer others. `eager`: the model host is needed at once; `requests`: what
        this front end alone can do. Raises AppError or OSError; then nothing is left behind."""
        async with AsyncExitStack() as ends:
            ends.callback(self._ownership.release)
            ends.push_async_callback(self.host.stop)
            if eager:
                # What fails here, the question meets again and tells.
                spawn(self.host.start(), name="host:start")
            from desktop.api.requests import Requests
            from desktop.core.core import Core
            from desktop.core.subjects import subjects

            if self._front == SERVE:  # a window makes big pictures all the time: it would be slower
                from desktop.heap import share

                share()
            self.core = await Core.start(self._home, self.host, self.bus, self._front)
            ends.push_async_callback(self.core.stop)
            if eager:
                self.core.models.prepare()
            made = Subjects(subjects(self.core, self._front))
            own = {"hand_over": self._hand_over, QUIT: self._quit, **(requests or {})}
            self._requests = Requests(made, self._front, own)
            self._local = Local(made)
            self._server = Server(self._home, self._requests.answer)
            ends.push_async_callback(self._server.stop)
            await self._server.start()
            self._ends = ends.pop_all()
        if self._front == SERVE:
            self.core.stay()

    async def result(self, call: "Call") -> Any:
        """Of a call of the api, in this process. Raises AppError; NoOwnerError once the home was handed
        over."""
        async with self._busy():
            return await self._local.result(call)

    async def events(self, call: "Call") -> AsyncGenerator[Any]:
        """The same for what it yields. Events are taken from the bus as they come, also while the caller
        is busy with one."""
        async with self._busy():
            told: asyncio.Queue[Any] = asyncio.Queue()

            async def follow() -> None:
                async with aclosing(self._local.events(call)) as events:
                    async for event in events:
                        told.put_nowait(event)

            work = spawn(follow(), name=f"api:{call.verb}")
            work.add_done_callback(lambda _task: told.put_nowait(_END))
            try:
                while (event := await told.get()) is not _END:
                    yield event
                work.result()
            finally:
                await cancel(work)

    @asynccontextmanager
    async def _busy(self) -> AsyncGenerator[None]:
        """While something is done here, the home is not handed over. Raises NoOwnerError once it was. What
        is called while something is under way may belong to it, such as the answer to its question."""
        if self._leaving is not None and not self._under_way:
            await asyncio.wait({self._leaving})
            raise NoOwnerError
        self._under_way += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._quiet.set()

    async def presenter(self) -> "Presenter":
        """Who brings notices to the screen, once what goes on by itself has begun."""
        await self.core.staying()
        return self.core.background.presenter

    async def finish(self) -> None:
        """Take no new requests of others and wait for those under way."""
        if self._leaving is None:
            self._requests.leave()
            await self._server.finish()

    async def left(self) -> None:
        """Wait until the home was handed over."""
        await self._gone.wait()

    async def stop(self) -> None:
        """End everything in order and let go of the home."""
        await cancel(self._quits)
        if self._leaving is not None:
            await asyncio.wait({self._leaving})
        await self._ends.aclose()

    async def _hand_over(self, _arguments: Json) -> Json:
        """Leave the home to who asks, as soon as nothing is under way."""
        if self._leaving is None:
            self._leaving = spawn(self._leave(), name="owner:leave")
        return {}

    async def _quit(self, arguments: Json) -> Json:
        """End this process in order, once no turn is under way; `now`: at once, which ends the turns. The
        reply comes when it begins to end; who hangs up before has thought better of it."""
        now = bool(arguments.get("now"))
        if not now:
            await self.at_rest()
        if self._quits is None:
            self._requests.quit()
            stays = self._front in (WINDOW, SERVE)
            self._quits = spawn(self._ended(0 if now or stays else _SHOWN_S), name="owner:quit")
        return {}

    async def at_rest(self) -> None:
        """Wait until no turn is under way; where that takes a moment, whoever shows the turns is told."""
        rest = spawn(self._resting(), name="owner:rest")
        try:
            await asyncio.wait({rest}, timeout=_TOLD_S)
            if not rest.done():
                self.bus.publish(QuitWaits(waits=True))
                try:
                    await asyncio.wait({rest})
                finally:
                    self.bus.publish(QuitWaits(waits=False))
        finally:
            await cancel(rest)

    async def _resting(self) -> None:
        if self._front != WINDOW:  # there, calls are under way all the time
            await self._quiet.wait()
        await self.core.at_rest()

    async def _ended(self, pause: float) -> None:
        await asyncio.sleep(pause)
        _log.info("told to quit")
        self._end()

    async def _leave(self) -> None:
        await self._quiet.wait()
        await self.core.at_rest()
        self._requests.leave()
        await self._server.finish()
        await self._ends.aclose()
        _log.info("the home is handed over")
        self._gone.set()
