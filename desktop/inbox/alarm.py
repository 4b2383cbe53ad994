"""A call at a moment of the wall clock."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

_LONGEST_S = 86_400.0
"""Timers of event loops are no good for months, and do not notice that the clock was set."""


class Alarm(Protocol):
    """Rings once at the moment it was last set to; a moment that has passed is at once."""

    rang: Callable[[], None] | None

    def set(self, moment: float | None) -> None:
        """Ring at this Unix time instead of the one before; None: not at all."""


class LoopAlarm:
    """By a timer of the running loop. It may ring early: who hears it looks at the clock again."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.rang: Callable[[], None] | None = None
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None

    def set(self, moment: float | None) -> None:
        """See Alarm."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if moment is not None:
            seconds = min(max(0.0, moment - self._clock()), _LONGEST_S)
            self._timer = asyncio.get_running_loop().call_later(seconds, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self.rang is not None:
            self.rang()
