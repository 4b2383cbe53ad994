"""Hears of sleep, wake-up and a new time zone on Linux: systemd's logind and timedated tell it on the bus.

Where there is no bus, or neither of them, it hears nothing; the alarm of the kernel rings all the same.
Windows tells of wake-up alone.
"""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.services.supervisor import Ear
from desktop.services.system_bus import SystemBus, signal

if TYPE_CHECKING:
    from dbus_fast import Message

_TIMEDATE = "/org/freedesktop/timedate1"
_RULES = (
    signal("org.freedesktop.login1.Manager", "PrepareForSleep", "/org/freedesktop/login1"),
    signal("org.freedesktop.DBus.Properties", "PropertiesChanged", _TIMEDATE),
)


def ear(woke: Callable[[], object]) -> Ear:
    """What hears of it on this system."""
    if sys.platform == "win32":
        from desktop.cron.wake_windows import WindowsWake

        return WindowsWake(woke)
    return Wake(woke)


class Wake:
    """Calls back, on the loop, when the machine woke up or its zone is another."""

    def __init__(self, woke: Callable[[], object]) -> None:
        self._woke = woke
        self._bus = SystemBus(_RULES, self._hear)

    async def start(self) -> None:
        """Listen; never raises."""
        await self._bus.start()

    async def stop(self) -> None:
        """Hang up."""
        await self._bus.stop()

    def _hear(self, message: "Message") -> None:
        if message.member == "PrepareForSleep":
            if message.body == [False]:
                self._woke()
        elif message.member == "PropertiesChanged" and message.path == _TIMEDATE:
            self._woke()
