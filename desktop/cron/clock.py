"""The time, and one alarm at a moment of it: also after sleep, and when the clock is set.

On Linux a timer of the kernel on the wall clock rings at the moment whatever happened before, and tells
when the clock was set; nothing wakes up before. Elsewhere the loop's own timer is armed for five minutes at
the most, and a wall clock that went another way than the monotonic one is noticed when it rings.
"""

import asyncio
import ctypes
import errno
import logging
import os
import sys
import time
from collections.abc import Callable
from typing import Protocol

_log = logging.getLogger(__name__)

_STRETCH_S = 300.0
_DRIFT_S = 2.0
_NEVER = 7_258_118_400
"""The year 2200: a timer that is armed only to hear of a clock that is set."""
_CLOCK_REALTIME, _ABSTIME, _CANCEL_ON_SET = 0, 1, 2
_FLAGS = os.O_NONBLOCK | os.O_CLOEXEC if sys.platform == "linux" else 0

type Ring = Callable[[], object]


class Clock(Protocol):
    """What tells the time."""

    def now(self) -> float:
        """Unix seconds."""


class SystemClock:
    """This computer's."""

    def now(self) -> float:
        """Unix seconds."""
        return time.time()


class Alarm(Protocol):
    """One alarm. It calls `ring` at its moment, and `changed` when the clock was set."""

    def start(self, ring: Ring, changed: Ring) -> None:
        """Begin to listen."""

    def set(self, moment: float | None) -> None:
        """Arm it for a moment in Unix seconds, or disarm it; a moment that is past rings at once."""

    def stop(self) -> None:
        """End it."""


def alarm() -> Alarm:
    """The best that this system has."""
    if sys.platform == "linux":
        try:
            return KernelAlarm()
        except (OSError, AttributeError) as error:
            _log.info("there is no timer of the kernel: %s", error)
    return LoopAlarm(SystemClock())


class _Span(ctypes.Structure):
    _fields_ = (("sec", ctypes.c_long), ("nsec", ctypes.c_long))


class _Setting(ctypes.Structure):
    _fields_ = (("interval", _Span), ("value", _Span))


class KernelAlarm:
    """timerfd, by ctypes: Python has it from 3.13 on only."""

    def __init__(self) -> None:
        """Raises OSError where the kernel has none."""
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = self._libc.timerfd_create(_CLOCK_REALTIME, _FLAGS)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")
        self._moment: float | None = None
        self._ring: Ring = lambda: None
        self._changed: Ring = lambda: None

    def start(self, ring: Ring, changed: Ring) -> None:
        """Begin to listen."""
        self._ring, self._changed = ring, changed
        asyncio.get_running_loop().add_reader(self._fd, self._read)
        self.set(None)

    def set(self, moment: float | None) -> None:
        """Arm it, or listen for the clock only."""
        self._moment = moment
        due = max(1e-9, min(_NEVER if moment is None else moment, _NEVER))
        seconds = int(due)
        setting = _Setting(_Span(0, 0), _Span(seconds, int((due - seconds) * 1e9)))
        flags = _ABSTIME | _CANCEL_ON_SET
        if self._libc.timerfd_settime(self._fd, flags, ctypes.byref(setting), None) < 0:
            _log.error("the alarm could not be set: %s", os.strerror(ctypes.get_errno()))

    def stop(self) -> None:
        """Close it."""
        if self._fd >= 0:
            asyncio.get_running_loop().remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _read(self) -> None:
        try:
            os.read(self._fd, 8)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.ECANCELED:
                raise
            self.set(self._moment)
            self._changed()
            return
        self.set(None)
        self._ring()


class LoopAlarm:
    """The loop's own timer."""

    def __init__(self, clock: Clock, stretch: float = _STRETCH_S) -> None:
        """`stretch`: the longest time, in seconds, before it looks at the clock."""
        self._clock, self._stretch = clock, stretch
        self._timer: asyncio.TimerHandle | None = None
        self._moment: float | None = None
        self._seen = (0.0, 0.0)
        self._ring: Ring = lambda: None
        self._changed: Ring = lambda: None

    def start(self, ring: Ring, changed: Ring) -> None:
        """Remember whom to call."""
        self._ring, self._changed = ring, changed

    def set(self, moment: float | None) -> None:
        """Arm it, or disarm it."""
        self.stop()
        self._moment = moment
        if moment is not None:
            now, loop = self._clock.now(), asyncio.get_running_loop()
            self._seen = (now, loop.time())
            self._timer = loop.call_later(max(0.0, min(self._stretch, moment - now)), self._look)

    def stop(self) -> None:
        """Disarm it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        now, then = self._clock.now(), asyncio.get_running_loop().time()
        drift = (now - self._seen[0]) - (then - self._seen[1])
        due, moment = self._moment is not None and self._moment <= now, self._moment
        self.set(None if due else moment)
        if abs(drift) > _DRIFT_S:
            self._changed()
        if due:
            self._ring()
