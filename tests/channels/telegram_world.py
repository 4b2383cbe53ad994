"""What the Telegram of the tests knows: chats, messages, files, and the updates that wait for the bot."""

import asyncio
import mimetypes
import re
import time
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import NoReturn

from tests.channels.loopback import Json, Refused, Upload
from tests.channels.telegram_html import units

_MARKED = re.compile(r"(?P<bot_command>(?<!\S)/[A-Za-z0-9_]+(?:@\w+)?)|(?P<mention>(?<!\w)@\w{3,})")
_NOT_BY_ITSELF = ("chat_member", "message_reaction", "message_reaction_count")
"""What a bot hears only when it asks for it by name."""


def no(status: int, description: str, **parameters: int) -> NoReturn:
    """Refuse a call as the Bot API does."""
    body: Json = {"ok": False, "error_code": status, "description": description}
    raise Refused(status, body | ({"parameters": parameters} if parameters else {}))


def marked(text: str) -> list[Json]:
    """Commands and mentions, which Telegram marks by itself."""
    return [
        {"type": str(one.lastgroup), "offset": units(text[: one.start()]), "length": units(one[0])}
        for one in _MARKED.finditer(text)
    ]


@dataclass
class World:
    """All that is known; `next_id` numbers whatever has a number."""

    me: Json
    chats: dict[int, Json] = field(default_factory=dict)
    messages: dict[tuple[int, int], Json] = field(default_factory=dict)
    files: dict[str, Upload] = field(default_factory=dict)
    topics: set[tuple[int, int]] = field(default_factory=set)
    blocked: set[int] = field(default_factory=set)
    moved: dict[int, int] = field(default_factory=dict)
    """Groups that became supergroups, and which."""
    reactions: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    drafts: dict[tuple[int, int], str] = field(default_factory=dict)
    commands: list[Json] = field(default_factory=list)
    queries: set[str] = field(default_factory=set)
    """Presses of buttons that nobody answered yet."""
    _numbers: "count[int]" = field(default_factory=lambda: count(101))

    def next_id(self) -> int:
        """A new number."""
        return next(self._numbers)

    def message(self, chat: Json, sender: Json, **more: object) -> Json:
        """A new message in a chat."""
        self.chats.setdefault(int(chat["id"]), chat)
        made: Json = {"message_id": self.next_id(), "date": int(time.time()), "chat": chat, "from": sender}
        made |= more
        self.messages[int(chat["id"]), made["message_id"]] = made
        return made

    def keep(self, data: bytes, name: str, kind: str = "") -> Json:
        """A file, as messages name it."""
        number = self.next_id()
        guessed = mimetypes.guess_type(name)[0] or "application/octet-stream"
        self.files[f"file-{number}"] = Upload(name, kind or guessed, data)
        return {"file_id": f"file-{number}", "file_unique_id": f"unique-{number}", "file_size": len(data)}

    def path_of(self, file_id: str) -> str:
        """Where a file can be fetched, below the address for files."""
        ending = self.files[file_id].name.rpartition(".")[2]
        return f"documents/{file_id}.{ending}"


SECOND = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
_WEBHOOK = (
    "Conflict: can't use getUpdates method while webhook is active; "
    "use deleteWebhook to delete the webhook first"
)


@dataclass
class _Poll:
    ended: tuple[int, str] | None = None


class Updates:
    """What waits for the bot, and the long poll that fetches it.

    An update comes again and again until a poll has an offset above it. Of two polls at a time the older
    one ends with 409, as when two programs have one token.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self.waiting: list[Json] = []
        self.polls = 0
        """How many polls wait at this moment."""
        self.webhook = ""
        self._again: list[Json] = []
        self._wanted: list[str] | None = None
        self._changed = changed
        self._poll: _Poll | None = None
        self._arrived = asyncio.Event()
        self._numbers = count(900_000_001)

    def add(self, kind: str, content: Json, number: int | None = None) -> Json:
        """A new update. With a number of its own it may come out of order."""
        update: Json = {
            "update_id": next(self._numbers) if number is None else number,
            kind: deepcopy(content),
        }
        wanted = self._wanted
        if kind in wanted if wanted else kind not in _NOT_BY_ITSELF:
            self.waiting.append(update)
            self._tell()
        return update

    def again(self, update: Json) -> None:
        """Deliver an update once more, although it was acknowledged."""
        self._again.append(update)
        self._tell()

    def interrupt(self, status: int = 409, why: str = SECOND) -> None:
        """End the poll that waits; as it is, as another program's poll does."""
        if self._poll is not None:
            self._poll.ended = (status, why)
        self._tell()

    def _tell(self) -> None:
        self._arrived.set()
        self._changed()

    async def poll(self, fields: Json) -> list[Json]:
        """What waits, as soon as something does."""
        if self.webhook:
            no(409, _WEBHOOK)
        self.interrupt()
        if fields.get("allowed_updates") is not None:
            self._wanted = fields["allowed_updates"]
        self._confirm(int(fields.get("offset") or 0))
        mine = self._poll = _Poll()
        self.polls += 1
        self._changed()
        try:
            async with asyncio.timeout(min(float(fields.get("timeout") or 0), 50) or 0.001):
                while not (found := self._found(fields)):
                    self._arrived.clear()
                    await self._arrived.wait()
                    if mine.ended is not None:
                        no(*mine.ended)
                return found
        except TimeoutError:
            return []
        finally:
            self.polls -= 1
            self._poll = None if self._poll is mine else self._poll

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            self.waiting = self.waiting[offset:]
        elif offset:
            self.waiting = [one for one in self.waiting if one["update_id"] >= offset]

    def _found(self, fields: Json) -> list[Json]:
        again, self._again = self._again, []
        return [*again, *self.waiting][: int(fields.get("limit") or 100)]


def person(number: int, name: str, username: str = "", **more: object) -> Json:
    """Somebody on Telegram."""
    named: Json = {"username": username} if username else {}
    return {"id": number, "is_bot": False, "first_name": name, "language_code": "en"} | named | more


def private(somebody: Json) -> Json:
    """The chat of the bot with somebody."""
    kept: Iterable[str] = ("id", "first_name", "username")
    return {key: somebody[key] for key in kept if key in somebody} | {"type": "private"}
