"""QQ's messages as ours: https://bot.q.qq.com/wiki/develop/api-v2/server-inter/message/send-receive/event.html."""

import base64
import binascii
import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from desktop.channels.message import Address, Attachment, Received

type Json = dict[str, Any]

_PRIVATE, _MENTION, _GROUP = "C2C_MESSAGE_CREATE", "GROUP_AT_MESSAGE_CREATE", "GROUP_MESSAGE_CREATE"
_FACE = re.compile(r'<faceType=\d+,faceId="[^"]*",ext="([^"]*)">')
_NAMED = re.compile(r"<@!?(\w+)>")
_LONGEST_FACE = 2000
_ENDINGS = {"voice": ".silk", "image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif"}


@dataclass(frozen=True, slots=True)
class Event:
    """What came by the gateway. `number`: how far it is with it, once it is stored."""

    number: int
    message: Received | None = None


def received(kind: str, data: Json) -> Received | None:
    """A message of somebody; None for every other event."""
    if kind not in (_PRIVATE, _MENTION, _GROUP):
        return None
    author, private = data.get("author") or {}, kind == _PRIVATE
    sender = str(author.get("user_openid" if private else "member_openid") or author.get("id") or "")
    chat = sender if private else str(data.get("group_openid") or "")
    if not (sender and chat) or author.get("bot"):
        return None
    text, named = _plain(data)
    return Received(
        Address("qq", chat),
        str(data["id"]),
        sender,
        str(author.get("username") or f"QQ …{sender[-4:]}"),
        text,
        group=not private,
        mentioned=kind == _MENTION or named,
        files=tuple(_file(one) for one in data.get("attachments") or () if one.get("url")),
        at=_moment(data.get("timestamp")),
    )


def _plain(data: Json) -> tuple[str, bool]:
    """The text as people see it, without the name of the bot; whether that was there."""
    mentions = {
        str(one.get("member_openid") or one.get("id") or ""): one for one in data.get("mentions") or ()
    }
    ours = {id_ for id_, one in mentions.items() if one.get("is_you")}

    def name(found: re.Match[str]) -> str:
        if found[1] in ours:
            return ""
        known = mentions.get(found[1])
        return f"@{known.get('username') or found[1]}" if known else found[0]

    text = _NAMED.sub(name, str(data.get("content") or ""))
    return _FACE.sub(_face, text).strip(), bool(ours)


def _face(found: re.Match[str]) -> str:
    """One of QQ's own faces, by its name."""
    try:
        named = json.loads(base64.b64decode(found[1][:_LONGEST_FACE])).get("text")
    except (ValueError, AttributeError, binascii.Error):
        return ""
    return f"[{named}]" if named else ""


def _file(given: Json) -> Attachment:
    url = str(given["url"])
    url = url if "://" in url else f"https:{url}"
    kind = str(given.get("content_type") or "")
    name = str(given.get("filename") or "") or f"file{_ENDINGS.get(kind, '')}"
    return Attachment(name, int(given.get("size") or 0), ref=url)


def _moment(told: object) -> float:
    try:
        return datetime.fromisoformat(str(told)).timestamp()
    except ValueError:
        return 0.0
