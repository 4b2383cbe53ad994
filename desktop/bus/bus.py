"""Publish and subscribe inside one event loop, with bounded memory.

A subscriber that falls behind gets runs of deltas joined into one, and past its bound loses the oldest
events: the session log, not the bus, is where the answer is kept.
"""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from desktop.bus.events import Event, ReasoningDelta, TextDelta

_BOUND = 1_000


class Subscription:
    """An async iterator over the events published since it was made."""

    def __init__(self) -> None:
        self._waiting: deque[Event] = deque(maxlen=_BOUND)
        self._arrived = asyncio.Event()

    def put(self, event: Event) -> None:
        """Queue an event, joined to the one before where both are deltas of one turn."""
        last = self._waiting[-1] if self._waiting else None
        if (
            isinstance(event, TextDelta | ReasoningDelta)
            and isinstance(last, TextDelta | ReasoningDelta)
            and type(last) is type(event)
            and last.turn == event.turn
        ):
            self._waiting[-1] = replace(last, text=last.text + event.text)
        else:
            self._waiting.append(event)
        self._arrived.set()

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> Event:
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        return self._waiting.popleft()


class Bus:
    """The one place where events are published. Not thread-safe: for the loop only."""

    def __init__(self) -> None:
        self._subscriptions: set[Subscription] = set()

    def publish(self, event: Event) -> None:
        """Hand the event to every subscriber; never waits, never fails."""
        for subscription in self._subscriptions:
            subscription.put(event)

    @contextmanager
    def subscribe(self) -> Iterator[Subscription]:
        """Events from now until the block ends."""
        subscription = Subscription()
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)
