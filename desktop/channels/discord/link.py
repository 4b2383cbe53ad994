"""The connection to Discord's gateway, by discord.py: what comes is handed on in its order.

The library's own loop would open a lost connection again for ever. Here a connection that Discord ends in
order to have another one is followed by the next at once, with nothing missed between; for all else the end
is told. The library's cache holds servers, channels and roles, but no members and no messages.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.state import ConnectionState

from desktop.channels.discord.rest import Rest, not_known, unreachable
from desktop.errors import AppError, ConfigError
from desktop.tasks import cancel, spawn
from desktop.text import _

type Interaction = discord.Interaction[Any]
type Event = discord.Message | discord.RawMessageUpdateEvent | Interaction

_OPEN_S, _GUILDS_S, _CLOSE_S = 30.0, 10.0, 3.0
_RESUMES_APART_S = 60.0
"""A connection that ends sooner after it was resumed is a fault."""
_WRONG_TOKEN, _WRONG_INTENTS = 4004, (4013, 4014)
_HEARD = ("message", "raw_message_edit", "interaction", "connect")


class Bot(discord.Client):
    """The library's client: its state, and its calls by our way."""

    def __init__(self, rest: Rest, heard: Callable[[str, Any], None]) -> None:
        """`heard` is told of each event at once, by its name, with what it is about."""
        self._rest, self._heard = rest, heard
        super().__init__(
            intents=discord.Intents(
                guilds=True, guild_messages=True, dm_messages=True, message_content=True
            ),
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            guild_ready_timeout=0,
        )

    def _get_state(self, **options: Any) -> "ConnectionState[Any]":
        """Where the library says by what its calls are made."""
        self.http = self._rest
        return super()._get_state(**options)

    def dispatch(self, event: str, /, *args: Any, **_options: Any) -> None:
        """In place of listeners, each of which would be a task of its own."""
        if event in _HEARD:
            self._heard(event, args[0] if args else None)


class Link(DiscordWebSocket):
    """One connection."""

    def __init__(self, socket: Any, *, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(socket, loop=loop)
        self.sign = asyncio.Event()
        """Set at each frame."""

    async def received_message(self, msg: Any, /) -> None:
        """A frame came."""
        await super().received_message(msg)
        self.sign.set()


class Gateway:
    """One session, by as many connections as it takes."""

    def __init__(self, rest: Rest, pressed: Callable[[Interaction], object]) -> None:
        """`pressed` is told of a button at once: Discord waits three seconds for an answer."""
        self.bot = Bot(rest, self._heard)
        self._pressed = pressed
        self._link: Link | None = None
        self._reading: asyncio.Task[None] | None = None
        self._came: asyncio.Queue[Event | None] = asyncio.Queue()
        """None when the session has ended."""
        self._ready = False
        self._resumed_at = 0.0

    async def open(self, url: str) -> None:
        """Begin a session. Raises SignInNeeded, ConfigError, AppError, OSError."""
        try:
            async with asyncio.timeout(_OPEN_S):
                link = await self._connected(initial=True, gateway=yarl.URL(url))
                while not self._ready:
                    await link.poll_event()
        except (ReconnectWebSocket, discord.DiscordException, aiohttp.ClientError) as error:
            raise _ended(error) from error
        self._reading = spawn(self._read(link), name="discord:read")

    async def close(self) -> None:
        """End it."""
        await cancel(self._reading)
        with suppress(Exception):
            async with asyncio.timeout(_CLOSE_S):  # one that died takes no leave
                await self.bot.close()
        with suppress(Exception):
            await self.bot.http.close()

    async def came(self) -> AsyncIterator[Event]:
        """What comes, until the session ends. Raises the reason."""
        while (found := await self._came.get()) is not None:
            yield found
        if self._reading is not None:
            await self._reading

    async def ping(self, seconds: float) -> None:
        """Whether the other end answers. Raises TimeoutError, AppError."""
        link = self._link
        if link is None or not link.open:
            raise unreachable()
        link.sign.clear()
        await link.send_as_json({"op": link.HEARTBEAT, "d": link.sequence})
        async with asyncio.timeout(seconds):
            await link.sign.wait()

    async def servers(self) -> None:
        """Wait a while until they are known, which say whose role is mentioned."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_GUILDS_S):
                while self._link and any(guild.unavailable for guild in self.bot.guilds):
                    self._link.sign.clear()
                    await self._link.sign.wait()

    def _heard(self, event: str, what: Any) -> None:
        if event == "connect":
            self._ready = True
        elif event == "message" or (event == "raw_message_edit" and what.message.edited_at):
            self._came.put_nowait(what)  # Discord adds its previews without a word of editing
        elif event == "raw_message_edit":
            return
        elif what.type is discord.InteractionType.component:
            self._pressed(what)
            self._came.put_nowait(what)
        elif what.type is discord.InteractionType.application_command:
            self._came.put_nowait(what)

    async def _connected(self, **options: Any) -> Link:
        self._link = self.bot.ws = link = await Link.from_client(self.bot, **options)
        return link

    async def _read(self, link: Link) -> None:
        """Read all the time: a connection of which nobody reads is taken for dead."""
        try:
            while True:
                try:
                    await link.poll_event()
                except ReconnectWebSocket as asked:
                    link = await self._resumed(link, asked)
        except (ReconnectWebSocket, discord.DiscordException, aiohttp.ClientError) as error:
            raise _ended(error) from error
        finally:
            self._came.put_nowait(None)

    async def _resumed(self, link: Link, asked: ReconnectWebSocket) -> Link:
        now = asyncio.get_running_loop().time()
        if not asked.resume or (self._resumed_at and now - self._resumed_at < _RESUMES_APART_S):
            raise asked
        self._resumed_at = now
        async with asyncio.timeout(_OPEN_S):
            return await self._connected(
                gateway=link.gateway, session=link.session_id, sequence=link.sequence, resume=True
            )


def blind() -> ConfigError:
    """The bot may not read."""
    return ConfigError(
        _("Discord does not show this bot what people write."),
        _("Turn on Message Content Intent under Bot in the developer portal, then turn Discord on again."),
    )


def _ended(error: Exception) -> AppError:
    """Why the gateway ended a connection."""
    code = error.code if isinstance(error, discord.ConnectionClosed) else 0
    if code == _WRONG_TOKEN:
        return not_known()
    return blind() if code in _WRONG_INTENTS else unreachable()
