"""WhatsApp's messages as ours."""

import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop.channels.message import Address, Attachment, Received
from desktop.channels.whatsapp.people import People, plain

type Json = Mapping[str, Any]

_MOST = 2000
_LONGEST_QUOTE = 300


@dataclass(frozen=True, slots=True)
class Me:
    """The account, by its phone number and its hidden ID."""

    account: str = ""
    other: str = ""
    name: str = ""

    def is_me(self, one: str) -> bool:
        """Whether an account is this one."""
        return bool(one) and plain(one) in {plain(self.account), plain(self.other)} - {""}


@dataclass(frozen=True, slots=True)
class Quote:
    """A message that one of ours may answer."""

    id: str
    sender: str
    text: str


class Recent:
    """The last messages, by their chat and id: an answer names who wrote what it answers."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], Quote] = OrderedDict()

    def came(self, chat: str, id_: str, sender: str, text: str) -> None:
        """One was received."""
        self._known[chat, id_] = Quote(id_, sender, text[:_LONGEST_QUOTE])
        if len(self._known) > _MOST:
            self._known.popitem(last=False)

    def get(self, chat: str, id_: str) -> Quote | None:
        """One of them."""
        return self._known.get((chat, id_))


async def received(message: Json, people: People, me: Me, recent: Recent) -> Received | None:
    """A message of somebody; None for those of the account itself, but in its chat with itself. Raises
    StorageError."""
    sender, other, group = message["sender"], message["other"], message["group"]
    await people.learn(sender, other)
    if message["mine"] and (group or not me.is_me(message["chat"])):
        return None
    id_, names = await people.id(sender), await people.names(sender, other)
    chat = await people.chat(message["chat"])
    text, named = _without_me(message["text"], message["mentions"], me)
    answers_us = me.is_me(message["quoted_by"]) and bool(message["quoted"])
    recent.came(chat, message["id"], sender, text)
    return Received(
        Address("whatsapp", chat),
        message["id"],
        id_,
        message["name"] or id_,
        text,
        aliases=tuple(name for name in names if name != id_),
        group=group,
        mentioned=named or answers_us,
        quoted="" if answers_us else message["quoted"],
        forwarded=message["forwarded"],
        edited=message["edited"],
        files=tuple(Attachment(one["name"], one["size"], ref=one["ref"]) for one in message["files"]),
        at=message["at"],
    )


def _without_me(text: str, mentions: list[str], me: Me) -> tuple[str, bool]:
    """The text without the account's own name, which it has as a number; whether it was there."""
    mine = [plain(one) for one in mentions if me.is_me(one)]
    for number in mine:
        text = re.sub(rf"@{re.escape(number)}\b ?", "", text).strip()
    return text, bool(mine)
