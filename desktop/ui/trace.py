"""Moments of the start for whoever measures them: tests/bench reads what this writes, nobody else does.

Only with NANOBOT_DESKTOP_TRACE=<file>; with NANOBOT_DESKTOP_TRACE_TICKER=1 also how late a timer of
10 ms is, which is how long the loop stood still.
"""

import json
import os
import time

from PySide6.QtCore import QObject, Qt, QTimer

_TICK_MS = 10
_WORTH_MS = 5.0


def note(name: str, **more: float) -> None:
    """Write down that this moment has come. CPU and wall clock in seconds."""
    if path := os.environ.get("NANOBOT_DESKTOP_TRACE"):
        line = {"mark": name, "cpu": time.process_time(), "wall": time.monotonic(), **more}
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - pathlib is not needed otherwise here
            file.write(json.dumps(line) + "\n")


class Ticker(QObject):
    """Writes how late its ticks are."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._last = time.monotonic()

    @classmethod
    def wanted(cls, parent: QObject) -> "Ticker | None":
        """A running ticker where the environment asks for one."""
        if os.environ.get("NANOBOT_DESKTOP_TRACE_TICKER") != "1":
            return None
        ticker = cls(parent)
        ticker._last = time.monotonic()
        ticker._timer.start()
        return ticker

    def _tick(self) -> None:
        now = time.monotonic()
        late = (now - self._last) * 1000 - _TICK_MS
        self._last = now
        if late > _WORTH_MS:
            note("tick", late_ms=round(late, 2))
