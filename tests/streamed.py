"""What a stream of the api comes to."""

from collections.abc import AsyncIterator


async def end_of[End](events: AsyncIterator[object], kind: type[End]) -> End:
    """The last event, which is of this kind."""
    last: object = None
    async for event in events:
        last = event
    assert isinstance(last, kind), last
    return last
