"""Keeps a link to Slack, stores what comes by it, acknowledges only then, and sends."""

import math
import time
from typing import TYPE_CHECKING

from desktop.channels.channel import Given, WrongField
from desktop.channels.listening import Listening
from desktop.channels.markup.slack import MARKUP
from desktop.channels.markup.split import pieces
from desktop.channels.message import Abilities, Address, Known, Received
from desktop.config.channels.slack import Slack as Settings
from desktop.errors import AppError
from desktop.services.status import ServiceState
from desktop.text import _

if TYPE_CHECKING:
    from desktop.channels.slack.wire import Wire

_LONGEST = 4000
_COUNTED_S = 300.0
"""How long Slack may count a connection of ours that is gone."""


class Slack(Listening["Wire"]):
    """One app."""

    abilities = Abilities(
        _LONGEST,
        edit_every_s=1.5,
        chat_every_s=1.0,
        buttons=True,
        reactions=True,
        threads=True,
        uploads=1_000_000_000,
    )

    def __init__(self, given: Given) -> None:
        super().__init__("slack", given)
        self._heard = -math.inf
        """When something came last, by the monotonic clock."""

    async def connect(self) -> "Wire":
        """With both tokens."""
        tokens = await self._given.secret("botToken"), await self._given.secret("appToken")
        proxy = self._settings.proxy or await self._given.kept("proxy")
        wire = await self._given.load(_loaded)
        return await wire.made(tokens, self._settings, proxy)

    async def sign_in(self, wire: "Wire") -> None:
        """Open the link."""
        await wire.who()
        await wire.open()

    async def hear(self, wire: "Wire") -> None:
        """Until Slack ends the link, which it does every few hours."""
        before, self._heard = self._heard, time.monotonic()
        async for frame in wire.frames():
            self.status.last_ok, self._heard = time.time(), time.monotonic()
            if frame.links > 1 and self._heard - before > _COUNTED_S:
                self.status.set(ServiceState.RUNNING, str(_shared(frame.links)))
            elif frame.message:
                await self.received(frame.message)
            elif frame.pressed:
                await wire.tell(frame, await self.pressed(frame.pressed))
            await wire.acknowledge(frame)

    async def check(self) -> None:
        """Whether Slack answers, and the link still stands."""
        wire = self.wire()
        await wire.who()
        await wire.ping()

    async def probe(self) -> Known:
        """Both tokens, each by a call of its own."""
        bot, app = await self._given.secret("botToken"), await self._given.secret("appToken")
        for field, token, start, other in (
            ("botToken", bot, "xoxb-", "xapp-"),
            ("appToken", app, "xapp-", "xoxb-"),
        ):
            if token.startswith(other):
                raise WrongField(
                    field, _("The two tokens are swapped."), _("The bot token begins with xoxb-.")
                )
            if not token.startswith(start):
                raise WrongField(field, _("This token begins with {start}.").format(start=start))
        wire = await self.connect()
        try:
            return await wire.probe()
        finally:
            await wire.close()

    async def earlier(self, received: Received) -> list[tuple[str, str]]:
        """As much as is wanted of it."""
        settings = self._settings
        most = settings.thread_context_limit if settings.include_thread_context else 0
        return await self.wire().earlier(received.where, received.id, most) if most else []

    async def private(self, sender: str) -> Address:
        """The channel of the bot with one person."""
        return Address("slack", await self.wire().direct(sender))

    def parts(self, text: str) -> list[tuple[str, str]]:
        """In mrkdwn."""
        return pieces(text, MARKUP, _LONGEST)

    @property
    def _settings(self) -> Settings:
        return self._given.settings().slack


def _shared(links: int) -> AppError:
    return AppError(
        _(
            "Slack counts {links} connections of this app. If another program is using it, each gets only "
            "some of the messages."
        ).format(links=links),
        _("Quit the other program, or give it an app of its own."),
    )


def _loaded() -> type["Wire"]:
    """Loads the library, which takes half a second."""
    from desktop.channels.slack.wire import Wire

    return Wire
