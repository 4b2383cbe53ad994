"""Keeps an agent's account at work: hears what comes, has it stored, lets panels wait, and answers."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from desktop.channels import access
from desktop.channels.channel import Given, WrongField
from desktop.channels.listening import Listening
from desktop.channels.markup.mochat import MARKUP
from desktop.channels.markup.split import pieces
from desktop.channels.message import Abilities, Address, Known, Received
from desktop.channels.mochat.delayed import Delayed
from desktop.config.channels.mochat import Mochat as Settings
from desktop.errors import AppError
from desktop.services.service import SignInNeeded
from desktop.services.status import ServiceState
from desktop.text import _

if TYPE_CHECKING:
    from desktop.channels.mochat.reading import Told
    from desktop.channels.mochat.wire import Wire

_LONGEST = 4000
"""What a message may have is nowhere written."""


class Mochat(Listening["Wire"]):
    """One agent. Its groups have panels, which all of a group read; private chats are sessions."""

    abilities = Abilities(_LONGEST, chat_every_s=1.0, uploads=0)

    def __init__(self, given: Given) -> None:
        super().__init__("mochat", given)
        self._delayed = Delayed(given.notes)

    async def connect(self) -> "Wire":
        """With the agent's token."""
        token = await self._given.secret("clawToken")
        if not self._settings.agent_user_id.strip():
            raise SignInNeeded(
                _("The agent’s user ID is missing."), _("Enter it under Settings › Channels.")
            )
        proxy = self._settings.proxy or await self._given.kept("proxy")
        wire = await self._given.load(_loaded)
        return await wire.made(token.strip(), self._settings, proxy, self._given.notes)

    async def sign_in(self, wire: "Wire") -> None:
        """Open the connection, or ask where there is none."""
        await wire.open()
        await self._delayed.open(wire.pause_is_over, self._pause_s)

    async def stop(self) -> None:
        """The pauses end with it."""
        await super().stop()
        self._delayed.close()

    async def hear(self, wire: "Wire") -> None:
        """Until nothing comes any more."""
        async for told in wire.events():
            self.status.last_ok = time.time()
            if told.detail is not None:
                self.status.set(ServiceState.RUNNING, told.detail)
            if told.panel:
                await self._of_panel(wire, told)
            elif told.message:
                await self._know(told.message)
                await self.received(told.message)
            await told.stored()

    async def _of_panel(self, wire: "Wire", told: "Told") -> None:
        """Answer it now, after a pause, or not at all."""
        panel, message = told.panel, told.message
        if told.taken_back:
            await self._delayed.remove(panel, told.taken_back)
        elif message is None:
            await self._delayed.flush(panel, self.received)
        elif message.edited and not self._delayed.has(panel, message.id):
            await self.received(message)
        elif message.mentioned or not wire.wants_mention(panel):
            await self._meant(panel, replace(message, edited=False))

    async def _meant(self, panel: str, message: Received) -> None:
        """A message that is to have an answer, if its writer may have one."""
        at_once = message.mentioned or self._settings.reply_delay_mode == "off"
        message = replace(message, mentioned=True)
        if at_once and not self._delayed.waits(panel):
            await self.received(message)
        elif access.judge(self._settings, message) is access.Verdict.LET_IN:
            await self._delayed.add(panel, message, 0.0 if at_once else self._pause_s)
            if at_once:
                await self._delayed.flush(panel, self.received)

    async def _know(self, message: Received) -> None:
        """Where this sender alone reads. Raises StorageError."""
        note = _private(message.sender)
        if not message.group and await self._given.notes.get(note) != message.where.chat:
            await self._given.notes.set(note, message.where.chat)

    async def private(self, sender: str) -> Address:
        """The chat of the agent with one person."""
        chat = await self._given.notes.get(_private(sender)) or self.wire().session_with(sender)
        if not chat:
            raise AppError(_("There is no private chat with this person."))
        return Address("mochat", chat)

    async def check(self) -> None:
        """Whether Mochat answers, and the connection still stands."""
        await self.wire().check()

    async def probe(self) -> Known:
        """Whether the token is known."""
        if not self._settings.agent_user_id.strip():
            raise WrongField("agentUserId", _("The agent’s user ID is missing."))
        wire = await self.connect()
        try:
            return await wire.probe()
        finally:
            await wire.close()

    def parts(self, text: str) -> list[tuple[str, str]]:
        """In Markdown."""
        return pieces(text, MARKUP, _LONGEST)

    @property
    def _pause_s(self) -> float:
        return self._settings.reply_delay_ms / 1000

    @property
    def _settings(self) -> Settings:
        return self._given.settings().mochat


def _private(sender: str) -> str:
    return f"private:{sender}"


def _loaded() -> type["Wire"]:
    """Loads the library, which takes half a second."""
    from desktop.channels.mochat.wire import Wire

    return Wire
