"""One websocket of a chat service, which can go dead without being closed."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import WSMsgType, web

from tests.channels.loopback import Json


@dataclass(frozen=True)
class _Close:
    code: int


class Link:
    """Frames go out in the order of `send`; what comes in goes to `heard`, in `serve`."""

    def __init__(
        self,
        encode: Callable[[Json], str | bytes] = json.dumps,
        decode: Callable[[bytes], Json] = json.loads,
    ) -> None:
        """`decode`: what comes as bytes."""
        self._encode, self._decode = encode, decode
        self._out: asyncio.Queue[Json | _Close | None] = asyncio.Queue()
        self._socket = web.WebSocketResponse(autoping=False, max_msg_size=0)
        self._dead = asyncio.Event()
        self._ended = asyncio.Event()

    @property
    def open(self) -> bool:
        """Whether something sent may arrive."""
        return not (self._ended.is_set() or self._dead.is_set())

    @property
    def ended(self) -> bool:
        """Whether one side has closed it."""
        return self._ended.is_set()

    def send(self, frame: Json) -> None:
        """Have a frame sent, soon."""
        self._out.put_nowait(frame)

    def close(self, code: int = 1000) -> None:
        """Close it after what was sent before."""
        self._out.put_nowait(_Close(code))

    def freeze(self) -> None:
        """From now on nothing is read or written, pings neither, and the connection stays."""
        self._dead.set()
        self._out.put_nowait(None)

    async def serve(self, request: web.Request, heard: Callable[[Json], object]) -> web.WebSocketResponse:
        """Talk until one side closes it."""
        await self._socket.prepare(request)
        try:
            await asyncio.gather(self._read(heard), self._write())
        finally:
            self._ended.set()
        return self._socket

    async def _read(self, heard: Callable[[Json], object]) -> None:
        while True:
            message = await self._socket.receive()
            if self._dead.is_set():
                await self._ended.wait()
            if message.type is WSMsgType.PING:
                await self._socket.pong(message.data)
            elif message.type is WSMsgType.TEXT:
                heard(json.loads(message.data))
            elif message.type is WSMsgType.BINARY:
                heard(self._decode(message.data))
            elif message.type is not WSMsgType.PONG:
                self._out.put_nowait(None)
                return

    async def _write(self) -> None:
        while (frame := await self._out.get()) is not None:
            if self._dead.is_set():
                break
            try:
                if isinstance(frame, _Close):
                    await self._socket.close(code=frame.code)
                    return
                encoded = self._encode(frame)
                if isinstance(encoded, str):
                    await self._socket.send_str(encoded)
                else:
                    await self._socket.send_bytes(encoded)
            except ConnectionError:
                return
