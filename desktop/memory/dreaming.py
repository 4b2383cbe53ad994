"""Dreams by themselves: a service with one timer, armed for the moment when the next one is due.

When that comes and nothing is new it waits for as long again; a model is asked only where there is
something to read. The moment of the last one is kept in the memory's folder, and a clock that was put back
makes nobody wait longer than one interval.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from desktop.bus.bus import Bus
from desktop.bus.events import MemoryChanged
from desktop.errors import AppError
from desktop.memory.dream import Dream, Outcome, Scribe
from desktop.memory.files import replace
from desktop.memory.summing import Asker
from desktop.providers.base import SignInNeeded
from desktop.services import ServiceState, Status
from desktop.tasks import cancel, in_thread, spawn

NAME = "dream"
SOON_S = 60.0
"""What was due while the program was not there waits so long after its start."""
_log = logging.getLogger(__name__)

type Minds = Callable[[], Awaitable[tuple[Asker, Scribe]]]
"""Makes a model ready, for reading and for editing. Raises AppError."""


class Settings(Protocol):
    """When it shall be."""

    @property
    def enabled(self) -> bool: ...
    @property
    def interval_h(self) -> float: ...


@dataclass(slots=True)
class Times:
    """When the last Dream was and when the next is due, in Unix time; None for never."""

    last: float | None = None
    next: float | None = None


class Dreaming:
    """The service."""

    def __init__(
        self, dream: Dream, minds: Minds, settings: Callable[[], Settings], bus: Bus, folder: Path
    ) -> None:
        self._dream, self._minds, self._settings, self._bus = dream, minds, settings, bus
        self._path = folder / ".dreamed"
        self.status = Status(NAME, bus)
        self.times = Times()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._up = False

    async def start(self) -> None:
        """Arm the timer."""
        self.times.last = await in_thread(_moment, self._path)
        self._up = True
        self.apply()

    async def stop(self) -> None:
        """End what is under way; what was learned until then stays."""
        self._up = False
        self._disarm()
        await cancel(self._task)
        self.status.set(ServiceState.OFF)

    def apply(self) -> None:
        """Obey changed settings."""
        self._disarm()
        if not self._up or not self._settings().enabled:
            self.status.set(ServiceState.OFF)
            return
        if self.status.state is ServiceState.OFF:
            self.status.set(ServiceState.RUNNING)
        self._arm()

    async def now(self, phase: Callable[[str], object] = lambda _phase: None) -> Outcome:
        """Dream by hand. Raises AppError."""
        asker, scribe = await self._minds()
        try:
            outcome = await self._dream.run(asker, scribe, phase)
        finally:
            self.times.last = time.time()
            await in_thread(_remember, self._path, self.times.last)
            self.apply()
        if outcome.handled:
            self._bus.publish(MemoryChanged(told=outcome.told))
        return outcome

    def _arm(self) -> None:
        interval, now = self._settings().interval_h * 3600, time.time()
        last = self.times.last
        since = now - last if last is not None and last <= now else 0.0 if last is not None else interval
        delay = max(SOON_S, interval - since)
        self.times.next = now + delay
        self._timer = asyncio.get_running_loop().call_later(delay, self._due)

    def _disarm(self) -> None:
        self.times.next = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        if self._task is None or self._task.done():
            self._task = spawn(self._by_itself(), name="dream")

    async def _by_itself(self) -> None:
        if not await self._dream.waiting():
            self.times.last = time.time()
            self.apply()
            return
        try:
            await self.now()
            self.status.set(ServiceState.RUNNING)
        except AppError as error:
            known = isinstance(error, SignInNeeded)
            self.status.set(ServiceState.NEEDS_SIGN_IN if known else ServiceState.DEGRADED, str(error))
            self.times.last = time.time()
            self.apply()


def _moment(path: Path) -> float | None:
    try:
        return float(path.read_text("ascii"))
    except (OSError, ValueError):
        return None


def _remember(path: Path, moment: float) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace(path, f"{moment:.0f}".encode("ascii"))
    except OSError as error:
        _log.warning("when the last Dream was could not be kept: %s", error)
