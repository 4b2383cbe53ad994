"""The peer of the window: an empty one of the same size, which writes the same moments into the same file.

Usage: empty_window.py [MODULE] ; with a module it also ticks on a qasync loop, and two seconds after its
first picture another process imports that module. The file is named by NANOBOT_DESKTOP_TRACE.
"""

import json
import os
import sys
import time

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow

TICK_MS = 10
LATER_MS = 2000
WORTH_MS = 5.0


def mark(name: str, **more: float) -> None:
    line = {"mark": name, "cpu": time.process_time(), "wall": time.monotonic(), **more}
    with open(os.environ["NANOBOT_DESKTOP_TRACE"], "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


class Empty(QMainWindow):
    """A window that tells when it was painted first."""

    painted = False

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.painted:
            self.painted = True
            QTimer.singleShot(0, lambda: mark("painted"))


class Ticker(QObject):
    """A timer that writes how late it is."""

    def __init__(self, parent: QMainWindow) -> None:
        super().__init__(parent)
        self._last = time.monotonic()
        timer = QTimer(self)
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(self._tick)
        timer.start(TICK_MS)

    def _tick(self) -> None:
        now = time.monotonic()
        late = (now - self._last) * 1000 - TICK_MS
        self._last = now
        if late > WORTH_MS:
            mark("tick", late_ms=round(late, 2))


def main() -> None:
    application = QApplication(sys.argv[:1])
    window = Empty()
    window.setWindowTitle("Empty")
    window.resize(1180, 760)
    window.show()
    if not sys.argv[1:]:
        application.exec()
        return
    import asyncio
    import subprocess

    import qasync  # type: ignore[import-untyped]

    Ticker(window)
    engine = [sys.executable, "-c", f"import {sys.argv[1]}, sys; sys.stdin.read()"]
    QTimer.singleShot(LATER_MS, lambda: subprocess.Popen(engine, stdin=subprocess.PIPE))

    asyncio.run(asyncio.Event().wait(), loop_factory=lambda: qasync.QEventLoop(application))


if __name__ == "__main__":
    main()
