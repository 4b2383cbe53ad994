"""Dreams by themselves: a service with one timer, armed for the moment when the next one is due.

When that comes and nothing is new it waits for as long again; a model is asked only where there is
something to read. The moment of the last one is kept in the memory's folder.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from desktop.bus.bus import Bus
from desktop.bus.events import MemoryChanged
from desktop.errors import AppError
from desktop.memory.dream import Dream, Outcome, Scribe
from desktop.memory.summing import Asker
from desktop.providers.base import SignInNeeded
from desktop.services import Rhythm, ServiceState, Status
from desktop.tasks import cancel, spawn

NAME = "dream"

type Minds = Callable[[bool], Awaitable[tuple[Asker, Scribe]]]
"""Makes a model ready, for reading and for editing; told whether nobody waits for it. Raises AppError."""


class Settings(Protocol):
    """When it shall be."""

    @property
    def enabled(self) -> bool: ...
    @property
    def interval_h(self) -> float: ...


class Dreaming:
    """The service."""

    def __init__(
        self, dream: Dream, minds: Minds, settings: Callable[[], Settings], bus: Bus, folder: Path
    ) -> None:
        self._dream, self._minds, self._settings, self._bus = dream, minds, settings, bus
        self.status = Status(NAME, bus)
        self.rhythm = Rhythm(folder / ".dreamed", self._due)
        self._task: asyncio.Task[None] | None = None
        self._up = False

    async def start(self) -> None:
        """Arm the timer."""
        await self.rhythm.load()
        self._up = True
        self.apply()

    async def stop(self) -> None:
        """End what is under way; what was learned until then stays."""
        self._up = False
        self.rhythm.disarm()
        await cancel(self._task)
        self.status.set(ServiceState.OFF)

    def apply(self) -> None:
        """Obey changed settings."""
        self.rhythm.disarm()
        if not self._up or not self._settings().enabled:
            self.status.set(ServiceState.OFF)
            return
        if self.status.state is ServiceState.OFF:
            self.status.set(ServiceState.RUNNING)
        self.rhythm.arm(self._settings().interval_h * 3600)

    async def now(
        self, phase: Callable[[str], object] = lambda _phase: None, *, unattended: bool = False
    ) -> Outcome:
        """Dream, by hand or `unattended`. Raises AppError."""
        asker, scribe = await self._minds(unattended)
        try:
            outcome = await self._dream.run(asker, scribe, phase)
        finally:
            await self.rhythm.beaten()
            self.apply()
        if outcome.handled:
            self._bus.publish(MemoryChanged(told=outcome.told))
        return outcome

    def _due(self) -> None:
        if self._task is None or self._task.done():
            self._task = spawn(self._by_itself(), name="dream")

    async def _by_itself(self) -> None:
        if not await self._dream.waiting():
            self.rhythm.last = time.time()
            self.apply()
            return
        try:
            await self.now(unattended=True)
            self.status.set(ServiceState.RUNNING)
        except AppError as error:
            known = isinstance(error, SignInNeeded)
            self.status.set(ServiceState.NEEDS_SIGN_IN if known else ServiceState.DEGRADED, str(error))
            self.rhythm.last = time.time()
            self.apply()
