"""Asks Mochat for news while there is no connection: sessions by long requests, the rest by the clock."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from desktop.errors import AppError
from desktop.tasks import cancel, spawn

_AT_ONCE = 40
"""Requests that wait for news; with more sessions they take turns."""


class Watching:
    """For the loop only."""

    def __init__(
        self,
        watch: Callable[[str], Awaitable[None]],
        look: Callable[[], Awaitable[Iterable[str]]],
        every_s: float,
    ) -> None:
        """`watch` asks a session for news, `look` for new chats and at panels, and gives all sessions; both
        raise AppError once there is no more to hear, and have told why."""
        self._watch, self._look, self._every_s = watch, look, every_s
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._room = asyncio.Semaphore(_AT_ONCE)

    def start(self, sessions: Iterable[str]) -> None:
        """Ask from now on."""
        self._ask(sessions)
        self._looking = spawn(self._look_around(), name="mochat:look")

    async def stop(self) -> None:
        """Ask for nothing more."""
        await cancel(self._looking, *self._tasks.values())
        self._tasks.clear()

    def _ask(self, sessions: Iterable[str]) -> None:
        for id_ in sessions:
            if id_ not in self._tasks:
                self._tasks[id_] = spawn(self._ask_for(id_), name="mochat:watch")

    async def _ask_for(self, session: str) -> None:
        try:
            while True:
                async with self._room:
                    await self._watch(session)
        except AppError:
            return  # it was told

    async def _look_around(self) -> None:
        try:
            while True:
                await asyncio.sleep(self._every_s)
                self._ask(await self._look())
        except AppError:
            return
