"""What we say, as Matrix's events."""

import hashlib
import json
import mimetypes
from pathlib import Path
from typing import Any

from desktop.channels.channel import NotDelivered
from desktop.channels.message import Sending
from desktop.text import _

type Json = dict[str, Any]

_KINDS = {"image": "m.image", "audio": "m.audio", "video": "m.video"}
_FALLBACK = 500
"""Characters of an edit that apps show which know no edits."""


def text(sending: Sending) -> Json:
    """A text, in both forms. It notifies nobody whom the agent happens to name."""
    part = sending.part
    made: Json = {"msgtype": "m.text", "body": part.plain, "m.mentions": {}}
    if part.markup:
        made |= {"format": "org.matrix.custom.html", "formatted_body": part.markup}
    return made


def edit(id_: str, sending: Sending) -> Json:
    """What takes the place of a message."""
    return {
        "msgtype": "m.text",
        "body": f"* {sending.part.plain[:_FALLBACK]}",
        "m.mentions": {},
        "m.new_content": text(sending),
        "m.relates_to": {"rel_type": "m.replace", "event_id": id_},
    }


def file(path: Path, uri: str, keys: Json | None, info: Json) -> Json:
    """A file that was uploaded; `keys`: with what it was encrypted."""
    kind = _KINDS.get(str(info["mimetype"]).partition("/")[0], "m.file")
    made: Json = {"msgtype": kind, "body": path.name, "filename": path.name, "info": info, "m.mentions": {}}
    return made | ({"file": keys | {"url": uri}} if keys else {"url": uri})


def related(sending: Sending, *, group: bool) -> Json:
    """Where it belongs: into a thread, or below the question where others write, too."""
    thread, reply = sending.where.thread, sending.reply
    if thread:
        to = {"event_id": reply or thread}
        relation = {"rel_type": "m.thread", "event_id": thread, "m.in_reply_to": to}
        return {"m.relates_to": relation | {"is_falling_back": True}}
    if reply and group:
        return {"m.relates_to": {"m.in_reply_to": {"event_id": reply}}}
    return {}


def once(sending: Sending, salt: str, edits: str = "") -> str | None:
    """The same for each try of a part: the server drops a second one of a device. `salt` differs for each
    outbox, whose numbers begin anew with it."""
    if not sending.once:
        return None
    said = [] if sending.begins else [sending.part.plain, sending.part.file]
    told = [salt, sending.once, sending.where.session, edits, *said]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32]


def described(path: Path, most: int) -> Json:
    """What apps want to know of a file. Blocks. Raises NotDelivered where it is larger than `most` bytes,
    OSError."""
    kind, size = mimetypes.guess_type(path.name)[0] or "application/octet-stream", path.stat().st_size
    if size > most:
        raise NotDelivered(_("The file is too large."))
    info: Json = {"mimetype": kind, "size": size}
    if kind.startswith("image/"):
        info |= _measured(path)
    return info


def _measured(path: Path) -> Json:
    from PIL import Image

    try:
        with Image.open(path) as picture:
            return {"w": picture.width, "h": picture.height}
    except Exception:  # whatever it is, it is no picture
        return {}
