"""Dreams by themselves: a service with one timer, armed for the moment when the next one is due.

When that comes and nothing is new it waits for as long again; a model is asked only where there is
something to read. The moment of the last one is kept in the memory's folder.
"""

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from desktop.bus.bus import Bus
from desktop.bus.events import MemoryChanged
from desktop.errors import AppError
from desktop.memory.dream import Dream, Editor, Outcome
from desktop.providers.base import SignInNeeded
from desktop.providers.ready import Ready
from desktop.services.rhythm import Beating
from desktop.services.status import ServiceState

NAME = "dream"

type PrepareModel = Callable[[bool], Awaitable[tuple[Ready, Editor]]]
"""Makes a model ready, for reading and for editing; told whether nobody waits for it. Raises AppError."""


class Settings(Protocol):
    """When it shall be."""

    @property
    def enabled(self) -> bool: ...
    @property
    def interval_h(self) -> float: ...


class DreamService(Beating):
    """The service."""

    def __init__(
        self, dream: Dream, prepare: PrepareModel, settings: Callable[[], Settings], bus: Bus, folder: Path
    ) -> None:
        super().__init__(NAME, bus, folder / ".dreamed")
        self._dream, self._prepare, self._settings, self._bus = dream, prepare, settings, bus

    @property
    def interval(self) -> float:
        """In seconds; 0 where it is switched off."""
        settings = self._settings()
        return settings.interval_h * 3600 if settings.enabled else 0.0

    async def now(
        self, phase: Callable[[str], object] = lambda _phase: None, *, unattended: bool = False
    ) -> Outcome:
        """Dream, by hand or `unattended`. Raises AppError."""
        ready, editor = await self._prepare(unattended)
        try:
            outcome = await self._dream.run(ready, editor, phase)
        finally:
            await self.rhythm.beaten()
            self.apply()
        if outcome.handled:
            self._bus.publish(MemoryChanged(told=outcome.told))
        return outcome

    async def by_itself(self) -> None:
        """Dream where there is something new, and wait for the next time."""
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
