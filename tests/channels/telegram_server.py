"""Telegram's Bot API on this machine, and the people who write to the bot."""

import json
import re
from typing import Any

from aiohttp import web

from tests.channels.loopback import Call, Fault, Json, Loopback, Upload, as_json, read
from tests.channels.telegram_methods import Methods, decoded
from tests.channels.telegram_world import SECOND, Updates, World, marked, no, person, private

TOKEN = "1234567890:AAExampleTokenOfTheTests-0123456789abc"
ALICE = person(42, "Alice", "alice")
MALLORY = person(66, "Mallory", "mallory")


class TelegramServer(Loopback):
    """`base_url` and `base_file_url` are for python-telegram-bot, `world` is what the service knows.

    Everything sent is in `calls`: fields as JSON, files by the name of their part, `result` the answer.
    """

    def __init__(self, token: str = TOKEN, username: str = "nano_bot") -> None:
        super().__init__()
        self.token = token
        me = person(1234567890, "Nano", username) | {"is_bot": True}
        for name in ("can_join_groups", "can_connect_to_business", "has_main_web_app"):
            me[name] = name == "can_join_groups"
        me |= {"can_read_all_group_messages": False, "supports_inline_queries": False}
        self.world = World(me)
        self.updates = Updates(self.changed)
        self._methods = Methods(self.world, self.updates)

    @property
    def base_url(self) -> str:
        """What comes before the token in the addresses of methods."""
        return f"{self.url}/bot"

    @property
    def base_file_url(self) -> str:
        """What comes before the token in the addresses of files."""
        return f"{self.url}/file/bot"

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_route("*", "/bot{token}/{method}", self._call)
        router.add_get("/file/bot{token}/{path:.*}", self._download)

    def name_of(self, request: web.Request) -> str:
        return request.match_info.get("method", "download")

    # ---- what people do

    def group(self, number: int = -1001000000001, title: str = "Friends", **more: object) -> Json:
        """A group that the bot is in. `is_forum=True` for one with topics."""
        kind = "supergroup" if str(number).startswith("-100") else "group"
        chat: Json = {"id": number, "type": kind, "title": title} | more
        self.world.chats[number] = chat
        return chat

    def write(
        self,
        text: str = "hello",
        *,
        chat: Json | None = None,
        by: Json = ALICE,
        number: int | None = None,
        **more: Any,
    ) -> Json:
        """Somebody writes, to the bot if no group is named; the update. `more` goes into the message.

        `number` is for an update that comes out of order.
        """
        said = {"text": text, "entities": marked(text)} if text else {}
        made = self.world.message(chat or private(by), by, **(said | more))
        return self.updates.add("message", made, number)

    def attach(
        self,
        kind: str,
        data: bytes,
        name: str = "file",
        *,
        chat: Json | None = None,
        by: Json = ALICE,
        **more: Any,
    ) -> Json:
        """Somebody sends a photo, document, voice, audio, video or sticker, with a `caption`."""
        kept = self.world.keep(data, name)
        sized: Json = {"width": 320, "height": 240}
        if kind == "photo":
            content: Json = {
                "photo": [kept | sized, self.world.keep(data, name) | {"width": 640, "height": 480}]
            }
        else:
            content = {kind: kept | {"mime_type": self.world.files[kept["file_id"]].kind}}
            content[kind] |= {"duration": 1} if kind in ("voice", "audio", "video") else {}
            content[kind] |= sized if kind in ("video", "sticker") else {}
            content[kind] |= {"file_name": name} if kind in ("document", "audio", "video") else {}
            if kind == "sticker":
                content[kind] |= {"type": "regular", "is_animated": False, "is_video": False, "emoji": "👍"}
        return self.write("", chat=chat, by=by, **content, **more)

    def rewrite(self, update: Json, text: str) -> Json:
        """Somebody edits what they wrote."""
        old = update["message"]
        message = old | {"text": text, "entities": marked(text), "edit_date": old["date"] + 1}
        self.world.messages[int(old["chat"]["id"]), int(old["message_id"])] = message
        return self.updates.add("edited_message", message)

    def press(self, message: Json, data: str, by: Json = ALICE) -> Json:
        """Somebody presses a button below a message of the bot."""
        query: Json = {"id": str(self.world.next_id()), "from": by, "chat_instance": "1"}
        self.world.queries.add(query["id"])
        return self.updates.add("callback_query", query | {"message": message, "data": data})

    def topic(self, chat: Json, name: str = "Plans", by: Json = ALICE) -> int:
        """A topic of a group; its number is the `message_thread_id` of what is written there."""
        thread = self.world.next_id()
        self.world.topics.add((int(chat["id"]), thread))
        created = {"name": name, "icon_color": 7322096}
        more: Json = {"message_thread_id": thread, "is_topic_message": True, "forum_topic_created": created}
        self.write("", chat=chat, by=by, **more)
        return thread

    def migrate(self, chat: Json, number: int = -1001000000999) -> Json:
        """A group becomes a supergroup: another number, and the old one is refused from now on."""
        new = self.group(number, str(chat["title"]))
        self.write("", chat=chat, migrate_to_chat_id=number)
        self.write("", chat=new, migrate_from_chat_id=chat["id"])
        self.world.moved[int(chat["id"])] = number
        return new

    # ---- what goes wrong

    def revoke(self) -> None:
        """The token is revoked: every call from now on is refused, the poll that waits as well."""
        self.token = ""
        self.updates.interrupt(401, "Unauthorized")

    def conflict(self, times: int | None = 1) -> None:
        """409 for the next polls, as while another program polls with the same token."""
        body = json.dumps({"ok": False, "error_code": 409, "description": SECOND}).encode()
        self.fail("getUpdates", Fault(409, body, {"Content-Type": "application/json"}), times)

    def slow_down(self, name: str, seconds: int, times: int | None = 1) -> None:
        """429 for the next calls of this name."""
        body: Json = {"ok": False, "error_code": 429, "parameters": {"retry_after": seconds}}
        body["description"] = f"Too Many Requests: retry after {seconds}"
        headers = {"Content-Type": "application/json"}
        self.fail(name, Fault(429, json.dumps(body).encode(), headers), times)

    # ---- what is answered

    def _check(self, token: str) -> None:
        if not re.fullmatch(r"\d+:[\w-]{30,}", token):
            no(404, "Not Found")
        if token != self.token:
            no(401, "Unauthorized")

    async def _call(self, request: web.Request) -> web.StreamResponse:
        name = self.name_of(request)
        fields, files = await read(request)
        call = Call(name, decoded(fields), files, request.headers)
        try:
            self._check(request.match_info["token"])
            call.result = await self._methods.do(name.lower(), call)
        except Exception as refused:
            call.error = str(refused)
            raise
        finally:
            if call.error or name != "getUpdates":
                self.keep(call)
        return as_json({"ok": True, "result": call.result})

    async def _download(self, request: web.Request) -> web.StreamResponse:
        self._check(request.match_info["token"])
        path = request.match_info["path"]
        known: dict[str, Upload] = {self.world.path_of(name): one for name, one in self.world.files.items()}
        if path not in known:
            no(404, "Not Found")
        self.keep(Call("download", {"path": path}))
        return web.Response(body=known[path].data, content_type="application/octet-stream")
