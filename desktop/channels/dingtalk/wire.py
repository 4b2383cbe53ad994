"""DingTalk's stream and its calls, as one robot uses them. Loaded in a thread."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp

from desktop.channels.channel import Gone, NotDelivered, Slower, connection_lost
from desktop.channels.dingtalk import media
from desktop.channels.dingtalk.hooks import Hooks, usable
from desktop.channels.dingtalk.incoming import Event, Hook, received
from desktop.channels.dingtalk.link import MESSAGES, Came, Link, leaves
from desktop.channels.dingtalk.rest import SERVICE, Over, Rest, rejected
from desktop.channels.listening import understood
from desktop.channels.message import Address, Known, Part, Sending
from desktop.channels.newfile import NewFile, reading
from desktop.config.channels.dingtalk import Dingtalk as Settings
from desktop.net import way_out
from desktop.tasks import in_thread
from desktop.text import _

type Json = dict[str, Any]

_PING_S, _LINKS_APART_S = 5.0, 60.0
"""A second connection that ends so soon after the one before is a fault."""
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp")
_MOST_TITLE = 40


class Wire:
    """The calls that we make, and the links."""

    def __init__(self, rest: Rest, settings: Settings, hooks: Hooks) -> None:
        self._rest, self._settings, self._hooks = rest, settings, hooks
        self._came: Came = asyncio.Queue()
        self._link: Link | None = None
        self._leaving: set[Link] = set()
        self._renewed = float("-inf")

    @classmethod
    async def made(cls, secret: str, settings: Settings, proxy: str, hooks: Hooks) -> "Wire":
        """One with a session of its own. `proxy`: its address, "" for the system's."""
        session, through = await way_out.session(settings.api_base or SERVICE, proxy)
        rest = Rest(session, through, settings.api_base)
        rest.sign_in(settings.client_id.strip(), secret)
        return cls(rest, settings, hooks)

    async def who(self) -> Known:
        """Whether DingTalk knows the app. Raises SignInNeeded, AppError."""
        await self._rest.authorization()
        return Known(self._rest.client)

    async def open(self) -> None:
        """Connect. Raises SignInNeeded, AppError."""
        self._link = await Link.opened(self._rest, self._came)

    async def close(self) -> None:
        """End all connections."""
        for link in (*self._leaving, *((self._link,) if self._link else ())):
            await link.close()
        await self._rest.session.close()

    async def check(self) -> None:
        """Whether DingTalk answers, and the link still stands. Raises AppError, OSError."""
        if self._link is None:
            raise connection_lost()
        await self._link.ping(_PING_S)

    async def events(self) -> AsyncIterator[Event]:
        """What comes, over one connection after the other. Raises why there is no other."""
        while True:
            link, frame = await self._came.get()
            if frame is None:
                self._leaving.discard(link)
                await link.close()
                if link is self._link:
                    await self._renew()
            elif leaves(frame):
                if link is self._link:
                    self._leaving.add(link)
                    await self._renew()
            elif frame["topic"] == MESSAGES:
                isolated = self._settings.group_user_isolation
                read = partial(received, frame["data"], isolated=isolated)
                yield Event(link, frame["id"], understood(read, None))
            else:
                yield Event(link, frame["id"])

    async def _renew(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._renewed < _LINKS_APART_S:
            raise connection_lost()
        self._renewed = now
        self._link = await Link.opened(self._rest, self._came)

    async def heard(self, event: Event) -> None:
        """An event is stored, or was nothing to store."""
        await event.link.acknowledge(event.id)

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Write a file. Raises as Channel.fetch()."""
        await media.fetch(self._rest, self._settings, ref, file)

    # ---- what goes

    async def post(self, sending: Sending) -> str:
        """Send one part: by the address that the chat's last message brought, else by the robot's call."""
        chat, part = sending.where.chat, sending.part
        hook = await self._hooks.of(chat)
        if hook and not part.file and usable(hook) and self._rest.own(hook.url):
            try:
                await self._rest.hook(hook.url, _body(part))
            except Over:
                await self._hooks.over(chat, hook)
            else:
                return sending.once
        if hook and not hook.staff:
            raise NotDelivered(
                _("DingTalk lets the robot write to people of other organizations only in reply."),
                _("Write to it in DingTalk, then send this again."),
            )
        return await self._by_call(chat, hook, *await self._content(part))

    async def _by_call(self, chat: str, hook: Hook | None, key: str, content: Json) -> str:
        robot = (hook and hook.robot) or self._rest.client
        body = {"robotCode": robot, "msgKey": key, "msgParam": json.dumps(content, ensure_ascii=False)}
        if hook.group if hook else in_group(chat):
            body |= {"openConversationId": chat}
            return _id(await self._rest.call("/v1.0/robot/groupMessages/send", body))
        made = await self._rest.call("/v1.0/robot/oToMessages/batchSend", body | {"userIds": [chat]})
        if made.get("flowControlledStaffIdList"):
            raise Slower(_("DingTalk wants a pause."), 20.0)
        if made.get("invalidStaffIdList"):
            raise rejected(_("nobody of the organization has this ID"))
        return _id(made)

    async def _content(self, part: Part) -> tuple[str, Json]:
        """The kind of a message and what is in it."""
        if not part.file:
            body = _body(part)
            return ("sampleMarkdown", body["markdown"]) if part.markup else ("sampleText", body["text"])
        path = Path(part.file)
        picture = path.suffix.lower() in _PICTURES
        with await in_thread(reading, path) as file:
            form = aiohttp.FormData()
            form.add_field("media", file, filename=path.name, content_type="application/octet-stream")
            id_ = await self._rest.upload("image" if picture else "file", form)
        if picture:
            return "sampleImageMsg", {"photoURL": id_}
        kind = path.suffix.lower().lstrip(".") or "file"
        return "sampleFile", {"mediaId": id_, "fileName": path.name, "fileType": kind}

    async def edit(self, id_: str, sending: Sending) -> None:
        """DingTalk has no edits."""
        raise Gone(id_)

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """DingTalk has no reactions for robots."""

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """The same."""


def in_group(chat: str) -> bool:
    """Whether an id is that of a group's conversation; people have others."""
    return chat.startswith("cid")


def _body(part: Part) -> Json:
    if not part.markup:
        return {"msgtype": "text", "text": {"content": part.plain}}
    title = " ".join(part.plain.split())[:_MOST_TITLE] or "Nanobot"
    return {"msgtype": "markdown", "markdown": {"title": title, "text": part.markup}}


def _id(made: Json) -> str:
    return str(made.get("processQueryKey") or "")
