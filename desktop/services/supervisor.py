"""Keeps services up side by side; what one of them does, or fails to do, touches no other.

It hears of a new network itself, while it has a service; of a machine that woke up it is told.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from desktop.services.keeper import Clock, Keeper
from desktop.services.network import Network
from desktop.services.service import Service
from desktop.services.status import Status
from desktop.services.timing import Timing
from desktop.tasks import cancel, spawn


class Ear(Protocol):
    """What hears of something, and calls back on the loop."""

    async def start(self) -> None:
        """Listen; never raises."""

    async def stop(self) -> None:
        """Hear nothing any more."""


class Supervisor:
    """The services, by their names. All of it is for the loop only."""

    def __init__(
        self,
        *,
        timing: Timing | None = None,
        clock: Clock | None = None,
        network: Callable[[Callable[[], object]], Ear] | None = Network,
    ) -> None:
        """`clock`: the loop's own where there is none; `network` makes the ear for a changed network."""
        self._timing, self._clock, self._make_ear = timing or Timing(), clock, network
        self._keepers: dict[str, Keeper] = {}
        self._hearing: asyncio.Task[None] | None = None

    def add(self, service: Service, *, on: bool = True) -> None:
        """Keep a service up from now on, or off until it is switched on; waits for nothing.

        Raises ValueError where there is one of this name already.
        """
        name = service.status.name
        if name in self._keepers:
            raise ValueError(f"there is a service {name} already")
        clock = self._clock or asyncio.get_running_loop()
        self._keepers[name] = Keeper(service, self._timing, clock, on=on)
        if self._make_ear and (self._hearing is None or self._hearing.done()):
            self._hearing = spawn(_hear(self._make_ear(self.again)), name="services:network")

    async def remove(self, name: str) -> None:
        """Stop a service and forget it; harmless where there is none of this name. Takes no longer than
        its stop may, even if it hangs."""
        keeper = self._keepers.get(name)
        if keeper is None:
            return
        await keeper.leave()
        if self._keepers.get(name) is keeper:
            del self._keepers[name]
        if not self._keepers:
            await cancel(self._hearing)

    def switch(self, name: str, *, on: bool) -> None:
        """Begin to bring a service up, or to take it down; waits for neither. Raises KeyError."""
        self._keepers[name].switch(on=on)

    def retry(self, name: str) -> None:
        """Try a service again at once, whatever it waits for: the person signed in, changed a setting, or
        wants it. Nothing happens to one that is off or up. Raises KeyError."""
        self._keepers[name].retry()

    def again(self) -> None:
        """The machine woke up, or has another network: what waits for its next try has it now, what is up
        is checked. Calls that follow fast are bounded by Timing."""
        for keeper in self._keepers.values():
            keeper.nudge()

    def statuses(self) -> list[Status]:
        """The state of each service, in the order in which they were added."""
        return [keeper.service.status for keeper in self._keepers.values()]

    async def stop(self) -> None:
        """Stop and forget all services, side by side: it takes as long as the slowest may."""
        await asyncio.gather(*(self.remove(name) for name in tuple(self._keepers)))
        await cancel(self._hearing)


async def _hear(ear: Ear) -> None:
    """Listen until this task is cancelled."""
    try:
        await ear.start()
        await asyncio.Event().wait()
    finally:
        await ear.stop()
