"""Reading that keeps up: what is asked for while a reading goes on is read once more, right after it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

type Reading = Coroutine[Any, Any, None]


class Latest:
    """One reading at a time, of what is there when it is asked for and not before."""

    def __init__(self, read: Callable[[], Reading], start: Callable[[Reading], asyncio.Task[None]]) -> None:
        """`start`: makes a task of a reading, and sees to its failures."""
        self._read, self._start = read, start
        self._task: asyncio.Task[None] | None = None
        self._wanted = False

    @property
    def busy(self) -> bool:
        """Whether a reading is under way."""
        return self._task is not None and not self._task.done()

    def want(self) -> asyncio.Task[None]:
        """Have it read; the task ends when what is there now is known."""
        self._wanted = True
        if self._task is None or self._task.done():
            self._task = self._start(self._keep_up())
        return self._task

    async def _keep_up(self) -> None:
        while self._wanted:
            self._wanted = False
            await self._read()
