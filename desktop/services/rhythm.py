"""What is due once an interval, over restarts and sleep of the machine, and a service that does it."""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from desktop.bus.bus import Bus
from desktop.files import Place
from desktop.services.status import ServiceState, Status
from desktop.tasks import cancel, in_thread, spawn

SOON_S = 60.0
"""What was due while the program was not there waits so long after its start."""
_log = logging.getLogger(__name__)


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
