"""Feishu on this machine: tokens, the long connection, cards that are edited, files, and who writes."""

import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from aiohttp import web

from tests.channels.feishu_cards import Cards
from tests.channels.feishu_frames import understood, written
from tests.channels.links import Link
from tests.channels.loopback import Call, Json, Loopback, Refused, Upload, as_json, read

APP_ID, SECRET = "cli_a1b2c3d4e5f60718", "feishu-secret-of-tests"
ALICE, MALLORY, ME = "ou_a11ce", "ou_3a110a", "ou_b07"
GROUP = "oc_9a000"
NO_TOKEN, NO_APP, WRONG, NO_SCOPE, OUT, CARD, TAKEN_BACK, SLOWER, EDITED = (
    *(99991663, 10003, 10014, 99991672),
    *(230002, 230099, 230011, 99991400, 230072),
)
PIECE = 100_000
SCOPE = {"code": NO_SCOPE, "msg": "Access denied. One of the following scopes is required: [x]"}


@dataclass
class Told:
    """An event, which comes until it is acknowledged."""

    id: str
    payload: bytes
    links: list[Link] = field(default_factory=list)
    answer: Json | None = None
    """What the acknowledgement said."""


@dataclass
class Said:
    """A message of the bot."""

    id: str
    to: str
    kind: str
    content: Json
    reply: str = ""
    topic: bool = False
    edits: int = 0
    once: str = ""

    @property
    def text(self) -> str:
        """The words of a card."""
        words = self.content.get("body", {}).get("elements", [{}])[0]
        return str(words.get("content") or words.get("text", {}).get("content") or "")

    @property
    def buttons(self) -> dict[str, Json]:
        """What each button of a card tells, by its words."""
        rows = self.content["body"]["elements"][1:]
        found = [column["elements"][0] for row in rows for column in row["columns"]]
        return {one["text"]["content"]: one["behaviors"][0]["value"] for one in found}


class FeishuServer(Loopback):
    """A call is named by its method and path behind /open-apis: `POST /im/v1/messages`."""

    def __init__(self) -> None:
        super().__init__()
        self.secret, self.token = SECRET, "t-1"
        self.ping = 120.0
        self.connections = 0
        self.events: dict[str, Told] = {}
        self.said: dict[str, Said] = {}
        self.messages: dict[str, Json] = {}
        """What people wrote, as it is read later."""
        self.people = {ALICE: "Alice"}
        self.reactions: dict[str, Json] = {}
        self.had: list[tuple[str, str]] = []
        """Every reaction there was: message and emoji."""
        self.uploads: dict[str, Upload] = {}
        self.files: dict[str, Upload] = {}
        self.markdown = True
        self.cards = Cards()
        self.most_edits = 20
        self._links: list[Link] = []
        self._numbers = count(1)

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/callback/ws/endpoint", self._endpoint)
        router.add_get("/ws", self._connect)
        router.add_post("/open-apis/auth/v3/tenant_access_token/internal", self._log_in)
        for method, path, act in (
            ("GET", "/bot/v3/info", self._me),
            ("GET", "/contact/v3/users/{id}", self._person),
            ("POST", "/im/v1/messages", self._post),
            ("GET", "/im/v1/messages/{id}", self._read_one),
            ("PATCH", "/im/v1/messages/{id}", self._edit),
            ("POST", "/im/v1/messages/{id}/reply", self._post),
            ("POST", "/im/v1/messages/{id}/reactions", self._react),
            ("GET", "/im/v1/messages/{id}/reactions", self._reactions),
            ("DELETE", "/im/v1/messages/{id}/reactions/{reaction}", self._unreact),
            *self.cards.routes,
            ("POST", "/im/v1/images", self._upload),
            ("POST", "/im/v1/files", self._upload),
        ):
            router.add_route(method, f"/open-apis{path}", self._checked(act))
        router.add_get("/open-apis/im/v1/messages/{id}/resources/{key}", self._download)

    def name_of(self, request: web.Request) -> str:
        return f"{request.method} {request.path.removeprefix('/open-apis')}"

    # ---- what people do

    @property
    def links(self) -> list[Link]:
        """The connections that are open."""
        return [link for link in self._links if link.open]

    def chat(self, person: str) -> str:
        """The chat of the bot with one person."""
        return f"oc_{person.removeprefix('ou_')}"

    def write(
        self,
        text: str = "hello",
        *,
        by: str = ALICE,
        group: str = "",
        files: tuple[Upload, ...] = (),
        **more: Any,
    ) -> Json:
        """Somebody writes to the bot; the message as Feishu tells of it. Each file is a message there."""
        if text or not files:
            content = json.dumps(more.pop("content", {"text": text}))
            message = self._wrote(by, group, more.pop("kind", "text"), content, more)
        for file in files:
            message = self._give(by, group, file)
        return message

    def _give(self, by: str, group: str, file: Upload) -> Json:
        key = f"file_{next(self._numbers)}"
        self.files[key] = file
        body = {"file_key": key, "file_name": file.name}
        if file.kind == "image":
            body = {"image_key": key}
        return self._wrote(by, group, file.kind, json.dumps(body), {})

    def _wrote(self, by: str, group: str, kind: str, content: str, more: Json) -> Json:
        message: Json = {
            "message_id": f"om_{next(self._numbers)}",
            "create_time": "1767225600000",
            "chat_id": group or self.chat(by),
            "chat_type": "group" if group else "p2p",
            "message_type": kind,
            "content": content,
            **more,
        }
        sender = {"sender_id": {"open_id": by}, "sender_type": "user", "tenant_key": "t"}
        self.messages[message["message_id"]] = message | {"sender": {"id": by, "sender_type": "user"}}
        if "upper_message_id" in more:  # part of one that is told of
            return message
        self.tell("im.message.receive_v1", {"sender": sender, "message": message})
        return message

    def press(self, said: Said, words: str, by: str = ALICE) -> Told:
        """Somebody presses a button."""
        context = {"open_message_id": said.id, "open_chat_id": said.to}
        action = {"value": said.buttons[words], "tag": "button"}
        event = {"operator": {"open_id": by}, "action": action, "context": context}
        return self.tell("card.action.trigger", event)

    def tell(self, name: str, event: object) -> Told:
        """An event. It waits here if there is no connection."""
        number = next(self._numbers)
        header = {"event_id": f"ev_{number}", "event_type": name, "app_id": APP_ID, "token": ""}
        body = {"schema": "2.0", "header": header, "event": event}
        told = self.events[f"m_{number}"] = Told(f"m_{number}", json.dumps(body).encode())
        self._deliver(told)
        self.changed()
        return told

    def again(self) -> None:
        """What was acknowledged is told once more."""
        for told in self.events.values():
            self._deliver(told)

    def _deliver(self, told: Told) -> None:
        if not (there := self.links):
            return
        told.links.append(there[-1])
        pieces = [told.payload[at : at + PIECE] for at in range(0, len(told.payload), PIECE)]
        for number, piece in enumerate(pieces):
            headers = {"type": "event", "message_id": told.id, "sum": len(pieces), "seq": number}
            frame = {"SeqID": 7, "LogID": 2**60, "service": 33, "method": 1, "payload": piece}
            there[-1].send(frame | {"headers": headers | {"trace_id": "tr"}})

    @property
    def waiting(self) -> list[Told]:
        """What the bot did not acknowledge."""
        return [told for told in self.events.values() if told.answer is None]

    def close(self) -> None:
        """End every connection."""
        for link in self.links:
            link.close()

    def freeze(self) -> None:
        """Every connection goes dead without being closed."""
        for link in self.links:
            link.freeze()

    def revoke(self) -> None:
        """The secret was made anew: the one of the tests is worth nothing."""
        self.secret, self.token = "another", f"t-{next(self._numbers)}"
        self.close()

    # ---- what the bot asks

    def _checked(self, act: Any) -> Any:
        async def checked(request: web.Request) -> web.Response:
            self._check(request)
            fields, files = await read(request)
            call = Call(self.name_of(request), fields, files)
            try:
                call.result = act(request, call)
            except Refused as refused:
                call.error = str(refused.body["code"])
                raise
            finally:
                self.keep(call)
            return as_json({"code": 0, "msg": "success"} | call.result)

        return checked

    def _check(self, request: web.Request) -> None:
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            raise _no(NO_TOKEN)

    def _known(self, app: object, secret: object) -> None:
        if app != APP_ID:
            raise Refused(200, {"code": NO_APP, "msg": "invalid app_id"})
        if secret != self.secret:
            raise Refused(200, {"code": WRONG, "msg": "app secret invalid"})

    async def _log_in(self, request: web.Request) -> web.Response:
        body = await request.json()
        self._known(body.get("app_id"), body.get("app_secret"))
        self.keep(Call(self.name_of(request), {}))
        return as_json({"code": 0, "msg": "ok", "tenant_access_token": self.token, "expire": 7200})

    async def _endpoint(self, request: web.Request) -> web.Response:
        body = await request.json()
        if (body.get("AppID"), body.get("AppSecret")) != (APP_ID, self.secret):
            raise Refused(200, {"code": 514, "msg": "auth failed"})
        url = f"ws://{request.host}/ws?device_id=d1&service_id=33&ticket=x"
        return as_json({"code": 0, "msg": "", "data": {"URL": url, "ClientConfig": self._config}})

    @property
    def _config(self) -> Json:
        return {
            "ReconnectCount": -1,
            "ReconnectInterval": 120,
            "ReconnectNonce": 30,
            "PingInterval": self.ping,
        }

    def _me(self, _request: web.Request, _call: Call) -> Json:
        return {"bot": {"open_id": ME, "app_name": "Nano", "activate_status": 2}}

    def _person(self, request: web.Request, _call: Call) -> Json:
        name = self.people.get(request.match_info["id"])
        if name is None:
            raise Refused(400, SCOPE)
        return {"data": {"user": {"name": name}}}

    def _read_one(self, request: web.Request, _call: Call) -> Json:
        id_ = request.match_info["id"]
        if said := self.said.get(id_):
            sender = {"id": APP_ID, "id_type": "app_id", "sender_type": "app"}
            return {"data": {"items": [{"message_id": id_, "msg_type": said.kind, "sender": sender}]}}
        whole = [
            self.messages[id_],
            *(one for one in self.messages.values() if one.get("upper_message_id") == id_),
        ]
        items = [
            {"msg_type": one["message_type"], "body": {"content": one["content"]}, "sender": one["sender"]}
            for one in whole
        ]
        return {"data": {"items": items}}

    def _post(self, request: web.Request, call: Call) -> Json:
        content = self._taken(call)
        reply, to = request.match_info.get("id", ""), str(call["receive_id"])
        if reply and reply not in self.messages:
            raise _no(TAKEN_BACK)
        if reply:
            to = self.messages[reply]["chat_id"]
        elif call["receive_id_type"] == "open_id":
            to = self.chat(to)
        for one in self.said.values():
            if one.once and one.once == call["uuid"]:
                return {"data": {"message_id": one.id}}
        said = Said(f"om_b{next(self._numbers)}", to, str(call["msg_type"]), content, reply)
        if content.get("type") == "card":
            said.content = self.cards.sent(content["data"]["card_id"], said.id)
        said.topic, said.once = bool(call["reply_in_thread"]), str(call["uuid"] or "")
        self.said[said.id] = said
        return {"data": {"message_id": said.id, "chat_id": to}}

    def _taken(self, call: Call) -> Json:
        content: Json = json.loads(call["content"])
        kinds = [one["tag"] for one in content.get("body", {}).get("elements", ())]
        if "markdown" in kinds and not self.markdown:
            raise _no(CARD)
        if call["msg_type"] in ("file", "image", "audio", "media"):
            (key,) = content.values()
            assert key in self.uploads
        return content

    def _edit(self, request: web.Request, call: Call) -> Json:
        said = self.said.get(request.match_info["id"])
        if said is None:
            raise _no(TAKEN_BACK)
        if said.edits == self.most_edits:
            raise _no(EDITED)
        said.content = self._taken(call)
        said.edits += 1
        return {"data": {}}

    def _react(self, request: web.Request, call: Call) -> Json:
        id_, emoji = f"r{next(self._numbers)}", call["reaction_type"]["emoji_type"]
        operator = {"operator_id": APP_ID, "operator_type": "app"}
        found = {"reaction_id": id_, "operator": operator, "reaction_type": call["reaction_type"]}
        self.reactions[id_] = found | {"message": request.match_info["id"]}
        self.had.append((request.match_info["id"], emoji))
        return {"data": found}

    def _reactions(self, request: web.Request, call: Call) -> Json:
        items = [
            one
            for one in self.reactions.values()
            if one["message"] == request.match_info["id"]
            and one["reaction_type"]["emoji_type"] == call["reaction_type"]
        ]
        return {"data": {"items": items, "has_more": False}}

    def _unreact(self, request: web.Request, _call: Call) -> Json:
        del self.reactions[request.match_info["reaction"]]
        return {"data": {}}

    def _upload(self, request: web.Request, call: Call) -> Json:
        kind = "image" if request.path.endswith("images") else "file"
        sent = call.files[kind]
        key = f"{kind}_{next(self._numbers)}"
        name = str(call["file_name"] or sent.name)
        self.uploads[key] = Upload(name, str(call["file_type"] or "image"), sent.data)
        return {"data": {f"{kind}_key": key}}

    async def _download(self, request: web.Request) -> web.Response:
        self._check(request)
        file = self.files[request.match_info["key"]]
        kind = "image" if file.kind == "image" else "file"
        if request.query.get("type") != kind:
            raise _no(234001)
        return web.Response(body=file.data)

    # ---- the long connection

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        link = Link(written, understood)
        self._links.append(link)
        self.connections += 1
        for told in self.waiting:
            self._deliver(told)
        self.changed()
        try:
            return await link.serve(request, lambda frame: self._heard(link, frame))
        finally:
            self.changed()

    def _heard(self, link: Link, frame: Json) -> None:
        headers = frame["headers"]
        if frame["method"] == 0 and headers["type"] == "ping":
            assert frame["service"] == 33
            link.send({"headers": {"type": "pong"}, "payload": json.dumps(self._config).encode()})
        else:
            assert frame["told"]["code"] == 200
            assert "biz_rt" in headers
            assert (frame["SeqID"], frame["LogID"], frame["service"]) == (7, 2**60, 33)
            self.events[headers["message_id"]].answer = frame["told"]
        self.changed()


def _no(code: int) -> Refused:
    return Refused(400, {"code": code, "msg": f"no {code}"})
