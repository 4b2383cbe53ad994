"""A key held by the desktop: the portal org.freedesktop.portal.GlobalShortcuts, the only way on Wayland.

The desktop may ask the person, and may give another key than was wished for; it tells when it is pressed.
"""

import logging
from collections.abc import Callable
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from PySide6.QtGui import QKeySequence

from desktop.tasks import cancel, spawn
from desktop.text import _, mark
from desktop.ui.system.portal import NAME, Refused, ask, connect, new_token
from desktop.ui.system.shortcut_words import NO_WAY

_SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
_ID = "quick"
_REFUSED = mark("The desktop did not grant the shortcut {keys}.")
# The names of the shortcuts specification (freedesktop.org), which differ from Qt's.
_MODIFIERS = {"Ctrl": "CTRL", "Alt": "ALT", "Shift": "SHIFT", "Meta": "LOGO"}
_log = logging.getLogger(__name__)


class PortalKeys:
    """A Grab."""

    def __init__(self, pressed: Callable[[], object], say: Callable[[str], object]) -> None:
        """`say` is told what became of a wish: "" where the key is held."""
        self._pressed, self._say = pressed, say
        self._bus: MessageBus | None = None
        self._session = ""
        self._work = spawn(_nothing(), name="shortcut")

    def hold(self, keys: QKeySequence) -> str | None:
        """See Grab. What became of it is known later."""
        before = self._work
        self._work = spawn(self._hold(before, keys), name="shortcut")
        return None

    def close(self) -> None:
        """See Grab. The session of the portal ends with the connection."""
        self._work.cancel()
        if self._bus is not None:
            self._bus.disconnect()

    async def _hold(self, before: Any, keys: QKeySequence) -> None:
        await cancel(before)
        try:
            bus = await self._connected()
            await self._end_session()
            self._say("" if keys.isEmpty() or await self._bind(bus, keys) else _REFUSED)
        except (Refused, OSError, EOFError, LookupError) as error:
            _log.info("no shortcut from the portal: %s", error)
            self._say(NO_WAY)

    async def _connected(self) -> MessageBus:
        if self._bus is None or not self._bus.connected:
            self._bus = await connect(_SHORTCUTS)
            self._bus.add_message_handler(self._message)
        return self._bus

    async def _end_session(self) -> None:
        if self._session and self._bus is not None:
            session, self._session = self._session, ""
            await self._bus.call(Message(NAME, session, "org.freedesktop.portal.Session", "Close"))

    async def _bind(self, bus: MessageBus, keys: QKeySequence) -> bool:
        """Raises Refused."""
        token = {"session_handle_token": Variant("s", new_token())}
        code, given = await ask(bus, _SHORTCUTS, "CreateSession", "a{sv}", token)
        if code:
            return False
        self._session = str(given["session_handle"])
        wish = {
            "description": Variant("s", _("Open quick chat")),
            "preferred_trigger": Variant("s", trigger(keys)),
        }
        wishes = [[_ID, wish]]
        code, _given = await ask(
            bus, _SHORTCUTS, "BindShortcuts", "oa(sa{sv})sa{sv}", self._session, wishes, "", {}
        )
        return code == 0

    def _message(self, message: Message) -> None:
        activated = (MessageType.SIGNAL, _SHORTCUTS, "Activated")
        if (message.message_type, message.interface, message.member) == activated:
            self._activated(*message.body[:2])

    def _activated(self, session: str, shortcut: str) -> None:
        if (session, shortcut) == (self._session, _ID):
            self._pressed()


def trigger(keys: QKeySequence) -> str:
    """A key as the portal's specification writes it: CTRL+ALT+space."""
    *modifiers, key = keys.toString(QKeySequence.SequenceFormat.PortableText).split("+")
    named = [_MODIFIERS.get(modifier, modifier) for modifier in modifiers]
    return "+".join([*named, key if len(key) > 1 and key[0] == "F" else key.lower()])


async def _nothing() -> None:
    """What was under way before anything was."""
