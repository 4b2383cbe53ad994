"""The core behind the window: started once the window is painted, stopped in order before it ends."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from desktop.api.client import Api
from desktop.bus.bus import Bus
from desktop.paths import Home
from desktop.tasks import in_thread

if TYPE_CHECKING:
    from desktop.api.client import Call
    from desktop.api.requests import Request
    from desktop.core.owner import Owner
    from desktop.inbox.presenter import Presenter
    from desktop.ipc.ownership import Greeting

type Json = dict[str, Any]


class Program:
    """The window's Actions: requests wait until the core is up."""

    def __init__(self) -> None:
        self._owner: asyncio.Future[Owner] = asyncio.get_running_loop().create_future()
        self.api, self.bus = Api(self), Bus()

    async def start(
        self,
        home: Home,
        requests: "dict[str, Request]",
        waits: Callable[[], object],
        greeting: "Greeting | None",
    ) -> bool:
        """Own the home and start the core; False if another window has it, which is asked for something
        then (`greeting`).

        `waits` is called when a command has the home and was asked to leave. Raises AppError or OSError.
        """
        try:
            return await self._start(home, requests, waits, greeting)
        except Exception as error:  # whoever waits for the core hears of it too
            self._owner.set_exception(error)
            self._owner.exception()
            raise

    async def _start(
        self,
        home: Home,
        requests: "dict[str, Request]",
        waits: Callable[[], object],
        greeting: "Greeting | None",
    ) -> bool:
        await in_thread(_load)
        from desktop.core.owner import Owner
        from desktop.ipc.ownership import WINDOW, take_over

        ownership = await take_over(home, waits, greeting=greeting)
        if ownership is None:
            return False
        owner = Owner(home, WINDOW, ownership, self.bus)
        await owner.start(requests=requests)
        self._owner.set_result(owner)
        return True

    async def presenter(self) -> "Presenter":
        """Who brings notices to the screen. Raises AppError where the core cannot come up."""
        core = (await asyncio.shield(self._owner)).core
        await core.staying()
        return core.background.presenter

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

    async def call(self, name: str, /, **arguments: Any) -> Json:
        """One of the requests that this front end answers itself. Raises AppError."""
        return await (await asyncio.shield(self._owner)).request(name, arguments)


def _load() -> None:
    """Import the core in a thread: it takes half a second, in which the window stays usable."""
    import desktop.api.requests
    import desktop.core.core
    import desktop.core.owner
    import desktop.core.subjects  # noqa: F401
