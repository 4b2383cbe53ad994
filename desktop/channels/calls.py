"""Calls to a service that are on their way: before a link is closed they may end, for a while."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_LEAVE_S = 1.0


class Calls:
    """Those of one channel, or of the outbox. For the loop only."""

    def __init__(self) -> None:
        self._count = 0
        self._rest = asyncio.Event()
        self._rest.set()

    @contextmanager
    def one(self) -> Iterator[None]:
        """One is on its way."""
        self._count += 1
        self._rest.clear()
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._rest.set()

    async def rest(self) -> None:
        """Wait until there is none, a second at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LEAVE_S):
                await self._rest.wait()
