"""Slack's envelopes as messages: a mention of the bot is not part of the text."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import unescape
from typing import Any

from desktop.channels.message import Address, Attachment, Pressed, Received

type Json = dict[str, Any]

_OF_PEOPLE = ("", "file_share", "thread_broadcast", "me_message")
_LINK = re.compile(r"<([^<>|]+)(?:\|([^<>]*))?>")


@dataclass(frozen=True, slots=True)
class Frame:
    """One envelope. `id` is empty for what wants no acknowledgement."""

    id: str
    message: Received | None = None
    pressed: Pressed | None = None
    answer: str = ""
    """Where the person who pressed is told what came of it."""
    links: int = 1
    """How many connections of the app Slack counts."""


def frame(envelope: Json, me: str, name: Callable[[str], str], *, threads: bool) -> Frame:
    """An envelope. `name` gives a person's name by their id; `threads`: questions in channels begin one."""
    if envelope.get("type") == "hello":
        return Frame("", links=int(envelope.get("num_connections") or 1))
    payload = envelope.get("payload") or {}
    id_ = str(envelope.get("envelope_id") or "")
    if envelope.get("type") == "interactive" and payload.get("type") == "block_actions":
        return _pressed(id_, payload)
    event = payload.get("event") or {}
    if envelope.get("type") != "events_api" or event.get("type") not in ("message", "app_mention"):
        return Frame(id_)
    sender = str(event.get("user") or "")
    edited = event.get("subtype") == "message_changed"
    if edited:
        event = _changed(event)
        sender = str(event.get("user") or "")
    if (
        not sender
        or event.get("bot_id")
        or sender == me
        or str(event.get("subtype") or "") not in _OF_PEOPLE
    ):
        return Frame(id_)
    return Frame(id_, replace(_received(event, sender, me, name, threads=threads), edited=edited))


def _changed(event: Json) -> Json:
    """The message as it is now; nothing where its words are the same, as when Slack adds a preview."""
    new, old = event.get("message") or {}, event.get("previous_message") or {}
    if not new.get("edited") or new.get("text") == old.get("text"):
        return {}
    return {name: event.get(name) for name in ("channel", "channel_type")} | new


def _received(event: Json, sender: str, me: str, name: Callable[[str], str], *, threads: bool) -> Received:
    raw, ts = str(event.get("text") or ""), str(event.get("ts") or "")
    private = event.get("channel_type") == "im" or str(event.get("channel", "")).startswith("D")
    thread = str(event.get("thread_ts") or ("" if private or not threads else ts))
    mentioned = f"<@{me}>" in raw
    files = tuple(
        Attachment(
            str(file.get("name") or "file"),
            int(file.get("size") or 0),
            ref=str(file.get("url_private_download") or file.get("url_private") or ""),
        )
        for file in event.get("files") or ()
    )
    return Received(
        Address("slack", str(event.get("channel", "")), thread),
        ts,
        sender,
        name(sender),
        plain(raw.replace(f"<@{me}>", "", 1), name),
        group=not private,
        mentioned=mentioned,
        files=files,
        at=float(ts or 0),
    )


def _pressed(id_: str, payload: Json) -> Frame:
    actions = payload.get("actions") or [{}]
    channel = str((payload.get("channel") or {}).get("id") or "")
    sender = str((payload.get("user") or {}).get("id") or "")
    pressed = Pressed(Address("slack", channel), sender, str(actions[0].get("value") or ""))
    return Frame(id_, pressed=pressed, answer=str(payload.get("response_url") or ""))


def plain(text: str, name: Callable[[str], str]) -> str:
    """A text as people see it: names for ids, links as they are."""

    def shown(found: re.Match[str]) -> str:
        target, words = found[1], found[2]
        if target.startswith("@"):
            return f"@{words or name(target[1:])}"
        if target.startswith(("#", "!")):
            return f"{target[0].replace('!', '@')}{words or target[1:]}"
        return f"{words} ({target})" if words and words != target else target

    return unescape(_LINK.sub(shown, text)).strip()
