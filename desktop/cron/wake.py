"""Hears of sleep, wake-up and a new time zone on Linux: systemd's logind and timedated tell it on the bus.

Where there is no bus, or neither of them, it hears nothing; the alarm of the kernel rings all the same.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from desktop.tasks import in_thread

if TYPE_CHECKING:
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus

_SIGNAL = "type='signal',interface='{}',member='{}',path='{}'"
_TIMEDATE = "/org/freedesktop/timedate1"
_RULES = (
    _SIGNAL.format("org.freedesktop.login1.Manager", "PrepareForSleep", "/org/freedesktop/login1"),
    _SIGNAL.format("org.freedesktop.DBus.Properties", "PropertiesChanged", _TIMEDATE),
)
_log = logging.getLogger(__name__)


class Wake:
    """Calls back, on the loop, when the machine woke up or its zone is another."""

    def __init__(self, woke: Callable[[], object]) -> None:
        self._woke = woke
        self._bus: MessageBus | None = None

    async def start(self) -> None:
        """Listen; never raises."""
        try:
            connect = await in_thread(_connector)
            async with asyncio.timeout(5):
                self._bus = await connect(self._hear)
        except Exception as error:
            # Whatever a missing or strange bus raises: all of it means that nothing is heard.
            _log.info("sleep and wake-up are not told here: %s", error)

    async def stop(self) -> None:
        """Hang up."""
        if self._bus is not None:
            bus, self._bus = self._bus, None
            bus.disconnect()
            await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]

    def _hear(self, message: "Message") -> None:
        if message.member == "PrepareForSleep":
            if message.body == [False]:
                self._woke()
        elif message.member == "PropertiesChanged" and message.path == _TIMEDATE:
            self._woke()


def _connector() -> "Callable[[Callable[[Message], None]], Awaitable[MessageBus]]":
    """The import takes its time and is done in a thread."""
    from dbus_fast import BusType, Message, MessageType
    from dbus_fast.aio import MessageBus

    async def connect(hear: Callable[[Message], None]) -> MessageBus:
        bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        bus.add_message_handler(hear)
        for rule in _RULES:
            answer = await bus.call(
                Message(
                    destination="org.freedesktop.DBus",
                    path="/org/freedesktop/DBus",
                    interface="org.freedesktop.DBus",
                    member="AddMatch",
                    signature="s",
                    body=[rule],
                )
            )
            if answer.message_type is MessageType.ERROR:
                _log.info("the bus refuses to tell: %s", answer.body)
        return bus

    return connect
