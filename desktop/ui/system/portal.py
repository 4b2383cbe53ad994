"""One request to the desktop's portal (org.freedesktop.portal.Request), and its answer."""

import asyncio
import uuid
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.constants import BusType

_NAME, _PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_REQUEST = "org.freedesktop.portal.Request"


class Refused(Exception):
    """There is no such portal, or no session bus."""


async def ask(interface: str, member: str, *options: str) -> tuple[int, dict[str, Any]]:
    """Ask for something that takes a parent window and options, each of `options` with the value true.

    Waits for the person: 0 and what the portal gives, another number where they did not want it. Raises
    Refused.
    """
    try:
        bus = await MessageBus(bus_type=BusType.SESSION).connect()
    except (OSError, EOFError, ValueError) as error:
        raise Refused(str(error)) from error
    try:
        return await _ask(bus, interface, member, options)
    finally:
        bus.disconnect()


async def _ask(
    bus: MessageBus, interface: str, member: str, options: tuple[str, ...]
) -> tuple[int, dict[str, Any]]:
    token = f"nanobot_{uuid.uuid4().hex}"
    sender = str(bus.unique_name).removeprefix(":").replace(".", "_")
    handle = f"/org/freedesktop/portal/desktop/request/{sender}/{token}"
    answer: asyncio.Future[tuple[int, dict[str, Any]]] = asyncio.get_running_loop().create_future()

    def heard(message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.path == handle and not answer.done():
            code, given = message.body
            answer.set_result((int(code), {name: value.value for name, value in given.items()}))

    bus.add_message_handler(heard)
    dbus = "org.freedesktop.DBus"
    rule = f"type='signal',interface='{_REQUEST}'"
    await bus.call(Message(dbus, "/org/freedesktop/DBus", dbus, "AddMatch", signature="s", body=[rule]))
    chosen = {"handle_token": Variant("s", token), **{name: Variant("b", True) for name in options}}
    reply = await bus.call(Message(_NAME, _PATH, interface, member, signature="sa{sv}", body=["", chosen]))
    if reply.message_type is MessageType.ERROR:
        raise Refused(reply.error_name)
    return await answer
