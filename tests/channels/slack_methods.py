"""Slack's Web API, with its limits and its complaints."""

import json
import re
from collections.abc import Callable

from tests.channels.loopback import Call, Json
from tests.channels.slack_world import BOT, BOT_ID, TEAM, World, no

TEXT, MARKDOWN, SECTION, BLOCKS = 40_000, 12_000, 3_000, 50
FILE = 1 << 30
SCOPES = {
    "chat.postMessage": "chat:write",
    "chat.update": "chat:write",
    "chat.delete": "chat:write",
    "reactions.add": "reactions:write",
    "reactions.remove": "reactions:write",
    "conversations.open": "im:write",
    "conversations.replies": "channels:history",
    "conversations.history": "channels:history",
    "conversations.info": "channels:read",
    "users.info": "users:read",
    "files.getUploadURLExternal": "files:write",
    "files.completeUploadExternal": "files:write",
    "assistant.threads.setStatus": "assistant:write",
}
"""What a bot must be allowed for a call."""


def decoded(fields: Json) -> Json:
    """Fields of a form as JSON would have them: lists and objects."""
    found = dict(fields)
    for name in ("blocks", "attachments", "files", "metadata"):
        if isinstance(found.get(name), str):
            found[name] = json.loads(found[name])
    return found


class Methods:
    """What each method does. `tell` publishes an event of a channel."""

    def __init__(self, world: World, tell: Callable[[Json, Json], object]) -> None:
        self._world, self._tell = world, tell
        self._table: dict[str, Callable[[Call], Json]] = {
            "api.test": lambda _call: {},
            "auth.test": self._who,
            "chat.postMessage": self._post,
            "chat.update": self._update,
            "chat.delete": self._delete,
            "reactions.add": self._react,
            "reactions.remove": self._unreact,
            "conversations.open": self._open,
            "conversations.info": lambda call: {"channel": self._channel(call)},
            "conversations.replies": self._replies,
            "conversations.history": self._history,
            "users.info": self._user,
            "files.getUploadURLExternal": self._upload_url,
            "files.completeUploadExternal": self._complete,
            "files.info": lambda call: {"file": self._file(str(call["file"]))},
            "assistant.threads.setStatus": self._status,
        }

    def do(self, name: str, call: Call) -> Json:
        """Carry a call out. Raises Refused."""
        if name not in self._table:
            no("unknown_method", req_method=name)
        return {"ok": True} | self._table[name](call)

    def _who(self, _call: Call) -> Json:
        who = {"team": "Nano", "team_id": TEAM, "user": "nano", "user_id": BOT, "bot_id": BOT_ID}
        return who | {"url": "https://nano.slack.example/", "is_enterprise_install": False}

    def _user(self, call: Call) -> Json:
        if call["user"] not in self._world.users:
            no("user_not_found")
        return {"user": self._world.users[str(call["user"])]}

    def _channel(self, call: Call, field: str = "channel", *, write: bool = False) -> Json:
        number = str(call[field] or "")
        if number in self._world.users:
            return self._world.direct(number)
        channel = self._world.channels.get(number)
        if channel is None:
            no("channel_not_found")
        if write and channel["is_archived"]:
            no("is_archived")
        if write and not channel["is_member"]:
            no("not_in_channel")
        return channel

    # ---- messages

    def _words(self, call: Call) -> Json:
        """What a message says. Raises Refused."""
        text, markdown, blocks = call["text"], call["markdown_text"], call["blocks"] or []
        if markdown and (text or blocks):
            no("markdown_text_conflict")
        if not (text or markdown or blocks or call["attachments"]):
            no("no_text")
        if len(text or "") > TEXT or len(markdown or "") > MARKDOWN:
            no("msg_too_long")
        if len(blocks) > BLOCKS:
            no("invalid_blocks", errors=[f"no more than {BLOCKS} items allowed [json-pointer:/blocks]"])
        for place, block in enumerate(blocks):
            _check_block(place, block)
        said: Json = {"text": text or markdown or ""}
        return said | {name: call[name] for name in ("blocks", "attachments", "metadata") if call[name]}

    def _post(self, call: Call) -> Json:
        channel, thread = self._channel(call, write=True), call["thread_ts"]
        if thread and (channel["id"], thread) not in self._world.messages:
            no("thread_not_found")
        said = self._words(call)
        made = self._world.message(
            channel, self._world.users[BOT], said.pop("text"), thread_ts=thread, **said
        )
        self._world.statuses.pop((channel["id"], str(thread)), None)
        self._tell(channel, made)
        return {"channel": channel["id"], "ts": made["ts"], "message": made}

    def _mine(self, call: Call, verb: str) -> tuple[Json, Json]:
        channel = self._channel(call, write=True)
        message = self._world.messages.get((channel["id"], str(call["ts"])))
        if message is None:
            no("message_not_found")
        if message["user"] != BOT:
            no(f"cant_{verb}_message")
        return channel, message

    def _update(self, call: Call) -> Json:
        channel, message = self._mine(call, "update")
        old = dict(message)
        if call["blocks"] is None and call["text"]:
            message.pop("blocks", None)
        message |= self._words(call) | {"edited": {"user": BOT, "ts": self._world.next_ts()}}
        changed = {
            "type": "message",
            "subtype": "message_changed",
            "hidden": True,
            "ts": message["edited"]["ts"],
        }
        self._tell(channel, changed | {"message": dict(message), "previous_message": old})
        return {"channel": channel["id"], "ts": message["ts"], "text": message["text"], "message": message}

    def _delete(self, call: Call) -> Json:
        channel, message = self._mine(call, "delete")
        del self._world.messages[channel["id"], message["ts"]]
        return {"channel": channel["id"], "ts": message["ts"]}

    def _reacted(self, call: Call) -> tuple[str, Json]:
        name = str(call["name"] or "")
        message = self._world.messages.get((self._channel(call)["id"], str(call["timestamp"])))
        if message is None:
            no("message_not_found")
        if not re.fullmatch(r"[a-z0-9_+'-]+", name):
            no("invalid_name")
        return name, message

    def _react(self, call: Call) -> Json:
        name, message = self._reacted(call)
        reactions: list[Json] = message.setdefault("reactions", [])
        if any(one["name"] == name and BOT in one["users"] for one in reactions):
            no("already_reacted")
        reactions.append({"name": name, "users": [BOT], "count": 1})
        return {}

    def _unreact(self, call: Call) -> Json:
        name, message = self._reacted(call)
        mine = [one for one in message.get("reactions", ()) if one["name"] == name and BOT in one["users"]]
        if not mine:
            no("no_reaction")
        message["reactions"].remove(mine[0])
        return {}

    # ---- channels and threads

    def _open(self, call: Call) -> Json:
        people = str(call["users"] or "").split(",")
        if not all(one in self._world.users for one in people):
            no("user_not_found")
        if len(people) > 1:
            no("invalid_arguments")
        return {"channel": {"id": self._world.direct(people[0])["id"]}, "no_op": True}

    def _page(self, call: Call, found: list[Json]) -> Json:
        start, limit = int(call["cursor"] or 0), int(call["limit"] or 100)
        more = start + limit < len(found)
        cursor = {"next_cursor": str(start + limit) if more else ""}
        return {"messages": found[start : start + limit], "has_more": more, "response_metadata": cursor}

    def _replies(self, call: Call) -> Json:
        found = self._world.thread(self._channel(call)["id"], str(call["ts"]))
        if not found:
            no("thread_not_found")
        return self._page(call, found)

    def _history(self, call: Call) -> Json:
        number = self._channel(call)["id"]
        found = [one for (where, _), one in self._world.messages.items() if where == number]
        tops = [one for one in found if one.get("thread_ts") in (None, one["ts"])]
        return self._page(call, tops[::-1])

    def _status(self, call: Call) -> Json:
        channel, thread = self._channel(call, "channel_id"), str(call["thread_ts"])
        if (channel["id"], thread) not in self._world.messages:
            no("thread_not_found")
        self._world.statuses[channel["id"], thread] = str(call["status"])
        return {}

    # ---- files

    def _file(self, number: str) -> Json:
        if number not in self._world.files:
            no("file_not_found")
        return self._world.files[number]

    def _upload_url(self, call: Call) -> Json:
        name, length = call["filename"], int(call["length"] or 0)
        if not name or length <= 0:
            no("invalid_arguments")
        if length > FILE:
            no("file_upload_size_restricted")
        made = self._world.file(str(name), length, BOT)
        return {"upload_url": f"{self._world.url}/upload/{made['id']}", "file_id": made["id"]}

    def _complete(self, call: Call) -> Json:
        files = [self._file(str(one["id"])) for one in call["files"] or ()]
        if not files:
            no("invalid_arguments")
        for one, given in zip(files, call["files"], strict=True):
            upload = self._world.contents.get(one["id"])
            if upload is None or len(upload.data) != one["size"]:
                no("file_not_found")
            one["title"] = given.get("title") or one["name"]
        if call["channel_id"]:
            channel = self._channel(call, "channel_id", write=True)
            sender, text = self._world.users[BOT], str(call["initial_comment"] or "")
            more: Json = {"files": files, "subtype": "file_share", "thread_ts": call["thread_ts"]}
            self._tell(channel, self._world.message(channel, sender, text, **more))
        return {"files": files}


def _check_block(place: int, block: Json) -> None:
    """Refuse what is longer than Slack shows."""
    kind = block.get("type")
    if kind == "section" and len((block.get("text") or {}).get("text", "")) > SECTION:
        where = f"[json-pointer:/blocks/{place}/text/text]"
        no("invalid_blocks", errors=[f"must be less than {SECTION + 1} characters {where}"])
    if kind == "markdown" and len(block.get("text", "")) > MARKDOWN:
        no("invalid_blocks", errors=[f"must be less than {MARKDOWN + 1} characters"])
    if kind not in ("section", "markdown", "divider", "actions", "context", "header", "image", "rich_text"):
        no("invalid_blocks", errors=[f"unsupported type: {kind} [json-pointer:/blocks/{place}/type]"])
    for element in block.get("elements", ()) if kind == "actions" else ():
        if len(str(element.get("value", ""))) > 2000 or len(str(element.get("action_id", ""))) > 255:
            no("invalid_blocks", errors=["must be less than 2001 characters"])
