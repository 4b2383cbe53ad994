"""Waiting for a disk that is full or locked: what is told of once has to be done, and nobody else would."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from desktop.errors import StorageError

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 2.0, 300.0
_log = logging.getLogger(__name__)


async def patiently[T](what: str, work: Callable[[], Awaitable[T]]) -> T:
    """Do something with the disk, however long that takes. `what` is for the log."""
    pause = _FIRST_PAUSE_S
    while True:
        try:
            return await work()
        except StorageError as error:
            _log.warning("%s waits for the disk: %s", what, error.text)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
