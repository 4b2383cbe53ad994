"""Publish and subscribe inside one event loop, with bounded memory.

Who shows things names a type of event and what is to be done with it (`on`); who waits for the end of
something reads events as they come (`subscribe`). A subscriber that falls behind gets runs of deltas joined
into one, and past its bound loses the oldest events: the session log, not the bus, is where the answer is
kept.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from desktop.bus.events import Event, ReasoningDelta, TextDelta

_BOUND = 1_000


class _Queue:
    """Events that wait, the newest at most."""

    def __init__(self) -> None:
        self.waiting: deque[Event] = deque(maxlen=_BOUND)

    def put(self, event: Event) -> None:
        """Queue an event, joined to the one before where both are deltas of one turn."""
        last = self.waiting[-1] if self.waiting else None
        if (
            isinstance(event, TextDelta | ReasoningDelta)
            and isinstance(last, TextDelta | ReasoningDelta)
            and type(last) is type(event)
            and last.turn == event.turn
        ):
            self.waiting[-1] = replace(last, text=last.text + event.text)
        else:
            self.waiting.append(event)


class Subscription(_Queue):
    """An async iterator over the events published since it was made."""

    def __init__(self) -> None:
        super().__init__()
        self._arrived = asyncio.Event()

    def put(self, event: Event) -> None:
        """Queue an event, and wake who reads."""
        super().put(event)
        self._arrived.set()

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> Event:
        while not self.waiting:
            self._arrived.clear()
            await self._arrived.wait()
        return self.waiting.popleft()


class _Handlers(_Queue):
    """What is to be done with which events, in the order in which it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[tuple[type[Event], Callable[[Any], object]]] = []
        self._due: asyncio.Handle | None = None

    def put(self, event: Event) -> None:
        """Have it handled once the loop is free, where anybody asked for it."""
        if any(isinstance(event, kind) for kind, _handler in self.all):
            super().put(event)
            self._due = self._due or asyncio.get_running_loop().call_soon(self._handle)

    def _handle(self) -> None:
        self._due = None
        while self.waiting:
            event = self.waiting.popleft()
            for kind, handler in tuple(self.all):
                if isinstance(event, kind):
                    _run(handler, event)

    def close(self) -> None:
        """Forget them, and what waits."""
        self.all.clear()
        self.waiting.clear()


class Bus:
    """The one place where events are published. Not thread-safe: for the loop only."""

    def __init__(self) -> None:
        self._subscriptions: set[Subscription] = set()
        self._handlers = _Handlers()

    def publish(self, event: Event) -> None:
        """Hand the event to every subscriber; never waits, never fails."""
        self._handlers.put(event)
        for subscription in self._subscriptions:
            subscription.put(event)

    def on[E: Event](self, kind: type[E], handler: Callable[[E], object]) -> Callable[[], None]:
        """Have every event of this type, or of one derived from it, handled from now on; call what is
        returned to end that. A handler that fails is told to the loop's exception handler, and stays."""
        entry = (kind, handler)
        self._handlers.all.append(entry)

        def end() -> None:
            if entry in self._handlers.all:
                self._handlers.all.remove(entry)

        return end

    def close(self) -> None:
        """Call no handler any more: who asked for events ends before the one who publishes them."""
        self._handlers.close()

    @contextmanager
    def subscribe(self) -> Iterator[Subscription]:
        """Events from now until the block ends."""
        subscription = Subscription()
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)


def _run(handler: Callable[[Any], object], event: Event) -> None:
    try:
        handler(event)
    except Exception as error:
        context = {"message": f"a handler of {event.kind} failed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(context)
