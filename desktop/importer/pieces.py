"""Work in threads that leaves the loop its turns, tells how far it is, and ends soon when called off."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from desktop.tasks import in_thread, spawn

_EVERY, _PAUSE_S = 64, 0.0005
_OFTEN_S = 0.1

type Progress = Callable[[str, int, int], object]
"""Is told, in the loop, what is done, how much of it, and of how much, in no unit that means something."""


class CalledOffError(Exception):
    """The import is to end; what is under way is taken back."""


class Pieces:
    """Runs blocking work; one import's."""

    def __init__(self, told: Progress = lambda _what, _done, _total: None) -> None:
        self._told = told
        self._off = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._what, self._done, self._total = "", 0, 0
        self._said = 0.0

    async def run[T](self, work: Callable[..., T], *arguments: Any) -> T:
        """Do work in a thread. Cancelled, it waits until the work has taken itself back."""
        task = spawn(in_thread(self._guarded, work, *arguments), name="import:piece")
        try:
            result, error = await asyncio.shield(task)
        except asyncio.CancelledError:
            self._off.set()
            await asyncio.wait({task})
            raise
        if error is not None:
            raise error
        done: T = result
        return done

    def paced[T](self, things: Iterable[T]) -> Iterator[T]:
        """The things one after the other, in the thread: with pauses. Raises CalledOffError."""
        for number, thing in enumerate(things, start=1):
            if number % _EVERY == 0:
                time.sleep(_PAUSE_S)
                self.check()
            yield thing

    def check(self) -> None:
        """Raises CalledOffError where the import was called off."""
        if self._off.is_set():
            raise CalledOffError

    # ---- how far it is

    def begin(self, what: str, total: int) -> None:
        """Something of this size begins; in the loop."""
        self._loop = asyncio.get_running_loop()
        self._what, self._done, self._total = what, 0, total

    @property
    def done(self) -> int:
        """How much of it is done."""
        return self._done

    def advance(self, by: int = 1) -> None:
        """So much more of it is done; in any thread."""
        self._done += by
        moment = time.monotonic()
        if self._loop is not None and moment - self._said >= _OFTEN_S:
            self._said = moment
            self._loop.call_soon_threadsafe(self._say)

    def end(self) -> None:
        """All of it is done; in the loop."""
        self._done = self._total
        self._say()
        self._loop = None

    def _say(self) -> None:
        self._told(self._what, min(self._done, self._total), self._total)

    @staticmethod
    def _guarded(work: Callable[..., Any], *arguments: Any) -> tuple[Any, Exception | None]:
        """Failures are results: who waits tells them, not the log."""
        try:
            return work(*arguments), None
        except Exception as error:
            return None, error
