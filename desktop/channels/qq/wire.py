"""QQ's gateway and its calls, as one bot uses them. Loaded in a thread."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import aiohttp

from desktop.channels.channel import Gone, NotDelivered, connection_lost
from desktop.channels.listening import understood
from desktop.channels.message import Address, Known, Part, Sending
from desktop.channels.newfile import PIECE, NewFile, NotFetched, reading
from desktop.channels.notes import Notes
from desktop.channels.qq.incoming import Event, received
from desktop.channels.qq.link import Link, Session, Stale
from desktop.channels.qq.replies import Replies
from desktop.channels.qq.rest import Over, Rest, Sent, unasked, unreachable
from desktop.config.channels.qq import Qq as Settings
from desktop.errors import AppError, ConfigError
from desktop.net import way_out
from desktop.services.service import SignInNeeded
from desktop.tasks import in_thread
from desktop.text import _

_PING_S, _FILE = 5.0, aiohttp.ClientTimeout(total=1800, sock_read=60)
_LINKS_APART_S = 60.0
"""A connection that ends sooner is a fault."""
_TEXT, _MARKDOWN, _MEDIA = 0, 2, 7
_IMAGE, _VIDEO, _VOICE, _OTHER = 1, 2, 3, 4
_KINDS = {".png": _IMAGE, ".jpg": _IMAGE, ".jpeg": _IMAGE, ".mp4": _VIDEO, ".silk": _VOICE}
_NOTE = "session"
_WHOLE = PIECE // 3 * 3
"""Base64 of pieces of this size is base64 of all."""


class Wire:
    """The calls that we make, and the link."""

    def __init__(self, rest: Rest, settings: Settings, notes: Notes, replies: Replies) -> None:
        self._rest, self._settings, self._notes, self._replies = rest, settings, notes, replies
        self._link: Link | None = None
        self._session = Session()

    @classmethod
    async def made(
        cls, secret: str, settings: Settings, proxy: str, notes: Notes, replies: Replies
    ) -> "Wire":
        """One with a session of its own. `proxy`: its address, "" for the system's."""
        address = Rest.address(settings.api_base, sandbox=settings.sandbox)
        session, through = await way_out.session(address, proxy)
        rest = Rest(session, through, settings.api_base, sandbox=settings.sandbox)
        rest.sign_in(settings.app_id.strip(), secret)
        return cls(rest, settings, notes, replies)

    async def who(self) -> Known:
        """Who the bot is. Raises SignInNeeded, AppError."""
        found = await self._rest.call("GET", "/users/@me")
        return Known(str(found.get("username") or found.get("id") or ""))

    async def open(self) -> None:
        """Connect, to hear first what came meanwhile. Raises SignInNeeded, ConfigError, AppError."""
        if note := await self._notes.get(_NOTE):
            bot, id_, number, url = json.loads(note)
            if bot == self._settings.app_id:
                self._session = Session(id_, number, url)
        await self._connect()

    async def _connect(self) -> None:
        if self._link:
            await self._link.close()
        try:
            self._link = await self._linked()
        except Stale:
            self._session = Session()
            self._link = await self._linked()

    async def _linked(self) -> Link:
        if not self._session.id:
            self._session.url = str((await self._rest.call("GET", "/gateway/bot")).get("url") or "")
        return await Link.opened(self._rest, self._session)

    async def close(self) -> None:
        """End all connections."""
        if self._link:
            await self._link.close()
        await self._rest.session.close()

    async def check(self) -> None:
        """Whether QQ answers, and the link still stands. Raises AppError, OSError."""
        if self._link is None:
            raise connection_lost()
        await self._link.ping(_PING_S)

    async def events(self) -> AsyncIterator[Event]:
        """What comes, over one connection after the other. Raises why there is no other."""
        while link := self._link:
            try:
                async for frame in link.events():
                    number = frame.get("s")
                    read = partial(received, str(frame.get("t")), frame.get("d") or {})
                    yield Event(number if isinstance(number, int) else 0, understood(read, None))
            except (SignInNeeded, ConfigError):
                raise
            except AppError as error:
                if isinstance(error, Stale):
                    self._session = Session()
                if link.age() < _LINKS_APART_S:
                    raise connection_lost() from error
                await self._connect()

    async def heard(self, event: Event) -> None:
        """An event is stored, or was nothing to store. Raises StorageError."""
        if event.number:
            self._session.number = event.number
            session = self._session
            await self._notes.set(
                _NOTE, json.dumps([self._settings.app_id, session.id, session.number, session.url])
            )

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Write a file. Raises as Channel.fetch()."""
        if urlsplit(ref).scheme != "https" and not self._settings.api_base:
            raise NotFetched(_("The file could not be received."))
        try:
            async with self._rest.session.get(ref, proxy=self._rest.proxy, timeout=_FILE) as answer:
                if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise unreachable()
                if answer.status != HTTPStatus.OK:
                    raise NotFetched(_("The file could not be received."))
                await file.write(answer.content.iter_chunked(PIECE))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise unreachable() from error

    # ---- what goes

    async def post(self, sending: Sending) -> str:
        """Send one part, as a reply while one may be sent. What QQ has already is not sent again."""
        place = await self._place(sending.where.chat)
        body = await self._body(place, sending.part)
        while reply := await self._replies.reply(sending.where.chat, sending.once, sending.reply):
            try:
                return _id(await self._rest.call("POST", f"{place}/messages", body | reply))
            except Sent:
                return f"{reply['msg_id']}#{reply['msg_seq']}"
            except Over:
                await self._replies.over(sending.where.chat, reply["msg_id"])
        try:
            return _id(await self._rest.call("POST", f"{place}/messages", body))
        except Over as error:
            raise unasked() from error

    async def _place(self, chat: str) -> str:
        known = await self._replies.chat(chat)
        if known is None:
            raise unasked()
        return f"/v2/{'groups' if known.group else 'users'}/{quote(chat, safe='')}"

    async def _body(self, place: str, part: Part) -> dict[str, Any]:
        if part.file:
            media = {"file_info": await self._upload(place, Path(part.file))}
            return {"msg_type": _MEDIA, "media": media, "content": part.plain or " "}
        if part.markup:
            return {"msg_type": _MARKDOWN, "markdown": {"content": part.markup}}
        return {"msg_type": _TEXT, "content": part.plain}

    async def _upload(self, place: str, path: Path) -> str:
        size = (await in_thread(path.stat)).st_size
        about = {"file_type": _KINDS.get(path.suffix.lower(), _OTHER), "srv_send_msg": False}
        head = json.dumps(about | {"file_name": path.name, "file_data": ""}).encode()[:-2]
        length = len(head) + (size + 2) // 3 * 4 + 2
        made = await self._rest.upload(f"{place}/files", _encoded(path, head, b'"}'), length)
        if not (info := str(made.get("file_info") or "")):
            raise NotDelivered(_("QQ did not take the file."))
        return info

    async def edit(self, id_: str, sending: Sending) -> None:
        """QQ has no edits."""
        raise Gone(id_)

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """A message in place of a reaction; never raises."""
        with suppress(AppError, OSError):
            await self.post(Sending(where, Part("", emoji), f"ack-{message}"))

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """It stays."""


def _id(made: dict[str, Any]) -> str:
    return str(made.get("id") or "")


async def _encoded(path: Path, head: bytes, tail: bytes) -> AsyncIterator[bytes]:
    """A file in JSON."""
    yield head
    with await in_thread(reading, path) as file:
        while piece := await in_thread(file.read, _WHOLE):
            yield b64encode(piece)
    yield tail
