"""Keeps the model host: started when wanted, ended when idle, started again after a crash.

The host leaves by itself when its stdin ends, so it is gone with the program however that dies.
Keys go over the pipe only: the host's environment is ours without anything that looks like one.
"""

import asyncio
import itertools
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from desktop import frames
from desktop.bus.bus import Bus
from desktop.child import Child, start
from desktop.paths import self_command
from desktop.providers.base import HostDied
from desktop.providers.host import lending
from desktop.services.status import ServiceState, Status
from desktop.tasks import spawn
from desktop.text import _

_START_SECONDS = 60.0

_log = logging.getLogger(__name__)


class Call:
    """One running call: the frames that come for it, until close()."""

    def __init__(self, host: "ModelHost", number: int) -> None:
        self._host, self._number = host, number
        self._frames: asyncio.Queue[Mapping[str, Any] | None] = asyncio.Queue()
        self._over = False

    def put(self, frame: Mapping[str, Any] | None) -> None:
        """Hand over a frame; None when the host is gone."""
        self._frames.put_nowait(frame)

    async def next(self) -> Mapping[str, Any]:
        """The next frame: deltas, then done or error. Raises HostDied."""
        frame = await self._frames.get()
        self._over = frame is None or frame["op"] not in ("delta", "models")
        if frame is None:
            raise _died()
        return frame

    def close(self) -> None:
        """Nothing is wanted any more: tell the host unless the call ended by itself."""
        self._host.forget(self._number, running=not self._over)


class _Process(Child):
    """The running host."""

    def connection_lost(self, exc: Exception | None) -> None:
        lending.clean(self.pid)  # where it was killed
        super().connection_lost(exc)


class ModelHost:
    """The child process, as a Service; many calls at once."""

    def __init__(
        self,
        bus: Bus | None = None,
        *,
        idle_stop_seconds: float = 600.0,
        command: Sequence[str] | None = None,
    ) -> None:
        self.status = Status("model_host", bus)
        self.idle_stop_seconds = idle_stop_seconds
        self._command = command
        self._process: _Process | None = None
        self._ending: asyncio.Task[None] | None = None
        self._changing = asyncio.Lock()
        self._up = asyncio.Event()
        self._calls: dict[int, Call] = {}
        self._prepared: dict[str, asyncio.Future[None]] = {}
        self._numbers = itertools.count(1)
        self._idle: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """The process, None while there is none."""
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Bring the host up. Raises HostDied when it does not come."""
        await self._ensure()
        try:
            async with asyncio.timeout(_START_SECONDS):
                await self._up.wait()
        except TimeoutError:
            await self.stop()
        if self.status.state is not ServiceState.RUNNING:
            raise _died()

    async def stop(self) -> None:
        """End the host and wait until it is gone; running calls raise HostDied."""
        async with self._changing:
            process = self._process
            self._drop(ServiceState.OFF)
            if process:
                await process.end()
            if self._ending:
                await self._ending

    async def prepare(self, engine: str) -> None:
        """Have the host import an engine now. Returns when it is done; calls need not wait for it."""
        process = await self._ensure()
        if engine not in self._prepared:
            self._prepared[engine] = asyncio.get_running_loop().create_future()
            process.write(frames.pack({"op": "prepare", "engine": engine}))
        await asyncio.shield(self._prepared[engine])

    async def call(self, header: Mapping[str, Any], body: bytes) -> Call:
        """Begin a call; the body goes to the server as it is. Raises HostDied."""
        process = await self._ensure()
        number = next(self._numbers)
        self._calls[number] = call = Call(self, number)
        self._arm()
        start = frames.pack({"op": "stream", "id": number, **header})
        process.write(start, frames.length(body), body)
        return call

    def forget(self, number: int, *, running: bool) -> None:
        """Drop a call, at the server too if it is still running."""
        known = self._calls.pop(number, None) is not None
        if known and running and self._process:
            self._process.write(frames.pack({"op": "cancel", "id": number}))
        self._arm()

    async def _ensure(self) -> _Process:
        async with self._changing:
            if self._process is None:
                self._process = process = await self._spawn()
                if process.over:  # before it was known here
                    self._lost(process)
                    raise _died()
                self._arm()
            return self._process

    async def _spawn(self) -> _Process:
        self.status.set(ServiceState.STARTING)
        command = self._command or self_command("--model-host")
        try:
            process = await start(lambda: _Process("model host", self._receive, self._lost), command)
        except asyncio.CancelledError:
            self.status.set(ServiceState.OFF)
            raise
        except OSError as error:
            self.status.set(ServiceState.FAILED, str(error))
            raise HostDied(
                _("The model host could not be started: {reason}.").format(reason=error.strerror or error),
                _("Reinstall the program."),
            ) from error
        return process

    def _receive(self, frame: Mapping[str, Any]) -> None:
        if "id" in frame:
            if call := self._calls.get(frame["id"]):
                call.put(frame)
        elif frame["op"] == "ready" and not frame["engine"]:
            self.status.set(ServiceState.RUNNING)
            self._up.set()
        elif waiter := self._prepared.get(frame["engine"]):
            if frame["op"] == "failed":
                _log.error("engine %s: %s", frame["engine"], frame["detail"])
                del self._prepared[frame["engine"]]
            if not waiter.done():
                waiter.set_result(None)

    def _lost(self, process: Child) -> None:
        if self._process is process:
            _log.warning("the model host went away")
            process.kill()
            self._ending = spawn(process.end(), name="end of the model host")
            self._drop(ServiceState.DEGRADED, str(_died()))

    def _drop(self, state: ServiceState, detail: str = "") -> None:
        """The process is gone or about to be: whoever waits for it is told."""
        self._process = None
        self.status.set(state, detail)
        self._up.set()
        self._up = asyncio.Event()
        for call in self._calls.values():
            call.put(None)
        self._calls.clear()
        for waiter in self._prepared.values():
            if not waiter.done():
                waiter.set_result(None)
        self._prepared.clear()
        self._arm()

    def _arm(self) -> None:
        """Have the idle stop due when nothing runs, and only then."""
        if self._idle:
            self._idle.cancel()
            self._idle = None
        if self._process and not self._calls:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(self.idle_stop_seconds, self._stop_idle)

    def _stop_idle(self) -> None:
        self._idle = None
        spawn(self._stop_if_idle(), name="model host idle stop")

    async def _stop_if_idle(self) -> None:
        if not self._calls:
            await self.stop()


def _died() -> HostDied:
    return HostDied(
        _("The process that talks to models quit unexpectedly."),
        _("Try again; it restarts automatically."),
    )
