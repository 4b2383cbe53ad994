"""Work as a stream: what it tells, what it comes to, and its end when nobody listens any more."""

import asyncio
from collections.abc import Callable

import pytest

from desktop.api.streams import following
from desktop.errors import UsageError


async def test_what_is_told_comes_before_what_it_comes_to() -> None:
    async def work(tell: Callable[[int], None]) -> str:
        tell(1)
        await asyncio.sleep(0)
        tell(2)
        return "done"

    assert [event async for event in following(work, name="test")] == [1, 2, "done"]


async def test_a_failure_comes_after_what_was_told() -> None:
    async def work(tell: Callable[[int], None]) -> str:
        tell(1)
        raise UsageError("No.")

    events = following(work, name="test")
    assert await anext(events) == 1
    with pytest.raises(UsageError, match="No"):
        await anext(events)


async def test_closing_it_ends_the_work() -> None:
    ended = asyncio.Event()

    async def work(tell: Callable[[int], None]) -> str:
        tell(1)
        try:
            return await asyncio.Future()
        finally:
            ended.set()

    events = following(work, name="test")
    assert await anext(events) == 1
    await events.aclose()
    assert ended.is_set()
