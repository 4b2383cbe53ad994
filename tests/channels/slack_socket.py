"""Slack's Socket Mode: each event goes to one connection, and again until somebody acknowledges it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from aiohttp import web

from tests.channels.links import Link
from tests.channels.loopback import Json
from tests.channels.slack_world import APP

RETRIES = 3


@dataclass
class Envelope:
    """One event on its way."""

    number: str
    kind: str
    payload: Json
    attempts: int = 0
    """How often it was sent."""
    acknowledged: bool = False
    response: Any = None
    """What came with the acknowledgement."""
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)

    def frame(self) -> Json:
        """As it is sent."""
        answered = self.kind in ("slash_commands", "interactive")
        made: Json = {"envelope_id": self.number, "type": self.kind, "payload": self.payload}
        made |= {"accepts_response_payload": answered}
        if self.kind == "events_api":
            again = self.attempts - 1
            made |= {"retry_attempt": again, "retry_reason": "timeout" if again else ""}
        return made


class SocketMode:
    """`ack_within` is how long an acknowledgement may take, in seconds, before an event is sent again."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.ack_within = 3.0
        self.retries = RETRIES
        self.envelopes: list[Envelope] = []
        self.connected = 0
        """How often a client came."""
        self._changed = changed
        self._tickets: set[str] = set()
        self._links: list[Link] = []
        self._numbers, self._turns = count(1), count()

    @property
    def links(self) -> list[Link]:
        """The connections that are open, or look so to the service."""
        return [link for link in self._links if not link.ended]

    def ticket(self) -> str:
        """For one connection."""
        made = f"ticket-{next(self._numbers)}"
        self._tickets.add(made)
        return made

    async def connect(self, request: web.Request) -> web.StreamResponse:
        """A client comes."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=404)
        self._tickets.remove(ticket)
        link = Link()
        self._links.append(link)
        self.connected += 1
        hello: Json = {
            "type": "hello",
            "num_connections": len(self.links),
            "connection_info": {"app_id": APP},
        }
        hello |= {
            "debug_info": {"host": "applink", "build_number": 1, "approximate_connection_time": 18060}
        }
        link.send(hello)
        for envelope in self.envelopes:
            if envelope.timer is None:
                self._send(envelope)
        self._changed()
        try:
            return await link.serve(request, self._heard)
        finally:
            self._links.remove(link)
            self._changed()

    def push(self, kind: str, payload: Json) -> Envelope:
        """A new event. It waits where nobody is connected."""
        made = Envelope(f"envelope-{next(self._numbers)}", kind, payload)
        self.envelopes.append(made)
        self._send(made)
        return made

    def again(self, envelope: Envelope) -> None:
        """Deliver an event once more, although it was acknowledged."""
        envelope.acknowledged = False
        self._send(envelope)

    def _send(self, envelope: Envelope) -> None:
        envelope.timer = None
        links = self.links
        if envelope.acknowledged or not links or envelope.attempts > self.retries:
            return
        envelope.attempts += 1
        links[next(self._turns) % len(links)].send(envelope.frame())
        loop = asyncio.get_running_loop()
        envelope.timer = loop.call_later(self.ack_within, self._send, envelope)
        self._changed()

    def _heard(self, frame: Json) -> None:
        for envelope in self.envelopes:
            if envelope.number == frame.get("envelope_id"):
                envelope.acknowledged, envelope.response = True, frame.get("payload")
                if envelope.timer is not None:
                    envelope.timer.cancel()
        self._changed()

    # ---- what goes wrong

    def end(self) -> None:
        """Send nothing again."""
        for envelope in self.envelopes:
            if envelope.timer is not None:
                envelope.timer.cancel()

    def recycle(self, reason: str = "refresh_requested", *, close: bool = True) -> None:
        """Tell clients to connect anew: `warning` comes some time before, `refresh_requested` with the end,
        `link_disabled` where Socket Mode was turned off."""
        for link in self.links:
            link.send({"type": "disconnect", "reason": reason, "debug_info": {"host": "applink"}})
            if close:
                link.close()

    def freeze(self) -> None:
        """Every connection goes dead without being closed; new ones work."""
        for link in self.links:
            link.freeze()
