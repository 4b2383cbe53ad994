"""Discord's gateway, version 10: sessions that a client can lose and take up again."""

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.channels.discord_world import DM, World
from tests.channels.links import Link
from tests.channels.loopback import Json

GUILD_MESSAGES, DIRECT_MESSAGES, CONTENT = 1 << 9, 1 << 12, 1 << 15
MEMBERS, PRESENCES = 1 << 1, 1 << 8
DISPATCH, HEARTBEAT, IDENTIFY, RESUME = 0, 1, 2, 6
RECONNECT, REQUEST_MEMBERS, INVALID, HELLO, ACK = 7, 8, 9, 10, 11


def encoder(compression: str) -> Callable[[Json], str | bytes]:
    """How frames are written; one stream of zlib for all of a connection."""
    if compression != "zlib-stream":
        return json.dumps
    stream = zlib.compressobj()
    return lambda frame: stream.compress(json.dumps(frame).encode()) + stream.flush(zlib.Z_SYNC_FLUSH)


@dataclass
class Session:
    """What a client identified for. Its events are kept, for when it comes back."""

    number: str
    intents: int
    link: Link
    events: list[Json] = field(default_factory=list)

    def dispatch(self, name: str, data: Json) -> None:
        """An event. It waits here if there is no connection."""
        frame: Json = {"op": DISPATCH, "d": data, "s": len(self.events) + 1, "t": name}
        self.events.append(frame)
        if self.link.open:
            self.link.send(frame)


class Gateway:
    """`accept` says whether a token is the right one; `heartbeat` is the time between two, in seconds."""

    def __init__(self, world: World, accept: Callable[[str], bool], changed: Callable[[], None]) -> None:
        self.sessions: dict[str, Session] = {}
        self.heartbeat = 41.25
        self.privileged = CONTENT
        """The privileged intents that are ticked in the developer portal."""
        self.identified, self.resumed = 0, 0
        """How often."""
        self.url = ""
        self._world, self._accept, self._changed = world, accept, changed
        self._links: list[Link] = []

    @property
    def links(self) -> list[Link]:
        """The connections that are open."""
        return [link for link in self._links if link.open]

    async def connect(self, request: web.Request) -> web.StreamResponse:
        """A client comes."""
        link = Link(encoder(request.query.get("compress", "")))
        self._links.append(link)
        beat = {"heartbeat_interval": int(self.heartbeat * 1000)}
        link.send({"op": HELLO, "d": beat, "s": None, "t": None})
        try:
            return await link.serve(request, lambda frame: self._heard(link, frame))
        finally:
            self._changed()

    def dispatch(self, name: str, data: Json, *, guild: bool = True) -> None:
        """Tell every client that asked for such events."""
        for session in self.sessions.values():
            needed = GUILD_MESSAGES if guild else DIRECT_MESSAGES
            if not name.startswith("MESSAGE_") or session.intents & needed:
                session.dispatch(name, self._visible(session, data, guild) if "content" in data else data)

    def _visible(self, session: Session, message: Json, guild: bool) -> Json:
        """Without the intent, a bot reads only what is sent to it."""
        me = self._world.me["id"]
        mine = (
            not guild
            or message["author"]["id"] == me
            or any(one["id"] == me for one in message["mentions"])
        )
        if session.intents & CONTENT or mine:
            return message
        return message | {"content": "", "attachments": [], "embeds": [], "components": []}

    def _heard(self, link: Link, frame: Json) -> None:
        op: int = frame["op"]
        data: Any = frame.get("d")
        session = next((one for one in self.sessions.values() if one.link is link), None)
        if op == HEARTBEAT:
            link.send({"op": ACK, "d": None, "s": None, "t": None})
        elif op == IDENTIFY:
            self._identify(link, data)
        elif op == RESUME:
            self._resume(link, data)
        elif session is None:
            link.close(4003)
        elif op == REQUEST_MEMBERS:
            guild = self._world.guilds[str(data["guild_id"])]
            chunk: Json = {"guild_id": guild["id"], "members": guild["members"], "chunk_index": 0}
            session.dispatch("GUILD_MEMBERS_CHUNK", chunk | {"chunk_count": 1, "nonce": data.get("nonce")})
        self._changed()

    def _identify(self, link: Link, data: Json) -> None:
        if not self._accept(data["token"]):
            link.close(4004)
            return
        if data["intents"] & (MEMBERS | PRESENCES | CONTENT) & ~self.privileged:
            link.close(4014)
            return
        self.identified += 1
        session = Session(f"session-{self.identified}", int(data["intents"]), link)
        self.sessions[session.number] = session
        guilds = list(self._world.guilds.values())
        ready: Json = {
            "v": 10,
            "user": self._world.me,
            "session_id": session.number,
            "private_channels": [],
        }
        ready |= {"guilds": [{"id": one["id"], "unavailable": True} for one in guilds]}
        ready |= {"application": {"id": self._world.me["id"], "flags": 0}, "resume_gateway_url": self.url}
        session.dispatch("READY", ready)
        for guild in guilds:
            threads = [one for one in self._world.channels.values() if one["type"] == 11]
            ours = [one for one in threads if one["guild_id"] == guild["id"]]
            session.dispatch("GUILD_CREATE", guild | {"threads": ours})

    def _resume(self, link: Link, data: Json) -> None:
        if not self._accept(data["token"]):
            link.close(4004)
            return
        session = self.sessions.get(data["session_id"])
        if session is None:
            link.send({"op": INVALID, "d": False, "s": None, "t": None})
            return
        if data["seq"] > len(session.events):
            link.close(4007)
            return
        session.link = link
        self.resumed += 1
        for frame in session.events[int(data["seq"]) :]:
            link.send(frame)
        session.dispatch("RESUMED", {})

    # ---- what goes wrong

    def close(self, code: int, *, forget: bool = False) -> None:
        """Close every connection: 4009 where a session timed out, 4000 for what is unknown.

        `forget`: none can be resumed.
        """
        if forget or code in (4004, 4007, 4009):
            self.sessions.clear()
        for link in self.links:
            link.close(code)

    def ask_to_reconnect(self) -> None:
        """Op 7, as Discord does every few hours."""
        for link in self.links:
            link.send({"op": RECONNECT, "d": None, "s": None, "t": None})

    def invalidate(self, *, resumable: bool = False) -> None:
        """Op 9: the session is not valid any more, or can be resumed."""
        if not resumable:
            self.sessions.clear()
        for link in self.links:
            link.send({"op": INVALID, "d": resumable, "s": None, "t": None})

    def freeze(self) -> None:
        """Every connection goes dead without being closed; new ones work."""
        for link in self.links:
            link.freeze()


def in_guild(channel: Json) -> bool:
    """Whether a channel is one of a server."""
    return bool(channel["type"] != DM)
