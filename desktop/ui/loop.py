"""asyncio on Qt's event loop: qasync, with the faults of its timers mended.

qasync keeps a Qt timer for each call_later() until it is due, also when it was cancelled (an hour-long
timeout leaves its timer for an hour), lets timers fire early, and returns handles that do not know when
they are due. Here a heap holds what waits and one precise timer is armed for its first entry; what is
ready runs in order, for at most a slice of time before the window gets its turn.

The loop is attached while Qt's own loop runs already, so that a window can be painted before asyncio is
even imported; whoever attached it closes it when Qt's loop has ended.
"""

import asyncio
import heapq
import math
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from typing import Any

import qasync  # type: ignore[import-untyped]
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from desktop.ui.garbage import Garbage

_SLICE_S = 0.008
_LONGEST_MS = 2**31 - 1
_WORKERS = 8


class _Wake(QObject):
    """Carries a call from any thread to the loop's."""

    called = Signal()


class _Timer(asyncio.TimerHandle):
    """A handle that says so when it is cancelled before its time."""

    waiting = True
    forget: Callable[[], None]

    def cancel(self) -> None:
        if not self.cancelled():
            super().cancel()
            if self.waiting:
                self.forget()


class Loop(qasync.QEventLoop):  # type: ignore[misc]
    """The program's one event loop."""

    def __init__(self, app: QApplication) -> None:
        self._soon: deque[asyncio.Handle] = deque()
        self._later: list[_Timer] = []
        self._cancelled = 0
        self._turning = False
        self._garbage = Garbage()
        self._due: float | None = None
        """The moment the clock is armed for; None when it is not."""
        self._clock = QTimer()
        self._clock.setSingleShot(True)
        self._clock.setTimerType(Qt.TimerType.PreciseTimer)
        self._clock.timeout.connect(self._turn)
        self._wake = _Wake()
        self._wake.called.connect(self._arm, Qt.ConnectionType.QueuedConnection)
        self._hooks = sys.get_asyncgen_hooks()
        self._attached = False
        super().__init__(app, already_running=True)
        self._attached = True
        sys.set_asyncgen_hooks(self._asyncgen_firstiter_hook, self._asyncgen_finalizer_hook)
        self.set_default_executor(ThreadPoolExecutor(_WORKERS, thread_name_prefix="asyncio"))

    # ---- what asyncio asks of a loop

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Run a callback in the next turn of the loop."""
        self._check_closed()
        handle = asyncio.Handle(callback, args, self, context)
        self._soon.append(handle)
        self._arm()
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """call_soon() for any thread. Raises RuntimeError once the loop is closed."""
        self._check_closed()
        handle = asyncio.Handle(callback, args, self, context)
        self._soon.append(handle)
        self._wake.called.emit()
        return handle

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Run a callback `delay` seconds from now, never before."""
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Run a callback at a moment of the loop's clock (monotonic seconds), never before."""
        self._check_closed()
        handle = _Timer(when, callback, args, self, context)
        handle.forget = self._forget
        heapq.heappush(self._later, handle)
        self._arm()
        return handle

    def _forget(self) -> None:
        """What is cancelled does not stay until it is due: half of the heap is the most it holds of it."""
        self._cancelled += 1
        if self._cancelled * 2 > len(self._later):
            self._later = [handle for handle in self._later if not handle.cancelled()]
            heapq.heapify(self._later)
            self._cancelled = 0
            self._arm()

    def is_running(self) -> bool:
        return self._attached

    def stop(self) -> None:
        """Detach from Qt's loop, which goes on or ends by itself (qasync would end it)."""
        self._attached = False

    def close(self) -> None:
        """End the loop, after Qt's has ended. Waits for the threads of in_thread()."""
        if not self.is_closed():
            self.stop()
            self._clock.stop()
            asyncio._set_running_loop(None)  # noqa: SLF001 - qasync set it, and leaves it set
            sys.set_asyncgen_hooks(*self._hooks)
            super().close()
            self._soon.clear()
            self._later.clear()

    # ---- turning

    def _arm(self) -> None:
        if self._soon:
            due = 0.0
        elif self._later:
            due = self._later[0].when()
        else:
            if self._due is not None:
                self._due = None
                self._clock.stop()
            return
        if due != self._due:
            self._due = due
            wait = max(0.0, due - self.time()) if due else 0.0
            self._clock.start(min(_LONGEST_MS, math.ceil(wait * 1000)))

    def _turn(self) -> None:
        self._due = None
        if self._turning:
            return  # a callback opened a nested loop of Qt: asyncio waits for its end
        self._turning = True
        now = self.time()
        self._collect(now)
        try:
            for _ in range(len(self._soon)):
                handle = self._soon.popleft()
                if not handle.cancelled():
                    handle._run()  # noqa: SLF001 - this is what a loop does with handles
                    if self.time() > now + _SLICE_S:
                        break
        finally:
            self._turning = False
            if not self.is_closed():
                self._arm()
        self._garbage.look()

    def _collect(self, now: float) -> None:
        while self._later and self._later[0].when() <= now:
            handle = heapq.heappop(self._later)
            handle.waiting = False
            if handle.cancelled():
                self._cancelled -= 1
            else:
                self._soon.append(handle)
