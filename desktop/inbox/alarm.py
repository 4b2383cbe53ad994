"""A call at a moment of the wall clock: what the presenter needs of an alarm, and a plain one."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

_LONGEST_S = 86_400.0
"""Timers of event loops are no good for months, and do not notice that the clock was set."""


class Alarm(Protocol):
    """One alarm at a time."""

    def start(self, ring: Callable[[], object], changed: Callable[[], object]) -> None:
        """Call `ring` at the moment, and `changed` where it is noticed that the clock was set."""

    def set(self, moment: float | None) -> None:
        """Ring at this Unix time instead of the one before, at once if it is past; None: not at all."""

    def stop(self) -> None:
        """Ring no more."""


class LoopAlarm:
    """By a timer of the running loop. It may ring early: who hears it looks at the clock again."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._ring: Callable[[], object] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self, ring: Callable[[], object], _changed: Callable[[], object]) -> None:
        """See Alarm."""
        self._ring = ring

    def set(self, moment: float | None) -> None:
        """See Alarm."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if moment is not None and self._ring is not None:
            seconds = min(max(0.0, moment - self._clock()), _LONGEST_S)
            self._timer = asyncio.get_running_loop().call_later(seconds, self._ring)

    def stop(self) -> None:
        """See Alarm."""
        self.set(None)
        self._ring = None
