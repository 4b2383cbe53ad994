"""Mochat on this machine, as far as its clients tell how it behaves: Socket.IO, and long requests.

Nothing is acknowledged there: a session gives what comes after a cursor, a panel its last messages. Each
message is told in two shapes, and what the agent says comes back to it like everything else.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Self

import socketio
from aiohttp import web

from desktop.tasks import cancel
from tests.channels.loopback import Call, Json, Loopback, Refused, as_json

TOKEN, AGENT = "claw_0123456789abcdef-of-tests", "a9e47"
ALICE, MALLORY = "u_a11ce", "u_3a110a"
GROUP, PANEL = "g0001", "p0001"
SENT_PANELS = "groups/panels/send"


@dataclass
class Session:
    """A private chat."""

    id: str
    people: list[str]
    events: list[Json] = field(default_factory=list)

    @property
    def converse(self) -> str:
        """What notices call it."""
        return self.id.replace("session", "converse")


class MochatServer(Loopback):
    """A call is named by its path below /api/claw/: `sessions/send`; the connection is `socket`."""

    def __init__(self) -> None:
        super().__init__()
        self.token = self.socket_token = TOKEN
        self.form = "msgpack"
        self.listening = True
        """Whether there is a connection to be had."""
        self.people = {ALICE: "Alice", MALLORY: "Mallory", AGENT: "Nanobot"}
        self.sessions: dict[str, Session] = {}
        self.panels: dict[str, list[Json]] = {PANEL: []}
        """Messages, by panel."""
        self.said: list[Json] = []
        """What the agent said, in order: to whom, which words, in reply to what."""
        self.shapes: tuple[str, ...] = ("events", "notices")
        """In which ways a message is told."""
        self.files: dict[str, bytes] = {}
        self.owner: Json | None = {"userId": ALICE, "nickname": "Alice"}
        self.connected: dict[str, set[str]] = {}
        """The sessions and panels that each connection hears of."""
        self.dead: set[str] = set()
        self._numbers = count(1)
        self._io: Any = None
        self._out: asyncio.Queue[Callable[[], Awaitable[object]]] = asyncio.Queue()
        self._pump: asyncio.Task[None] | None = None

    # ---- its life

    async def start(self) -> Self:
        """Listen."""
        self._out = asyncio.Queue()
        self.connected.clear()
        await super().start()
        self._pump = self._io.start_background_task(self._send_all)
        return self

    async def stop(self) -> None:
        """Listen no more."""
        await cancel(self._pump)
        with suppress(Exception):
            await self._io.eio.disconnect()
        await super().stop()
        await cancel(*(task for task in asyncio.all_tasks() if self._is_ours(task)))

    def _is_ours(self, task: "asyncio.Task[Any]") -> bool:
        """Whether it is one of the library's for a connection of this server; it leaves some."""
        frame = getattr(task.get_coro(), "cr_frame", None)
        own = frame.f_locals.get("self") if frame else None
        return own is not None and getattr(own, "server", None) is self._io.eio

    def routes(self, router: web.UrlDispatcher) -> None:
        quiet = logging.Logger("mochat server", logging.CRITICAL + 1)
        self._io = socketio.AsyncServer(
            async_mode="aiohttp",
            serializer=self.form,
            logger=quiet,
            engineio_logger=quiet,
            monitor_clients=False,
        )
        self._io.on("connect", self._connect)
        self._io.on("disconnect", self._disconnect)
        self._io.on("com.claw.im.subscribeSessions", self._subscribe_sessions)
        self._io.on("com.claw.im.subscribePanels", self._subscribe_panels)
        router.add_get("/socket.io/", self._socket)
        router.add_post("/api/claw/{name:.*}", self._api)
        router.add_get("/files/{name:.*}", self._download)

    def name_of(self, request: web.Request) -> str:
        if request.path.startswith("/api/claw/"):
            return request.path.removeprefix("/api/claw/")
        return "socket" if request.path == "/socket.io/" else request.path

    # ---- what people do

    def session(self, by: str = ALICE, *others: str) -> Session:
        """The private chat of the agent with somebody, or with several."""
        people = [AGENT, by, *others]
        found = next((one for one in self.sessions.values() if one.people == people), None)
        if found is None:
            found = Session(f"session_{next(self._numbers):08}", people)
            self.sessions[found.id] = found
        return found

    def write(
        self,
        text: object = "hello",
        /,
        *,
        by: str = ALICE,
        panel: str = "",
        session: Session | None = None,
        mention: bool = False,
        days_ago: float = 0.0,
        **more: Any,
    ) -> Json:
        """Somebody writes, to the agent alone or in a panel; the message."""
        at = _now(days_ago)
        message: Json = {"messageId": f"m{next(self._numbers):06}", "author": by, "content": text}
        message |= {"authorInfo": {"userId": by, "nickname": self.people.get(by, by)}, "createdAt": at}
        message |= {"meta": {"mentions": [AGENT]} if mention else {}} | more
        if panel:
            message |= {"groupId": GROUP, "converseId": panel}
            self.panels.setdefault(panel, []).append(message)
            self._tell_panel("add", panel, message)
        else:
            self._add(session or self.session(by), message)
        self.changed()
        return message

    def join(self, session: Session, person: str) -> None:
        """Somebody is added to a private chat."""
        session.people = [*session.people, person]
        event = {"seq": len(session.events) + 1, "sessionId": session.id, "type": "participants.add"}
        session.events.append(event | {"timestamp": _now(), "payload": {"participants": [person]}})
        self.tell("claw.session.events", {"sessionId": session.id, "events": session.events[-1:]})

    def change(self, panel: str, message: Json, **new: Any) -> None:
        """Somebody edits a message of a panel, or deletes it."""
        if new:
            message |= new
        else:
            self.panels[panel].remove(message)
        self._tell_panel("update" if new else "delete", panel, message)

    def tell(self, name: str, told: object) -> None:
        """An event of the connection, whatever it is."""
        for sid in self._open():
            self._emit(name, told, sid)

    def close(self) -> None:
        """Every connection is ended by the server."""
        for sid in self._open():
            self._later(self._io.disconnect, sid)

    def freeze(self) -> None:
        """Every connection goes dead without being closed."""
        self.dead |= self.connected.keys()

    def revoke(self) -> None:
        """The token was made anew: the one of the tests is worth nothing."""
        self.token = self.socket_token = "claw_another"
        self.close()

    # ---- what is told

    def _open(self) -> list[str]:
        return [sid for sid in self.connected if sid not in self.dead]

    def _later(self, act: Callable[..., Awaitable[object]], *given: object) -> None:
        self._out.put_nowait(lambda: act(*given))

    def _emit(self, name: str, told: object, sid: str) -> None:
        self._out.put_nowait(lambda: self._io.emit(name, told, to=sid))

    async def _send_all(self) -> None:
        while True:
            act = await self._out.get()
            with suppress(Exception):
                await act()

    def _add(self, session: Session, message: Json) -> None:
        event = {"seq": len(session.events) + 1, "sessionId": session.id, "type": "message.add"}
        session.events.append(event | {"timestamp": message["createdAt"], "payload": message})
        told = {"sessionId": session.id, "cursor": event["seq"], "events": session.events[-1:]}
        for sid in self._open():
            if session.id in self.connected[sid] and "events" in self.shapes:
                self._emit("claw.session.events", told, sid)
            if "notices" in self.shapes and message["author"] != AGENT:
                self._emit("notify:chat.inbox.append", self._notice(session, message), sid)

    @staticmethod
    def _notice(session: Session, message: Json) -> Json:
        words = str(message["content"])
        detail = {"converseId": session.converse, "messageId": message["messageId"]}
        detail |= {"messageAuthor": message["author"], "messageSnippet": words[:20]}
        return {"_id": "inbox", "type": "message", "payload": detail, "createdAt": message["createdAt"]}

    def _tell_panel(self, kind: str, panel: str, message: Json) -> None:
        event = {"type": f"message.{kind}", "timestamp": message["createdAt"], "payload": message}
        renamed = {name: value for name, value in message.items() if name != "messageId"}
        for sid in self._open():
            if panel in self.connected[sid] and "events" in self.shapes:
                self._emit("claw.panel.events", {"sessionId": panel, "events": [event]}, sid)
            if "notices" in self.shapes:
                told = renamed | {"_id": message["messageId"]}
                self._emit(f"notify:chat.message.{kind}", told, sid)

    # ---- the connection

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if not self.listening:
            raise web.HTTPNotFound
        answer: web.StreamResponse = await self._io.handle_request(request)
        return answer

    async def _connect(self, sid: str, _environ: Json, auth: Json | None) -> None:
        if (auth or {}).get("token") != self.socket_token:
            raise socketio.exceptions.ConnectionRefusedError("unauthorized")
        self.connected[sid] = set()
        self.changed()

    async def _disconnect(self, sid: str, *_reason: object) -> None:
        self.connected.pop(sid, None)
        self.changed()

    async def _subscribe_sessions(self, sid: str, told: Json) -> Json:
        await self._alive(sid)
        found = [self.sessions[id_] for id_ in told["sessionIds"] if id_ in self.sessions]
        self.connected.setdefault(sid, set()).update(one.id for one in found)
        self.keep(Call("subscribeSessions", told))
        return {"result": True, "data": {"sessions": [self._since(one, told) for one in found]}}

    async def _subscribe_panels(self, sid: str, told: Json) -> Json:
        await self._alive(sid)
        self.connected.setdefault(sid, set()).update(set(told["panelIds"]) & self.panels.keys())
        self.keep(Call("subscribePanels", told))
        return {"result": True, "data": {"panelIds": told["panelIds"], "groupId": GROUP}}

    async def _alive(self, sid: str) -> None:
        if sid in self.dead:
            await self._ending.wait()

    @staticmethod
    def _since(session: Session, told: Json) -> Json:
        cursor = told["cursors"].get(session.id, 0)
        events = [one for one in session.events if one["seq"] > cursor][: told["limit"]]
        last = events[-1]["seq"] if events else cursor
        return {"sessionId": session.id, "cursor": last, "events": events}

    # ---- the calls

    async def _api(self, request: web.Request) -> web.Response:
        name, body = self.name_of(request), await request.json()
        if request.headers.get("X-Claw-Token") != self.token:
            raise Refused(401, {"code": 401, "message": "invalid token"})
        call = {
            "sessions/list": self._list,
            "sessions/watch": self._watch,
            "sessions/send": self._send,
            "groups/get": self._group,
            "groups/panels/messages": self._page,
            SENT_PANELS: self._send,
            "agents/owner": self._owner,
        }.get(name)
        if call is None:
            raise Refused(404, {"code": 404, "message": "not found"})
        told = await call(body)
        self.keep(Call(name, body))
        return as_json({"code": 200, "data": told})

    async def _list(self, _body: Json) -> Json:
        one = [
            {"sessionId": one.id, "converseId": one.converse, "participants": one.people}
            for one in self.sessions.values()
        ]
        return {"sessions": one}

    async def _watch(self, body: Json) -> Json:
        session, told = self.sessions[body["sessionId"]], {"cursors": {body["sessionId"]: body["cursor"]}}
        told["limit"] = body["limit"]
        event = asyncio.Event()
        self._changes.add(event)
        try:
            async with asyncio.timeout(body["timeoutMs"] / 1000):
                while not self._since(session, told)["events"]:
                    await event.wait()
                    event.clear()
        except TimeoutError:
            pass
        finally:
            self._changes.discard(event)
        return self._since(session, told)

    async def _send(self, body: Json) -> Json:
        if len(body["content"]) > 8000:
            raise Refused(400, {"code": 400, "message": "content is too long"})
        to = body.get("panelId") or body["sessionId"]
        if to not in (self.panels if "panelId" in body else self.sessions):
            raise Refused(404, {"code": 404, "message": f"no {to}"})
        self.said.append({"to": to, "text": body["content"], "reply": body.get("replyTo", "")})
        room = {"panel": to} if "panelId" in body else {"session": self.sessions[to]}
        message = self.write(body["content"], by=AGENT, **room)
        return {"messageId": message["messageId"], "status": "active"}

    async def _group(self, _body: Json) -> Json:
        panels = [{"id": id_, "name": id_, "type": 0} for id_ in self.panels]
        return {"_id": GROUP, "panels": [*panels, {"id": "folder", "type": 1}]}

    async def _page(self, body: Json) -> Json:
        newest = self.panels[body["panelId"]][-body["limit"] :]
        return {"groupId": GROUP, "panelId": body["panelId"], "messages": newest[::-1]}

    async def _owner(self, _body: Json) -> Json:
        return {"owner": self.owner}

    async def _download(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[request.match_info["name"]])


def _now(days_ago: float = 0.0) -> str:
    return (datetime.now(UTC) - timedelta(days=days_ago)).isoformat().replace("+00:00", "Z")
