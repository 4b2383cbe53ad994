"""DingTalk's messages as ours: https://open.dingtalk.com/document/orgapp/receive-message."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from desktop.channels.message import Address, Attachment, Received

if TYPE_CHECKING:
    from desktop.channels.dingtalk.link import Link

type Json = dict[str, Any]

_GROUP = "2"
_NAMES = {"picture": "picture.jpg", "audio": "voice.amr", "video": "video.mp4"}


@dataclass(frozen=True, slots=True)
class Hook:
    """What a chat can be written to with."""

    group: bool
    robot: str
    """The robot's code."""
    staff: bool
    """The person is of the organization; others are reached by the address alone."""
    url: str = ""
    until: float = 0.0
    """When the address ends, Unix time."""


@dataclass(frozen=True, slots=True)
class Told:
    """A message, and how its chat is answered."""

    message: Received
    hook: Hook


@dataclass(frozen=True, slots=True)
class Event:
    """What came by a link. `id`: what it is acknowledged by, there."""

    link: "Link"
    id: str
    told: Told | None = None


def received(text: str, *, isolated: bool) -> Told | None:
    """A message of somebody; None for what is nothing to read. `isolated`: each person of a group has a
    conversation."""
    data: Json = json.loads(text)
    group = str(data.get("conversationType")) == _GROUP
    staff = str(data.get("senderStaffId") or "")
    sender = staff or _kept(str(data.get("senderId") or ""))
    chat = str(data.get("conversationId") or "") if group else sender
    words, files = _content(data)
    if not (sender and chat) or not (words or files):
        return None
    message = Received(
        Address("dingtalk", chat, sender if group and isolated else ""),
        str(data["msgId"]),
        sender,
        str(data.get("senderNick") or f"DingTalk …{sender[-4:]}"),
        words,
        group=group,
        mentioned=group,  # it tells of no others
        quoted=_quoted(data),
        files=tuple(files),
        at=float(data.get("createAt") or 0) / 1000,
    )
    until = float(data.get("sessionWebhookExpiredTime") or 0) / 1000
    robot, url = str(data.get("robotCode") or ""), str(data.get("sessionWebhook") or "")
    return Told(message, Hook(group, robot, group or bool(staff), url, until))


def _kept(outsider: str) -> str:
    """The id of somebody of another organization, without what parts the keys of conversations."""
    return outsider.replace(":", "_")


def _content(data: Json) -> tuple[str, list[Attachment]]:
    kind, robot = str(data.get("msgtype") or ""), str(data.get("robotCode") or "")
    if kind == "text":
        return str((data.get("text") or {}).get("content") or "").strip(), []
    content = data.get("content") or {}
    if kind == "richText":
        parts = content.get("richText") or ()
        words = "".join(str(part.get("text") or "") for part in parts).strip()
        return words, [found for part in parts for found in _file(part, robot, "picture")]
    words = str(content.get("recognition") or "").strip() if kind == "audio" else ""
    return words, [] if words else _file(content, robot, kind)


def _file(given: Json, robot: str, kind: str) -> list[Attachment]:
    name = str(given.get("fileName") or _NAMES.get(kind, "file"))
    size = int(given.get("fileSize") or 0)
    if code := given.get("downloadCode") or given.get("pictureDownloadCode"):
        return [Attachment(name, size, ref=f"{robot} {code}")]
    link = given.get("downloadUrl") or given.get("picURL")
    return [Attachment(name, size, ref=str(link))] if link else []


def _quoted(data: Json) -> str:
    """What it answers, where that is not the robot's own."""
    answered = (data.get("text") or {}).get("repliedMsg") or {}
    if answered.get("senderId") == data.get("chatbotUserId"):
        return ""
    content = answered.get("content") or {}
    parts = content.get("richText") or ()
    return str(content.get("text") or "".join(str(part.get("text") or "") for part in parts)).strip()
