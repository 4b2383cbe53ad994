"""Discord on this machine: REST, the gateway, and the people who write to the bot."""

import json
import re
from email.utils import formatdate

from aiohttp import web

from tests.channels.discord_gateway import Gateway, in_guild
from tests.channels.discord_rest import Rest
from tests.channels.discord_world import World, no, user
from tests.channels.loopback import Call, Fault, Json, Loopback, Upload, as_json, read

TOKEN = "test.discord.token-of-the-tests"
ALICE = user(4200000000000042, "Alice")
MALLORY = user(6600000000000066, "Mallory")
ME = user(9000000000000001, "Nano", bot=True)
API = "/api/v10"


class DiscordServer(Loopback):
    """`api` is for `discord.http.Route.BASE`, `gateway_url` for `DiscordWebSocket.DEFAULT_GATEWAY`.

    `world` is what the service knows, `gateway` has the sessions and what goes wrong with them. A call is
    named `POST channels/5001/messages`; its fields are those of the JSON, its files those of the form.
    """

    def __init__(self, token: str = TOKEN) -> None:
        super().__init__()
        self.token = token
        self.world = World(ME, users={one["id"]: one for one in (ME, ALICE, MALLORY)})
        self.gateway = Gateway(self.world, lambda given: given == self.token, self.changed)
        self._rest = Rest(self.world, self.gateway)

    @property
    def api(self) -> str:
        """Where the REST is."""
        return f"{self.url}{API}"

    @property
    def gateway_url(self) -> str:
        """Where the gateway is."""
        return f"ws://127.0.0.1:{self.port}/gateway/"

    def routes(self, router: web.UrlDispatcher) -> None:
        router.add_get("/gateway/", self.gateway.connect)
        router.add_get("/{path:attachments/.*}", self._download)
        router.add_route("*", API + "/{path:.*}", self._call)

    def name_of(self, request: web.Request) -> str:
        path = request.rel_url.raw_path
        return f"{request.method} {path.removeprefix(f'{API}/')}"

    async def start(self) -> "DiscordServer":
        await super().start()
        self.world.url, self.gateway.url = self.url, self.gateway_url
        return self

    # ---- what people do

    def direct(self, somebody: Json = ALICE) -> Json:
        """The channel of the bot with somebody."""
        return self.world.direct(somebody)

    def guild(self, name: str = "Friends", *people: Json) -> Json:
        """A server that the bot is in, with `channels[0]` to write in; `roles[1]` is the bot's."""
        made = self.world.guild(name, list(people) or [ALICE, MALLORY])
        self.gateway.dispatch("GUILD_CREATE", made)
        return made

    def thread(self, parent: Json, name: str = "Plans", owner: Json = ALICE) -> Json:
        """A thread that somebody opens."""
        made = self.world.thread(parent, name, owner)
        self.gateway.dispatch("THREAD_CREATE", made)
        return made

    def write(
        self,
        content: str = "hello",
        *,
        channel: Json | None = None,
        by: Json = ALICE,
        answers: Json | None = None,
        files: tuple[Upload, ...] = (),
        **more: object,
    ) -> Json:
        """Somebody writes, to the bot if no channel is named; the message. `more` goes into it."""
        where = channel or self.direct(by)
        if files:
            more["attachments"] = [self.world.attach(where, one) for one in files]
        if answers is not None:
            more |= self.world.reply_to(answers)
        made = self.world.message(where, by, content, **more)
        self._tell("MESSAGE_CREATE", made, where, by)
        return made

    def again(self, message: Json) -> None:
        """Deliver a message once more."""
        self._tell("MESSAGE_CREATE", message, self.world.channels[message["channel_id"]], message["author"])

    def rewrite(self, message: Json, content: str) -> None:
        """Somebody edits what they wrote."""
        message |= {"content": content, "edited_timestamp": message["timestamp"]}
        self._tell("MESSAGE_UPDATE", message, self.world.channels[message["channel_id"]], message["author"])

    def press(self, message: Json, custom_id: str, by: Json = ALICE) -> Json:
        """Somebody presses a button below a message of the bot; the interaction."""
        data: Json = {"custom_id": custom_id, "component_type": 2}
        return self._interact(3, self.world.channels[message["channel_id"]], by, data, message=message)

    def command(
        self, name: str, options: list[Json] | None = None, *, channel: Json | None = None, by: Json = ALICE
    ) -> Json:
        """Somebody gives a slash command; the interaction."""
        known = next((one for one in self.world.commands if one["name"] == name), None)
        number = known["id"] if known else self.world.next_id()
        data: Json = {"id": number, "name": name, "type": 1, "options": options or []}
        return self._interact(2, channel or self.direct(by), by, data)

    def _interact(self, kind: int, channel: Json, by: Json, data: Json, **more: object) -> Json:
        number = self.world.next_id()
        made: Json = {"id": number, "application_id": ME["id"], "type": kind, "token": f"token-{number}"}
        made |= {"version": 1, "channel_id": channel["id"], "channel": channel, "data": data}
        made |= {"locale": "en-US", "entitlements": [], "authorizing_integration_owners": {}}
        made |= {"app_permissions": "8", "attachment_size_limit": 10485760, "context": 0} | more
        if in_guild(channel):
            member = self.world.member(by) | {"permissions": "8"}
            made |= {"guild_id": channel["guild_id"], "member": member, "guild_locale": "en-US"}
        else:
            made |= {"user": by, "context": 1}
        self.world.interactions[made["token"]] = made
        self.gateway.dispatch("INTERACTION_CREATE", made)
        return made

    def _tell(self, event: str, message: Json, channel: Json, by: Json) -> None:
        more: Json = {}
        if in_guild(channel):
            member = {key: value for key, value in self.world.member(by).items() if key != "user"}
            more = {"guild_id": channel["guild_id"], "member": member}
        self.gateway.dispatch(event, message | more, guild=in_guild(channel))

    # ---- what goes wrong

    def revoke(self) -> None:
        """The token is reset: calls are refused, connections closed with 4004."""
        self.token = ""
        self.gateway.close(4004)

    def slow_down(
        self, name: str, seconds: float, times: int | None = 1, *, everywhere: bool = False
    ) -> None:
        """429 for the next calls of this name."""
        body = {"message": "You are being rate limited.", "retry_after": seconds, "global": everywhere}
        headers = {
            "Content-Type": "application/json",
            "Via": "1.1 google",  # without it discord.py takes it for a ban
            "Retry-After": str(int(seconds) + 1),
            "X-RateLimit-Scope": "global" if everywhere else "user",
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Reset-After": str(seconds),
        }
        self.fail(name, Fault(429, json.dumps(body).encode(), headers), times)

    # ---- what is answered

    async def _call(self, request: web.Request) -> web.StreamResponse:
        name = self.name_of(request)
        call = await _understood(name, request)
        try:
            by_itself = re.match(r"\w+ (interactions|webhooks)/", name)  # the token is in the address
            if not by_itself and request.headers.get("Authorization") != f"Bot {self.token}":
                no(401, "401: Unauthorized", 0)
            call.result = self._rest.do(name, call)
        except Exception as refused:
            call.error = str(refused)
            raise
        finally:
            self.keep(call)
        answer = web.Response(status=204) if call.result is None else as_json(call.result)
        answer.headers["Date"] = formatdate(self.world.clock(), usegmt=True)
        return answer

    async def _download(self, request: web.Request) -> web.StreamResponse:
        found = self.world.files.get(request.match_info["path"])
        if found is None:
            return web.Response(status=404, text="This content is no longer available.")
        return web.Response(body=found.data, headers={"Content-Type": found.kind})


async def _understood(name: str, request: web.Request) -> Call:
    """A call with its JSON as fields, also where that is a part of a form; a list is the field `list`."""
    if request.content_type == "application/json" and (text := await request.text()).startswith("["):
        return Call(name, {"list": text}, headers=request.headers)
    fields, files = await read(request)
    if "payload_json" in fields:
        fields |= json.loads(fields.pop("payload_json"))
    return Call(name, fields, files, request.headers)
