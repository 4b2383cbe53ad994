"""A turn as it is told to the front end that waits for its end."""

from desktop.bus.bus import Subscription
from desktop.bus.events import (
    PermissionAsked,
    PermissionSettled,
    ServiceChanged,
    SubagentChanged,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnJoined,
)
from desktop.core.verbs import Send


async def told(events: Subscription, turn: str, send: Send) -> TurnFinished | TurnFailed:
    """Hand on the events of a turn, under whatever id it goes on, of services, and what the subagents of
    its conversation ask; its end."""
    session = ""
    async for event in events:
        mine = isinstance(event, TurnEvent) and event.turn == turn
        if mine and isinstance(event, TurnEvent):
            session = event.session
        if mine or isinstance(event, ServiceChanged) or _of_subagents(event, session):
            send(event.as_json())
        if mine and isinstance(event, TurnJoined):
            turn = event.into
        if mine and isinstance(event, TurnFinished | TurnFailed):
            return event
    raise AssertionError("the bus ended")


async def told_next(events: Subscription, session: str, send: Send) -> TurnFinished | TurnFailed:
    """Hand on all events of a conversation until one of its turns ends."""
    async for event in events:
        mine = isinstance(event, TurnEvent) and event.session == session
        if mine or isinstance(event, ServiceChanged):
            send(event.as_json())
        if mine and isinstance(event, TurnFinished | TurnFailed):
            return event
    raise AssertionError("the bus ended")


def _of_subagents(event: object, session: str) -> bool:
    kinds = SubagentChanged | PermissionAsked | PermissionSettled
    return isinstance(event, kinds) and event.session == session
