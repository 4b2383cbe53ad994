"""Work that would hold up the loop, done a few milliseconds at a time between its events."""

import time
from collections import deque
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

_SLICE_S = 0.005


class Slices(QObject):
    """Runs steps in turn; nothing is armed while there is nothing to do."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._work: deque[tuple[object, Iterator[None], Callable[[], None]]] = deque()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)

    def add(self, owner: object, steps: Iterator[None], then: Callable[[], None]) -> None:
        """Do these steps; `then` is called after each slice of them, also the last."""
        self._work.append((owner, steps, then))
        self._timer.start(0)

    def drop(self, owner: object) -> None:
        """Forget what is left to do for an owner."""
        self._work = deque(item for item in self._work if item[0] is not owner)

    def busy(self, owner: object) -> bool:
        """Whether there is something left to do for an owner."""
        return any(item[0] is owner for item in self._work)

    def _go_on(self) -> None:
        if not self._work:
            return
        _, steps, then = item = self._work[0]
        ended = run(steps, _SLICE_S)
        if ended and self._work and self._work[0] is item:
            self._work.popleft()
        then()
        if self._work:
            self._timer.start(0)


def run(steps: Iterator[None], seconds: float) -> bool:
    """Do steps until they or the time are at an end; whether the steps are."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        if next(steps, steps) is steps:
            return True
    return False
