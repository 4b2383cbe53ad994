"""QQ on this machine: tokens, the gateway, messages that are replies, files, and the people who write."""

import base64
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from aiohttp import web

from tests.channels.links import Link
from tests.channels.loopback import Call, Json, Loopback, Refused, Upload, as_json, read

APP_ID, SECRET = "102000001", "qq-secret-of-tests"
ALICE, MALLORY = "A11CE0000000000000000000000000AA", "3A110A0000000000000000000000003A"
GROUP = "9A0000000000000000000000000000FF"
DISPATCH, BEAT, IDENTIFY, RESUME, INVALID, HELLO, ACK = 0, 1, 2, 6, 9, 10, 11
MOST_REPLIES = 5
NOT_KNOWN, UNASKED, EXPIRED, TWICE, NO_MARKDOWN = 100016, 40034105, 40034128, 40054005, 304036


@dataclass
class Session:
    """What a client identified for; its events are kept for when it comes back."""

    id: str
    link: Link
    events: list[Json] = field(default_factory=list)

    def dispatch(self, name: str, data: Json) -> None:
        """An event. It waits here if there is no connection."""
        frame: Json = {"op": DISPATCH, "s": len(self.events) + 1, "t": name, "d": data}
        self.events.append(frame)
        if self.link.open:
            self.link.send(frame)


class QQServer(Loopback):
    """A call is named by its method and path: `POST /v2/users/A/messages`."""

    def __init__(self) -> None:
        super().__init__()
        self.secret = SECRET
        self.heartbeat = 41.25
        self.token = "token-1"
        self.sessions: dict[str, Session] = {}
        self.identified, self.resumed = 0, 0
        self.shut = 0
        """The code with which every connection ends, now and from now on."""
        self.begins = False
        """Whether the bot may write without being asked."""
        self.markdown = False
        self.asked: dict[str, dict[int, Json]] = {}
        """By the id of a message of somebody: its replies, by their numbers."""
        self.expired: set[str] = set()
        self.said: list[Json] = []
        """What the bot said, in order."""
        self.uploads: dict[str, Upload] = {}
        self.files: dict[str, bytes] = {}
        self._links: list[Link] = []
        self._numbers = count(1)

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/app/getAppAccessToken", self._log_in)
        router.add_get("/users/@me", self._me)
        router.add_get("/gateway/bot", self._gateway)
        router.add_get("/websocket", self._connect)
        router.add_post("/v2/{kind}/{id}/messages", self._post)
        router.add_post("/v2/{kind}/{id}/files", self._upload)
        router.add_get("/files/{name}", self._download)

    def name_of(self, request: web.Request) -> str:
        return f"{request.method} {request.path}"

    # ---- what people do

    @property
    def links(self) -> list[Link]:
        """The connections that are open."""
        return [link for link in self._links if link.open]

    def write(
        self,
        text: str = "hello",
        *,
        by: str = ALICE,
        group: str = "",
        files: tuple[Upload, ...] = (),
        **more: Any,
    ) -> Json:
        """Somebody writes to the bot, in a group by its name; the message as QQ tells of it."""
        data: Json = {"id": f"ROBOT1.0_{next(self._numbers)}", "content": f" {text}" if group else text}
        data |= {"timestamp": "2026-01-01T00:00:00+08:00"} if more.pop("old", False) else {}
        data["author"] = {"member_openid": by} if group else {"user_openid": by}
        if group:
            data["group_openid"] = group
        if files:
            data["attachments"] = [self._kept(one) for one in files]
        self.asked[data["id"]] = {}
        return self.tell("GROUP_AT_MESSAGE_CREATE" if group else "C2C_MESSAGE_CREATE", data | more)

    def tell(self, name: str, data: Json) -> Json:
        """An event, to every session."""
        for session in self.sessions.values():
            session.dispatch(name, data)
        self.changed()
        return data

    def _kept(self, file: Upload) -> Json:
        number = str(next(self._numbers))
        self.files[number] = file.data
        url = f"{self.url}/files/{number}"
        return {"content_type": file.kind, "filename": file.name, "size": len(file.data), "url": url}

    def close(self, code: int) -> None:
        """The gateway ends every connection."""
        for link in self.links:
            link.close(code)

    def freeze(self) -> None:
        """Every connection goes dead without being closed."""
        for link in self.links:
            link.freeze()

    def shut_out(self, code: int) -> None:
        """The bot may not connect any more."""
        self.shut = code
        self.close(code)

    def revoke(self) -> None:
        """The secret was made anew: the one of the tests is worth nothing."""
        self.secret, self.token = "another", f"token-{next(self._numbers)}"
        self.close(4009)

    def forget(self) -> None:
        """No session can be taken up again."""
        self.sessions.clear()

    # ---- what the bot asks

    async def _log_in(self, request: web.Request) -> web.Response:
        body = await request.json()
        if (body.get("appId"), body.get("clientSecret")) != (APP_ID, self.secret):
            return as_json({"code": NOT_KNOWN, "message": "invalid appid or secret"})
        self.keep(Call(self.name_of(request), {}))
        return as_json({"access_token": self.token, "expires_in": "7200"})

    def _check(self, request: web.Request) -> None:
        if request.headers.get("Authorization") != f"QQBot {self.token}":
            raise Refused(401, {"message": "token not exist or expire", "code": 11244, "err_code": 11244})

    async def _me(self, request: web.Request) -> web.Response:
        self._check(request)
        return as_json({"id": "8", "username": "Nano", "avatar": ""})

    async def _gateway(self, request: web.Request) -> web.Response:
        self._check(request)
        limits = {"total": 1000, "remaining": 999, "reset_after": 1, "max_concurrency": 1}
        url = f"ws://{request.host}/websocket"
        return as_json({"url": url, "shards": 1, "session_start_limit": limits})

    async def _post(self, request: web.Request) -> web.Response:
        self._check(request)
        fields, _files = await read(request)
        call = Call(self.name_of(request), fields)
        try:
            call.result = self._taken(request, fields)
        except Refused as refused:
            call.error = str(refused.body["code"])
            raise
        finally:
            self.keep(call)
        return as_json(call.result)

    def _taken(self, request: web.Request, fields: Json) -> Json:
        asked, number = fields.get("msg_id"), int(fields.get("msg_seq") or 1)
        if fields["msg_type"] == 2 and not self.markdown:
            raise _no(NO_MARKDOWN)
        if fields["msg_type"] == 7 and fields["media"]["file_info"] not in self.uploads:
            raise _no(40034004)
        if asked is None and not self.begins:
            raise _no(UNASKED)
        replies = self.asked.get(str(asked), {}) if asked else {}
        if asked and (asked not in self.asked or asked in self.expired or len(replies) >= MOST_REPLIES):
            raise _no(EXPIRED)
        if number in replies:
            raise _no(TWICE)
        said = {"to": request.match_info["id"], "kind": request.match_info["kind"]} | fields
        replies[number] = said
        self.said.append(said)
        return {"id": f"ROBOT1.0_b{next(self._numbers)}", "timestamp": "2026-01-01T00:00:00+08:00"}

    async def _upload(self, request: web.Request) -> web.Response:
        self._check(request)
        fields = await request.json()
        info = f"info-{next(self._numbers)}"
        data = base64.b64decode(fields["file_data"], validate=True)
        self.uploads[info] = Upload(fields["file_name"], str(fields["file_type"]), data)
        self.keep(Call(self.name_of(request), fields | {"file_data": ""}))
        return as_json({"file_uuid": info, "file_info": info, "ttl": 3600})

    async def _download(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[request.match_info["name"]])

    # ---- the gateway

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        link = Link()
        self._links.append(link)
        link.send({"op": HELLO, "d": {"heartbeat_interval": int(self.heartbeat * 1000)}})
        try:
            return await link.serve(request, lambda frame: self._heard(link, frame))
        finally:
            self.changed()

    def _heard(self, link: Link, frame: Json) -> None:
        op: int = frame["op"]
        data: Any = frame.get("d")
        if op == BEAT:
            link.send({"op": ACK})
        elif self.shut or data["token"] != f"QQBot {self.token}":
            link.close(self.shut or 4004)
        elif op == IDENTIFY:
            self.identified += 1
            session = Session(f"session-{self.identified}", link)
            self.sessions[session.id] = session
            me = {"id": "8", "username": "Nano", "bot": True}
            session.dispatch("READY", {"version": 1, "session_id": session.id, "user": me, "shard": [0, 1]})
        elif op == RESUME:
            self._resume(link, data)
        self.changed()

    def _resume(self, link: Link, data: Json) -> None:
        session = self.sessions.get(data["session_id"])
        if session is None:
            link.send({"op": INVALID, "d": False})
            return
        self.resumed += 1
        session.link = link
        for frame in session.events[data["seq"] :]:
            link.send(frame)
        link.send({"op": DISPATCH, "s": len(session.events), "t": "RESUMED", "d": ""})


def _no(code: int) -> Refused:
    return Refused(400, {"message": f"no {code}", "code": code, "err_code": code})
