"""Hears from Windows that it woke up: PowerRegisterSuspendResumeNotification of powrprof (powerbase.h).

Unlike the message WM_POWERBROADCAST it needs no window, so that it is heard with every front end.
"""

import asyncio
import ctypes
import logging
import sys
from collections.abc import Callable
from typing import Any

_BY_CALL = 2
"""DEVICE_NOTIFY_CALLBACK."""
_WOKE = 18
"""PBT_APMRESUMEAUTOMATIC, told at each wake-up; where a person caused it, another one follows."""
_WORDS = (ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p)
if sys.platform == "win32":
    _CALLBACK = ctypes.WINFUNCTYPE(*_WORDS)
else:
    _CALLBACK = ctypes.CFUNCTYPE(*_WORDS)
_log = logging.getLogger(__name__)


class Subscription(ctypes.Structure):
    """DEVICE_NOTIFY_SUBSCRIBE_PARAMETERS."""

    _fields_ = (("callback", _CALLBACK), ("context", ctypes.c_void_p))


def _load(name: str) -> Any:
    if sys.platform == "win32":
        return ctypes.WinDLL(name)
    raise OSError(f"no {name} here")


class WindowsWake:
    """Calls back, on the loop, when the machine woke up."""

    def __init__(self, woke: Callable[[], object], load: Callable[[str], Any] = _load) -> None:
        self._woke, self._load = woke, load
        self._library: Any = None
        self._handle = ctypes.c_void_p()
        self._asked = Subscription(_CALLBACK(self._told), None)
        """Kept as long as Windows may call it."""
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Listen; never raises."""
        self._loop = asyncio.get_running_loop()
        try:
            library = self._load("powrprof")
            code = library.PowerRegisterSuspendResumeNotification(
                _BY_CALL, ctypes.byref(self._asked), ctypes.byref(self._handle)
            )
        except (OSError, AttributeError) as error:
            _log.info("Windows does not tell when it wakes up: %s", error)
            return
        if code:
            _log.info("Windows does not tell when it wakes up: error %s", code)
        else:
            self._library = library

    async def stop(self) -> None:
        """Hear nothing any more."""
        self._loop = None
        if self._library is not None:
            self._library.PowerUnregisterSuspendResumeNotification(self._handle)
            self._library = None

    def _told(self, _context: int | None, what: int, _setting: int | None) -> int:
        """In a thread of Windows."""
        loop = self._loop
        if loop is not None and what == _WOKE:
            try:
                loop.call_soon_threadsafe(self._heard)
            except RuntimeError:
                _log.debug("the machine woke up after the event loop ended")
        return 0

    def _heard(self) -> None:
        if self._loop is not None:
            self._woke()
