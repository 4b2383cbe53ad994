"""Keeps a bot at work: is told over a long connection of what comes, stores it, and answers with cards."""

import time
from typing import TYPE_CHECKING

from desktop.channels.channel import Given, WrongField
from desktop.channels.listening import Listening
from desktop.channels.markup.feishu import MARKUP
from desktop.channels.markup.split import pieces
from desktop.channels.message import Abilities, Address, Known, Received
from desktop.config.channels.feishu import Feishu as Settings
from desktop.services.service import SignInNeeded
from desktop.text import _

if TYPE_CHECKING:
    from desktop.channels.feishu.wire import Event, Wire

_LONGEST, _LARGEST = 4000, 30 * 1024 * 1024
"""A card has 30 KB, files have 30 MB."""


class Feishu(Listening["Wire"]):
    """One app."""

    abilities = Abilities(
        _LONGEST,
        edit_every_s=0.5,
        chat_every_s=0.3,
        buttons=True,
        reactions=True,
        once=True,
        uploads=_LARGEST,
    )

    def __init__(self, given: Given) -> None:
        super().__init__("feishu", given)

    async def connect(self) -> "Wire":
        """With the app's secret."""
        secret = await self._given.secret("appSecret")
        if not self._settings.app_id.strip():
            raise SignInNeeded(_("The App ID is missing."), _("Enter it under Settings › Channels."))
        proxy = self._settings.proxy or await self._given.kept("proxy")
        wire = await self._given.load(_loaded)
        return await wire.made(secret.strip(), self._settings, proxy)

    async def sign_in(self, wire: "Wire") -> None:
        """Open the link."""
        await wire.who()
        await wire.open()

    async def hear(self, wire: "Wire") -> None:
        """Until the connection ends for good."""
        async for event in wire.events():
            self.status.last_ok = time.time()
            await wire.acknowledge(event, await self._take(wire, event))

    async def _take(self, wire: "Wire", event: "Event") -> str:
        """Deal with an event; what to show who pressed a button."""
        told = event.told
        if told.pressed:
            return await self.pressed(told.pressed)
        if told.message:
            message = await wire.completed(told, told.message)
            if not message.group:
                await self._know(message)
            await self.received(message)
        return ""

    async def _know(self, message: Received) -> None:
        """Where this sender alone reads. Raises StorageError."""
        note = _private(message.sender)
        if await self._given.notes.get(note) != message.where.chat:
            await self._given.notes.set(note, message.where.chat)

    async def private(self, sender: str) -> Address:
        """The chat of the bot with one person; by their id where nothing came from there yet."""
        return Address("feishu", await self._given.notes.get(_private(sender)) or sender)

    async def check(self) -> None:
        """Whether the link still stands."""
        await self.wire().check()

    async def probe(self) -> Known:
        """Who the bot is."""
        if not self._settings.app_id.strip():
            raise WrongField("appId", _("The App ID is missing."))
        wire = await self.connect()
        try:
            return await wire.probe()
        finally:
            await wire.close()

    def parts(self, text: str) -> list[tuple[str, str]]:
        """In the Markdown of cards."""
        return pieces(text, MARKUP, _LONGEST)

    @property
    def _settings(self) -> Settings:
        return self._given.settings().feishu


def _private(sender: str) -> str:
    return f"private:{sender}"


def _loaded() -> type["Wire"]:
    """Loads the library, which takes a third of a second."""
    from desktop.channels.feishu.wire import Wire

    return Wire
