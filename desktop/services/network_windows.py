"""Hears of addresses from Windows: NotifyUnicastIpAddressChange of iphlpapi (netioapi.h)."""

import asyncio
import ctypes
import logging
import sys
from collections.abc import Callable
from typing import Any

assert sys.platform == "win32"

_EVERY_FAMILY = 0
"""AF_UNSPEC."""
_PARAMETER_CHANGED, _ADDED = 0, 1
"""MIB_NOTIFICATION_TYPE; an address that is found to be free is told as a changed parameter."""
_log = logging.getLogger(__name__)


class AddressChanges:
    """Calls back, on the loop, when an address is new or became usable."""

    def __init__(self, heard: Callable[[], object]) -> None:
        self._heard = heard
        self._library: Any = None
        self._handle = ctypes.c_void_p()
        self._callback: Any = None
        """Kept as long as Windows may call it."""
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Listen; never raises."""
        self._loop = asyncio.get_running_loop()
        kind = ctypes.WINFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
        self._callback = kind(self._called)
        try:
            library = ctypes.WinDLL("iphlpapi")
            code = library.NotifyUnicastIpAddressChange(
                *(ctypes.c_uint16(_EVERY_FAMILY), self._callback, None, ctypes.c_ubyte(0)),
                ctypes.byref(self._handle),
            )
        except (OSError, AttributeError) as error:
            _log.info("Windows tells nothing of the network: %s", error)
            return
        if code:
            _log.info("Windows tells nothing of the network: error %s", code)
        else:
            self._library = library

    async def stop(self) -> None:
        """Hear nothing any more. It waits for a call under way, which is short."""
        self._loop = None
        if self._library is not None:
            self._library.CancelMibChangeNotify2(self._handle)
            self._library = None

    def _called(self, _context: int | None, _row: int | None, what: int) -> None:
        """In a thread of Windows."""
        loop = self._loop
        if loop is not None and what in (_PARAMETER_CHANGED, _ADDED):
            try:
                loop.call_soon_threadsafe(self._heard)
            except RuntimeError:
                _log.debug("the network changed after the event loop ended")
