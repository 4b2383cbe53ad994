"""Every optional part is a Service with one life cycle and a visible state; the Supervisor keeps it up.

One failing part never stops the rest: start() runs in a task of its own, a failure is retried with a
growing, jittered delay that success resets, and SignInNeeded-like failures wait for the person.
"""

import asyncio
import enum
import logging
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from desktop.bus.bus import Bus
from desktop.bus.events import ServiceChanged
from desktop.errors import explain
from desktop.files import Place
from desktop.tasks import cancel, in_thread, spawn

SOON_S = 60.0
"""What was due while the program was not there waits so long after its start."""
_log = logging.getLogger(__name__)


class ServiceState(enum.StrEnum):
    """Where a service is in its life."""

    OFF = "off"
    STARTING = "starting"
    RUNNING = "running"
    DEGRADED = "degraded"
    NEEDS_SIGN_IN = "needs_sign_in"
    FAILED = "failed"


class Status:
    """The state of one service, published on the bus whenever it changes."""

    def __init__(self, name: str, bus: Bus | None = None) -> None:
        self.name = name
        self.state = ServiceState.OFF
        self.detail = ""
        self.last_ok: float | None = None
        """Unix time of the last proof that it works."""
        self._bus = bus

    def set(self, state: ServiceState, detail: str = "") -> None:
        """Record a state and tell the bus if anything changed."""
        if state is ServiceState.RUNNING:
            self.last_ok = time.time()
        if (state, detail) == (self.state, self.detail):
            return
        self.state, self.detail = state, detail
        _log.info("service %s: %s %s", self.name, state, detail)
        if self._bus:
            self._bus.publish(ServiceChanged(self.name, state.value, detail))


class Rhythm:
    """Calls `due` once an interval, counted from the last time, over restarts and sleep of the machine.

    The moment of the last time is in a file. A clock that was put back makes nobody wait longer than one
    interval; what was due while the program was not there waits SOON_S after its start.
    """

    def __init__(self, path: Path, due: Callable[[], object]) -> None:
        self._path, self._due = path, due
        self.last: float | None = None
        self.next: float | None = None
        self._interval = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def load(self) -> None:
        """Read when the last time was."""
        self.last = await in_thread(_moment, self._path)

    def arm(self, interval: float) -> None:
        """Wait for the next time, `interval` seconds from the last; also after the clock has jumped."""
        self.disarm()
        self._interval, now = interval, time.time()
        last = self.last
        since = now - last if last is not None and last <= now else 0.0 if last is not None else interval
        delay = max(SOON_S, interval - since)
        self.next = now + delay
        self._timer = asyncio.get_running_loop().call_later(delay, self._due)

    def again(self) -> None:
        """The clock has jumped: wait for the same moment, by what the clock says now."""
        if self._timer is not None:
            self.arm(self._interval)

    def disarm(self) -> None:
        """Wait for nothing."""
        self.next = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def beaten(self) -> None:
        """Now was a time."""
        self.last = time.time()
        await in_thread(_remember, self._path, self.last)


class Beating(ABC):
    """A service that does something once an interval."""

    def __init__(self, name: str, bus: Bus, path: Path) -> None:
        """`path`: where the moment of the last time is kept."""
        self.status = Status(name, bus)
        self.rhythm = Rhythm(path, self._due)
        self._task: asyncio.Task[None] | None = None
        self._up = False

    @property
    @abstractmethod
    def interval(self) -> float:
        """In seconds; 0 where it is switched off."""

    @abstractmethod
    async def by_itself(self) -> None:
        """Do it, and arm the rhythm again."""

    async def start(self) -> None:
        """Arm the timer."""
        await self.rhythm.load()
        self._up = True
        self.apply()

    async def stop(self) -> None:
        """End what is under way."""
        self._up = False
        self.rhythm.disarm()
        await cancel(self._task)
        self.status.set(ServiceState.OFF)

    def apply(self) -> None:
        """Obey changed settings."""
        self.rhythm.disarm()
        if not self._up or not self.interval:
            self.status.set(ServiceState.OFF)
            return
        if self.status.state is ServiceState.OFF:
            self.status.set(ServiceState.RUNNING)
        self.rhythm.arm(self.interval)

    def _due(self) -> None:
        if self._task is None or self._task.done():
            self._task = spawn(self.by_itself(), name=self.status.name)


class Service(Protocol):
    """A part that can be switched on and off while the program runs."""

    status: Status

    async def start(self) -> None:
        """Come up; return when RUNNING. Raises AppError when it cannot."""

    async def stop(self) -> None:
        """Go down and leave nothing behind; never raises; harmless when already off."""


class Supervisor:
    """Starts services side by side, restarts the ones that fail, stops all in reverse order."""

    def __init__(self, *, base_delay: float = 1.0, max_delay: float = 300.0) -> None:
        self._base, self._max = base_delay, max_delay
        self._tasks: dict[str, tuple[Service, asyncio.Task[None]]] = {}
        self._lost: dict[str, asyncio.Event] = {}

    def add(self, service: Service) -> Callable[[], None]:
        """Bring a service up and keep it up. Returns what to call when it went down by itself."""
        name = service.status.name
        self._lost[name] = asyncio.Event()
        self._tasks[name] = (service, spawn(self._keep(service), name=f"service:{name}"))
        return self._lost[name].set

    async def _keep(self, service: Service) -> None:
        attempt = 0
        lost = self._lost[service.status.name]
        while True:
            lost.clear()
            service.status.set(ServiceState.STARTING)
            try:
                await service.start()
            except Exception as error:
                delay = min(self._max, self._base * 2**attempt) * random.uniform(0.8, 1.2)
                attempt += 1
                service.status.set(ServiceState.DEGRADED, str(explain(error)))
                await asyncio.sleep(delay)
                continue
            attempt = 0
            await lost.wait()

    async def stop(self) -> None:
        """Stop every service, the last one added first."""
        while self._tasks:
            _, (service, task) = self._tasks.popitem()
            await cancel(task)
            await service.stop()


def _moment(path: Path) -> float | None:
    try:
        return float(_place(path).read(path.name))
    except (OSError, ValueError):
        return None


def _place(path: Path) -> Place:
    """The folder of the workspace in which it is kept."""
    folder = path.parent
    return Place(folder.parent) / folder.name


def _remember(path: Path, moment: float) -> None:
    try:
        _place(path).write(path.name, f"{moment:.0f}".encode("ascii"), durable=False)
    except OSError as error:
        _log.warning("when %s was last could not be kept: %s", path.name, error)
