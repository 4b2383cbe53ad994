"""Mochat as one agent uses it: what comes, what goes, files. Loaded in a thread."""

from collections.abc import AsyncIterator
from contextlib import suppress

from desktop.channels.channel import Gone, NotDelivered, WrongField
from desktop.channels.message import Address, Known, Sending
from desktop.channels.mochat import media
from desktop.channels.mochat.chats import Chats
from desktop.channels.mochat.hearing import Hearing
from desktop.channels.mochat.reading import Told, identity
from desktop.channels.mochat.rest import Rest
from desktop.channels.mochat.socket import OtherForm, Socket
from desktop.channels.newfile import NewFile
from desktop.channels.notes import Notes
from desktop.config.channels.mochat import Mochat as Settings
from desktop.errors import AppError
from desktop.net import way_out
from desktop.net.client import Client
from desktop.services.service import SignInNeeded
from desktop.text import _

_CHECK_S = 5.0


class Wire:
    """The calls that we make, and the ways by which messages come."""

    def __init__(self, rest: Rest, settings: Settings, proxy: str, chats: Chats) -> None:
        self._rest, self._settings, self._proxy, self._chats = rest, settings, proxy, chats
        self._hearing = Hearing(rest, settings, proxy, chats)
        self._files = Client()

    @classmethod
    async def made(cls, token: str, settings: Settings, proxy: str, notes: Notes) -> "Wire":
        """One with a session of its own. `proxy`: its address, "" for the system's."""
        session, through = await way_out.session(settings.base_url, proxy)
        rest = Rest(session, through, settings.base_url, token)
        return cls(rest, settings, proxy, Chats(rest, settings, notes))

    async def open(self) -> None:
        """Begin to hear. Raises SignInNeeded, AppError, StorageError."""
        await self._hearing.open()

    async def close(self) -> None:
        """End all connections."""
        await self._hearing.close()
        await self._rest.session.close()

    async def check(self) -> None:
        """Whether Mochat answers, and the connection still stands. Raises TimeoutError, AppError."""
        await self._hearing.check(_CHECK_S)

    async def probe(self) -> Known:
        """Whether the token is known to both the calls and the connection, and whose agent it is. Raises
        WrongField, AppError."""
        settings = self._settings
        try:
            await self._rest.call("sessions/list")
            socket = await Socket.opened(settings, self._rest.token, self._proxy, lambda _name, _told: None)
        except SignInNeeded as error:
            raise WrongField("clawToken", error.text, error.remedy) from error
        except OtherForm as error:
            raise WrongField("socketDisableMsgpack", error.text, error.remedy) from error
        await socket.close()
        notes = [await self._owner()]
        if not any(one.strip() for one in (*settings.sessions, *settings.panels)):
            notes.append(_("It listens to no chats: enter * under Private chats and Panels."))
        return Known(settings.agent_user_id.strip(), tuple(note for note in notes if note))

    async def _owner(self) -> str:
        """Whose agent it is: a help to fill in the settings, no more."""
        with suppress(AppError):
            found = (await self._rest.call("agents/owner")).get("owner")
            if isinstance(found, dict) and found.get("userId"):
                name = str(found.get("nickname") or found.get("email") or "")
                text = _("Mochat says it belongs to {name}, whose ID is {id}.")
                return text.format(name=name, id=found["userId"])
        return ""

    async def events(self) -> AsyncIterator[Told]:
        """What comes. Raises why there is no more."""
        while True:
            yield await self._hearing.reading.next()

    def pause_is_over(self, panel: str) -> None:
        """Have what waits in a panel dealt with, in its turn."""
        self._hearing.reading.put(Told(panel=panel))

    def wants_mention(self, panel: str) -> bool:
        """Whether a panel is answered only where the agent is mentioned."""
        return self._settings.wants_mention(panel, self._chats.panels.get(panel, ""))

    def session_with(self, person: str) -> str:
        """The chat of the agent and this person alone; empty where none is known."""
        return self._chats.session_with(person)

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Write a file. Raises as Channel.fetch()."""
        await media.fetch(self._files, self._rest, ref, file)

    async def post(self, sending: Sending) -> str:
        """Send one part; in groups as a reply."""
        chat, part = sending.where.chat, sending.part
        if part.file:
            raise NotDelivered(_("Mochat takes no files from agents."))
        body = {"content": part.markup or part.plain}
        panel = self._chats.is_panel(chat)
        if sending.reply and (panel or self._chats.room(chat, panel=False).several):
            body["replyTo"] = sending.reply
        if not panel:
            made = await self._rest.call("sessions/send", body | {"sessionId": chat})
        else:
            if group := self._chats.panels.get(chat):
                body["groupId"] = group
            made = await self._rest.call("groups/panels/send", body | {"panelId": chat})
        return identity(made) or sending.once

    async def edit(self, id_: str, sending: Sending) -> None:
        """Mochat has no edits for agents."""
        raise Gone(id_)

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """Mochat has no reactions for agents."""

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """The same."""
