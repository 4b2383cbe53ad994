"""Mochat's connection: Socket.IO through python-socketio, its own second tries switched off.

The library logs to the terminal, takes over Ctrl+C and drops in silence what it can't read, unless it is
told otherwise. A server that wants packets in another form says nothing: it is told by the silence.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import aiohttp
import socketio
from socketio.exceptions import SocketIOError
from socketio.msgpack_packet import MsgPackPacket
from socketio.packet import ACK, CONNECT, CONNECT_ERROR, DISCONNECT, EVENT, Packet

from desktop.channels.channel import connection_lost
from desktop.channels.mochat.rest import not_known, rejected, unreachable
from desktop.config.channels.mochat import Mochat as Settings
from desktop.errors import AppError
from desktop.net import way_out
from desktop.text import _

type Json = dict[str, Any]
type Came = Callable[[str, Any], None]
"""Told of each event, by its name, and with "" of the end."""

_ANSWER_S, _CLOSE_S = 10.0, 4.0
_LARGEST = 8 << 20
_UNREAD = "unreadable"
_log = logging.getLogger(__name__)


class OtherForm(AppError):
    """The server wants packets in another form."""


class Socket:
    """One connection."""

    def __init__(
        self, settings: Settings, session: aiohttp.ClientSession, proxy: str | None, came: Came
    ) -> None:
        self._settings, self._session, self._came = settings, session, came
        self._asked = self._warned = self._over = False
        self._answers: set[asyncio.Future[Any]] = set()
        quiet = logging.Logger("mochat", logging.CRITICAL + 1)
        base = Packet if settings.socket_disable_msgpack else MsgPackPacket
        self._client = socketio.AsyncClient(
            reconnection=False,
            handle_sigint=False,
            logger=quiet,
            engineio_logger=quiet,
            serializer=_reading(base, self._asks),
            http_session=session,
            request_timeout=1,
            websocket_extra_options={"proxy": proxy, "max_msg_size": _LARGEST},
        )
        self._client.on("*", self._heard)
        self._client.on("disconnect", self._ended)

    @classmethod
    async def opened(cls, settings: Settings, token: str, proxy: str, came: Came) -> "Socket":
        """One that is open. Raises SignInNeeded, OtherForm, AppError."""
        url = (settings.socket_url or settings.base_url).rstrip("/")
        session, through = await way_out.session(url, proxy)
        made = cls(settings, session, through, came)
        seconds = settings.socket_connect_timeout_ms / 1000
        try:
            async with asyncio.timeout(seconds + _CLOSE_S):
                await made._client.connect(
                    url,
                    transports=["websocket"],
                    socketio_path=settings.socket_path.strip("/"),
                    auth={"token": token},
                    wait_timeout=seconds,
                )
        except asyncio.CancelledError:
            await made.close()
            raise
        except Exception as error:  # the library's own, aiohttp's, and what odd answers lead to
            problem = made._why()
            await made.close()
            raise problem from error
        return made

    def _asks(self) -> None:
        self._asked = True

    def _why(self) -> AppError:
        """Why it did not open."""
        if self._client.failed_namespaces:
            return not_known()
        if not self._asked:
            return unreachable()
        form = "JSON" if self._settings.socket_disable_msgpack else "MessagePack"
        return OtherForm(
            _("Mochat’s connection does not answer in {form}.").format(form=form),
            _("Change “Socket in JSON” under Settings › Channels."),
        )

    async def close(self) -> None:
        """End it."""
        self._over = True
        with suppress(Exception):  # as it goes down, whatever its state
            async with asyncio.timeout(_CLOSE_S):
                await self._client.disconnect()
        await self._session.close()
        with suppress(Exception):
            async with asyncio.timeout(_CLOSE_S):
                await self._client.eio.wait()

    async def ask(self, name: Literal["subscribeSessions", "subscribePanels"], body: Json) -> Json:
        """Ask for something and have the answer. Raises AppError."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers.add(answer)
        try:
            async with asyncio.timeout(_ANSWER_S):
                await self._client.emit(f"com.claw.im.{name}", body, callback=partial(_settle, answer))
                told = await answer
        except (SocketIOError, TimeoutError) as error:
            raise connection_lost() from error
        finally:
            self._answers.discard(answer)
        if not isinstance(told, dict) or "result" not in told:
            return {"data": told}
        if not told["result"]:
            raise rejected(str(told.get("message") or name)[:300])
        return told

    def _heard(self, name: str, *told: Any) -> None:
        if name != _UNREAD:
            self._came(name, told[0] if told else None)
        elif not self._warned:
            self._warned = True
            _log.warning("Mochat sent a packet that could not be read")

    def _ended(self, *_reason: Any) -> None:
        for answer in self._answers:
            if not answer.done():
                answer.set_exception(connection_lost())
        if not self._over:
            self._over = True
            self._came("", None)


def _settle(answer: "asyncio.Future[Any]", *told: Any) -> None:
    if not answer.done():
        answer.set_result(told[0] if told else None)


def _reading(base: type[Packet], asks: Callable[[], None]) -> type[Packet]:
    """A kind of packets of which none fails in a task that nobody waits for: what can't be read is an event
    of its own. `asks` hears that the connection is open and the server is asked to let us in."""

    class Reading(base):  # type: ignore[misc]
        uses_binary_events = base.uses_binary_events

        def encode(self) -> Any:
            if self.packet_type == CONNECT:
                asks()
            return super().encode()

        def decode(self, encoded_packet: Any) -> Any:
            try:
                attachments = super().decode(encoded_packet)
                if _is_sound(self):
                    return attachments
            except Exception:  # whatever the other side sent
                _log.debug("a packet that can't be read", exc_info=True)
            self.packet_type, self.namespace, self.id, self.data = EVENT, "/", None, [_UNREAD]
            return 0

    return Reading


def _is_sound(packet: Any) -> bool:
    """Whether the library can do something with what a packet holds."""
    kind, data = packet.packet_type, packet.data
    if not isinstance(packet.namespace, str | None):
        return False
    if kind == EVENT:
        return isinstance(data, list) and bool(data) and isinstance(data[0], str)
    if kind == ACK:
        return isinstance(data, list)
    return kind in (DISCONNECT, CONNECT_ERROR) or (kind == CONNECT and isinstance(data, dict | None))
