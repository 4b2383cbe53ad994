"""Keeps a bot at work: is told by QQ's gateway of what comes, stores it, and replies while it may."""

import time
from typing import TYPE_CHECKING

from desktop.channels.channel import Given, WrongField
from desktop.channels.listening import Listening
from desktop.channels.markup.qq import MARKUP
from desktop.channels.markup.split import pieces
from desktop.channels.message import Abilities, Known
from desktop.channels.qq.replies import Replies
from desktop.config.channels.qq import Qq as Settings
from desktop.services.service import SignInNeeded
from desktop.text import _

if TYPE_CHECKING:
    from desktop.channels.qq.wire import Wire

_LONGEST, _MOST_PARTS = 4000, 3
"""A message has five replies: three for an answer, one that says that it takes time, one for a question."""
_LARGEST = 10 * 1024 * 1024


class QQ(Listening["Wire"]):
    """One bot."""

    abilities = Abilities(
        _LONGEST,
        chat_every_s=1.0,
        reactions=True,
        one_reaction=True,
        once=True,
        uploads=_LARGEST,
        steps=False,
    )

    def __init__(self, given: Given) -> None:
        super().__init__("qq", given)
        self._replies = Replies(given.notes)

    async def connect(self) -> "Wire":
        """With the bot's secret."""
        secret = await self._given.secret("secret")
        if not self._settings.app_id.strip():
            raise SignInNeeded(_("The AppID is missing."), _("Enter it under Settings › Channels."))
        proxy = self._settings.proxy or await self._given.kept("proxy")
        wire = await self._given.load(_loaded)
        return await wire.made(secret.strip(), self._settings, proxy, self._given.notes, self._replies)

    async def sign_in(self, wire: "Wire") -> None:
        """Open the link."""
        await wire.open()

    async def hear(self, wire: "Wire") -> None:
        """Until the connection ends for good."""
        async for event in wire.events():
            self.status.last_ok = time.time()
            if event.message:
                await self._replies.came(event.message)
                await self.received(event.message)
            await wire.heard(event)

    async def check(self) -> None:
        """Whether QQ answers, and the link still stands."""
        await self.wire().check()

    async def probe(self) -> Known:
        """Who the bot is."""
        if not self._settings.app_id.strip():
            raise WrongField("appId", _("The AppID is missing."))
        wire = await self.connect()
        try:
            return await wire.who()
        except SignInNeeded as error:
            raise WrongField("secret", error.text, error.remedy) from error
        finally:
            await wire.close()

    def parts(self, text: str) -> list[tuple[str, str]]:
        """At most as many as QQ takes; the rest is in the window."""
        found = pieces(text, MARKUP, _LONGEST)
        if self._settings.msg_format == "plain":
            found = [("", plain) for _markup, plain in found]
        if len(found) <= _MOST_PARTS:
            return found
        more = _("…\n\nThe answer is longer than QQ takes. Read the rest in Nanobot.")
        markup, plain = found[_MOST_PARTS - 1]
        return [*found[: _MOST_PARTS - 1], (markup and f"{markup}\n\n{more}", f"{plain}\n\n{more}")]

    @property
    def _settings(self) -> Settings:
        return self._given.settings().qq


def _loaded() -> type["Wire"]:
    """Loads the library, which takes a third of a second."""
    from desktop.channels.qq.wire import Wire

    return Wire
