"""DingTalk on this machine: the stream, tokens, addresses of chats, the robot's calls, files.

What is not acknowledged is told again, here at once to the next connection.
"""

import json
from itertools import count
from typing import Any

from aiohttp import web

from tests.channels.links import Link
from tests.channels.loopback import Call, Json, Loopback, Refused, Upload, as_json, read

CLIENT, SECRET = "dingtests0123", "dingtalk-secret-of-tests"
ALICE, MALLORY = "manager1", "staff9"
GROUP = "cidGROUP0000000000=="
MESSAGES = "/v1.0/im/bot/messages/get"
FOREVER = 9_000_000_000_000


class DingTalkServer(Loopback):
    """A call is named by its path: `/v1.0/robot/groupMessages/send`."""

    def __init__(self) -> None:
        super().__init__()
        self.secret = SECRET
        self.token, self.ticket = "token-1", ""
        self.opened = 0
        self.waiting: dict[str, Json] = {}
        """What was not acknowledged, by the ids of the messages."""
        self.acknowledged: list[Json] = []
        self.hooks: dict[str, str] = {}
        """The chats, by their addresses that are taken."""
        self.said: list[Json] = []
        """What the robot said, in order: to whom, by what, of what kind, which words."""
        self.uploads: dict[str, Upload] = {}
        self.files: dict[str, bytes] = {}
        self.elsewhere: dict[str, str] = {}
        """Where files are in truth."""
        self._links: list[Link] = []
        self._numbers = count(1)

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1.0/gateway/connections/open", self._open)
        router.add_post("/v1.0/oauth2/accessToken", self._log_in)
        router.add_get("/connect", self._connect)
        router.add_post("/v1.0/robot/messageFiles/download", self._where)
        router.add_post("/v1.0/robot/oToMessages/batchSend", self._send)
        router.add_post("/v1.0/robot/groupMessages/send", self._send)
        router.add_post("/robot/sendBySession", self._by_hook)
        router.add_post("/media/upload", self._upload)
        router.add_get("/files/{name}", self._download)

    def name_of(self, request: web.Request) -> str:
        return request.path

    # ---- what people do

    @property
    def links(self) -> list[Link]:
        """The connections that are open."""
        return [link for link in self._links if link.open]

    def write(
        self,
        text: str = "hello",
        /,
        *,
        by: str = ALICE,
        group: str = "",
        files: tuple[Upload, ...] = (),
        **more: Any,
    ) -> Json:
        """Somebody writes to the robot, in a group by its id; the message as DingTalk tells of it."""
        number = next(self._numbers)
        data: Json = {"msgId": f"msg{number}==", "createAt": 1_767_225_600_000, "robotCode": CLIENT}
        data |= {"conversationType": "2" if group else "1", "conversationId": group or f"cidP{by}"}
        data |= {"senderStaffId": by, "senderId": f"$:LWCP_v1:${by}", "senderNick": by.title()}
        data |= {"chatbotUserId": "$:LWCP_v1:$bot", "isInAtList": bool(group)}
        hook = f"{self.url}/robot/sendBySession?session={number}"
        self.hooks[str(number)] = group or by
        data |= {"sessionWebhook": hook, "sessionWebhookExpiredTime": FOREVER}
        if files:
            parts: list[Json] = [{"text": text}, *({"type": "file"} | self._kept(one) for one in files)]
            data |= {"msgtype": "richText", "content": {"richText": parts}}
        else:
            data |= {"msgtype": "text", "text": {"content": f" {text}" if group else text}}
        return self.tell(data | more)

    def tell(self, data: Json | str, topic: str = MESSAGES) -> Json:
        """A message, to one connection; it waits if there is none."""
        text = data if isinstance(data, str) else json.dumps(data)
        frame = self._frame("CALLBACK", topic, text)
        self.waiting[frame["headers"]["messageId"]] = frame
        for link in self.links[-1:]:
            link.send(frame)
        self.changed()
        return data if isinstance(data, dict) else {}

    def leave(self) -> Link:
        """DingTalk is about to end the newest connection; it."""
        link = self.links[-1]
        link.send(self._frame("SYSTEM", "disconnect", '{"reason": "connection is expired"}'))
        return link

    def ping(self) -> str:
        """DingTalk asks whether somebody is there; by which id."""
        frame = self._frame("SYSTEM", "ping", '{"opaque": "0x7a"}')
        for link in self.links:
            link.send(frame)
        return str(frame["headers"]["messageId"])

    def close(self, code: int = 1006) -> None:
        """Every connection ends without a word."""
        for link in self.links:
            link.close(1001 if code == 1006 else code)

    def freeze(self) -> None:
        """Every connection goes dead without being closed."""
        for link in self.links:
            link.freeze()

    def revoke(self) -> None:
        """The secret was made anew: the one of the tests is worth nothing."""
        self.secret, self.token = "another", f"token-{next(self._numbers)}"
        self.close()

    def _frame(self, kind: str, topic: str, data: str) -> Json:
        head = {"topic": topic, "messageId": f"h{next(self._numbers)}", "contentType": "application/json"}
        return {"specVersion": "1.0", "type": kind, "headers": head | {"time": "1"}, "data": data}

    def _kept(self, file: Upload) -> Json:
        code = f"code/{next(self._numbers)}+="
        self.files[code] = file.data
        return {"downloadCode": code, "fileName": file.name}

    # ---- the stream

    async def _open(self, request: web.Request) -> web.Response:
        body = await request.json()
        if (body["clientId"], body["clientSecret"]) != (CLIENT, self.secret):
            raise Refused(401, {"code": "authFailed", "message": "鉴权失败"})
        assert {"type": "CALLBACK", "topic": MESSAGES} in body["subscriptions"]
        self.ticket = f"ticket-{next(self._numbers)}="
        self.keep(Call(self.name_of(request), {}))
        return as_json({"endpoint": f"ws://{request.host}/connect", "ticket": self.ticket})

    async def _connect(self, request: web.Request) -> web.StreamResponse:
        if request.query.get("ticket") != self.ticket:
            raise web.HTTPUnauthorized
        self.ticket = ""
        self.opened += 1
        link = Link()
        self._links.append(link)
        for frame in self.waiting.values():
            link.send(frame)
        self.changed()
        try:
            return await link.serve(request, self._heard)
        finally:
            self.changed()

    def _heard(self, frame: Json) -> None:
        assert frame["code"] == 200
        self.waiting.pop(frame["headers"]["messageId"], None)
        self.acknowledged.append(frame)
        self.changed()

    # ---- what the robot asks

    async def _log_in(self, request: web.Request) -> web.Response:
        body = await request.json()
        if (body.get("appKey"), body.get("appSecret")) != (CLIENT, self.secret):
            raise Refused(
                400, {"code": "invalidClientIdOrSecret", "message": "无效的clientId或者clientSecret"}
            )
        self.keep(Call(self.name_of(request), {}))
        return as_json({"accessToken": self.token, "expireIn": 7200})

    def _check(self, request: web.Request) -> None:
        if request.headers.get("x-acs-dingtalk-access-token") != self.token:
            raise Refused(401, {"code": "InvalidAuthentication", "message": "不合法的access_token"})

    async def _send(self, request: web.Request) -> web.Response:
        self._check(request)
        fields = await request.json()
        assert fields["robotCode"] == CLIENT
        to = fields.get("openConversationId") or fields["userIds"][0]
        content, kind = json.loads(fields["msgParam"]), fields["msgKey"]
        if kind in ("sampleImageMsg", "sampleFile"):
            assert (content.get("photoURL") or content.get("mediaId")) in self.uploads
        text = content.get("text") or content.get("content") or ""
        self._say({"to": to, "by": "call", "kind": kind, "text": text, "content": content})
        self.keep(Call(self.name_of(request), fields))
        return as_json({"processQueryKey": f"key{next(self._numbers)}"})

    async def _by_hook(self, request: web.Request) -> web.Response:
        fields = await request.json()
        if (to := self.hooks.get(request.query["session"])) is None:
            return as_json({"errcode": 300001, "errmsg": "session 不存在"})
        content = fields[fields["msgtype"]]
        text = content.get("text") or content.get("content") or ""
        self._say({"to": to, "by": "hook", "kind": fields["msgtype"], "text": text, "content": content})
        self.keep(Call(self.name_of(request), fields))
        return as_json({"errcode": 0, "errmsg": "ok"})

    def _say(self, said: Json) -> None:
        if len(said["text"].encode("utf-8", "replace")) > 20_000:
            raise Refused(400, {"code": "param.tooLong", "message": "too long"})
        self.said.append(said)
        self.changed()

    async def _where(self, request: web.Request) -> web.Response:
        self._check(request)
        code = (await request.json())["downloadCode"]
        name = code.partition("/")[2].rstrip("+=")
        return as_json({"downloadUrl": f"{self.url}/files/{name}"})

    async def _download(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if place := self.elsewhere.get(name):
            raise web.HTTPFound(place)
        return web.Response(body=self.files[f"code/{name}+="])

    async def _upload(self, request: web.Request) -> web.Response:
        if request.query.get("access_token") != self.token:
            return as_json({"errcode": 40014, "errmsg": "不合法的access_token"})
        _fields, files = await read(request)
        file = files["media"]
        id_ = f"@lAD{next(self._numbers)}"
        self.uploads[id_] = Upload(file.name, request.query["type"], file.data)
        self.keep(Call(self.name_of(request), {}, files))
        return as_json({"errcode": 0, "errmsg": "ok", "media_id": id_, "type": request.query["type"]})
