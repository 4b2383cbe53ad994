"""Keeps a linked device at work: has a process for the library, stores what comes, and sends."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Mapping
from typing import Any
from urllib.parse import urlsplit

from desktop import logs
from desktop.channels.channel import Given, WrongField
from desktop.channels.linking import Linked, Scanned, Step, ToEnter, ToScan
from desktop.channels.listening import Listening
from desktop.channels.markup.split import pieces
from desktop.channels.markup.whatsapp import MARKUP
from desktop.channels.message import Abilities, Address, Known
from desktop.channels.whatsapp import account
from desktop.channels.whatsapp.failures import LoggedOut, not_linked
from desktop.channels.whatsapp.incoming import Me, Recent, received
from desktop.channels.whatsapp.people import People, plain
from desktop.channels.whatsapp.people import account as account_of
from desktop.channels.whatsapp.process import Process
from desktop.channels.whatsapp.wire import Wire
from desktop.config.channels.whatsapp import Whatsapp as Settings
from desktop.errors import AppError, UsageError, explain
from desktop.net.way_out import proxy_for
from desktop.tasks import in_thread
from desktop.text import _

type Json = Mapping[str, Any]

_SERVICE = "https://web.whatsapp.com/"
_LONGEST, _CAPTION = 4000, 1000
"""A message may have 65,536 characters; what is longer than this is folded on a phone."""
_CONNECT_S = 60.0
_SINCE, _SLACK_S = "since", 60.0
"""When it was linked: what is older is history; how far clocks may differ."""
_log = logging.getLogger(__name__)


class WhatsApp(Listening[Wire]):
    """One account."""

    abilities = Abilities(
        _LONGEST,
        caption=_CAPTION,
        chat_every_s=1.0,
        typing_every_s=10.0,
        reactions=True,
        one_reaction=True,
        uploads=50_000_000,
        pairs=False,
        alone=True,
    )

    def __init__(self, given: Given) -> None:
        super().__init__("whatsapp", given)
        self._people = People(given.notes, lambda: self._settings.lid_mappings)
        self._recent, self._me, self._since = Recent(), Me(), 0.0
        self._unkept: list[Json] = []
        """Messages that could not be put on disk by anybody yet: WhatsApp tells each of them once."""

    async def connect(self) -> Wire:
        """With the account that it is linked to."""
        if await self.linked() is None:
            raise not_linked()
        return await self._started()

    async def sign_in(self, wire: Wire) -> None:
        """Wait until it is connected."""
        try:
            async with asyncio.timeout(_CONNECT_S):
                async for frame in wire.process.told():
                    if frame["op"] == "connected":
                        await self._know(frame)
                        return
                    self._hold(frame)
        except TimeoutError as error:
            raise AppError(
                _("WhatsApp can’t be reached."), _("Check the internet connection and the proxy.")
            ) from error

    async def hear(self, wire: Wire) -> None:
        """Until the process ends."""
        while self._unkept:
            await self._store(self._unkept[0]["message"], kept=self._unkept[0]["kept"])
            del self._unkept[0]
        async for frame in wire.process.told():
            await self._take(wire, frame)

    async def _take(self, wire: Wire, frame: Json) -> None:
        match frame["op"]:
            case "message":
                self._hold(frame)
                await self._store(frame["message"], kept=frame["kept"])
                if frame["key"]:
                    wire.process.tell({"op": "stored", "key": frame["key"]})
                else:
                    self._unkept.remove(frame)
            case "connected":
                await self._know(frame)
                self.up.set()
            case "away":
                self.up.clear()

    async def stop(self) -> None:
        """What was told and is on no disk waits for the next start. A sign-in that was ended is removed."""
        wire = self._wire
        await super().stop()
        if wire is not None:
            for frame in wire.process.left():
                self._hold(frame)
            await self._tidy(wire)

    def _hold(self, frame: Json) -> None:
        """The process keeps what it could put on disk, under a key."""
        if frame["op"] == "message" and not frame["key"]:
            self._unkept.append(frame)

    async def _store(self, message: Json, *, kept: bool) -> None:
        self.status.last_ok = time.time()
        found = await received(message, self._people, self._me, self._recent)
        if found is not None and (kept or found.at >= self._since - _SLACK_S):
            await self.received(found)

    async def _know(self, frame: Json) -> None:
        """Who the account is, and since when its messages are for the agent. Raises StorageError."""
        self._me = Me(frame["me"], frame["other"], frame["name"])
        await self._people.learn(frame["me"], frame["other"])
        notes = self._given.notes
        since = await notes.get(_SINCE)
        if not since:
            since = str(time.time())
            await notes.set(_SINCE, since)
        self._since = float(since)

    async def check(self) -> None:
        """Whether WhatsApp answers."""
        with self.calling() as wire:
            try:
                await wire.check(plain(self._me.account))
            except ConnectionError as error:
                raise wire.process.reason or error from error

    async def probe(self) -> Known:
        """Which account it is."""
        if self.up.is_set():
            with self.calling() as wire:
                return await wire.check(plain(self._me.account))
        if await self.linked() is None:
            told = not_linked()
            raise WrongField("", told.text, told.remedy)
        wire = await self.connect()
        try:
            await self.sign_in(wire)
            return await wire.check(plain(self._me.account))
        finally:
            await wire.close()
            await self._tidy(wire)

    async def typing(self, where: Address) -> None:
        """Shown for some seconds."""
        if self.up.is_set():
            with self.calling() as wire:
                await wire.typing(where)

    async def private(self, sender: str) -> Address:
        """The chat with one person."""
        return Address("whatsapp", account_of(sender))

    def parts(self, text: str) -> list[tuple[str, str]]:
        """With WhatsApp's marks."""
        return pieces(text, MARKUP, _LONGEST)

    # ---- the account

    async def linked(self) -> Linked | None:
        """The account, without asking WhatsApp."""
        return await in_thread(account.found, self._given.folder)

    async def link(self, phone: str) -> AsyncGenerator[Step]:
        """By a picture, or by a code for a phone number. Raises LinkExpired, AppError."""
        if await self.linked() is not None:
            raise UsageError(_("WhatsApp is linked already."), _("Unlink it first."))
        await self._remove()
        wire = await self._started(links=True, phone=phone)
        try:
            async for frame in wire.process.told():
                match frame["op"]:
                    case "qr":
                        yield ToScan(frame["code"], frame["seconds"])
                    case "code":
                        yield ToEnter(frame["code"], frame["seconds"])
                    case "paired":
                        yield Scanned()
                    case "connected":
                        await self._given.notes.drop(_SINCE)
                        await self._know(frame)
                        yield Linked(plain(frame["me"]), frame["name"])
                        return
        finally:
            await wire.close()
            if await self.linked() is None:
                await self._remove()

    async def forget(self) -> bool:
        """Forget the account; whether WhatsApp struck it off its list. Raises StorageError."""
        told = False
        if self.up.is_set():
            try:
                with self.calling() as wire:
                    await wire.logout()
                told = True
            except (AppError, OSError) as error:
                _log.info("WhatsApp was not told that it is unlinked: %s", error)
        await self.stop()
        await self._remove()
        await self._given.notes.drop(_SINCE)
        return told

    async def _started(self, *, links: bool = False, phone: str = "") -> Wire:
        proxy = self._settings.proxy or await self._given.kept("proxy") or proxy_for(_SERVICE)
        if secret := urlsplit(proxy).password:
            logs.mask(secret)
        try:
            folder = await in_thread(account.made, self._given.folder)
            await in_thread(account.clear_files, folder)
        except OSError as error:
            raise explain(error) from error
        # Its library knows socks5 alone, by which the proxy looks up names as with socks5h.
        way = proxy.replace("socks5h://", "socks5://", 1)
        process = await Process.started(folder, way, links=links, phone=phone)
        return Wire(process, folder, self._recent)

    async def _tidy(self, wire: Wire) -> None:
        """After the end of its process."""
        if isinstance(wire.process.reason, LoggedOut):
            await self._remove()

    async def _remove(self) -> None:
        try:
            await in_thread(account.forget, self._given.folder)
        except OSError as error:
            raise explain(error) from error

    @property
    def _settings(self) -> Settings:
        return self._given.settings().whatsapp
