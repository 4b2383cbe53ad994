"""Keeps a bot at work: is told by Discord's gateway of what comes, stores it, notes how far, and sends."""

import time
from collections import deque
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit

from desktop.channels.channel import Given, WrongField
from desktop.channels.discord.read import Read
from desktop.channels.listening import Listening
from desktop.channels.markup.discord import MARKUP
from desktop.channels.markup.split import pieces
from desktop.channels.message import Abilities, Address, Known, Received
from desktop.config.channels.discord import Discord as Settings
from desktop.errors import AppError
from desktop.services.service import SignInNeeded
from desktop.services.status import ServiceState
from desktop.text import _

if TYPE_CHECKING:
    from desktop.channels.discord.incoming import Came
    from desktop.channels.discord.wire import Wire

_LONGEST = 2000
_LARGEST = 10 * 1024 * 1024
_REMEMBERED = 200


class Discord(Listening["Wire"]):
    """One bot."""

    abilities = Abilities(
        _LONGEST,
        caption=_LONGEST,
        edit_every_s=1.5,
        chat_every_s=1.0,
        buttons=True,
        typing_every_s=8.0,
        reactions=True,
        once=True,
        uploads=_LARGEST,
        files=10,
    )

    def __init__(self, given: Given) -> None:
        super().__init__("discord", given)
        self._read = Read(given.notes)
        self._sent = deque[str](maxlen=_REMEMBERED)
        """The names of the messages that were sent last."""

    async def connect(self) -> "Wire":
        """With the bot's token."""
        token = await self._given.secret("token")
        wire = await self._given.load(_loaded)
        return await wire.made(token.strip(), self._settings.api_base, await self._proxy(), self._sent)

    async def sign_in(self, wire: "Wire") -> None:
        """Open the gateway."""
        await self._read.load(await wire.sign_in())
        await wire.open()

    async def hear(self, wire: "Wire") -> None:
        """Until the connection ends for good."""
        async for event in wire.events(self._read, self._settings.owner):
            self.status.last_ok = time.time()
            if event.shared:
                self.status.set(ServiceState.RUNNING, str(_shared()))
            elif event.pressed:
                await wire.tell(event, await self.pressed(event.pressed))
            else:
                await self._take(event)
                await wire.heard(event)

    async def _take(self, event: "Came") -> None:
        message = event.message
        wanted = message if message and self._answers_in(message) else None
        if wanted:
            await self.received(wanted)
        matters = wanted is not None and (self._settings.group_policy != "mention" or _for_bot(wanted))
        await self._read.saw(event.channel, event.id, private=event.private, matters=matters)

    def _answers_in(self, message: Received) -> bool:
        """Whether it is in a channel of the list; a thread is in its channel."""
        listed = self._settings.allow_channels
        return not (message.group and listed) or bool(
            {message.where.chat, message.where.thread} & {*listed}
        )

    async def check(self) -> None:
        """Whether Discord answers, and the connection still stands."""
        await self.wire().check()

    async def probe(self) -> Known:
        """Who the bot is, and what it may read."""
        wire = await self.connect()
        try:
            return await wire.who()
        except SignInNeeded as error:
            raise WrongField("token", error.text, error.remedy) from error
        finally:
            await wire.close()

    async def typing(self, where: Address) -> None:
        """Shown for ten seconds."""
        if self.up.is_set():
            with self.calling() as wire:
                await wire.typing(where)

    async def private(self, sender: str) -> Address:
        """The channel of the bot with one person."""
        return Address("discord", await self.wire().private(sender))

    def parts(self, text: str) -> list[tuple[str, str]]:
        """In Discord's Markdown."""
        return pieces(text, MARKUP, _LONGEST)

    @property
    def _settings(self) -> Settings:
        return self._given.settings().discord

    async def _proxy(self) -> str:
        """With its name and password, where it has them."""
        address = self._settings.proxy or await self._given.kept("proxy")
        name = self._settings.proxy_username
        if not (address and name) or "@" in address:
            return address
        parts = urlsplit(address)
        login = f"{quote(name, safe='')}:{quote(await self._given.kept('proxyPassword'), safe='')}"
        return urlunsplit(parts._replace(netloc=f"{login}@{parts.netloc}"))


def _for_bot(message: Received) -> bool:
    return not message.group or message.mentioned


def _shared() -> AppError:
    """Discord lets each program hear everything."""
    return AppError(
        _("Another program is answering as this Discord bot."), _("Quit it, or give it a bot of its own.")
    )


def _loaded() -> type["Wire"]:
    """Loads the library, which takes half a second."""
    from desktop.channels.discord.wire import Wire

    return Wire
