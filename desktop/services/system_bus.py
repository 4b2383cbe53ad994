"""Hears signals of Linux's system bus."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from desktop.tasks import in_thread

if TYPE_CHECKING:
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus

_PATIENCE_S = 5.0
_log = logging.getLogger(__name__)


def signal(interface: str, member: str, path: str) -> str:
    """The match rule for a signal."""
    return f"type='signal',interface='{interface}',member='{member}',path='{path}'"


class SystemBus:
    """Calls back, on the loop, with every signal that was asked for, and with some other messages."""

    def __init__(self, rules: Sequence[str], hear: "Callable[[Message], None]") -> None:
        self._rules, self._hear = rules, hear
        self._bus: MessageBus | None = None

    async def start(self) -> None:
        """Listen; where there is no bus nothing is heard. Never raises."""
        try:
            connect = await in_thread(_connector)
            async with asyncio.timeout(_PATIENCE_S):
                self._bus = await connect(self._rules, self._hear)
        except Exception as error:
            # Whatever a missing or strange bus raises: all of it means that nothing is heard.
            _log.info("the system bus tells nothing here: %s", error)

    async def stop(self) -> None:
        """Hang up."""
        if self._bus is not None:
            bus, self._bus = self._bus, None
            bus.disconnect()
            await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]


def _connector() -> "Callable[[Sequence[str], Callable[[Message], None]], Awaitable[MessageBus]]":
    """The import takes its time and is done in a thread."""
    from dbus_fast import BusType, Message, MessageType
    from dbus_fast.aio import MessageBus

    async def connect(rules: Sequence[str], hear: Callable[[Message], None]) -> MessageBus:
        bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        try:
            bus.add_message_handler(hear)
            for rule in rules:
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
        except BaseException:
            bus.disconnect()
            raise
        return bus

    return connect
