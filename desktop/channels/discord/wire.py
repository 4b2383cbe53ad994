"""Discord through discord.py, with errors in our words. Loaded in a thread."""

import hashlib
import logging
import uuid
from collections.abc import AsyncIterator, MutableSequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import aiohttp
import discord
from discord.http import Route

from desktop import logs
from desktop.channels.channel import Gone, NotDelivered, Slower
from desktop.channels.discord.incoming import OF_PEOPLE, Came, came, command, press
from desktop.channels.discord.link import Gateway, Interaction, blind
from desktop.channels.discord.missed import missed
from desktop.channels.discord.read import Read, snowflake
from desktop.channels.discord.rest import Rest, unreachable
from desktop.channels.listening import understood
from desktop.channels.message import Address, Known, Sending
from desktop.channels.newfile import PIECE, NewFile, NotFetched
from desktop.errors import AppError
from desktop.net import way_out
from desktop.tasks import in_thread, spawn
from desktop.text import _

_SERVICE = "https://discord.com"
_PING_S = 5.0
_FILE = aiohttp.ClientTimeout(total=1800, sock_read=60)
_EPHEMERAL, _SAY_LATER, _CHANGE_LATER = 1 << 6, 5, 6
_COMMANDS = (("new", "Start a new session"), ("stop", "Stop the answer"), ("help", "Show the commands"))
_RIGHTS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    attach_files=True,
    read_message_history=True,
    add_reactions=True,
)


class Wire:
    """The calls that we make, and the connection."""

    def __init__(
        self,
        token: str,
        session: aiohttp.ClientSession,
        base: str,
        proxy: str | None,
        sent: MutableSequence[str],
    ) -> None:
        """`sent`: the names of the messages that were sent last, also by the wire before."""
        logs.mask(token)
        logging.getLogger("discord").setLevel(logging.CRITICAL)  # what fails is told in our words
        self._token, self._session, self._proxy = token, session, proxy
        self._rest, self._sent = Rest(session, base, proxy), sent
        self._gateway = Gateway(
            self._rest, lambda one: spawn(self._acknowledge(one), name="discord:pressed")
        )
        self._bot = self._gateway.bot

    @classmethod
    async def made(cls, token: str, base: str, proxy: str, sent: MutableSequence[str]) -> "Wire":
        """One with a session of its own. `proxy`: its address, "" for the system's."""
        session, through = await way_out.session(base or _SERVICE, proxy)
        return cls(token, session, base, through, sent)

    async def who(self) -> Known:
        """Who the bot is. Raises SignInNeeded, AppError."""
        application = await self._log_in()
        invitation = discord.utils.oauth_url(application.id, permissions=_RIGHTS, scopes=("bot",))
        told = () if _reads(application) else (blind().text, blind().remedy)
        return Known(str(self._bot.user), told, invitation)

    async def sign_in(self) -> int:
        """Sign in; an id of this moment, by Discord's clock. Raises SignInNeeded, ConfigError, AppError,
        OSError."""
        if not _reads(await self._log_in()):
            raise blind()
        return snowflake(self._rest.at)

    async def open(self) -> None:
        """Connect. Raises as sign_in()."""
        _shards, url, left = await self._rest.get_bot_gateway()
        if left["remaining"] < 1:  # Discord resets the token of a bot that signs in all the same
            raise Slower(_("Discord wants a pause."), left["reset_after"] / 1000)
        with suppress(AppError):  # commands can be written, too
            await self._offer_commands()
        await self._gateway.open(url)

    async def _offer_commands(self) -> None:
        """The menu; what else is in it stays."""
        me = self._me.id
        there = {one["name"] for one in await self._rest.get_global_commands(me)}
        for name, about in _COMMANDS:
            if name not in there:
                made: Any = {"name": name, "description": about, "type": 1}
                await self._rest.upsert_global_command(me, made)

    async def _log_in(self) -> discord.AppInfo:
        await self._bot.login(self._token)
        assert self._bot.application
        return self._bot.application

    async def close(self) -> None:
        """End all connections."""
        await self._gateway.close()
        await self._session.close()

    async def check(self) -> None:
        """Whether Discord answers, and the connection still stands. Raises AppError, OSError."""
        await self._rest.get_user(self._me.id)
        await self._gateway.ping(_PING_S)

    @property
    def _me(self) -> discord.ClientUser:
        found = self._bot.user
        assert found
        return found

    # ---- what comes

    async def events(self, read: Read, owner: str) -> AsyncIterator[Came]:
        """What came while nobody listened, then what comes, until the connection ends. Raises the
        reason."""
        async for message in missed(self._gateway, read, owner):
            yield await self._understood(message)
        async for found in self._gateway.came():
            if isinstance(found, discord.Message) and self._of_another(found):
                yield Came(str(found.channel.id), found.id, shared=True)
            elif isinstance(found, discord.Message):
                yield await self._understood(found)
            elif isinstance(found, discord.RawMessageUpdateEvent):
                yield await self._understood(found.message, edited=True)
            else:
                pressed = found.type is discord.InteractionType.component
                unknown = Came(str(found.channel_id or ""), found.id)
                yield understood(partial(press if pressed else command, found), unknown)

    def _of_another(self, message: discord.Message) -> bool:
        """Whether another program speaks as this bot: ours gives each message a name."""
        by_us = message.author.id == self._me.id and not message.webhook_id and message.type in OF_PEOPLE
        return by_us and str(message.nonce) not in self._sent

    async def _understood(self, message: discord.Message, *, edited: bool = False) -> Came:
        place: Any = message.channel
        if place.type is None:  # one that Discord did not tell of
            with suppress(NotDelivered):
                place = await self._bot.fetch_channel(place.id)
        unknown = Came(str(message.channel.id), message.id)
        return understood(partial(came, message, place, self._me, edited=edited), unknown)

    async def _acknowledge(self, pressed: Interaction) -> None:
        """What comes of a press may take longer than Discord waits."""
        with suppress(AppError):
            await self._rest.request(_callback(pressed), json={"type": _CHANGE_LATER})

    async def heard(self, event: Came) -> None:
        """A command was stored: show no words for it, the answer comes as all answers; never raises."""
        asked = event.answer
        if asked is None:
            return
        waiting = {"type": _SAY_LATER, "data": {"flags": _EPHEMERAL}}
        with suppress(AppError):
            await self._rest.request(_callback(asked), json=waiting)
            await self._rest.request(_follow_up(asked, "DELETE", "/messages/@original"))

    async def tell(self, event: Came, words: str) -> None:
        """Tell who pressed a button what came of it, and nobody else; never raises."""
        if event.answer is None or not words:
            return
        said = {"content": words[:2000], "flags": _EPHEMERAL}
        with suppress(AppError):
            await self._rest.request(_follow_up(event.answer, "POST"), json=said)

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Write a file. Raises as Channel.fetch()."""
        try:
            async with self._session.get(ref, proxy=self._proxy, timeout=_FILE) as answer:
                if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise unreachable()
                if answer.status != HTTPStatus.OK:
                    raise NotFetched(_("The file could not be received."))
                await file.write(answer.content.iter_chunked(PIECE))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise unreachable() from error

    # ---- what goes

    def _place(self, where: Address) -> Any:
        id_ = (where.thread or where.chat).rpartition(":")[2]
        if not id_.isdecimal():
            raise NotDelivered(_("Discord has no channel {id}.").format(id=id_))
        return self._bot.get_channel(int(id_)) or self._bot.get_partial_messageable(int(id_))

    async def post(self, sending: Sending) -> str:
        """Send one part."""
        part, place = sending.part, self._place(sending.where)
        options: dict[str, Any] = {"view": _view(sending)} if part.buttons else {}
        options["nonce"] = nonce = _nonce(sending) if sending.once else uuid.uuid4().hex[:24]
        self._sent.append(nonce)
        if sending.reply and getattr(place, "guild", None):
            options["reference"] = discord.MessageReference(
                message_id=int(sending.reply), channel_id=place.id, fail_if_not_exists=False
            )
        if part.file:
            paths = [Path(part.file), *map(Path, part.more)]
            options["files"] = [await in_thread(discord.File, path, path.name) for path in paths]
        made = await place.send(part.markup or part.plain or None, **options)
        if part.buttons:
            options["view"].stop()  # presses come as events
        return str(made.id)

    async def edit(self, id_: str, sending: Sending) -> None:
        """Put a part in the place of a message."""
        part = sending.part
        if not id_.isdecimal():
            raise Gone(id_)
        message = self._place(sending.where).get_partial_message(int(id_))
        await message.edit(content=part.markup or part.plain, view=_view(sending) if part.buttons else None)

    async def typing(self, where: Address) -> None:
        """Never raises."""
        with suppress(AppError):
            await self._place(where).typing()

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """Never raises."""
        with suppress(AppError, ValueError):
            await self._place(where).get_partial_message(int(message)).add_reaction(emoji)

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """Never raises."""
        with suppress(AppError, ValueError):
            found = self._place(where).get_partial_message(int(message))
            await found.remove_reaction(emoji, discord.Object(self._me.id))

    async def private(self, sender: str) -> str:
        """The channel of the bot with one person. Raises AppError."""
        if not sender.isdecimal():
            raise NotDelivered(_("Discord has no channel {id}.").format(id=sender))
        return str((await self._bot.create_dm(discord.Object(int(sender)))).id)


def _nonce(sending: Sending) -> str:
    """Discord drops a message that has the one of another of the last minutes; it takes 25 characters."""
    named = repr((sending.where, sending.once, None if sending.begins else sending.part))
    return hashlib.sha256(named.encode()).hexdigest()[:24]


def _callback(asked: Interaction) -> Route:
    path = "/interactions/{interaction_id}/{interaction_token}/callback"
    return Route("POST", path, interaction_id=asked.id, interaction_token=asked.token)


def _follow_up(asked: Interaction, method: str, more: str = "") -> Route:
    path = "/webhooks/{webhook_id}/{webhook_token}" + more
    return Route(method, path, webhook_id=asked.application_id, webhook_token=asked.token)


def _view(sending: Sending) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    for button in sending.part.buttons:
        view.add_item(discord.ui.Button(label=button.text[:80], custom_id=button.data))
    return view


def _reads(application: discord.AppInfo) -> bool:
    """Whether the bot gets what people write."""
    flags = application.flags
    return flags.gateway_message_content or flags.gateway_message_content_limited
