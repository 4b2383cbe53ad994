"""The core behind the window: started once the window is painted, stopped in order before it ends."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Protocol

from desktop.api.client import Api
from desktop.bus.bus import Bus
from desktop.paths import Home
from desktop.ui.actions import Reach

if TYPE_CHECKING:
    from desktop.api.client import Call
    from desktop.api.requests import Request
    from desktop.inbox.presenter import Presenter

type Json = dict[str, Any]
type Greeting = tuple[str, Json]
"""A request and its arguments: what a second window wants of the first."""


class Owned(Protocol):
    """A home that this window owns, with the core over it."""

    async def result(self, call: "Call", /) -> Any:
        """Of one call of the api. Raises AppError."""

    def events(self, call: "Call", /) -> AsyncGenerator[Any]:
        """What one yields. Raises AppError."""

    async def presenter(self) -> "Presenter":
        """Who brings notices to the screen."""

    async def at_rest(self) -> None:
        """Wait until no turn is under way; that it waits is told (QuitWaits)."""

    async def stop(self) -> None:
        """End everything in order, and let go of the home."""


class Front(Protocol):
    """What there is around the core: windows and a tray."""

    def show_conversation(self, key: str, /) -> None:
        """Come to the front with it."""

    async def reach(self) -> Sequence[Reach]:
        """What of tray, shortcut and notifications works. Raises AppError."""


RESTART = 75
"""Exit code of a window that is to begin anew."""

type Told = Callable[[], object]
type Own = Callable[[Home, Bus, "dict[str, Request]", Told, Greeting | None, Told], Awaitable[Owned | None]]
"""Owns a home, with the requests of this window; told when a command has it and is asked to leave, and when
this window is told to quit. None where another window has it, which is asked for something (Greeting).
Raises AppError, OSError."""


class Program:
    """The window's Actions: requests wait until the core is up."""

    def __init__(self, own: Own) -> None:
        self._own = own
        self._owner: asyncio.Future[Owned] = asyncio.get_running_loop().create_future()
        self.api, self.bus = Api(self), Bus()
        self.front: Front | None = None

    async def start(
        self,
        home: Home,
        requests: "dict[str, Request]",
        waits: Told,
        greeting: Greeting | None,
        end: Told,
    ) -> bool:
        """Own the home and start the core; False where another window has it. Raises as Own does."""
        try:
            owner = await self._own(home, self.bus, requests, waits, greeting, end)
        except Exception as error:  # whoever waits for the core hears of it too
            self._owner.set_exception(error)
            self._owner.exception()
            raise
        if owner is not None:
            self._owner.set_result(owner)
        return owner is not None

    async def presenter(self) -> "Presenter":
        """Who brings notices to the screen. Raises AppError where the core cannot come up."""
        return await (await asyncio.shield(self._owner)).presenter()

    async def at_rest(self) -> None:
        """Wait until no turn is under way. Raises AppError where the core cannot come up."""
        await (await asyncio.shield(self._owner)).at_rest()

    async def stop(self) -> None:
        """End everything in order; what happens meanwhile concerns nobody any more."""
        self.bus.close()
        if not self._owner.cancel() and not self._owner.exception():
            await self._owner.result().stop()

    async def result(self, call: "Call") -> Any:
        """Of one call of the api; cancelling ends it. Raises AppError."""
        return await (await asyncio.shield(self._owner)).result(call)

    async def events(self, call: "Call") -> AsyncIterator[Any]:
        """What a call of the api yields. Raises AppError."""
        owner = await asyncio.shield(self._owner)
        async with aclosing(owner.events(call)) as events:
            async for event in events:
                yield event

    async def show(self, session: str) -> None:
        """Bring the window to the front, with this conversation."""
        if self.front is not None:
            self.front.show_conversation(session)

    async def reach(self) -> Sequence[Reach]:
        """What of tray, shortcut and notifications works; empty without a desktop. Raises AppError."""
        return await self.front.reach() if self.front is not None else ()
