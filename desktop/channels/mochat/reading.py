"""What Mochat tells, as things to deal with in their order; how far it is read is noted after each."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from desktop.channels.listening import understood
from desktop.channels.message import Received
from desktop.channels.mochat.chats import Chats, Read, dicts
from desktop.channels.mochat.incoming import ADDED, Json, Room, moment, received


async def _nothing() -> None:
    """Nothing has to be noted."""


@dataclass(frozen=True, slots=True)
class Told:
    """Something to deal with."""

    message: Received | None = None
    panel: str = ""
    """Where it came from, if that is a panel; alone: the pause there is over."""
    taken_back: str = ""
    """A message of the panel that was deleted."""
    detail: str | None = None
    """What is to be said of the way by which messages come; None for nothing new."""
    stored: Callable[[], Awaitable[None]] = _nothing
    """To be called once it is dealt with. Raises StorageError."""


class Reading:
    """Reads what comes, in all its shapes, for one agent."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats
        self._came: asyncio.Queue[Told | BaseException] = asyncio.Queue()

    async def next(self) -> Told:
        """What came next. Raises why nothing comes any more."""
        found = await self._came.get()
        if isinstance(found, BaseException):
            raise found
        return found

    def put(self, told: Told | BaseException) -> None:
        """Have something dealt with, or say why there is no more."""
        self._came.put_nowait(told)

    async def settled(self) -> None:
        """Wait until all that was put is dealt with."""
        dealt = asyncio.Event()

        async def tell() -> None:
            dealt.set()

        self.put(Told(stored=tell))
        await dealt.wait()

    # ---- sessions

    def batch(self, told: Json, since: float = 0.0) -> None:
        """Events of a session; what was written up to `since` is history."""
        id_ = str(told.get("sessionId") or "")
        if id_ not in self._chats.sessions:
            return
        for event in dicts(told.get("events")):
            number = event.get("seq")
            if since and not moment(event.get("timestamp")) > since:
                continue
            if message := understood(partial(self._added, id_, event), None):
                noted = partial(self._read_to, id_, number) if isinstance(number, int) else _nothing
                self.put(Told(message, stored=noted))
        if isinstance(cursor := told.get("cursor"), int):
            self.put(Told(stored=partial(self._read_to, id_, cursor, whole=True)))

    def _added(self, id_: str, event: Json) -> Received | None:
        payload = event.get("payload")
        if event.get("type") != ADDED or not isinstance(payload, dict):
            return None
        if not identity(payload):
            payload = payload | {"messageId": f"event {event['seq']}"}
        self._chats.wrote(id_, str(payload.get("author") or ""))
        return received(payload, self._chats.room(id_, panel=False), event.get("timestamp"))

    async def _read_to(self, id_: str, cursor: int, *, whole: bool = False) -> None:
        """A session is read so far. `whole`: to the end of what was told; a server that counts anew tells
        of less than before."""
        read = await self._chats.read(id_)
        if read is None or whole or cursor > read.cursor:
            since = 0.0 if whole or read is None else read.since
            await self._chats.note(id_, Read(cursor, since))

    def inbox(self, told: Json) -> tuple[str, str]:
        """A notice of something in a private chat: its session, and what it is called where that is none
        that is listened to."""
        detail = told.get("payload")
        if told.get("type") != "message" or not isinstance(detail, dict) or detail.get("groupId"):
            return "", ""
        converse = str(detail.get("converseId") or "")
        id_ = self._chats.converses.get(converse, "")
        return (id_, "") if id_ in self._chats.sessions else ("", converse)

    # ---- panels

    def panel_events(self, told: Json) -> str:
        """Events of a panel; its ID where it is not listened to."""
        panel = str(told.get("sessionId") or "")
        if panel not in self._chats.panels:
            return panel
        for event in dicts(told.get("events")):
            payload = event.get("payload")
            if event.get("type") == ADDED and isinstance(payload, dict):
                self._said(panel, payload, event.get("timestamp"))
        return ""

    def notice(self, kind: str, told: Json) -> str:
        """A message of a panel was added, edited or deleted; the panel's ID where it is not listened to."""
        panel = str(told.get("converseId") or told.get("panelId") or "")
        if not told.get("groupId") or panel not in self._chats.panels:
            return panel if told.get("groupId") else ""
        if kind == "add":
            self._said(panel, told, told.get("createdAt"))
        elif kind == "update":
            room = self._room(panel, told)
            if message := understood(partial(received, told, room, told.get("createdAt")), None):
                self.put(Told(replace(message, edited=True), panel))
        elif id_ := identity(told):
            self.put(Told(panel=panel, taken_back=id_))
        return ""

    def page(self, panel: str, told: Json, read: Read | None) -> None:
        """What was said last in a panel, of which so much was read."""
        newest_first = dicts(told.get("messages"))
        said = sorted(reversed(newest_first), key=_written)  # of one moment, too  # noqa: C414
        group = told.get("groupId")
        for one in _after(said, read):
            self._said(panel, one | ({"groupId": group} if group else {}), one.get("createdAt"))

    def _said(self, panel: str, payload: Json, at: object) -> None:
        room = self._room(panel, payload)
        if message := understood(partial(received, payload, room, at), None):
            noted = partial(self._read_panel, panel, message.id, message.at)
            self.put(Told(message, panel, stored=noted))

    def _room(self, panel: str, payload: Json) -> Room:
        if group := payload.get("groupId"):
            self._chats.panels[panel] = str(group)
        return self._chats.room(panel, panel=True)

    async def _read_panel(self, panel: str, last: str, at: float) -> None:
        read = await self._chats.read(panel)
        if read is None or at >= read.since:
            await self._chats.note(panel, Read(since=at, last=last))


def changes_people(told: Json) -> bool:
    """Whether events of a session are about more than messages: somebody may have come."""
    return any(not str(one.get("type")).startswith("message.") for one in dicts(told.get("events")))


def _after(said: list[Json], read: Read | None) -> list[Json]:
    """What was said since, the oldest first."""
    if read is None:
        return []
    ids = [identity(one) for one in said]
    if read.last in ids:
        return said[ids.index(read.last) + 1 :]
    return [one for one in said if _written(one) > read.since]


def identity(message: Json) -> str:
    """The ID of a message."""
    return str(message.get("messageId") or message.get("_id") or "")


def _written(message: Json) -> float:
    return moment(message.get("createdAt"))
