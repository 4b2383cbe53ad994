"""The calls that we make of WhatsApp's process."""

import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from desktop.channels.channel import Gone
from desktop.channels.message import Address, Known, Sending
from desktop.channels.newfile import PIECE, NewFile, NotFetched, reading
from desktop.channels.whatsapp.account import file_for
from desktop.channels.whatsapp.failures import Refused
from desktop.channels.whatsapp.incoming import Recent
from desktop.channels.whatsapp.people import GROUPS, account
from desktop.channels.whatsapp.process import Process
from desktop.errors import AppError
from desktop.tasks import in_thread
from desktop.text import _

_CALL_S, _FILE_S, _CHECK_S = 60.0, 900.0, 15.0


class Wire:
    """Of one account."""

    def __init__(self, process: Process, folder: Path, recent: Recent) -> None:
        self.process, self._folder, self._recent = process, folder, recent

    async def close(self) -> None:
        """End the process."""
        await self.process.close()

    async def post(self, sending: Sending) -> str:
        """Send a text, or a file with one. In a group it names what it answers."""
        part, chat = sending.part, sending.where.chat
        quote = self._recent.get(chat, sending.reply) if chat.endswith(GROUPS) else None
        given = {"text": part.markup or part.plain, "file": part.file, "quote": quote and asdict(quote)}
        done = await self._call("send", _FILE_S if part.file else _CALL_S, chat=account(chat), **given)
        return str(done["id"])

    async def edit(self, id_: str, sending: Sending) -> None:
        """What was sent stays as it is."""
        raise Gone(_("This app can’t edit messages."))

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """Where it is known who wrote it."""
        quote = self._recent.get(where.chat, message)
        if quote is not None:
            with suppress(AppError, OSError, TimeoutError):
                given = {"message": message, "sender": quote.sender, "emoji": emoji}
                await self._call("react", _CALL_S, chat=account(where.chat), **given)

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """An empty reaction takes the place of the one before."""
        await self.react(where, message, "")

    async def typing(self, where: Address) -> None:
        """Shown for some seconds."""
        with suppress(AppError, OSError, TimeoutError):
            await self._call("typing", _CHECK_S, chat=account(where.chat))

    async def check(self, me: str) -> Known:
        """Whether WhatsApp answers."""
        await self._call("check", _CHECK_S)
        return Known(f"+{me}")

    async def logout(self) -> None:
        """Have the device struck off the list on the phone."""
        await self._call("logout", _CHECK_S)

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Have the process fetch it into the account's folder, and take it from there in pieces."""
        path = await in_thread(file_for, self._folder, uuid.uuid4().hex)
        try:
            await self._call("fetch", _FILE_S, ref=ref, to=str(path))
            await file.write(_pieces(path))
        except Refused as error:
            raise NotFetched(error.text, error.remedy) from error
        finally:
            with suppress(OSError):
                await in_thread(path.unlink, missing_ok=True)

    async def _call(self, what: str, seconds: float, **given: Any) -> Any:
        try:
            return await self.process.call(what, seconds, **given)
        except TimeoutError as error:
            raise AppError(_("WhatsApp does not answer."), _("Check the internet connection.")) from error


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    source = await in_thread(reading, path)
    try:
        while piece := await in_thread(source.read, PIECE):
            yield piece
    finally:
        await in_thread(source.close)
