"""One connection of DingTalk's stream mode: https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol.

DingTalk says some seconds before that it ends one: the next is opened meanwhile, and what still comes by
the old one is taken.
"""

import asyncio
import json
import logging
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import aiohttp

from desktop import logs
from desktop.channels.channel import connection_lost
from desktop.channels.dingtalk.rest import Rest, unreachable
from desktop.errors import AppError
from desktop.tasks import cancel, spawn

type Json = dict[str, Any]
type Came = asyncio.Queue[tuple["Link", Json | None]]
"""What came by which connection; None when it has ended."""

MESSAGES = "/v1.0/im/bot/messages/get"
_OPEN_S, _BEAT_S = 30.0, 30.0
_LARGEST = 4 << 20
_log = logging.getLogger(__name__)


class Link:
    """One connection. What comes goes into a queue that several share."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, came: Came) -> None:
        self._socket, self._came = socket, came
        self._heard = asyncio.Event()
        self._reading = spawn(self._read(), name="dingtalk:read")
        self._beating = spawn(self._beat(), name="dingtalk:beat")

    @classmethod
    async def opened(cls, rest: Rest, came: Came) -> "Link":
        """A new one. Raises SignInNeeded, Slower, AppError."""
        endpoint, ticket = await rest.endpoint(MESSAGES)
        logs.mask(ticket)
        try:
            async with asyncio.timeout(_OPEN_S):
                socket = await rest.session.ws_connect(
                    f"{endpoint}?ticket={quote(ticket, safe='')}",
                    proxy=rest.proxy,
                    max_msg_size=_LARGEST,
                    autoping=False,
                )
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise unreachable() from error
        return cls(socket, came)

    async def close(self) -> None:
        """End it."""
        await cancel(self._beating, self._reading)
        with suppress(ConnectionError, aiohttp.ClientError):
            await self._socket.close()

    async def acknowledge(self, id_: str, data: str = '{"response": "OK"}') -> None:
        """Tell that something came. What is not told so comes again."""
        head = {"contentType": "application/json", "messageId": id_}
        with suppress(ConnectionError, aiohttp.ClientError):
            await self._socket.send_json({"code": 200, "headers": head, "message": "OK", "data": data})

    async def ping(self, seconds: float) -> None:
        """Whether the other end answers. Raises TimeoutError, AppError, ConnectionError."""
        if self._socket.closed:
            raise connection_lost()
        self._heard.clear()
        await self._socket.ping()
        async with asyncio.timeout(seconds):
            await self._heard.wait()

    async def _beat(self) -> None:
        """One that no longer answers has ended: nothing else tells."""
        while True:
            await asyncio.sleep(_BEAT_S)
            try:
                await self.ping(_BEAT_S)
            except (TimeoutError, AppError, ConnectionError, aiohttp.ClientError):
                await self._socket.close()
                return

    async def _read(self) -> None:
        """Read all the time, so that DingTalk's pings are answered while a message is stored."""
        try:
            while True:
                message = await self._socket.receive()
                self._heard.set()
                if message.type is aiohttp.WSMsgType.PING:
                    await self._socket.pong(message.data)
                elif message.type is aiohttp.WSMsgType.TEXT:
                    await self._take(message.data)
                elif message.type not in (aiohttp.WSMsgType.PONG, aiohttp.WSMsgType.BINARY):
                    return
        except (ConnectionError, aiohttp.ClientError):
            return
        finally:
            self._came.put_nowait((self, None))

    async def _take(self, text: str) -> None:
        try:
            frame = json.loads(text)
            head, data = frame["headers"], str(frame.get("data") or "")
            topic, id_ = str(head["topic"]), str(head["messageId"])
        except (ValueError, KeyError, TypeError):
            _log.warning("DingTalk sent a frame that could not be read")
            return
        if topic == "ping":
            await self.acknowledge(id_, data)
        else:
            found = {"type": str(frame.get("type")), "topic": topic, "id": id_, "data": data}
            self._came.put_nowait((self, found))


def leaves(frame: Json) -> bool:
    """Whether DingTalk says that it ends the connection."""
    return bool(frame["type"] == "SYSTEM" and frame["topic"] == "disconnect")
