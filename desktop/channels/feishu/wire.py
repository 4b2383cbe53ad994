"""Feishu's long connection and its calls, as one app uses them. Loaded in a thread."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp

from desktop.channels.channel import Gone, MarkupRefused, NotDelivered, WrongField, connection_lost
from desktop.channels.feishu.cards import card
from desktop.channels.feishu.content import content, names
from desktop.channels.feishu.frame import Frame
from desktop.channels.feishu.growing import Growing, is_growing, named
from desktop.channels.feishu.incoming import Told, shortened, told
from desktop.channels.feishu.link import Link
from desktop.channels.feishu.rest import NoApp, Rest, data, explained, read, unreachable
from desktop.channels.listening import understood
from desktop.channels.message import Address, Known, Received, Sending
from desktop.channels.newfile import PIECE, NewFile, NotFetched, reading
from desktop.config.channels.feishu import Feishu as Settings
from desktop.errors import AppError
from desktop.net import way_out
from desktop.services.service import SignInNeeded
from desktop.tasks import in_thread
from desktop.text import _

type Json = dict[str, Any]

_PING_S, _LOOK_S, _FILE = 5.0, 2.0, aiohttp.ClientTimeout(total=1800, sock_read=60)
_LINKS_APART_S = 60.0
"""A connection that ends sooner is a fault."""
_MOST_NAMES = 1000
_ACTIVE = 2
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".tiff", ".heic")
_LARGEST_PICTURE = 10 * 1024 * 1024
_KINDS = {".opus": "opus", ".mp4": "mp4", ".pdf": "pdf", ".doc": "doc", ".docx": "doc"}
_KINDS |= {".xls": "xls", ".xlsx": "xls", ".ppt": "ppt", ".pptx": "ppt"}
_MESSAGES = {"opus": "audio", "mp4": "media"}


@dataclass(frozen=True, slots=True)
class Event:
    """What came by the link, to be acknowledged once it is dealt with."""

    link: Link
    frame: Frame
    told: Told
    since: float
    """When it came, by the loop's clock."""


class Wire:
    """The calls that we make, and the link."""

    def __init__(self, rest: Rest, settings: Settings) -> None:
        self._rest, self._settings = rest, settings
        self._growing = Growing(rest)
        self._link: Link | None = None
        self._me = ""
        self._names: dict[str, str] = {}

    @classmethod
    async def made(cls, secret: str, settings: Settings, proxy: str) -> "Wire":
        """One with a session of its own. `proxy`: its address, "" for the system's."""
        address = Rest.address(settings.api_base, settings.domain)
        session, through = await way_out.session(address, proxy)
        rest = Rest(session, through, settings.api_base, settings.domain)
        rest.sign_in(settings.app_id.strip(), secret)
        return cls(rest, settings)

    async def who(self) -> Known:
        """Who the bot is. Raises SignInNeeded, ConfigError, AppError."""
        found = (await self._rest.call("GET", "/bot/v3/info")).get("bot") or {}
        self._me = str(found.get("open_id") or "")
        notes = () if found.get("activate_status", _ACTIVE) == _ACTIVE else (_not_active(),)
        return Known(str(found.get("app_name") or self._rest.app_id), notes)

    async def probe(self) -> Known:
        """The same for a test. Raises WrongField, AppError."""
        try:
            return await self.who()
        except SignInNeeded as error:
            field = "appId" if isinstance(error, NoApp) else "appSecret"
            raise WrongField(field, error.text, error.remedy) from error

    async def open(self) -> None:
        """Connect. Raises SignInNeeded, ConfigError, AppError."""
        if self._link:
            await self._link.close()
        self._link = await Link.opened(self._rest)

    async def close(self) -> None:
        """End all connections."""
        if self._link:
            await self._link.close()
        await self._rest.session.close()

    async def check(self) -> None:
        """Whether the link still stands. Raises AppError, OSError."""
        if self._link is None:
            raise connection_lost()
        await self._link.ping(_PING_S)

    async def events(self) -> AsyncIterator[Event]:
        """What comes, over one connection after the other. Raises why there is no other."""
        clock = asyncio.get_running_loop().time
        while link := self._link:
            async for frame, payload in link.events():
                since = clock()
                topics = self._settings.topic_isolation
                reader = partial(told, payload, self._me, topics=topics)
                found = understood(reader, Told()) if frame.header("type") == "event" else Told()
                yield Event(link, frame, found, since)
            if link.age() < _LINKS_APART_S:
                raise connection_lost()
            await self.open()

    async def acknowledge(self, event: Event, words: str = "") -> None:
        """An event is dealt with. `words`: shown to who pressed a button."""
        answer = {"toast": {"type": "info", "content": words}} if words else None
        seconds = asyncio.get_running_loop().time() - event.since
        await event.link.acknowledge(event.frame, seconds, answer)

    # ---- what is looked up about a message

    async def completed(self, event: Told, message: Received) -> Received:
        """A message with the name of its sender, what it answers and what it stands for, as far as that may
        be known. Never takes long."""
        with suppress(AppError, OSError, TimeoutError):
            async with asyncio.timeout(_LOOK_S):
                if event.holds:
                    message = replace(message, text=await self._held(message))
                message = replace(message, name=await self._name(message.sender))
                if event.answers:
                    message = await self._quoting(message, event.answers)
        return message

    async def _name(self, sender: str) -> str:
        """The id counts where the app may not know the name."""
        if sender not in self._names:
            path = f"/contact/v3/users/{quote(sender, safe='')}"
            name = ""
            with suppress(NotDelivered):
                found = data(await self._rest.call("GET", path, user_id_type="open_id")).get("user") or {}
                name = str(found.get("name") or "")
            while len(self._names) >= _MOST_NAMES:
                del self._names[next(iter(self._names))]
            self._names[sender] = name or shortened(sender)
        return self._names[sender]

    async def _items(self, message: str) -> list[Json]:
        """A message as it is read later; after one that stands for others, those."""
        found = data(await self._rest.call("GET", f"/im/v1/messages/{quote(message, safe='')}"))
        return found.get("items") or [{}]

    async def _held(self, message: Received) -> str:
        """The messages that one stands for, a line each, as far as they can be read."""
        lines = []
        for item in (await self._items(message.id))[1:]:
            words = understood(partial(_words, item), "") or f"[{item.get('msg_type')}]"
            who = str((item.get("sender") or {}).get("id") or "")
            lines.append(f"{await self._name(who) if who.startswith('ou_') else who}: {words}")
        return "\n".join(lines) or message.text

    async def _quoting(self, message: Received, answers: str) -> Received:
        items = await self._items(answers)
        sender = items[0].get("sender") or {}
        if sender.get("id") == self._rest.app_id:
            return replace(message, mentioned=True)
        words = understood(partial(_words, items[0]), "")
        return replace(message, quoted=words)

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Write a file. Raises as Channel.fetch()."""
        kind, _slash, rest = ref.partition("/")
        message, _slash, key = rest.partition("/")
        path = f"/im/v1/messages/{quote(message, safe='')}/resources/{quote(key, safe='')}"
        get = partial(self._rest.session.get, params={"type": kind}, proxy=self._rest.proxy, timeout=_FILE)
        try:
            async with get(self._rest.url(path), headers=await self._rest.headers()) as answer:
                if answer.status != HTTPStatus.OK or answer.content_type == "application/json":
                    await self._not_fetched(answer, Path(file.name))
                await file.write(answer.content.iter_chunked(PIECE))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise unreachable() from error

    async def _not_fetched(self, answer: aiohttp.ClientResponse, path: Path) -> None:
        """Raise what an answer means, unless it is a file of that kind."""
        if answer.status == HTTPStatus.OK and path.suffix.lower() == ".json":
            return
        error = explained(answer.status, answer.headers, read(await answer.text("utf-8", "replace")))
        if isinstance(error, NotDelivered | Gone | MarkupRefused):
            raise NotFetched(_("The file could not be received."), error.remedy) from error
        if isinstance(error, SignInNeeded):
            self._rest.forget()
            raise unreachable() from error
        raise error

    # ---- what goes

    async def post(self, sending: Sending) -> str:
        """Send one part. One that Feishu has already is not there twice."""
        kind, body, growing = "interactive", card(sending.part), ""
        if sending.part.file:
            kind, body = await self._upload(Path(sending.part.file))
        made: Json = {"msg_type": kind, "content": body, "uuid": _name_of(sending)}
        try:
            if sending.grows:
                growing, body = await self._growing.made(sending.part)
                made["content"] = body or made["content"]
            id_ = await self._sent(sending, made)
            if sending.begins and not sending.grows:  # it may be there, as a card that grew
                return await self._growing.found(id_)
            return named(id_, growing)
        except MarkupRefused as error:
            if sending.part.markup:
                raise
            raise NotDelivered(_("Feishu rejected it: {reason}").format(reason=error.text)) from error

    async def _sent(self, sending: Sending, made: Json) -> str:
        where, to = sending.where, sending.where.thread
        if not to and self._settings.reply_to_message:
            to = sending.reply
        if to:
            path = f"/im/v1/messages/{quote(to, safe='')}/reply"
            with suppress(Gone):  # it was taken back: the chat is still there
                return _id(
                    await self._rest.call("POST", path, made | {"reply_in_thread": bool(where.thread)})
                )
        kind = "open_id" if where.chat.startswith("ou_") else "chat_id"
        body = made | {"receive_id": where.chat}
        return _id(await self._rest.call("POST", "/im/v1/messages", body, receive_id_type=kind))

    async def _upload(self, path: Path) -> tuple[str, str]:
        """A file as the kind and the content of a message."""
        size, ending = (await in_thread(path.stat)).st_size, path.suffix.lower()
        picture = ending in _PICTURES and size <= _LARGEST_PICTURE
        kind = _KINDS.get(ending, "stream")
        with await in_thread(reading, path) as file:
            form = aiohttp.FormData()
            if picture:
                form.add_field("image_type", "message")
                form.add_field("image", file, filename=path.name)
                key = (await self._rest.upload("/im/v1/images", form)).get("image_key")
                found = ("image", {"image_key": key})
            else:
                form.add_field("file_type", kind)
                form.add_field("file_name", path.name)
                form.add_field("file", file, filename=path.name)
                key = (await self._rest.upload("/im/v1/files", form)).get("file_key")
                found = (_MESSAGES.get(kind, "file"), {"file_key": key})
        if not key:
            raise NotDelivered(_("Feishu did not take the file."))
        return found[0], json.dumps(found[1])

    async def edit(self, id_: str, sending: Sending) -> None:
        """Put a part in the place of a message."""
        if not is_growing(id_):
            if sending.grows:
                self._growing.edit(id_)
            path = f"/im/v1/messages/{quote(id_, safe='')}"
            await self._rest.call("PATCH", path, {"content": card(sending.part)})
        elif sending.grows:
            await self._growing.grow(id_, sending.part)
        else:
            await self._growing.end(id_, sending.part)

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """Never raises."""
        with suppress(AppError, OSError):
            path = f"/im/v1/messages/{quote(message, safe='')}/reactions"
            await self._rest.call("POST", path, {"reaction_type": {"emoji_type": emoji}})

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """Never raises. The id of a reaction is asked for: the one who put it may be an earlier start."""
        with suppress(AppError, OSError):
            path = f"/im/v1/messages/{quote(message, safe='')}/reactions"
            found = data(await self._rest.call("GET", path, reaction_type=emoji))
            for one in found.get("items") or ():
                operator = one.get("operator") or {}
                if operator.get("operator_id") == self._rest.app_id:
                    await self._rest.call("DELETE", f"{path}/{quote(str(one['reaction_id']), safe='')}")


def _id(made: Json) -> str:
    return str(data(made).get("message_id") or "")


def _name_of(sending: Sending) -> str:
    """By which Feishu drops a second try, for an hour. Other computers may send by the same app: what a
    message says is part of its name, but for one that grows."""
    said = "" if sending.begins else repr(sending.part)
    whole = f"{sending.where.session}\n{sending.once}\n{said}"
    return sha256(whole.encode("utf-8", "replace")).hexdigest()[:40]


def _words(item: Json) -> str:
    """Of a message that is read later."""
    people, _mentioned = names(item.get("mentions"), "")
    body = str((item.get("body") or {}).get("content") or "")
    return content(str(item.get("msg_type")), body, people).text


def _not_active() -> str:
    return _("This app is not published yet: publish a version in its console.")
