"""What a look at the server found in the rooms: messages that are new, and invitations."""

import logging
from dataclasses import dataclass
from typing import Any

from nio import Event, InviteMemberEvent, MegolmEvent, RoomMemberEvent, RoomMessagesResponse

from desktop.channels.matrix.client import Client
from desktop.channels.matrix.server import Refused

FILTER = {
    "presence": {"types": []},
    "account_data": {"types": []},
    "room": {
        "account_data": {"types": []},
        "ephemeral": {"types": []},
        "state": {"lazy_load_members": True, "include_redundant_members": True},
        "timeline": {"limit": 30, "lazy_load_members": True},
    },
}
"""Who said something comes along each time: after a start nobody is known by name."""
_PAGE = 50
"""nio takes a tenth of a millisecond for each, on the loop."""
_MOST = 3000
"""Events of one room that are caught up on."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Heard:
    """Something that happened in a room."""

    room: str
    event: Any


@dataclass(frozen=True, slots=True)
class Invitation:
    """Somebody wants the account in a room."""

    room: str
    by: str


async def new_events(client: Client, room: str, timeline: Any, since: str) -> list[Any]:
    """What happened in a room since then, the oldest first; in one that was entered meanwhile, since the
    account was invited: whoever invites it asks at once. Raises as Server.ask() does."""
    events = list(timeline.events)
    entered = _entered(events, client.user_id)
    if entered is not None:
        events = events[entered:]
    elif timeline.limited and since:
        events = [*await earlier(client, room, str(timeline.prev_batch or ""), since), *events]
    return [event for event in events if isinstance(event, Event | MegolmEvent)]


def _entered(events: list[Any], me: str) -> int | None:
    """Where the account was invited or came in."""
    found = None
    for number, event in enumerate(events):
        own = isinstance(event, RoomMemberEvent) and event.state_key == me
        if own and event.membership in ("invite", "join") and event.prev_membership != "join":
            found = number if found is None or event.membership == "invite" else found
    return found


async def earlier(client: Client, room: str, start: str, since: str) -> list[Any]:
    """What a look left out because it was too much."""
    found: list[Any] = []
    while start and len(found) < _MOST:
        try:
            page = await client.room_messages(room, start, end=since, direction="b", limit=_PAGE)
        except Refused as error:
            _log.info("messages of a room were not caught up on: %s", error)
            break
        if not isinstance(page, RoomMessagesResponse) or not page.chunk:
            break
        found += page.chunk
        start = "" if page.end == start else str(page.end or "")
    if len(found) >= _MOST:
        _log.info("older messages of a room were left out")
    return found[::-1]


def invitations(found: Any, me: str) -> list[Invitation]:
    """Who wants the account where."""
    return [
        Invitation(room, str(event.sender))
        for room, info in found.rooms.invite.items()
        for event in info.invite_state
        if isinstance(event, InviteMemberEvent) and event.state_key == me and event.membership == "invite"
    ]
