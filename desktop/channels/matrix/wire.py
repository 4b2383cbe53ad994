"""What is done with an account that is signed in: hearing the news, and sending. Loaded in a thread."""

import asyncio
import json
import uuid
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nio import Event, MegolmEvent, RoomSendResponse, SyncResponse

from desktop.channels.channel import NotDelivered
from desktop.channels.matrix import outgoing
from desktop.channels.matrix.client import Client
from desktop.channels.matrix.incoming import (
    Answered,
    Me,
    Place,
    answers,
    edited,
    edits,
    is_message,
    received,
    said,
)
from desktop.channels.matrix.keys import Keys
from desktop.channels.matrix.login import Account
from desktop.channels.matrix.rooms import FILTER, Heard, Invitation, invitations, new_events
from desktop.channels.matrix.sealed import Opening, sealing
from desktop.channels.matrix.server import Json, Refused, Server, Unreachable, unreadable
from desktop.channels.message import Address, Received, Sending
from desktop.channels.newfile import NewFile, reading
from desktop.config.channels.matrix import Matrix as Settings
from desktop.errors import AppError
from desktop.tasks import in_thread
from desktop.text import _

_POLL_MS, _SHORT_MS = 30_000, 4_000
"""How long the server may wait for news; the short one while keys are awaited."""
_TYPING_MS = 30_000
_SEALED = "m.room.encrypted"
_RELATIONS = "/_matrix/client/v1/rooms"
_ENCRYPTION = {
    "type": "m.room.encryption",
    "state_key": "",
    "content": {"algorithm": "m.megolm.v1.aes-sha2"},
}


@dataclass(frozen=True, slots=True)
class News:
    """What came. `next` is where to go on."""

    next: str
    heard: list[Heard] = field(default_factory=list)
    invitations: list[Invitation] = field(default_factory=list)
    unreadable: list[Heard] = field(default_factory=list)
    """Encrypted for others than this device."""


class Wire:
    """One device at work."""

    def __init__(
        self, server: Server, account: Account, settings: Settings, folder: Path, salt: str
    ) -> None:
        """Blocks. Raises SignInNeeded, OSError."""
        self._server, self._settings, self._salt = server, settings, salt
        self._reactions: dict[tuple[str, str], str] = {}
        """The events that show them, by their messages and emoji."""
        self._client = Client(server, account, folder if settings.e2ee_enabled else None)
        self._keys = Keys(self._client)
        self._me = Me(account.user, "")
        self._sending: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._typing: set[str] = set()
        self._looked = asyncio.Event()

    @property
    def all_read(self) -> bool:
        """Whether everything that came was handed on, or given up."""
        return not self._keys.waiting

    async def close(self) -> None:
        """End all connections, and close the keys."""
        await self._server.close()
        self._client.close_store()

    async def who(self) -> None:
        """Whether the device is still signed in, and what the account is called. Raises SignInNeeded,
        AppError."""
        user = self._client.user_id
        await self._server.ask("GET", "/account/whoami")
        with suppress(Refused):
            profile = await self._server.ask("GET", f"/profile/{_part(user)}/displayname")
            self._me = Me(user, str(profile.get("displayname") or ""))

    async def begin(self, since: str) -> News:
        """Learn of all rooms; what was said in them since then. Without `since` that is nothing."""
        return await self._look(since, first=True)

    async def more(self, since: str) -> News:
        """Wait for what is new. Raises SignInNeeded, Slower, Unreachable."""
        return await self._look(since, first=False)

    async def _look(self, since: str, *, first: bool) -> News:
        client = self._client
        client.next_batch = ""  # nio takes the same news for known, and decrypts nothing of it
        found = await client.sync(
            timeout=0 if first else _POLL_MS if self.all_read else _SHORT_MS,
            sync_filter=FILTER,
            since=since or None,
            full_state=first,
        )
        if not isinstance(found, SyncResponse):
            raise unreadable()
        for room in found.rooms.leave:
            client.rooms.pop(room, None)
        await self._keys.tend()
        heard = [Heard(room, event) for room, event in self._keys.opened()]
        for id_, info in found.rooms.join.items() if since else ():
            if info.timeline.limited:
                client.rooms[id_].members_synced = False
            for event in await new_events(client, id_, info.timeline, since):
                if not isinstance(event, MegolmEvent):
                    heard.append(Heard(id_, event))
                elif event.sender != client.user_id:
                    self._keys.put_by(id_, event)
        self._looked.set()
        late = [Heard(one.room, one.event) for one in self._keys.given_up()]
        return News(found.next_batch, heard, invitations(found, client.user_id), late)

    async def received(self, heard: Heard) -> Received | None:
        """A message; None where it is none of somebody else's. Raises SignInNeeded, Slower, Unreachable."""
        event, room = heard.event.source, self._client.rooms.get(heard.room)
        edit = edits(event, self._client.user_id)
        if room and edit:
            event = edited(await self._event(heard.room, edit) or {}, event) or {}
        if room is None or not is_message(event, self._client.user_id):
            return None
        answered = await self._answered(heard.room, answers(event))
        proved = not room.encrypted or (heard.event.decrypted and self._keys.proved(heard.event))
        found = received(
            event,
            Place(heard.room, room.member_count <= 2, lambda user: str(room.user_name(user) or user)),
            self._me,
            answered,
            proved=proved,
            to_all=self._settings.allow_room_mentions,
        )
        return replace(found, edited=bool(edit))

    def sender(self, heard: Heard) -> tuple[str, bool]:
        """Who sent what can't be read, and whether nobody else is in the room."""
        room = self._client.rooms.get(heard.room)
        return str(heard.event.sender), bool(room and room.member_count <= 2)

    async def _answered(self, room: str, id_: str) -> Answered:
        found = await self._event(room, id_) if id_ else None
        if found is None:
            return Answered()
        return Answered(str(found.get("sender") or "")) if found.get("type") == _SEALED else said(found)

    async def _event(self, room: str, id_: str) -> Json | None:
        """A message of a room, as it was sent; encrypted where it can't be opened. Raises SignInNeeded,
        Slower, Unreachable."""
        try:
            found = await self._server.ask("GET", f"/rooms/{_part(room)}/event/{_part(id_)}")
        except Refused:
            return None
        if found.get("type") != _SEALED:
            return found
        event = self._keys.open(room, Event.parse_event(found))
        return event.source if event else found

    async def join(self, room: str) -> None:
        """Accept an invitation. Raises as Server.ask() does."""
        await self._server.ask("POST", f"/rooms/{_part(room)}/join", {})

    async def post(self, sending: Sending) -> str:
        """Send one part. Raises NotDelivered, Slower, SignInNeeded, Unreachable."""
        room = self._room(sending.where)
        group = room.member_count > 2
        content = await self._file(room, sending) if sending.part.file else outgoing.text(sending)
        content |= outgoing.related(sending, group=group)
        id_ = await self._send(room, content, outgoing.once(sending, self._salt))
        if room.room_id in self._typing:
            self._typing.discard(room.room_id)
            await self._type(room.room_id, on=False)
        return id_

    async def edit(self, id_: str, sending: Sending) -> None:
        """Put a part in the place of a message."""
        once = outgoing.once(sending, self._salt, id_)
        await self._send(self._room(sending.where), outgoing.edit(id_, sending), once)

    async def typing(self, where: Address) -> None:
        """Never raises."""
        self._typing.add(where.chat)
        await self._type(where.chat, on=True)

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """Never raises. Reactions are never encrypted."""
        relation = {"rel_type": "m.annotation", "event_id": message, "key": emoji}
        path = f"/rooms/{_part(where.chat)}/send/m.reaction/{uuid.uuid4().hex}"
        with suppress(AppError):
            made = await self._server.ask("PUT", path, {"m.relates_to": relation})
            self._reactions[message, emoji] = str(made.get("event_id") or "")

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """Never raises."""
        event = self._reactions.pop((message, emoji), "")
        with suppress(AppError):
            event = event or await _reaction(self._server, where, message, emoji, self._client.user_id)
            if event:
                path = f"/rooms/{_part(where.chat)}/redact/{_part(event)}/{uuid.uuid4().hex}"
                await self._server.ask("PUT", path, {})

    async def read(self, where: Address, message: str) -> None:
        """Show that a message was read; never raises."""
        path = f"/rooms/{_part(where.chat)}/read_markers"
        with suppress(AppError):
            await self._server.ask("POST", path, {"m.fully_read": message, "m.read": message})

    async def direct(self, user: str) -> str:
        """The room of the bot and one person, made where there is none. Raises AppError."""
        for room in self._client.rooms.values():
            if room.member_count == 2 and user in room.users:
                return str(room.room_id)
        wanted: Json = {"preset": "trusted_private_chat", "is_direct": True, "invite": [user]}
        if self._client.olm:
            wanted["initial_state"] = [_ENCRYPTION]
        made = str((await self._server.ask("POST", "/createRoom", wanted))["room_id"])
        try:
            async with asyncio.timeout(_POLL_MS / 1000):
                while not self._is_made(made, user):
                    self._looked.clear()
                    await self._looked.wait()
        except TimeoutError as error:
            raise Unreachable from error
        return made

    def _is_made(self, id_: str, user: str) -> bool:
        """Whether all of a new room was seen: it comes piece by piece, and at first unencrypted."""
        room = self._client.rooms.get(id_)
        return bool(room and user in room.users and (room.encrypted or not self._client.olm))

    def _room(self, where: Address) -> Any:
        room = self._client.rooms.get(where.chat)
        if room is None:
            raise NotDelivered(_("The agent’s account is not in this room."))
        if room.encrypted and self._client.olm is None:
            raise NotDelivered(
                _("This room is encrypted."), _("Turn on encrypted rooms under Settings › Channels.")
            )
        return room

    async def _send(self, room: Any, content: Json, once: str | None) -> str:
        async with self._sending[room.room_id]:
            if room.encrypted:
                await self._keys.share(room)
            sent = await self._client.room_send(
                room.room_id, "m.room.message", content, once, ignore_unverified_devices=True
            )
        if not isinstance(sent, RoomSendResponse):
            raise unreadable()
        return str(sent.event_id)

    async def _file(self, room: Any, sending: Sending) -> Json:
        path = Path(sending.part.file)
        info = await in_thread(outgoing.described, path, self._settings.max_media_bytes)
        size = int(info["size"])
        with await in_thread(reading, path) as file:
            if room.encrypted:
                keys: Json = {}
                data = sealing(file, size, keys)
                uri = await self._server.upload(data, size, "application/octet-stream", "")
                return outgoing.file(path, uri, keys, info)
            uri = await self._server.upload(file, size, str(info["mimetype"]), path.name)
        return outgoing.file(path, uri, None, info)

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Write a file of a message. `ref`: what the message says of it. Raises as Channel.fetch()."""
        content: Json = json.loads(ref)
        sealed = content.get("file")
        file = replace(file, most=min(file.most, self._settings.max_media_bytes))
        if not isinstance(sealed, dict):
            await self._server.download(str(content.get("url") or ""), file.write)
            return
        opening = Opening.of(sealed)
        await self._server.download(
            str(sealed.get("url") or ""), lambda pieces: file.write(opening.pieces(pieces))
        )

    async def _type(self, room: str, *, on: bool) -> None:
        told: Json = {"typing": on} | ({"timeout": _TYPING_MS} if on else {})
        with suppress(AppError):
            path = f"/rooms/{_part(room)}/typing/{_part(self._client.user_id)}"
            await self._server.ask("PUT", path, told)


def _part(name: str) -> str:
    return quote(name, safe="")


async def _reaction(server: Server, where: Address, message: str, emoji: str, user: str) -> str:
    """The event of a reaction that an earlier run has sent; empty where there is none. Raises AppError."""
    path = f"{_RELATIONS}/{_part(where.chat)}/relations/{_part(message)}/m.annotation/m.reaction"
    for one in (await server.ask("GET", path)).get("chunk") or ():
        relation = (one.get("content") or {}).get("m.relates_to") or {}
        if one.get("sender") == user and relation.get("key") == emoji:
            return str(one.get("event_id") or "")
    return ""
