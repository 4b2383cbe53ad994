"""The methods of the Bot API, with its limits and its complaints."""

import io
import json
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

from PIL import Image, UnidentifiedImageError
from telegram.constants import ChatAction, ReactionEmoji

from tests.channels.loopback import Call, Json
from tests.channels.telegram_html import Unparsable, parse, units
from tests.channels.telegram_world import Updates, World, marked, no

TEXT, CAPTION = 4096, 1024
DOWNLOAD, UPLOAD = 20 * 1024 * 1024, 50 * 1024 * 1024
BUTTON = 64
_SAME = (
    "Bad Request: message is not modified: specified new message content and reply markup are exactly the "
    "same as a current content and reply markup of the message"
)
_NUMBERS = re.compile(r"-?\d{1,19}")


def decoded(fields: Json) -> Json:
    """Fields of a form as JSON would have them: numbers, lists, objects; texts as they are."""
    texts = ("text", "caption", "parse_mode", "callback_query_id", "file_id", "url")
    found: Json = {}
    for name, value in fields.items():
        found[name] = value
        if isinstance(value, str) and name not in texts:
            if _NUMBERS.fullmatch(value):
                found[name] = int(value)
            elif value[:1] in ("[", "{") or value in ("true", "false"):
                found[name] = json.loads(value)
    return found


class Methods:
    """What each method does. Their names are those of the Bot API in small letters."""

    def __init__(self, world: World, updates: Updates) -> None:
        self._world, self._updates = world, updates

    async def do(self, name: str, call: Call) -> Any:
        """Carry a call out. Raises Refused."""
        simple: dict[str, Callable[[Call], Any]] = {
            "getme": lambda _call: self._world.me,
            "sendmessage": self._send_message,
            "sendmessagedraft": self._draft,
            "editmessagetext": self._edit,
            "editmessagereplymarkup": self._edit,
            "deletemessage": self._delete,
            "sendchataction": self._action,
            "setmessagereaction": self._react,
            "setmycommands": self._set_commands,
            "getmycommands": lambda _call: self._world.commands,
            "deletemycommands": lambda _call: self._set_commands(Call("", {"commands": []})),
            "answercallbackquery": self._answer,
            "getfile": self._file,
            "sendmediagroup": self._album,
            "deletewebhook": self._delete_webhook,
            "getwebhookinfo": self._webhook,
            **{f"send{kind}": self._send_file for kind in _FILES},
        }
        waits: dict[str, Callable[[Call], Awaitable[Any]]] = {
            "getupdates": lambda call: self._updates.poll(call.fields)
        }
        if name in waits:
            return await waits[name](call)
        if name not in simple:
            no(404, "Not Found: method not found")
        return simple[name](call)

    # ---- messages

    def _chat(self, call: Call) -> Json:
        number = call["chat_id"]
        if number in self._world.moved:
            moved = self._world.moved[number]
            no(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=moved)
        if number in self._world.blocked:
            no(403, "Forbidden: bot was blocked by the user")
        chat = self._world.chats.get(number)
        if chat is None:
            no(400, "Bad Request: chat not found")
        thread = call["message_thread_id"]
        if thread is not None and (number, thread) not in self._world.topics:
            no(400, "Bad Request: message thread not found")
        return chat

    def _text(self, call: Call, field: str, most: int, too_long: str) -> Json:
        """A text or a caption as it is shown, with its entities."""
        text = str(call[field] or "")
        prefix = "caption_" if field == "caption" else ""
        entities: list[Json] = call[f"{prefix}entities"] or []
        mode = str(call["parse_mode"] or "").lower()
        if mode == "html":
            try:
                text, found = parse(text)
            except Unparsable as wrong:
                no(400, f"Bad Request: can't parse entities: {wrong}")
            extra = {"text_link": "url", "pre": "language", "custom_emoji": "custom_emoji_id"}
            for one in found:
                entity: Json = {"type": one.kind, "offset": one.offset, "length": one.length}
                if one.kind in extra and one.argument:
                    entity[extra[one.kind]] = one.argument
                entities.append(entity)
        elif mode:
            no(400, "Bad Request: unsupported parse_mode")
        if units(text) > most:
            no(400, too_long)
        return {field: text.rstrip(), f"{prefix}entities": entities or marked(text)}

    def _more(self, call: Call, chat: Json) -> Json:
        """What a message has besides its words."""
        more: Json = {}
        if call["message_thread_id"] is not None:
            more |= {"message_thread_id": call["message_thread_id"], "is_topic_message": True}
        if markup := call["reply_markup"]:
            _check_buttons(markup)
            more["reply_markup"] = markup
        reply = call["reply_parameters"]
        if reply:
            answered = self._world.messages.get((int(chat["id"]), int(reply["message_id"])))
            if answered is not None:
                short = {key: value for key, value in answered.items() if key != "reply_to_message"}
                more["reply_to_message"] = short
            elif not reply.get("allow_sending_without_reply"):
                no(400, "Bad Request: message to be replied not found")
        return more

    def _send_message(self, call: Call) -> Json:
        chat = self._chat(call)
        said = self._text(call, "text", TEXT, "Bad Request: message is too long")
        if not said["text"]:
            no(400, "Bad Request: message text is empty")
        return self._world.message(chat, self._world.me, **said, **self._more(call, chat))

    def _draft(self, call: Call) -> bool:
        chat = self._chat(call)
        if chat["type"] != "private" or not call["draft_id"]:
            no(400, "Bad Request: drafts can be sent to private chats only, and need an identifier")
        said = self._text(call, "text", TEXT, "Bad Request: message is too long")
        self._world.drafts[int(chat["id"]), int(call["draft_id"])] = said["text"]
        return True

    def _mine(self, call: Call, verb: str) -> Json:
        message = self._world.messages.get((int(self._chat(call)["id"]), int(call["message_id"] or 0)))
        if message is None:
            no(400, f"Bad Request: message to {verb} not found")
        if message["from"]["id"] != self._world.me["id"]:
            no(400, f"Bad Request: message can't be {verb.rstrip('e')}ed")
        return message

    def _edit(self, call: Call) -> Json:
        message = self._mine(call, "edit")
        markup = call["reply_markup"] or {}
        new: Json = {}
        if call.name.lower() == "editmessagetext":
            new = self._text(call, "text", TEXT, "Bad Request: MESSAGE_TOO_LONG")
            if not new["text"]:
                no(400, "Bad Request: message text is empty")
        _check_buttons(markup)
        if new.items() <= message.items() and (message.get("reply_markup") or {}) == markup:
            no(400, _SAME)
        message.pop("reply_markup", None)
        message |= new | ({"reply_markup": markup} if markup else {}) | {"edit_date": int(time.time())}
        return dict(message)

    def _delete(self, call: Call) -> bool:
        message = self._mine(call, "delete")
        del self._world.messages[int(message["chat"]["id"]), int(message["message_id"])]
        return True

    # ---- signs

    def _action(self, call: Call) -> bool:
        self._chat(call)
        if call["action"] not in list(ChatAction):
            no(400, "Bad Request: wrong parameter action in request")
        return True

    def _react(self, call: Call) -> bool:
        key = (int(self._chat(call)["id"]), int(call["message_id"]))
        emoji = [str(one.get("emoji")) for one in call["reaction"] or []]
        if key not in self._world.messages:
            no(400, "Bad Request: message to react not found")
        if any(one not in list(ReactionEmoji) for one in emoji) or len(emoji) > 1:
            no(400, "Bad Request: REACTION_INVALID")
        self._world.reactions[key] = emoji
        return True

    def _set_commands(self, call: Call) -> bool:
        commands: list[Json] = call["commands"]
        if not all(re.fullmatch(r"[a-z0-9_]{1,32}", one["command"]) for one in commands):
            no(400, "Bad Request: BOT_COMMAND_INVALID")
        if not all(1 <= len(one["description"]) <= 256 for one in commands) or len(commands) > 100:
            no(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID")
        self._world.commands = commands
        return True

    def _answer(self, call: Call) -> bool:
        if str(call["callback_query_id"]) not in self._world.queries:
            no(400, "Bad Request: query is too old and response timeout expired or query ID is invalid")
        self._world.queries.remove(str(call["callback_query_id"]))
        return True

    def _delete_webhook(self, call: Call) -> bool:
        self._updates.webhook = ""
        if call["drop_pending_updates"]:
            self._updates.waiting.clear()
        return True

    def _webhook(self, _call: Call) -> Json:
        waiting = len(self._updates.waiting)
        return {
            "url": self._updates.webhook,
            "has_custom_certificate": False,
            "pending_update_count": waiting,
        }

    # ---- files

    def _file(self, call: Call) -> Json:
        known = self._world.files.get(str(call["file_id"]))
        if known is None:
            no(400, "Bad Request: invalid file_id")
        if len(known.data) > DOWNLOAD:
            no(400, "Bad Request: file is too big")
        names = {"file_id": call["file_id"], "file_unique_id": f"u-{call['file_id']}"}
        return names | {
            "file_size": len(known.data),
            "file_path": self._world.path_of(str(call["file_id"])),
        }

    def _send_file(self, call: Call) -> Json:
        chat, kind = self._chat(call), call.name.lower().removeprefix("send")
        said = self._text(call, "caption", CAPTION, "Bad Request: message caption is too long")
        content = self._content(call, kind, call[kind] or f"attach://{kind}")
        more = self._more(call, chat)
        return self._world.message(
            chat, self._world.me, **content, **(said if said["caption"] else {}), **more
        )

    def _content(self, call: Call, kind: str, given: str) -> Json:
        """A file that was uploaded, or is here already, as a message has it."""
        name = given.removeprefix("attach://")
        if name != given:
            upload = call.files.get(name)
            if upload is None:
                no(400, f"Bad Request: there is no {kind} in the request")
            if len(upload.data) > UPLOAD:
                no(413, "Request Entity Too Large")
            if not upload.data:
                no(400, "Bad Request: file must be non-empty")
            kept = self._world.keep(upload.data, upload.name, upload.kind)
        elif given in self._world.files:
            kept = {"file_id": given, "file_unique_id": f"u-{given}"}
            upload = self._world.files[given]
        else:
            no(400, "Bad Request: wrong remote file identifier specified: Wrong character in the string")
        if kind == "photo":
            try:
                with Image.open(io.BytesIO(upload.data)) as picture:
                    return {"photo": [kept | {"width": picture.width, "height": picture.height}]}
            except UnidentifiedImageError:
                no(400, "Bad Request: IMAGE_PROCESS_FAILED")
        return {kind: kept | {"mime_type": upload.kind} | _FILES[kind](upload.name)}

    def _album(self, call: Call) -> list[Json]:
        chat, group = self._chat(call), f"album-{self._world.next_id()}"
        if not 2 <= len(call["media"]) <= 10:
            no(400, "Bad Request: wrong number of media in an album")
        made = []
        for one in call["media"]:
            part = Call("sendMediaGroup", one, call.files)
            said = self._text(part, "caption", CAPTION, "Bad Request: message caption is too long")
            content = self._content(part, str(one["type"]), str(one["media"])) | {"media_group_id": group}
            made.append(content | (said if said["caption"] else {}))
        more = self._more(call, chat)
        return [self._world.message(chat, self._world.me, **one, **more) for one in made]


_FILES: dict[str, Callable[[str], Json]] = {
    "photo": lambda _name: {},
    "document": lambda name: {"file_name": name},
    "audio": lambda name: {"file_name": name, "duration": 1},
    "voice": lambda _name: {"duration": 1},
    "video": lambda name: {"file_name": name, "duration": 1, "width": 320, "height": 240},
    "animation": lambda name: {"file_name": name, "duration": 1, "width": 320, "height": 240},
}
"""Kinds of files, and what a message says of one besides its size."""


def _check_buttons(markup: Json) -> None:
    for row in markup.get("inline_keyboard", ()):
        for button in row:
            if not 1 <= len(str(button.get("callback_data", "x")).encode()) <= BUTTON:
                no(400, "Bad Request: BUTTON_DATA_INVALID")
