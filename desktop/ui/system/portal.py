"""Requests to the desktop's portal (org.freedesktop.portal.Request), and their answers."""

import asyncio
import uuid
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.constants import BusType

NAME = "org.freedesktop.portal.Desktop"
_PATH, _REQUEST = "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Request"


class Refused(Exception):
    """There is no such portal, or no session bus."""


async def connect(*interfaces: str) -> MessageBus:
    """A connection that hears answers, and the signals of these interfaces. Raises Refused."""
    dbus = "org.freedesktop.DBus"
    try:
        bus = await MessageBus(bus_type=BusType.SESSION).connect()
        for interface in (_REQUEST, *interfaces):
            rule = f"type='signal',interface='{interface}'"
            await bus.call(
                Message(dbus, "/org/freedesktop/DBus", dbus, "AddMatch", signature="s", body=[rule])
            )
    except (OSError, EOFError, ValueError) as error:
        raise Refused(str(error)) from error
    return bus


async def ask(
    bus: MessageBus, interface: str, member: str, signature: str, *body: Any
) -> tuple[int, dict[str, Any]]:
    """Ask for something; the last of `body` are its options, by name.

    Waits for the person: 0 and what the portal gives, another number where they did not want it. Raises
    Refused.
    """
    token = new_token()
    sender = str(bus.unique_name).removeprefix(":").replace(".", "_")
    handle = f"{_PATH}/request/{sender}/{token}"
    answer: asyncio.Future[tuple[int, dict[str, Any]]] = asyncio.get_running_loop().create_future()

    def heard(message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.path == handle and not answer.done():
            code, given = message.body
            answer.set_result((int(code), {name: value.value for name, value in given.items()}))

    options = {**body[-1], "handle_token": Variant("s", token)}
    bus.add_message_handler(heard)
    try:
        reply = await bus.call(
            Message(NAME, _PATH, interface, member, signature=signature, body=[*body[:-1], options])
        )
        if reply.message_type is MessageType.ERROR:
            raise Refused(reply.error_name)
        return await answer
    except (OSError, EOFError) as error:
        raise Refused(str(error)) from error
    finally:
        bus.remove_message_handler(heard)


def new_token() -> str:
    """A name for something that is asked for."""
    return f"nanobot_{uuid.uuid4().hex}"
