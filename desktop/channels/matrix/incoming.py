"""Matrix's events as messages: a mention of the bot and the quote of a reply are not part of the text."""

import functools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from desktop.channels.message import Address, Attachment, Received

type Json = dict[str, Any]

_FILES = {
    "m.image": "picture.png",
    "m.file": "file",
    "m.audio": "audio.ogg",
    "m.video": "video.mp4",
    "m.sticker": "sticker.png",
}
_TEXTS = ("m.text", "m.emote", "m.location")
_QUOTE = re.compile(r"> (\* )?<@[^>\n]+>")
_PILL = re.compile(r"https://matrix\.to/#/(@[^\"'\s<>)?]+|%40[^\"'\s<>)?]+)")


@dataclass(frozen=True)
class Me:
    """The account, as rooms know it."""

    user: str
    name: str

    @functools.cached_property
    def pattern(self) -> str:
        """What people call it by, the longest first, for regular expressions."""
        local = self.user.partition(":")[0].removeprefix("@")
        found = sorted({self.user, self.name, local} - {""}, key=len, reverse=True)
        return "|".join(map(re.escape, found))


@dataclass(frozen=True, slots=True)
class Place:
    """The room of a message."""

    id: str
    private: bool
    """Nobody but the sender and the bot is in it."""
    name: Callable[[str], str]
    """Somebody's name there."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The message that another answers. `sender` is empty where it could not be had."""

    sender: str = ""
    text: str = ""


def is_message(event: Json, me: str) -> bool:
    """Whether somebody else said something: no edit of what is there, no notice of another bot."""
    content = _content(event)
    if event.get("sender") == me or _relation(content).get("rel_type") == "m.replace":
        return False
    if event.get("type") == "m.sticker":
        return True
    kind = str(content.get("msgtype"))
    return event.get("type") == "m.room.message" and (kind in _TEXTS or kind in _FILES)


def edits(event: Json, me: str) -> str:
    """The id of the message that somebody else puts another text in the place of."""
    relation = _relation(_content(event))
    if event.get("sender") == me or relation.get("rel_type") != "m.replace":
        return ""
    return str(relation.get("event_id") or "")


def edited(first: Json, edit: Json) -> Json | None:
    """A message as it is after its edit; None where the edit counts for nothing: servers let everybody edit
    everybody's."""
    new, old = _content(edit).get("m.new_content"), _content(first)
    same = all(first.get(name) == edit.get(name) for name in ("sender", "type"))
    if not (same and isinstance(new, dict)) or _relation(old).get("rel_type") == "m.replace":
        return None
    return first | {"content": new | {"m.relates_to": _relation(old)}}


def answers(event: Json) -> str:
    """The id of the message that it answers; what threads name for old apps is none."""
    relation = _relation(_content(event))
    if relation.get("rel_type") == "m.thread" and relation.get("is_falling_back"):
        return ""
    return str(_part(relation, "m.in_reply_to").get("event_id") or "")


def received(
    event: Json,
    place: Place,
    me: Me,
    answered: Answered,
    *,
    proved: bool,
    to_all: bool,
) -> Received:
    """A message. `proved`: it came as the room wants it, encrypted or not; `to_all`: what is said to
    everybody is said to the bot."""
    content, sender = _content(event), str(event["sender"])
    body = str(content.get("body") or "")
    text, quoted = _without_quote(body) if answers(event) else (body, "")
    files = _files(event, content)
    if files and not _captioned(content):
        text = ""
    named = _is_meant(content, text, me, to_all=to_all)
    of_bot = answered.sender == me.user
    if answered.sender:
        quoted = "" if of_bot or answered.sender == sender else answered.text
    return Received(
        Address("matrix", place.id, _thread(content)),
        str(event["event_id"]),
        sender,
        place.name(sender),
        _without_name(text, me, named=named).strip(),
        group=not place.private,
        mentioned=named or of_bot,
        quoted=quoted,
        outside=not proved,
        files=files,
        at=float(event.get("origin_server_ts") or 0) / 1000,
    )


def said(event: Json) -> Answered:
    """A message that is answered."""
    content = _content(event)
    body = str(content.get("body") or "")
    text = _without_quote(body)[0] if answers(event) else body
    return Answered(str(event.get("sender") or ""), text.strip())


def _part(whole: Json, name: str) -> Json:
    """A part of what somebody made up: whatever is no object is an empty one."""
    found = whole.get(name)
    return found if isinstance(found, dict) else {}


def _content(event: Json) -> Json:
    return _part(event, "content")


def _relation(content: Json) -> Json:
    return _part(content, "m.relates_to")


def _thread(content: Json) -> str:
    relation = _relation(content)
    return str(relation.get("event_id") or "") if relation.get("rel_type") == "m.thread" else ""


def _without_quote(body: str) -> tuple[str, str]:
    """What old apps put before a reply, for apps that know no replies, is cut off; the quote by itself."""
    if not _QUOTE.match(body):
        return body, ""
    lines = body.split("\n")
    count = next((number for number, line in enumerate(lines) if not line.startswith(">")), len(lines))
    quoted = "\n".join(line.removeprefix(">").removeprefix(" ") for line in lines[:count])
    return "\n".join(lines[count:]).lstrip("\n"), quoted.partition("> ")[2]


def _is_meant(content: Json, text: str, me: Me, *, to_all: bool) -> bool:
    """Whether it names the bot: as apps do, by a link to it, or by its name in front or behind an @."""
    mentions = _part(content, "m.mentions")
    users = mentions.get("user_ids")
    if isinstance(users, list) and me.user in users:
        return True
    if to_all and (mentions.get("room") is True or ("m.mentions" not in content and "@room" in text)):
        return True
    pills = _PILL.findall(str(content.get("formatted_body") or "") + " " + text)
    if me.user in map(unquote, pills) or me.user in text:
        return True
    return bool(re.match(rf"({me.pattern})[:,]", text, re.IGNORECASE)) or bool(
        re.search(rf"(?<!\w)@({me.pattern})\b", text, re.IGNORECASE)
    )


def _without_name(text: str, me: Me, *, named: bool) -> str:
    """The text without the bot's name in front. `named`: the app says that it is no word of the text."""
    user, end = re.escape(me.user), r"(?!\w)[:,]?" if named else "[:,]"
    link = rf"\[@?({me.pattern})\]\(https://matrix\.to/#/({user}|{re.escape(quote(me.user))})\)[:,]?"
    front = rf"\s*({link}|{user}(?!\w)[:,]?|@({me.pattern})(?!\w)[:,]?|({me.pattern}){end})\s*"
    return re.sub(f"^{front}", "", text, count=1, flags=re.IGNORECASE)


def _captioned(content: Json) -> bool:
    name = content.get("filename")
    return isinstance(name, str) and bool(name) and name != content.get("body")


def _files(event: Json, content: Json) -> tuple[Attachment, ...]:
    kind = "m.sticker" if event.get("type") == "m.sticker" else str(content.get("msgtype"))
    if kind not in _FILES:
        return ()
    name = content.get("filename") or content.get("body")
    size = _part(content, "info").get("size")
    return (
        Attachment(
            name if isinstance(name, str) and name and kind != "m.sticker" else _FILES[kind],
            size if isinstance(size, int) and size > 0 else 0,
            ref=json.dumps({name: content[name] for name in ("url", "file") if name in content}),
        ),
    )
