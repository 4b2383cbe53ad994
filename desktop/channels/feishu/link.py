"""A long connection of Feishu's: asked for by a call, then frames over a websocket.

As https://github.com/larksuite/oapi-sdk-python/tree/v2_main/lark_oapi/ws speaks it. What is not
acknowledged within three seconds comes again later. Of several connections of an app, one gets each event.
"""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp

from desktop.channels.channel import connection_lost
from desktop.channels.feishu.frame import CONTROL, DATA, Frame, decoded
from desktop.channels.feishu.rest import Rest, not_known, too_many, unreachable
from desktop.errors import AppError, ConfigError
from desktop.tasks import cancel, spawn
from desktop.text import _

type Json = dict[str, Any]

_OPEN_S, _SILENCE_S, _PONG_S = 30.0, 20.0, 15.0
_PING_S, _LONGEST_PING_S = 120.0, 600.0
_LARGEST = 4 << 20
_MOST_PIECES, _MOST_BEGUN = 64, 16
"""Of one event; and of how many events only some pieces are here."""
_WRONG, _FORBIDDEN, _FULL = "514", "403", "1000040350"


class Link:
    """One connection."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, url: str, config: Json) -> None:
        self._socket = socket
        found = parse_qs(urlsplit(url).query).get("service_id") or ["0"]
        self._service = int(found[0]) if found[0].isdecimal() else 0
        self._every = _seconds(config)
        self._heard = asyncio.Event()
        self._came: asyncio.Queue[tuple[Frame, bytes] | None] = asyncio.Queue()
        """None when it has ended."""
        self._begun: dict[str, list[bytes]] = {}
        """Events that come in pieces, by their ids."""
        self._since = asyncio.get_running_loop().time()
        self._reading = spawn(self._read(), name="feishu:read")
        self._beating = spawn(self._beat(), name="feishu:beat")

    @classmethod
    async def opened(cls, rest: Rest) -> "Link":
        """One that is open. Raises SignInNeeded, ConfigError, AppError."""
        told = await rest.endpoint()
        url, config = str(told.get("URL") or ""), told.get("ClientConfig")
        if urlsplit(url).scheme != "wss" and not rest.is_elsewhere:
            raise unreachable()
        try:
            async with asyncio.timeout(_OPEN_S):
                socket = await rest.session.ws_connect(
                    url, proxy=rest.proxy, heartbeat=_SILENCE_S, max_msg_size=_LARGEST
                )
        except aiohttp.WSServerHandshakeError as error:
            raise _refused(error.headers or {}) from None  # the address in it is a key
        except (aiohttp.ClientError, TimeoutError, ValueError):
            raise unreachable() from None
        return cls(socket, url, config if isinstance(config, dict) else {})

    def age(self) -> float:
        """Seconds since it was opened."""
        return asyncio.get_running_loop().time() - self._since

    async def close(self) -> None:
        """End it."""
        await cancel(self._beating, self._reading)
        with suppress(ConnectionError, aiohttp.ClientError):
            await self._socket.close()

    async def events(self) -> AsyncIterator[tuple[Frame, bytes]]:
        """The frames to acknowledge, and the whole of what they tell, until it ends."""
        while (found := await self._came.get()) is not None:
            yield found

    async def acknowledge(self, frame: Frame, seconds: float, answer: Json | None) -> None:
        """Tell that it came, and what the person is to see; where the link has ended meanwhile, it comes
        again and is known."""
        told: Json = {"code": 200}
        if answer is not None:
            told["data"] = b64encode(json.dumps(answer).encode()).decode()
        made = frame.answered(json.dumps(told).encode(), ("biz_rt", str(int(seconds * 1000))))
        with suppress(ConnectionError, aiohttp.ClientError):
            await self._socket.send_bytes(made.encoded())

    async def ping(self, seconds: float) -> None:
        """Whether the other end answers. Raises TimeoutError, AppError, ConnectionError."""
        if self._socket.closed:
            raise connection_lost()
        self._heard.clear()
        frame = Frame(CONTROL, self._service, (("type", "ping"),))
        await self._socket.send_bytes(frame.encoded())
        async with asyncio.timeout(seconds):
            await self._heard.wait()

    async def _beat(self) -> None:
        """One that no longer answers has ended: nothing else tells."""
        while True:
            try:
                await self.ping(min(max(self._every, 1.0), _PONG_S))
            except (TimeoutError, AppError, ConnectionError, aiohttp.ClientError):
                await self._socket.close()
                return
            await asyncio.sleep(self._every)

    async def _read(self) -> None:
        """Read all the time, so that answers to pings are heard while a message is stored."""
        try:
            async for message in self._socket:
                if message.type is aiohttp.WSMsgType.BINARY:
                    with suppress(ValueError):  # nobody's frame
                        self._take(decoded(message.data))
        finally:
            self._came.put_nowait(None)

    def _take(self, frame: Frame) -> None:
        if frame.method == DATA:
            if (whole := self._joined(frame)) is not None:
                self._came.put_nowait((frame, whole))
        elif frame.header("type") == "pong":
            self._heard.set()
            with suppress(ValueError):
                config = json.loads(frame.payload or b"{}")
                if isinstance(config, dict) and config:
                    self._every = _seconds(config)

    def _joined(self, frame: Frame) -> bytes | None:
        """What a frame tells, once all pieces of it are there. Raises ValueError."""
        pieces, number = int(frame.header("sum") or 1), int(frame.header("seq") or 0)
        if pieces <= 1:
            return frame.payload
        id_ = frame.header("message_id")
        if pieces > _MOST_PIECES or not 0 <= number < pieces:
            raise ValueError("a piece of nothing")
        found = self._begun.setdefault(id_, [b""] * pieces)
        if len(found) != pieces:
            raise ValueError("a piece of something else")
        found[number] = frame.payload
        if all(found):
            del self._begun[id_]
            return b"".join(found)
        while len(self._begun) > _MOST_BEGUN:
            del self._begun[next(iter(self._begun))]
        return None


def _seconds(config: Json) -> float:
    """How often the service wants a ping."""
    told = config.get("PingInterval")
    return min(float(told), _LONGEST_PING_S) if isinstance(told, int | float) and told > 0 else _PING_S


def _refused(headers: Mapping[str, str]) -> AppError:
    if headers.get("Handshake-Autherrcode") == _FULL:
        return too_many()
    status = headers.get("Handshake-Status")
    if status == _FORBIDDEN:
        return ConfigError(
            _("Feishu does not let this app connect."), _("See whether it is enabled in the console.")
        )
    return not_known() if status == _WRONG else unreachable()
