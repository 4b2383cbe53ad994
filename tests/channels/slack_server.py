"""Slack on this machine: the Web API, Socket Mode, and the people who write to the bot."""

import json
import re
from typing import Self

from aiohttp import web

from tests.channels.loopback import Call, Fault, Json, Loopback, Upload, as_json, read
from tests.channels.slack_methods import SCOPES, Methods, decoded
from tests.channels.slack_socket import Envelope, SocketMode
from tests.channels.slack_world import APP, BOT, TEAM, World, no, user

BOT_TOKEN, APP_TOKEN = "xoxb-1-1-tests", "xapp-1-A0000000001-1-tests"
ALICE, MALLORY = user("U0000ALICE", "Alice"), user("U00MALLORY", "Mallory")
EVENTS = frozenset({"message.im", "message.channels", "message.groups", "app_mention"})


class SlackServer(Loopback):
    """`base_url` is for the SDK's clients. `world` is what the service knows, `socket` what is on its way.

    A call is named by its method, `chat.postMessage`; `upload` and `response_url` are what has no method.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bot_token, self.app_token = BOT_TOKEN, APP_TOKEN
        self.scopes = set(SCOPES.values())
        self.events = set(EVENTS)
        """What the app is subscribed to."""
        self.revoked: set[str] = set()
        people = (ALICE, MALLORY, user(BOT, "Nano", bot=True))
        self.world = World({one["id"]: one for one in people})
        self.socket = SocketMode(self.changed)
        self._methods = Methods(self.world, self._tell)

    @property
    def base_url(self) -> str:
        """Where the methods are."""
        return f"{self.url}/api/"

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_route("*", "/api/{method}", self._call)
        router.add_get("/link/", self.socket.connect)
        router.add_post("/upload/{file}", self._upload)
        router.add_get("/files/{file}/{path:.*}", self._download)
        router.add_post("/response/{number}", self._respond)

    def name_of(self, request: web.Request) -> str:
        first = request.path.strip("/").partition("/")[0]
        return request.match_info.get("method") or {"response": "response_url", "files": "download"}.get(
            first, first
        )

    async def start(self) -> Self:
        await super().start()
        self.world.url = self.url
        return self

    async def stop(self) -> None:
        self.socket.end()
        await super().stop()

    # ---- what people do

    def channel(self, name: str = "general", *, private: bool = False, member: bool = True) -> Json:
        """A channel, with the bot in it if it is a member."""
        return self.world.channel(name, private=private, member=member)

    def direct(self, somebody: Json = ALICE) -> Json:
        """The channel of the bot with somebody."""
        return self.world.direct(str(somebody["id"]))

    def write(
        self,
        text: str = "hello",
        *,
        channel: Json | None = None,
        by: Json = ALICE,
        files: tuple[Upload, ...] = (),
        linked: tuple[Json, ...] = (),
        **more: object,
    ) -> list[Envelope]:
        """Somebody writes, to the bot if no channel is named; the events of it, of which a mention has two.

        `linked` are files that are with others, as Slack names them. `more` goes into the message:
        `thread_ts`, `subtype`, `bot_id`. `payload["event"]` is the message.
        """
        where = channel or self.direct(by)
        if files:
            made = [self.world.file(one.name, len(one.data), str(by["id"])) for one in files]
            kept = [self.world.fill(one["id"], file) for one, file in zip(made, files, strict=True)]
            more = {"files": kept, "subtype": "file_share"} | more
        elif linked:
            more = {"files": list(linked), "subtype": "file_share"} | more
        return self._tell(where, self.world.message(where, by, text, **more))

    def rewrite(self, event: Json, text: str) -> list[Envelope]:
        """Somebody edits what they wrote; `event` is that of the message."""
        channel = self.world.channels[event["channel"]]
        old = dict(self.world.messages[event["channel"], event["ts"]])
        edited = {"user": old["user"], "ts": self.world.next_ts()}
        new = self.world.messages[event["channel"], event["ts"]] = old | {"text": text, "edited": edited}
        changed = {"type": "message", "subtype": "message_changed", "hidden": True, "ts": edited["ts"]}
        return self._tell(channel, changed | {"message": new, "previous_message": old})

    def press(
        self, message: Json, channel: Json, action_id: str, value: str = "", by: Json = ALICE
    ) -> Envelope:
        """Somebody presses a button of a message."""
        action = {"type": "button", "action_id": action_id, "block_id": "b", "value": value}
        container = {"type": "message", "message_ts": message["ts"], "channel_id": channel["id"]}
        payload: Json = {"type": "block_actions", "actions": [action], "container": container}
        payload |= {"user": {"id": by["id"], "username": by["name"], "team_id": TEAM}, "message": message}
        payload |= {"channel": {"id": channel["id"]}, "api_app_id": APP, "team": {"id": TEAM}}
        return self.socket.push("interactive", payload | self._answerable())

    def command(
        self, command: str, text: str = "", *, channel: Json | None = None, by: Json = ALICE
    ) -> Envelope:
        """Somebody gives a slash command."""
        where = channel or self.direct(by)
        payload: Json = {"command": command, "text": text, "user_id": by["id"], "user_name": by["name"]}
        payload |= {"channel_id": where["id"], "team_id": TEAM, "api_app_id": APP}
        return self.socket.push("slash_commands", payload | self._answerable())

    def _answerable(self) -> Json:
        number = self.world.next_id("")
        return {
            "response_url": f"{self.url}/response/{number}",
            "trigger_id": number,
            "token": "verification",
        }

    def _tell(self, channel: Json, message: Json) -> list[Envelope]:
        """The events of a message, the bot's own ones too."""
        kind = "im" if channel["is_im"] else "group" if channel["is_private"] else "channel"
        event = message | {"channel": channel["id"], "channel_type": kind, "event_ts": message["ts"]}
        told = [event] if f"message.{kind}{'' if kind == 'im' else 's'}" in self.events else []
        mentioned = f"<@{BOT}>" in message.get("text", "") and message.get("user") != BOT and kind != "im"
        if mentioned and "app_mention" in self.events:
            told.append({key: value for key, value in event.items() if key != "channel_type"})
            told[-1]["type"] = "app_mention"
        return [self.socket.push("events_api", self._callback(one)) for one in told]

    def _callback(self, event: Json) -> Json:
        made: Json = {"type": "event_callback", "event_id": self.world.next_id("Ev"), "event": event}
        made |= {"team_id": TEAM, "api_app_id": APP, "event_time": int(float(event["event_ts"]))}
        return made | {"authorizations": [{"team_id": TEAM, "user_id": BOT, "is_bot": True}]}

    # ---- what goes wrong

    def revoke(self, token: str = BOT_TOKEN) -> None:
        """A token is revoked: calls are refused, and with the app's token the connections end."""
        self.revoked.add(token)
        if token == self.app_token:
            self.socket.recycle("link_disabled")

    def slow_down(self, name: str, seconds: int, times: int | None = 1) -> None:
        """429 for the next calls of this name."""
        body = json.dumps({"ok": False, "error": "ratelimited"}).encode()
        headers = {"Content-Type": "application/json", "Retry-After": str(seconds)}
        self.fail(name, Fault(429, body, headers), times)

    # ---- what is answered

    def _check(self, token: str, name: str) -> None:
        if not token:
            no("not_authed")
        if token in self.revoked:
            no("token_revoked")
        if token not in (self.bot_token, self.app_token):
            no("invalid_auth")
        if (token == self.app_token) != (name == "apps.connections.open") and name not in (
            "auth.test",
            "api.test",
        ):
            no("not_allowed_token_type")
        needed = SCOPES.get(name)
        if needed and needed not in self.scopes:
            no("missing_scope", needed=needed, provided=",".join(sorted(self.scopes)))

    async def _call(self, request: web.Request) -> web.StreamResponse:
        name = self.name_of(request)
        fields, files = await read(request)
        call = Call(name, decoded(fields), files, request.headers)
        token = re.sub(r"^Bearer ", "", request.headers.get("Authorization", "")) or str(
            call["token"] or ""
        )
        try:
            self._check(token, name)
            if name == "apps.connections.open":
                where = f"ws://127.0.0.1:{self.port}/link/?ticket={self.socket.ticket()}&app_id={APP}"
                call.result = {"ok": True, "url": where}
            else:
                call.result = self._methods.do(name, call)
        except Exception as refused:
            call.error = str(refused)
            raise
        finally:
            self.keep(call)
        return as_json(call.result, headers={"X-OAuth-Scopes": ",".join(sorted(self.scopes))})

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        number = request.match_info["file"]
        if number not in self.world.files or number in self.world.contents:
            return web.Response(status=404)
        if request.content_type == "multipart/form-data":
            _fields, files = await read(request)
            data = next(iter(files.values())).data
        else:
            data = await request.read()
        made = Upload(self.world.files[number]["name"], "application/octet-stream", data)
        self.world.fill(number, made)
        self.keep(Call("upload", {"file": number}, {"file": made}, request.headers))
        return web.Response(text=f"OK - {len(data)}")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Without a token Slack shows its page for signing in, with 200."""
        upload = self.world.contents.get(request.match_info["file"])
        if (
            request.headers.get("Authorization") != f"Bearer {self.bot_token}"
            or self.bot_token in self.revoked
        ):
            return web.Response(
                text="<!DOCTYPE html><html>Sign in to Slack</html>", content_type="text/html"
            )
        if upload is None:
            return web.Response(status=404)
        return web.Response(body=upload.data, headers={"Content-Type": upload.kind})

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        fields, _files = await read(request)
        self.keep(Call("response_url", fields))
        return web.Response(text="ok")
