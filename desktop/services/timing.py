"""How often a service is tried, and how long it may take."""

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """All times in seconds."""

    least: float = 1.0
    most: float = 300.0
    """Between two tries: the first and the longest wait; each is twice the one before."""
    steady: float = 60.0
    """A service that was up for so long has recovered: the waits begin anew."""
    hurried: int = 3
    window: float = 60.0
    """At most so many tries in so long a time because the machine woke up or has another network."""
    start: float = 90.0
    stop: float = 10.0
    check: float = 10.0
    """How long each may take."""
    end: float = 2.0
    """How long what was cancelled may take to end."""
    jitter: Callable[[], float] = lambda: random.uniform(0.8, 1.2)
    """Many programs that lost one server do not come back at the same moment."""

    def delay(self, failures: int) -> float:
        """The wait after that many failures in a row, from 1."""
        return min(self.most, self.least * 2.0 ** min(failures - 1, 32)) * self.jitter()


class Allowance:
    """At most `count` times within any `window` seconds: a link that goes up and down keeps nobody busy."""

    def __init__(self, count: int, window: float) -> None:
        self._window = window
        self._taken: deque[float] = deque(maxlen=count)

    def next(self, now: float) -> float:
        """The earliest moment, from `now` on, at which another one is allowed."""
        full = len(self._taken) == self._taken.maxlen
        return max(now, self._taken[0] + self._window) if full else now

    def take(self, moment: float) -> None:
        """One is done at that moment."""
        self._taken.append(moment)
