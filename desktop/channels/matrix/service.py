"""Keeps a device of the account at work: asks what is new, stores it, and only then goes on from there."""

import asyncio
import json
import logging
import time
import uuid
from typing import TYPE_CHECKING, Any

from desktop.channels.channel import Given, Slower
from desktop.channels.listening import Listening
from desktop.channels.markup.matrix import LONGEST, MARKUP
from desktop.channels.markup.split import pieces
from desktop.channels.message import Abilities, Address, Known, Part, Sending
from desktop.config.channels.base import ANYBODY
from desktop.config.channels.matrix import Matrix as Settings
from desktop.errors import AppError, StorageError
from desktop.text import _

if TYPE_CHECKING:
    from desktop.channels.matrix.device import Device
    from desktop.channels.matrix.rooms import Heard, Invitation
    from desktop.channels.matrix.wire import News, Wire

_MOST_INVITATIONS = 100
_HELD_S = 60.0
"""How long messages whose key is late may hold up the note of where to go on."""
_log = logging.getLogger(__name__)


class Matrix(Listening["Wire"]):
    """One account."""

    abilities = Abilities(
        LONGEST,
        edit_every_s=1.5,
        chat_every_s=0.5,
        typing_every_s=25.0,
        reactions=True,
        once=True,
        uploads=50_000_000,
    )

    def __init__(self, given: Given) -> None:
        super().__init__("matrix", given)
        self._news: News | None = None
        """What came and is not stored yet."""
        self._asking = False
        """Whether it waits for the server, and handles nothing."""
        self._since, self._place = "", ""
        """Where to go on asking, and the name of its note."""
        self._noted = 0.0
        """When it was written, by the monotonic clock."""
        self._invited: dict[str, str] = {}
        """Rooms, and who wants the account there: strangers' wait until they are no strangers any more."""
        self._told: set[str] = set()
        """Rooms where it was said that something can't be read."""

    async def connect(self) -> "Wire":
        """A device of the account, which is made by the password where there is none."""
        settings, notes = self._settings, self._given.notes
        device = await self._given.load(_device, self._given)
        salt = await notes.get("salt") or uuid.uuid4().hex[:12]
        await notes.set("salt", salt)
        server, account = await device.open()
        try:
            wire = await self._given.load(_wire, server, account, settings, self._given.folder, salt)
        except BaseException:
            await server.close()
            raise
        self._place = f"since:{account.user}"
        try:
            if settings.e2ee_enabled:
                await device.has_keys(account)
        except BaseException:
            await wire.close()
            raise
        return wire

    async def sign_in(self, wire: "Wire") -> None:
        """Learn of the rooms, and what came since the end."""
        self._told.clear()
        await wire.who()
        self._invited = json.loads(await self._given.notes.get("invited") or "{}")
        self._news = await self._begin(wire)

    async def check(self) -> None:
        """A question that waits on a connection that died would wait on: ask anew."""
        await self.wire().who()
        if self._asking:
            await self.listen_anew()

    async def probe(self) -> Known:
        """Who the account is; a device that is made to find out is given up again."""
        return await (await self._given.load(_device, self._given)).probe()

    def largest(self) -> int:
        """As the settings have it."""
        return min(super().largest(), self._settings.max_media_bytes)

    async def typing(self, where: Address) -> None:
        """Shown for half a minute, or until something is sent."""
        if self.up.is_set():
            with self.calling() as wire:
                await wire.typing(where)

    async def private(self, sender: str) -> Address:
        """The room of the bot and one person, made where there is none."""
        return Address("matrix", await self.wire().direct(sender))

    def parts(self, text: str) -> list[tuple[str, str]]:
        """In Matrix's HTML."""
        return pieces(text, MARKUP, LONGEST)

    @property
    def _settings(self) -> Settings:
        return self._given.settings().matrix

    # ---- what comes

    async def _begin(self, wire: "Wire") -> "News":
        from desktop.channels.matrix.server import Refused

        since = await self._given.notes.get(self._place)
        try:
            return await wire.begin(since)
        except Refused as error:
            if not since:
                raise
            _log.warning("Matrix does not know any more where to go on: %s", error)
            return await wire.begin("")

    async def hear(self, wire: "Wire") -> None:
        """Ask again and again."""
        while True:
            try:
                if self._news:
                    await self._take(wire, self._news)
                self._news, self._asking = None, True
                self._news = await wire.more(self._since)
            except Slower as error:
                await asyncio.sleep(error.seconds)
            finally:
                self._asking = False

    async def _take(self, wire: "Wire", news: "News") -> None:
        """Store what came; where to go on is noted last: what was not stored comes again."""
        self.status.last_ok = time.time()
        await self._enter(wire, news.invitations)
        for heard in news.heard:
            await self._store(wire, heard)
        for heard in news.unreadable:
            await self._tell_unreadable(wire, heard)
        if wire.all_read or time.monotonic() - self._noted > _HELD_S:
            self._noted = time.monotonic()
            if await self._given.notes.get(self._place) != news.next:
                await self._given.notes.set(self._place, news.next)
        self._since = news.next

    async def _store(self, wire: "Wire", heard: "Heard") -> None:
        try:
            received = await wire.received(heard)
        except (AppError, OSError):
            raise
        except Exception:  # as listening.understood()
            _log.exception("an event of Matrix could not be understood")
            return
        if received is None:
            return
        self._told.discard(heard.room)
        try:
            await self.received(received)
        except StorageError as error:
            raise StorageError(
                _("A message from Matrix could not be stored. {reason}").format(reason=error.text),
                error.remedy,
            ) from error
        if not received.edited and (received.mentioned or not received.group):
            await wire.read(received.where, received.id)

    async def _tell_unreadable(self, wire: "Wire", heard: "Heard") -> None:
        """Somebody who may write hears once that it was in vain."""
        sender, alone = wire.sender(heard)
        if not (alone and self._knows(sender)) or heard.room in self._told:
            return
        self._told.add(heard.room)
        text = _("I could not decrypt your message. Send it again.")
        try:
            await wire.post(Sending(Address("matrix", heard.room), Part("", text), ""))
        except AppError as error:
            _log.info("nobody was told of a message that can't be read: %s", error)

    async def _enter(self, wire: "Wire", invitations: "list[Invitation]") -> None:
        """Go where people who may write want it; the others' invitations stay as they are."""
        from desktop.channels.matrix.server import Refused

        before = dict(self._invited)
        self._invited |= {one.room: one.by for one in invitations}
        groups = self._settings.group_allow_from
        for room, by in tuple(self._invited.items()):
            if self._knows(by) or room in groups:
                try:
                    await wire.join(room)
                except Refused as error:
                    _log.info("an invitation could not be accepted: %s", error)
                del self._invited[room]
        while len(self._invited) > _MOST_INVITATIONS:
            del self._invited[next(iter(self._invited))]
        if self._invited != before:
            await self._given.notes.set("invited", json.dumps(self._invited))

    def _knows(self, sender: str) -> bool:
        settings = self._settings
        return sender == settings.owner or bool({sender, ANYBODY} & set(settings.allow_from))


# What follows loads the libraries, which takes half a second: it is called in a thread.


def _device(given: Given) -> "Device":
    from desktop.channels.matrix.device import Device

    return Device(given)


def _wire(*parts: Any) -> "Wire":
    from desktop.channels.matrix.wire import Wire

    return Wire(*parts)
