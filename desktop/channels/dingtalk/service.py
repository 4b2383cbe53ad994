"""Keeps a robot at work: hears by DingTalk's stream what comes, stores it, and answers."""

import time
from typing import TYPE_CHECKING

from desktop.channels.channel import Given, WrongField
from desktop.channels.dingtalk.hooks import Hooks
from desktop.channels.listening import Listening
from desktop.channels.markup.dingtalk import MARKUP, size
from desktop.channels.markup.split import pieces
from desktop.channels.message import Abilities, Address, Known
from desktop.config.channels.dingtalk import Dingtalk as Settings
from desktop.services.service import SignInNeeded
from desktop.text import _

if TYPE_CHECKING:
    from desktop.channels.dingtalk.wire import Wire

_LONGEST = 18_000
"""Bytes: DingTalk takes 20,000 with what is around the text."""
_LARGEST = 20_000_000
_GROUP_EVERY_S = 3.0
"""It takes 20 messages a minute in a group."""


class Dingtalk(Listening["Wire"]):
    """One robot."""

    abilities = Abilities(_LONGEST, size, chat_every_s=0.5, uploads=_LARGEST)

    def __init__(self, given: Given) -> None:
        super().__init__("dingtalk", given)
        self._hooks = Hooks(given.notes)

    async def connect(self) -> "Wire":
        """With the app's secret."""
        secret = await self._given.secret("clientSecret")
        if not self._settings.client_id.strip():
            raise SignInNeeded(_("The Client ID is missing."), _("Enter it under Settings › Channels."))
        proxy = self._settings.proxy or await self._given.kept("proxy")
        wire = await self._given.load(_loaded)
        return await wire.made(secret.strip(), self._settings, proxy, self._hooks)

    async def sign_in(self, wire: "Wire") -> None:
        """Open the link."""
        await wire.open()

    async def hear(self, wire: "Wire") -> None:
        """Until the connection ends for good."""
        async for event in wire.events():
            self.status.last_ok = time.time()
            if told := event.told:
                await self._hooks.came(told.message.where.chat, told.hook)
                await self.received(told.message)
            await wire.heard(event)

    async def check(self) -> None:
        """Whether DingTalk answers, and the link still stands."""
        await self.wire().check()

    async def probe(self) -> Known:
        """Whether there is such an app."""
        if not self._settings.client_id.strip():
            raise WrongField("clientId", _("The Client ID is missing."))
        wire = await self.connect()
        try:
            return await wire.who()
        except SignInNeeded as error:
            raise WrongField("clientSecret", error.text, error.remedy) from error
        finally:
            await wire.close()

    def every(self, where: Address) -> float:
        """Groups are slower; their ids begin so."""
        return _GROUP_EVERY_S if where.chat.startswith("cid") else self.abilities.chat_every_s

    def parts(self, text: str) -> list[tuple[str, str]]:
        """In DingTalk's Markdown."""
        return pieces(text, MARKUP, _LONGEST)

    @property
    def _settings(self) -> Settings:
        return self._given.settings().dingtalk


def _loaded() -> type["Wire"]:
    """Loads the library, which takes a third of a second."""
    from desktop.channels.dingtalk.wire import Wire

    return Wire
