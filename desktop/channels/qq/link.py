"""The connection to QQ's gateway, https://bot.q.qq.com/wiki/develop/api-v2/dev-prepare/interface-framework/reference.html.

QQ ends each after half an hour or so, and tells the next one what came meanwhile.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import aiohttp

from desktop.channels.channel import connection_lost
from desktop.channels.qq.rest import Rest, not_known, unreachable
from desktop.errors import AppError, ConfigError
from desktop.tasks import cancel, spawn
from desktop.text import _

type Json = dict[str, Any]

_DISPATCH, _BEAT, _IDENTIFY, _RESUME, _AGAIN, _INVALID, _HELLO, _HEARD = 0, 1, 2, 6, 7, 9, 10, 11
_INTENTS = 1 << 25
"""What people write to the bot, in private and in groups."""
_OPEN_S = 30.0
_LARGEST = 4 << 20
_WRONG_TOKEN, _STALE, _WITHDRAWN, _BANNED = 4004, (4006, 4007), 4914, 4915
_NOT_ALLOWED = (4013, 4014)
_INTERNAL = range(4900, 4914)


@dataclass(slots=True)
class Session:
    """What a connection goes on with."""

    id: str = ""
    number: int = 0
    """Of the newest event that was dealt with."""
    url: str = ""


class Stale(AppError):
    """QQ does not know the session any more: begin a new one."""


class Link:
    """One connection."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._ready, self._heard = asyncio.Event(), asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._came: asyncio.Queue[Json | None] = asyncio.Queue()
        """None when it has ended."""
        self._number = 0
        self.me = ""
        """The session's id."""
        self._since = asyncio.get_running_loop().time()

    @classmethod
    async def opened(cls, rest: Rest, session: Session) -> "Link":
        """One that goes on with a session, or begins one where it has no id; that is told in it. Raises
        Stale, SignInNeeded, ConfigError, AppError."""
        token = await rest.authorization()
        try:
            async with asyncio.timeout(_OPEN_S):
                socket = await rest.session.ws_connect(session.url, proxy=rest.proxy, max_msg_size=_LARGEST)
                link = cls(socket)
                try:
                    await link._begin(token, session)
                except BaseException:
                    await link.close()
                    raise
        except (aiohttp.ClientError, TimeoutError) as error:
            raise unreachable() from error
        return link

    async def _begin(self, token: str, session: Session) -> None:
        self._number = session.number
        hello = await self._frame()
        if hello is None or hello.get("op") != _HELLO:
            raise self._ended()
        if session.id:
            body: Json = {"token": token, "session_id": session.id, "seq": session.number}
            await self._socket.send_json({"op": _RESUME, "d": body})
        else:
            body = {"token": token, "intents": _INTENTS, "shard": [0, 1], "properties": {}}
            await self._socket.send_json({"op": _IDENTIFY, "d": body})
        self._reading = spawn(self._read(), name="qq:read")
        self._beating = spawn(self._beat(float(hello["d"]["heartbeat_interval"]) / 1000), name="qq:beat")
        ready = spawn(self._ready.wait(), name="qq:ready")
        await asyncio.wait((ready, self._reading), return_when=asyncio.FIRST_COMPLETED)
        await cancel(ready)
        if not self._ready.is_set():
            await self._reading
            raise self._ended()
        session.id = self.me or session.id

    def age(self) -> float:
        """Seconds since it was opened."""
        return asyncio.get_running_loop().time() - self._since

    async def close(self) -> None:
        """End it."""
        await cancel(self._beating, self._reading)
        with suppress(ConnectionError, aiohttp.ClientError):
            await self._socket.close()

    async def events(self) -> AsyncIterator[Json]:
        """What comes, until it ends. Raises the reason."""
        while (found := await self._came.get()) is not None:
            yield found
        assert self._reading
        await self._reading
        raise self._ended()

    async def ping(self, seconds: float) -> None:
        """Whether the other end answers. Raises TimeoutError, AppError, ConnectionError."""
        if self._socket.closed:
            raise connection_lost()
        self._heard.clear()
        await self._socket.send_json({"op": _BEAT, "d": self._number or None})
        async with asyncio.timeout(seconds):
            await self._heard.wait()

    async def _beat(self, every: float) -> None:
        """One that no longer answers has ended: nothing else tells."""
        while True:
            await asyncio.sleep(every)
            try:
                await self.ping(every)
            except (TimeoutError, AppError, ConnectionError, aiohttp.ClientError):
                await self._socket.close()
                return

    async def _frame(self) -> Json | None:
        """The next one; None at the end."""
        while (message := await self._socket.receive()).type is not aiohttp.WSMsgType.TEXT:
            if message.type not in (
                aiohttp.WSMsgType.PING,
                aiohttp.WSMsgType.PONG,
                aiohttp.WSMsgType.BINARY,
            ):
                return None
        try:
            found = json.loads(message.data)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    async def _read(self) -> None:
        """Read all the time, so that beats are heard while a message is stored."""
        try:
            while (frame := await self._frame()) is not None:
                op = frame.get("op")
                if op == _DISPATCH:
                    self._take(frame)
                elif op == _HEARD:
                    self._heard.set()
                elif op == _INVALID:
                    raise Stale(_("QQ began a new session."))
                elif op == _AGAIN:
                    return
        finally:
            self._came.put_nowait(None)

    def _take(self, frame: Json) -> None:
        self._ready.set()
        number = frame.get("s")
        self._number = number if isinstance(number, int) else self._number
        if frame.get("t") == "READY":
            self.me = str((frame.get("d") or {}).get("session_id") or "")
        self._came.put_nowait(frame)

    def _ended(self) -> AppError:
        """Why."""
        code = self._socket.close_code or 0
        if code == _WRONG_TOKEN:
            return not_known()
        if code in _STALE or code in _INTERNAL:
            return Stale(_("QQ began a new session."))
        if code in _NOT_ALLOWED:
            return ConfigError(
                _("QQ does not let this bot read what people write."),
                _("Turn on messages in private chats and groups for it at q.qq.com."),
            )
        if code == _WITHDRAWN:
            return ConfigError(
                _("This bot is not published: QQ lets it connect to the sandbox only."),
                _("Turn on Sandbox below, or publish the bot at q.qq.com."),
            )
        if code == _BANNED:
            return ConfigError(_("QQ has banned this bot."), _("See the notice at q.qq.com."))
        return connection_lost()
