"""An api that can be held back, so that a test decides what comes first."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from desktop.api.client import Api, Call
from desktop.errors import AppError
from desktop.ui.actions import Reach
from tests.ui.program import InProcess


class Held:
    """Actions on a real core, and a Transport of its api. A call in `before` waits there before it is
    begun, one in `after` with its reply; one in `refused` is not begun at all."""

    def __init__(self, inner: InProcess) -> None:
        self._inner, self.bus = inner, inner.bus
        self.api = Api(self)
        self.before: dict[str, asyncio.Event] = {}
        self.after: dict[str, asyncio.Event] = {}
        self.refused: set[str] = set()
        self.asked: list[str] = []
        """Calls that have come as far as they get by themselves."""
        self._waits: list[asyncio.Event] = []

    @property
    def waiting(self) -> int:
        """How many are held now."""
        return sum(not event.is_set() for event in self._waits)

    async def show(self, session: str) -> None:
        await self._inner.show(session)

    async def reach(self) -> Sequence[Reach]:
        return await self._inner.reach()

    async def result(self, call: Call) -> Any:
        return await self._held(call.verb, lambda: self._inner.transport.result(call))

    def events(self, call: Call) -> AsyncIterator[Any]:
        return self._inner.transport.events(call)

    async def _held[T](self, verb: str, begin: Callable[[], Awaitable[T]]) -> T:
        if verb in self.refused:
            raise AppError("The disk is full.", "Make room.")
        await self._wait(self.before, verb)
        reply = await begin()
        await self._wait(self.after, verb)
        return reply

    async def _wait(self, held: dict[str, asyncio.Event], verb: str) -> None:
        if verb in held:
            self.asked.append(verb)
            self._waits.append(held[verb])
            await held[verb].wait()
