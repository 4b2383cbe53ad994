"""Mochat's messages as ours.

They come in three shapes: as events of a session or panel, as notices, and as pages of what was said. Where
a message says which files it has is nowhere written; the names are those by which its clients send them.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from desktop.channels.message import Address, Attachment, Received

type Json = dict[str, Any]

ADDED = "message.add"
_MENTIONS = ("mentions", "mentionIds", "mentionedUserIds", "mentionedUsers")
_FILES = ("media", "mediaUrls", "attachments", "files", "images")
_MOST_NAME = 200


@dataclass(frozen=True, slots=True)
class Room:
    """Where a message was written, and how the agent is called there."""

    id: str
    me: str
    panel: bool = False
    several: bool = False
    """It has more than two people."""


def received(payload: Json, room: Room, at: object = None) -> Received | None:
    """A message of somebody else; None for the agent's own, and for what is nothing to read. `at`: when it
    was written, where that stands outside."""
    author, id_ = _text(payload.get("author")), _text(payload.get("messageId") or payload.get("_id"))
    words, files = _words(payload.get("content")), _files(payload)
    if not (author and id_) or author == room.me or not (words or files):
        return None
    about = payload.get("authorInfo")
    info: Json = about if isinstance(about, dict) else {}
    name = _text(info.get("nickname")) or _text(info.get("email")) or _text(info.get("agentId"))
    group = room.panel or room.several
    return Received(
        Address("mochat", room.id),
        id_,
        author,
        name or f"Mochat …{author[-4:]}",
        words.replace(f"<@{room.me}>", "", 1).strip(),
        group=group,
        mentioned=not room.panel or mentioned(payload, room.me),
        files=files,
        at=moment(at or payload.get("createdAt")),
    )


def mentioned(payload: Json, me: str) -> bool:
    """Whether a message is meant for the agent: by a mark, by its ID in the text, as a command."""
    meta = payload.get("meta")
    if isinstance(meta, dict):
        if meta.get("mentioned") is True or meta.get("wasMentioned") is True:
            return True
        if any(me in _ids(meta.get(name)) for name in _MENTIONS):
            return True
    words = _words(payload.get("content"))
    return f"@{me}" in words or words.startswith("/")


def moment(told: object) -> float:
    """A time as ISO 8601 has it, as Unix time; 0 for what is none."""
    try:
        found = datetime.fromisoformat(told) if isinstance(told, str) else None
    except ValueError:
        return 0.0
    if found is None:
        return 0.0
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _ids(found: object) -> list[str]:
    if not isinstance(found, list):
        return []
    return [
        _text(_first(one, "id", "userId", "_id")) if isinstance(one, dict) else _text(one) for one in found
    ]


def _first(found: Json, *names: str) -> object:
    return next((found[name] for name in names if found.get(name)), None)


def _text(found: object) -> str:
    return found.strip() if isinstance(found, str) else ""


def _words(content: object) -> str:
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, dict) and (text := _text(_first(content, "text", "content"))):
        return text
    return json.dumps(content, ensure_ascii=False) if content else ""


def _files(payload: Json) -> tuple[Attachment, ...]:
    meta = payload.get("meta")
    places = [payload, meta] if isinstance(meta, dict) else [payload]
    lists = [found for place in places for name in _FILES if isinstance(found := place.get(name), list)]
    return tuple(made for found in lists for one in found if (made := _file(one)))


def _file(one: object) -> Attachment | None:
    told: Json = one if isinstance(one, dict) else {"url": one}
    url, size = _text(_first(told, "url", "src")), told.get("size")
    if not url.startswith(("http://", "https://")):
        return None
    name = _text(_first(told, "name", "fileName")) or url.partition("?")[0].rpartition("/")[2] or "file"
    return Attachment(name[-_MOST_NAME:], size if isinstance(size, int) else 0, ref=url)
