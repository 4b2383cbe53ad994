"""Hears that the computer has another network: a link is up, an address is new, another way leads out.

That a network is gone is not told: nothing can be done then. Nothing wakes up while nothing changes.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator
from typing import Protocol

_SETTLE_S = 0.5
"""An address comes some moments before its route and its name servers: that long they are waited for."""


class Source(Protocol):
    """A way to hear of it."""

    async def start(self) -> None:
        """Listen; where there is no such way, nothing is heard. Never raises."""

    async def stop(self) -> None:
        """Hear nothing any more."""


class Network:
    """Calls back, on the loop, when there is another network: every half second at most."""

    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self._sources = tuple(_sources(self._heard))
        self._timer: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Listen; never raises."""
        for source in self._sources:
            await source.start()

    async def stop(self) -> None:
        """Hear nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for source in self._sources:
            await source.stop()

    def _heard(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_SETTLE_S, self._tell)

    def _tell(self) -> None:
        self._timer = None
        self._changed()


def _sources(heard: Callable[[], object]) -> Iterator[Source]:
    """Those of this system. On Linux both: the kernel knows every link, NetworkManager knows more of those
    that it manages (a VPN that takes over, a page of a hotel that is signed in to)."""
    if sys.platform == "linux":
        from desktop.services.netlink import Netlink
        from desktop.services.network_manager import NetworkManager

        yield Netlink(heard)
        yield NetworkManager(heard)
    elif sys.platform == "win32":
        from desktop.services.network_windows import AddressChanges

        yield AddressChanges(heard)
    elif sys.platform == "darwin":
        from desktop.services.network_macos import NetworkChanges

        yield NetworkChanges(heard)
