"""Feishu's events as ours: https://open.feishu.cn/document/server-docs/im-v1/message/events/receive,
https://open.feishu.cn/document/feishu-cards/card-callback-communication."""

import json
from dataclasses import dataclass
from typing import Any

from desktop.channels.feishu.content import content, names
from desktop.channels.message import Address, Attachment, Pressed, Received

type Json = dict[str, Any]

_MESSAGE, _BUTTON = "im.message.receive_v1", "card.action.trigger"


@dataclass(frozen=True, slots=True)
class Told:
    """What an event tells; nothing where it is none of ours."""

    message: Received | None = None
    pressed: Pressed | None = None
    answers: str = ""
    """The message that it is a reply to, where that is worth a look."""
    holds: bool = False
    """It stands for others, which have to be asked for."""


def told(payload: bytes, me: str, *, topics: bool) -> Told:
    """An event. `me`: the open_id of the bot; `topics`: each topic of a group is a conversation. Raises
    ValueError and others where it is odd."""
    found = json.loads(payload)
    kind, event = found["header"]["event_type"], found.get("event") or {}
    if kind == _BUTTON:
        return Told(pressed=_pressed(event))
    return _message(event, me, topics=topics) if kind == _MESSAGE else Told()


def _message(event: Json, me: str, *, topics: bool) -> Told:
    sender, message = event["sender"], event["message"]
    id_ = str(sender["sender_id"]["open_id"])
    if sender.get("sender_type") != "user" or id_ == me:
        return Told()
    group = message.get("chat_type") != "p2p"
    people, mentioned = names(message.get("mentions"), me)
    held = content(str(message.get("message_type")), str(message.get("content") or ""), people)
    own, root = str(message["message_id"]), str(message.get("root_id") or "")
    parent = str(message.get("parent_id") or "")
    forwarded = message.get("message_type") == "merge_forward"
    in_topic = bool(message.get("thread_id")) and parent == root
    received = Received(
        Address("feishu", str(message["chat_id"]), (root or own) if group and topics else ""),
        own,
        id_,
        shortened(id_),
        held.text,
        group=group,
        mentioned=mentioned,
        forwarded=forwarded,
        files=tuple(
            Attachment(file.name, 0, ref=f"{file.kind}/{own}/{file.key}") for file in held.files if file.key
        ),
        at=int(message.get("create_time") or 0) / 1000,
    )
    return Told(received, answers="" if in_topic else parent, holds=forwarded)


def shortened(id_: str) -> str:
    """Instead of a name that is not known."""
    return f"Feishu …{id_[-4:]}"


def _pressed(event: Json) -> Pressed:
    value = event["action"]["value"]
    chat = str((event.get("context") or {}).get("open_chat_id") or "")
    return Pressed(Address("feishu", chat), str(event["operator"]["open_id"]), str(value["data"]))
