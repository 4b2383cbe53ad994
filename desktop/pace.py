"""Work in threads that leaves the loop its turns, tells how far it is, and ends soon when called off.

Backups, repairs and imports work so; none of them may import another, so it stands below them all.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from desktop.tasks import in_thread, spawn

_OFTEN_S, _PAUSE_S = 0.1, 0.0005
_PAUSE_EVERY = 8


@dataclass(frozen=True, slots=True)
class Advanced:
    """So much of a part of the work is done, in no unit that means something. `what`: pack, check, merge,
    read or take."""

    what: str
    done: int
    total: int


type Told = Callable[[Advanced], object]
"""Is told in the loop."""


def gently[T](items: Iterable[T]) -> Iterator[T]:
    """The same, with pauses that leave the loop its turns: many small steps of a thread starve it, too."""
    for number, item in enumerate(items, 1):
        if number % _PAUSE_EVERY == 0:
            time.sleep(_PAUSE_S)
        yield item


class CalledOffError(Exception):
    """The work is to end; what is under way is taken back."""


class Pace:
    """The pace of one backup, restore, repair or import."""

    def __init__(self, told: Told = lambda _event: None, *, every: int = _PAUSE_EVERY) -> None:
        """`every`: steps between pauses; more where a step is one record in memory."""
        self._told, self._every = told, every
        self._off = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._what, self._done, self._total = "", 0, 0
        self._said, self._steps = 0.0, 0

    async def run[T](self, work: Callable[..., T], *arguments: Any) -> T:
        """Do work in a thread. Cancelled, it waits until the work has taken itself back."""
        self._loop = asyncio.get_running_loop()
        task = spawn(in_thread(self._guarded, work, *arguments), name="paced")
        try:
            result, error = await asyncio.shield(task)
        except asyncio.CancelledError:
            self._off.set()
            await asyncio.wait({task})
            raise
        if error is not None:
            raise error
        return cast(T, result)

    def _guarded[T](self, work: Callable[..., T], *arguments: Any) -> tuple[T | None, Exception | None]:
        try:
            return work(*arguments), None
        except Exception as error:  # handed to who waits; a task's own failure would be logged as ours
            return None, error

    def begin(self, what: str, total: int) -> None:
        """A part of the work begins; of so much."""
        self._what, self._done, self._total, self._said = what, 0, total, 0.0
        self._tell()

    def paced[T](self, items: Iterable[T]) -> Iterator[T]:
        """The items one after the other, each a step. Raises CalledOffError."""
        for item in items:
            self.advance(0)
            yield item

    def advance(self, by: int = 1) -> None:
        """So much more is done; in a thread. Raises CalledOffError."""
        if self._off.is_set():
            raise CalledOffError
        self._steps += 1
        if self._steps % self._every == 0:
            time.sleep(_PAUSE_S)
        self.reach(self._done + by)

    def reach(self, done: int) -> None:
        """So much in all is done; in the loop, too."""
        self._done = done
        if time.monotonic() - self._said > _OFTEN_S:
            self._tell()

    def end(self) -> None:
        """All of the part is done."""
        self._done = self._total
        self._tell()
        self._what = ""

    def _tell(self) -> None:
        self._said = time.monotonic()
        done = min(self._done, self._total)
        event = Advanced(self._what, done, self._total)
        if self._what and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._told, event)
