"""Work that tells how it goes, as a stream of what it tells and what it comes to."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from desktop.tasks import cancel, spawn


async def following[Event, End](
    work: Callable[[Callable[[Event], None]], Coroutine[Any, Any, End]], *, name: str
) -> AsyncGenerator[Event | End]:
    """What the work tells through the function that it is given, then its result. Closed, it ends the work.
    Raises what the work raises."""
    told: asyncio.Queue[Event | None] = asyncio.Queue()
    task = spawn(work(told.put_nowait), name=name)
    task.add_done_callback(lambda _task: told.put_nowait(None))
    try:
        while (event := await told.get()) is not None:
            yield event
        yield task.result()
    finally:
        await cancel(task)
