"""Keeps a bot at work: asks for what came, tells Telegram only then that it came, and sends."""

import asyncio
import importlib
import os
import time
from typing import TYPE_CHECKING

from desktop.channels.channel import Given, WrongField
from desktop.channels.listening import Listening
from desktop.channels.markup.split import pieces
from desktop.channels.markup.telegram import MARKUP, units
from desktop.channels.message import Abilities, Address, Known, Received
from desktop.config.channels.telegram import Telegram as Settings
from desktop.errors import StorageError
from desktop.services.service import SignInNeeded
from desktop.text import _

if TYPE_CHECKING:
    from desktop.channels.telegram.wire import Wire

_LONGEST = 4096
_ALBUM_S = 1.0
"""How long the rest of an album may take."""
_GROUP_EVERY_S = 3.0
"""Telegram takes 20 messages a minute in a group."""


class Telegram(Listening["Wire"]):
    """One bot."""

    abilities = Abilities(
        _LONGEST,
        units,
        caption=1024,
        edit_every_s=1.5,
        chat_every_s=1.0,
        buttons=True,
        typing_every_s=4.0,
        reactions=True,
        one_reaction=True,
        uploads=50_000_000,
    )

    def __init__(self, given: Given) -> None:
        super().__init__("telegram", given)
        self._offset = 0
        """The first update that Telegram has not been told of."""

    async def connect(self) -> "Wire":
        """With the bot's token."""
        token = await self._given.secret("token")
        proxy = self._settings.proxy or await self._given.kept("proxy")
        return await self._given.load(_loaded, token, self._settings, proxy)

    async def sign_in(self, wire: "Wire") -> None:
        """Be the one that asks for messages."""
        await wire.sign_in()

    async def check(self) -> None:
        """A question that waits on a connection that died would wait on: ask anew."""
        await self.wire().who()
        await self.listen_anew()

    async def probe(self) -> Known:
        """Who the bot is."""
        wire = await self.connect()
        try:
            return await wire.who()
        except SignInNeeded as error:
            raise WrongField("token", error.text, error.remedy) from error
        finally:
            await wire.close()

    async def typing(self, where: Address) -> None:
        """Shown for five seconds."""
        if self.up.is_set():
            with self.calling() as wire:
                await wire.typing(where)

    def every(self, _where: Address) -> float:
        """Groups have ids below zero, and are slower."""
        return _GROUP_EVERY_S if _where.chat.startswith("-") else self.abilities.chat_every_s

    def parts(self, text: str) -> list[tuple[str, str]]:
        """In Telegram's HTML."""
        return pieces(text, MARKUP, _LONGEST)

    @property
    def _settings(self) -> Settings:
        return self._given.settings().telegram

    async def hear(self, wire: "Wire") -> None:
        """Ask again and again."""
        while True:
            groups = await wire.updates(self._offset)
            self.status.last_ok = time.time()
            if groups and groups[-1].album:
                await asyncio.sleep(_ALBUM_S)
                groups = await wire.updates(self._offset, seconds=0)
            for group in groups:
                if group.message:
                    await self._store(group.message)
                elif group.pressed:
                    words = await self.pressed(group.pressed)
                    await wire.pressed(group.press, words)
                self._offset = group.last + 1

    async def _store(self, received: Received) -> None:
        try:
            await self.received(received)
        except StorageError as error:
            raise StorageError(
                _("A message from Telegram could not be stored. {reason}").format(reason=error.text),
                error.remedy,
            ) from error


def _loaded(token: str, settings: Settings, proxy: str) -> "Wire":
    """Loads the library, which takes half a second."""
    os.environ.setdefault("PTB_TIMEDELTA", "true")  # else it warns of what it will mean by a pause
    importlib.import_module("anyio._backends._asyncio")  # its HTTP client would load it on the loop
    from desktop.channels.telegram.wire import Wire

    return Wire(token, settings, proxy)
