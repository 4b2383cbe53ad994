"""A turn as it is told to the front end that waits for its end."""

from collections.abc import Callable
from typing import Any

from desktop.bus.bus import Subscription
from desktop.bus.events import ServiceChanged, TurnEvent, TurnFailed, TurnFinished, TurnJoined


async def told(
    events: Subscription, turn: str, send: Callable[[dict[str, Any]], None]
) -> TurnFinished | TurnFailed:
    """Hand on the events of a turn, under whatever id it goes on, and of services; its end."""
    async for event in events:
        mine = isinstance(event, TurnEvent) and event.turn == turn
        if mine or isinstance(event, ServiceChanged):
            send(event.as_json())
        if mine and isinstance(event, TurnJoined):
            turn = event.into
        if mine and isinstance(event, TurnFinished | TurnFailed):
            return event
    raise AssertionError("the bus ended")
