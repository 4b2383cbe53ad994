"""What may still be said in a chat: QQ takes a bot's messages as replies to people's.

A message has at most five replies, within an hour in private and five minutes in a group: QQ says when
that is over, as clocks differ. Each reply has a number by which QQ drops a second try of it. All of it is
on disk before a reply is sent.
https://bot.q.qq.com/wiki/develop/api-v2/server-inter/message/send-receive/send.html
"""

import json
from dataclasses import dataclass, field
from typing import Any

from desktop.channels.message import Received
from desktop.channels.notes import Notes

_MOST = 5
_KEPT, _CHATS = 8, 200
"""Messages of a chat, and chats in memory; the others are on disk."""


@dataclass(slots=True)
class Asked:
    """A message that can be replied to."""

    id: str
    names: list[str] = field(default_factory=list)
    """Of its replies (Sending.once); the place of one is its number, from 1."""

    def number(self, name: str) -> int:
        """Of the reply with this name, which is one from now on."""
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name) + 1


@dataclass(slots=True)
class Chat:
    """One chat."""

    group: bool
    asked: list[Asked] = field(default_factory=list)
    """The newest is last."""

    def as_json(self) -> str:
        """For the notes."""
        return json.dumps([self.group, [[one.id, one.names] for one in self.asked]])

    @classmethod
    def of(cls, stored: str) -> "Chat":
        """The one that as_json() gave."""
        group, asked = json.loads(stored)
        return cls(bool(group), [Asked(*one) for one in asked])


class Replies:
    """The chats, by their ids."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._chats: dict[str, Chat] = {}

    async def came(self, message: Received) -> None:
        """Somebody wrote. Raises StorageError."""
        chat = await self.chat(message.where.chat) or Chat(message.group)
        if all(one.id != message.id for one in chat.asked):
            chat.asked.append(Asked(message.id))
            del chat.asked[:-_KEPT]
            await self._keep(message.where.chat, chat)

    async def chat(self, id_: str) -> Chat | None:
        """A chat; None where nobody ever wrote. Raises StorageError."""
        if id_ not in self._chats and (stored := await self._notes.get(_note(id_))):
            self._chats[id_] = Chat.of(stored)
        return self._chats.get(id_)

    async def reply(self, id_: str, name: str, to: str) -> dict[str, Any]:
        """What makes a message a reply, to be sent with it; nothing where none may be. `name`: the same for
        each try of it. `to`: the message that it answers, where it answers one: anything else leaves the
        last reply to an answer. Raises StorageError."""
        chat = await self.chat(id_)
        if chat is None:
            return {}
        most = _MOST if to else _MOST - 1
        open_ = [one for one in reversed(chat.asked) if name in one.names or len(one.names) < most]
        if not open_:
            return {}
        asked = max(open_, key=lambda one: (name in one.names, one.id == to))
        number = asked.number(name)
        await self._keep(id_, chat)
        return {"msg_id": asked.id, "msg_seq": number}

    async def over(self, id_: str, message: str) -> None:
        """QQ takes no more replies to a message, nor to older ones. Raises StorageError."""
        if chat := await self.chat(id_):
            ids = [one.id for one in chat.asked]
            del chat.asked[: ids.index(message) + 1]
            await self._keep(id_, chat)

    async def _keep(self, id_: str, chat: Chat) -> None:
        self._chats.pop(id_, None)
        self._chats[id_] = chat
        if len(self._chats) > _CHATS:
            del self._chats[next(iter(self._chats))]
        await self._notes.set(_note(id_), chat.as_json())


def _note(chat: str) -> str:
    return f"replies:{chat}"
