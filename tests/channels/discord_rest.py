"""Discord's REST, version 10, with its limits and its complaints."""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from tests.channels.discord_gateway import Gateway, in_guild
from tests.channels.discord_world import DM, World, no, now
from tests.channels.loopback import Call, Json

CONTENT, FILE = 2000, 10 * 1024 * 1024
MESSAGE_CONTENT_LIMITED = 1 << 19
type Act = Callable[..., Any]


class Rest:
    """What each address does."""

    def __init__(self, world: World, gateway: Gateway) -> None:
        self._world, self._gateway = world, gateway
        number = r"(\d+)"
        message = rf"channels/{number}/messages/{number}"
        self._table: list[tuple[str, Act]] = [
            ("GET users/@me", self._me),
            ("GET (?:oauth2/)?applications/@me", self._application),
            ("GET gateway(?:/bot)?", self._find_gateway),
            (f"GET users/{number}", self._user),
            ("POST users/@me/channels", self._direct),
            (
                f"GET guilds/{number}",
                lambda _call, guild: self._known(self._world.guilds, guild, "Guild", 10004),
            ),
            (f"GET channels/{number}", lambda _call, channel: self._channel(channel)),
            (f"GET channels/{number}/messages", self._history),
            (f"POST channels/{number}/messages", self._send),
            (f"GET {message}", lambda _call, _channel, one: self._message(one)),
            (f"PATCH {message}", self._edit),
            (f"DELETE {message}", self._delete),
            (f"POST channels/{number}/typing", lambda _call, channel: self._writable(channel) and None),
            (f"PUT {message}/reactions/([^/]+)/@me", self._react),
            (f"DELETE {message}/reactions/([^/]+)/@me", self._unreact),
            (f"POST channels/{number}/threads", self._thread),
            (f"POST {message}/threads", self._thread),
            (rf"(?:GET|PUT|POST) applications/{number}(?:/guilds/{number})?/commands", self._commands),
            (rf"POST interactions/{number}/([\w-]+)/callback", self._callback),
            (rf"POST webhooks/{number}/([\w-]+)", self._follow_up),
            (rf"PATCH webhooks/{number}/([\w-]+)/messages/(@original|\d+)", self._edit_response),
            (
                rf"DELETE webhooks/{number}/([\w-]+)/messages/@original",
                lambda _call, _me, token: self._asked(token) and None,
            ),
        ]

    def do(self, name: str, call: Call) -> Any:
        """Carry a call out; None is answered with 204. Raises Refused."""
        for pattern, act in self._table:
            if found := re.fullmatch(pattern, name):
                return act(call, *found.groups())
        return no(404, "404: Not Found", 0)

    # ---- what there is

    def _me(self, _call: Call) -> Json:
        return self._world.me | {"flags": 0, "mfa_enabled": True, "locale": "en-US", "verified": True}

    def _application(self, _call: Call) -> Json:
        me, allowed = self._world.me, self._gateway.privileged & (1 << 15)
        made: Json = {
            "id": me["id"],
            "name": me["username"],
            "icon": None,
            "description": "",
            "summary": "",
        }
        made |= {"bot_public": True, "bot_require_code_grant": False, "verify_key": "0" * 64, "team": None}
        return made | {"owner": me, "bot": me, "flags": MESSAGE_CONTENT_LIMITED if allowed else 0}

    def _find_gateway(self, _call: Call) -> Json:
        limit = {"total": 1000, "remaining": 999, "reset_after": 14400000, "max_concurrency": 1}
        return {"url": self._gateway.url, "shards": 1, "session_start_limit": limit}

    def _known(self, among: dict[str, Json], number: str, what: str, code: int) -> Json:
        if number not in among:
            no(404, f"Unknown {what}", code)
        return among[number]

    def _channel(self, number: str) -> Json:
        return self._known(self._world.channels, number, "Channel", 10003)

    def _message(self, number: str) -> Json:
        return self._known(self._world.messages, number, "Message", 10008)

    def _writable(self, number: str) -> Json:
        channel = self._channel(number)
        if channel["type"] == DM and channel["recipients"][0]["id"] in self._world.closed:
            no(403, "Cannot send messages to this user", 50007)
        if number in self._world.closed:
            no(403, "Missing Permissions", 50013)
        return channel

    def _user(self, _call: Call, number: str) -> Json:
        return self._known(self._world.users, number, "User", 10013)

    def _direct(self, call: Call) -> Json:
        return self._world.direct(self._user(call, str(call["recipient_id"])))

    # ---- messages

    def _history(self, call: Call, channel: str) -> list[Json]:
        self._channel(channel)
        found = [one for one in self._world.messages.values() if one["channel_id"] == channel]
        if call["before"]:
            found = [one for one in found if int(one["id"]) < int(call["before"])]
        if call["after"]:
            found = [one for one in found if int(one["id"]) > int(call["after"])]
            return found[: int(call["limit"] or 50)][::-1]
        return found[::-1][: int(call["limit"] or 50)]

    def _content(self, call: Call, channel: Json) -> Json:
        """What a message says and has. Raises Refused."""
        content = str(call["content"] or "")
        if len(content) > CONTENT:
            problem = {"code": "BASE_TYPE_MAX_LENGTH", "message": f"Must be {CONTENT} or fewer in length."}
            no(400, "Invalid Form Body", 50035, errors={"content": {"_errors": [problem]}})
        if any(len(one.data) > FILE for one in call.files.values()):
            no(413, "Request entity too large", 40005)
        said: Json = {"attachments": [self._world.attach(channel, one) for one in call.files.values()]}
        for name in ("embeds", "components", "flags"):
            said |= {name: call[name]} if call[name] is not None else {}
        if not (content or said["attachments"] or said.get("embeds") or said.get("components")):
            no(400, "Cannot send an empty message", 50006)
        return said | {"content": content}

    def _send(self, call: Call, number: str) -> Json:
        channel = self._writable(number)
        nonce = str(call["nonce"] or "")
        if call["enforce_nonce"] and nonce in self._world.nonces:
            return self._world.nonces[nonce]
        said = self._content(call, channel)
        if reference := call["message_reference"]:
            answered = self._world.messages.get(str(reference["message_id"]))
            if answered is not None:
                told = (call["allowed_mentions"] or {}).get("replied_user", True)
                said |= self._world.reply_to(answered) | ({} if told else {"silent": True})
            elif reference.get("fail_if_not_exists", True):
                problem = {"code": "REPLIES_UNKNOWN_MESSAGE", "message": "Unknown message"}
                no(400, "Invalid Form Body", 50035, errors={"message_reference": {"_errors": [problem]}})
        made = self._world.message(channel, self._world.me, said.pop("content"), **said)
        self._quiet(made, call)
        if nonce:
            self._world.nonces[nonce] = made
        self._tell("MESSAGE_CREATE", made, channel)
        return made

    def _quiet(self, message: Json, call: Call) -> None:
        """Nobody is told whom `allowed_mentions` leaves out."""
        message.pop("silent", None)
        allowed = call["allowed_mentions"]
        if allowed is None:
            return
        parse, named = allowed.get("parse", []), {str(one) for one in allowed.get("users", [])}
        answered = (message.get("referenced_message") or {}).get("author", {}).get("id")
        if "users" not in parse:
            kept = {*named, answered} if allowed.get("replied_user") else named
            message["mentions"] = [one for one in message["mentions"] if one["id"] in kept]
        if "roles" not in parse:
            named = {str(one) for one in allowed.get("roles", [])}
            message["mention_roles"] = [one for one in message["mention_roles"] if one in named]
        message["mention_everyone"] = message["mention_everyone"] and "everyone" in parse

    def _tell(self, event: str, message: Json, channel: Json) -> None:
        more = {"guild_id": channel["guild_id"]} if in_guild(channel) else {}
        self._gateway.dispatch(event, message | more, guild=in_guild(channel))

    def _edit(self, call: Call, number: str, message: str) -> Json:
        channel, old = self._writable(number), self._message(message)
        if old["author"]["id"] != self._world.me["id"]:
            no(403, "Cannot edit a message authored by another user", 50005)
        if call["content"] is None and not call.files:
            call = Call(call.name, call.fields | {"content": old["content"]}, call.files)
        new = self._content(call, channel)
        kept = {str(one["id"]) for one in call["attachments"] or old["attachments"]}
        new["attachments"] += [one for one in old["attachments"] if one["id"] in kept]
        old |= new | {"edited_timestamp": now()}
        self._tell("MESSAGE_UPDATE", old, channel)
        return old

    def _delete(self, _call: Call, number: str, message: str) -> None:
        channel, old = self._writable(number), self._message(message)
        del self._world.messages[message]
        gone = {"id": old["id"], "channel_id": number}
        self._tell("MESSAGE_DELETE", gone, channel)

    def _react(self, _call: Call, number: str, message: str, emoji: str) -> None:
        self._writable(number)
        self._message(message)
        if unquote(emoji).isascii() and ":" not in unquote(emoji):
            no(400, "Unknown Emoji", 10014)
        mine = self._world.reactions.setdefault(message, [])
        mine += [unquote(emoji)] if unquote(emoji) not in mine else []

    def _unreact(self, _call: Call, number: str, message: str, emoji: str) -> None:
        self._writable(number)
        mine = self._world.reactions.get(message, [])
        if unquote(emoji) not in mine:
            no(404, "Unknown Message", 10008)
        mine.remove(unquote(emoji))

    def _thread(self, call: Call, number: str, message: str = "") -> Json:
        parent = self._writable(number)
        if not in_guild(parent):
            no(400, "Cannot execute action on this channel type", 50024)
        if message in self._world.channels:
            no(400, "A thread has already been created for this message", 160004)
        made = self._world.thread(parent, str(call["name"]), self._world.me, message)
        self._gateway.dispatch("THREAD_CREATE", made | {"newly_created": True})
        return made

    # ---- buttons and commands

    def _commands(self, call: Call, application: str, guild: str | None) -> Any:
        if call.name.startswith("GET"):
            return self._world.commands
        given: list[Json] = json.loads(call["list"]) if call["list"] else [call.fields]
        if not all(re.fullmatch(r"[-_\w]{1,32}", one["name"]) for one in given):
            no(400, "Invalid Form Body", 50035, errors={"name": {"_errors": []}})
        number = {"application_id": application, "version": "1", "default_member_permissions": None}
        number |= {"guild_id": guild} if guild else {}
        made = [{"type": 1, "options": []} | one | number | {"id": self._world.next_id()} for one in given]
        replaced = call.name.startswith("PUT")
        self._world.commands = made if replaced else [*self._world.commands, *made]
        return made if replaced else made[0]

    def _asked(self, token: str) -> Json:
        return self._known(self._world.interactions, token, "interaction", 10062)

    def _callback(self, call: Call, number: str, token: str) -> Json | None:
        asked, data = self._asked(token), Call(call.name, call["data"] or {}, call.files)
        if asked.get("answered"):
            no(400, "Interaction has already been acknowledged.", 40060)
        kind, channel = int(call["type"]), self._channel(asked["channel_id"])
        asked["answered"] = kind
        message: Json | None = None
        if kind == 4:
            said = self._content(data, channel)
            message = self._world.message(channel, self._world.me, said.pop("content"), **said)
            asked["response"] = message
        elif kind == 7 and "message" in asked:
            message = self._world.messages[asked["message"]["id"]]
            message |= {name: value for name, value in data.fields.items() if name in message}
            message["edited_timestamp"] = now()
        if not call["with_response"]:
            return None
        short: Json = {"id": number, "type": asked["type"], "response_message_loading": kind == 5}
        short |= {"response_message_id": message["id"]} if message else {}
        return {
            "interaction": short,
            "resource": {"type": kind} | ({"message": message} if message else {}),
        }

    def _follow_up(self, call: Call, _application: str, token: str) -> Json:
        asked = self._asked(token)
        channel = self._channel(asked["channel_id"])
        said = self._content(call, channel)
        return self._world.message(channel, self._world.me, said.pop("content"), **said)

    def _edit_response(self, call: Call, _application: str, token: str, message: str) -> Json:
        asked = self._asked(token)
        channel = self._channel(asked["channel_id"])
        if message == "@original" and "response" not in asked:
            said = self._content(call, channel)
            asked["response"] = self._world.message(channel, self._world.me, said.pop("content"), **said)
            return dict(asked["response"])
        number = asked["response"]["id"] if message == "@original" else message
        return self._edit(call, asked["channel_id"], number)
