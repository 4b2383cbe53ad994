"""Hears from NetworkManager that there is a connection, or another one than before (its D-Bus API, 1.x)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.services.system_bus import SystemBus, signal

if TYPE_CHECKING:
    from dbus_fast import Message

_NAME, _PATH = "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager"
_RULES = (
    signal(_NAME, "StateChanged", _PATH),
    signal("org.freedesktop.DBus.Properties", "PropertiesChanged", _PATH),
)
_CONNECTED = 60
"""NM_STATE_CONNECTED_SITE; 70 is the internet as well."""
_NO_CONNECTION = "/"


class NetworkManager:
    """Calls back, on the loop; where there is no NetworkManager, never."""

    def __init__(self, heard: Callable[[], object]) -> None:
        self._heard = heard
        self._bus = SystemBus(_RULES, self._hear)

    async def start(self) -> None:
        """Listen; never raises."""
        await self._bus.start()

    async def stop(self) -> None:
        """Hang up."""
        await self._bus.stop()

    def _hear(self, message: "Message") -> None:
        if message.path != _PATH:
            return
        if message.member == "StateChanged" and message.signature == "u":
            if message.body[0] >= _CONNECTED:
                self._heard()
        elif message.member == "PropertiesChanged" and message.signature == "sa{sv}as":
            interface, changed, _invalidated = message.body
            primary = changed.get("PrimaryConnection") if interface == _NAME else None
            if primary is not None and primary.value != _NO_CONNECTION:
                self._heard()
