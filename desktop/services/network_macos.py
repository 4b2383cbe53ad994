"""Hears of another network from macOS: the notification com.apple.system.config.network_change (notify(3),
notify_keys.h), which comes once addresses, routes and name servers are settled."""

import asyncio
import ctypes
import logging
import os
import sys
from collections.abc import Callable

assert sys.platform == "darwin"

_NAME = b"com.apple.system.config.network_change"
_TOKEN_BYTES = 4
_log = logging.getLogger(__name__)


class NetworkChanges:
    """Calls back, on the loop."""

    def __init__(self, heard: Callable[[], object]) -> None:
        self._heard = heard
        self._library: ctypes.CDLL | None = None
        self._fd, self._token = ctypes.c_int(-1), ctypes.c_int(0)

    async def start(self) -> None:
        """Listen; never raises."""
        try:
            library = ctypes.CDLL(None)
            code = library.notify_register_file_descriptor(
                _NAME, ctypes.byref(self._fd), 0, ctypes.byref(self._token)
            )
        except (OSError, AttributeError) as error:
            _log.info("macOS tells nothing of the network: %s", error)
            return
        if code:
            _log.info("macOS tells nothing of the network: status %s", code)
            return
        self._library = library
        os.set_blocking(self._fd.value, False)
        asyncio.get_running_loop().add_reader(self._fd.value, self._read)

    async def stop(self) -> None:
        """Hear nothing any more; the descriptor is closed by macOS."""
        if self._library is not None:
            asyncio.get_running_loop().remove_reader(self._fd.value)
            self._library.notify_cancel(self._token)
            self._library = None

    def _read(self) -> None:
        try:
            os.read(self._fd.value, _TOKEN_BYTES * 64)
        except BlockingIOError:
            return
        self._heard()
