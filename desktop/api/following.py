"""What happens in a turn, as it is handed to who waits for its end."""

from collections.abc import AsyncIterator

from desktop.bus.bus import Subscription
from desktop.bus.events import (
    PageWanted,
    PermissionAsked,
    PermissionSettled,
    ReasoningDelta,
    ServiceChanged,
    SubagentChanged,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnJoined,
    TurnSpoke,
    TurnStarted,
    TurnWaiting,
    UsageRecorded,
)

type Step = (
    TurnStarted
    | TextDelta
    | ReasoningDelta
    | TurnWaiting
    | TurnJoined
    | TurnSpoke
    | TurnFinished
    | TurnFailed
    | ToolStarted
    | ToolFinished
    | PermissionAsked
    | PermissionSettled
    | PageWanted
    | SubagentChanged
    | UsageRecorded
    | ServiceChanged
)
"""All that can come; a turn ends with a TurnFinished or a TurnFailed."""


async def turn_to_end(events: Subscription, turn: str) -> AsyncIterator[Step]:
    """The events of a turn, under whatever id it goes on, of services, and what the subagents of its
    conversation ask; to its end."""
    session = ""
    async for event in events:
        mine = isinstance(event, TurnEvent) and event.turn == turn
        if mine and isinstance(event, TurnEvent):
            session = event.session
        if isinstance(event, Step.__value__) and (
            mine or isinstance(event, ServiceChanged) or _of_subagents(event, session)
        ):
            yield event
        if mine and isinstance(event, TurnJoined):
            turn = event.into
        if mine and isinstance(event, TurnFinished | TurnFailed):
            return


async def next_turn_to_end(events: Subscription, session: str) -> AsyncIterator[Step]:
    """All events of a conversation until one of its turns ends."""
    async for event in events:
        mine = isinstance(event, TurnEvent) and event.session == session
        if isinstance(event, Step.__value__) and (mine or isinstance(event, ServiceChanged)):
            yield event
        if mine and isinstance(event, TurnFinished | TurnFailed):
            return


def _of_subagents(event: object, session: str) -> bool:
    kinds = SubagentChanged | PermissionAsked | PermissionSettled
    return isinstance(event, kinds) and event.session == session
