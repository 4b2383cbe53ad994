"""Work in threads that leaves the loop its turns, and that ends soon when the import is called off."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from desktop.tasks import in_thread, spawn

_EVERY, _PAUSE_S = 64, 0.0005


class CalledOffError(Exception):
    """The import is to end; what is under way is taken back."""


class Pieces:
    """Runs blocking work; one import's."""

    def __init__(self) -> None:
        self._off = threading.Event()

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

    @staticmethod
    def _guarded(work: Callable[..., Any], *arguments: Any) -> tuple[Any, Exception | None]:
        """Failures are results: who waits tells them, not the log."""
        try:
            return work(*arguments), None
        except Exception as error:
            return None, error
