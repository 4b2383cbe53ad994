"""Services that do as a test tells them, and a clock that goes on when a test says so."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from desktop.bus.bus import Bus
from desktop.bus.events import ServiceChanged
from desktop.errors import AppError
from desktop.services.service import Service
from desktop.services.status import ServiceState
from desktop.services.supervisor import Supervisor
from desktop.services.timing import Timing

NO_NETWORK = AppError("No network.", "Connect.")
TIMING = Timing(jitter=lambda: 1.0)


class Part(Service):
    """Fails to start as often as it is told to."""

    def __init__(self, name: str, bus: Bus, failures: int = 0, error: BaseException = NO_NETWORK) -> None:
        super().__init__(name, bus)
        self.failures, self.error = failures, error
        self.broken: BaseException | None = None
        """What a check finds."""
        self.starts = self.stops = 0
        self.up = False
        self.checked = asyncio.Semaphore(0)

    async def start(self) -> None:
        self.starts += 1
        if self.starts <= self.failures:
            raise self.error
        self.up = True

    async def stop(self) -> None:
        self.stops += 1
        self.up = False

    async def check(self) -> None:
        self.checked.release()
        if self.broken:
            raise self.broken


class Stubborn(Part):
    """Ignores that it is cancelled where it is told to, until it is let go."""

    def __init__(self, name: str, bus: Bus, hangs_in: str) -> None:
        super().__init__(name, bus)
        self.hangs_in = hangs_in
        self.let_go, self.begun = asyncio.Event(), asyncio.Event()

    async def start(self) -> None:
        await super().start()
        await self._hang("start")

    async def stop(self) -> None:
        await self._hang("stop")
        await super().stop()

    async def _hang(self, where: str) -> None:
        self.begun.set()
        while where == self.hangs_in and not self.let_go.is_set():
            with suppress(asyncio.CancelledError):
                await self.let_go.wait()


class _Timer:
    def __init__(self, due: float, callback: Callable[[], object]) -> None:
        self.due, self.callback, self.live = due, callback, True

    def cancel(self) -> None:
        self.live = False


class Hand:
    """A clock that is turned by hand."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._timers: list[_Timer] = []
        self._armed = asyncio.Event()

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[[], object], /) -> _Timer:
        timer = _Timer(self.now + delay, callback)
        self._timers.append(timer)
        self._armed.set()
        return timer

    @property
    def waits(self) -> list[float]:
        """How long each armed timer has still to wait, in seconds."""
        self._timers = [timer for timer in self._timers if timer.live]
        return sorted(timer.due - self.now for timer in self._timers)

    def turn(self, seconds: float) -> None:
        """So much time goes by."""
        self.now += seconds
        for timer in sorted(self._timers, key=lambda timer: timer.due):
            if timer.live and timer.due <= self.now:
                timer.live = False
                timer.callback()

    async def ring(self, seconds: float) -> None:
        """Let so much time go by once a timer of that length is armed."""
        async with asyncio.timeout(60):
            while seconds not in self.waits:
                self._armed.clear()
                await self._armed.wait()
        self.turn(seconds)


class Bench:
    """A supervisor, its bus and its clock."""

    def __init__(self, timing: Timing = TIMING) -> None:
        self.bus, self.clock = Bus(), Hand()
        self.supervisor = Supervisor(timing=timing, clock=self.clock, network=None)
        self._events = self.bus.subscribe()
        self.events = self._events.__enter__()

    async def reach(self, name: str, state: str) -> ServiceChanged:
        """The next time that the service has this state."""
        async with asyncio.timeout(60):
            async for event in self.events:
                if isinstance(event, ServiceChanged) and (event.name, event.state) == (name, state):
                    return event
        raise AssertionError

    async def settle(self) -> None:
        """Let all that can go on without time go on."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def up(self, part: Part) -> None:
        """Add it, and wait until it is up."""
        self.supervisor.add(part)
        await self.reach(part.status.name, ServiceState.RUNNING)

    async def close(self) -> None:
        await self.supervisor.stop()
        self._events.__exit__(None, None, None)
