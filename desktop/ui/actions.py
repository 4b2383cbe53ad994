"""The one seam between the window and the core: what it asks for, and what it hears of."""

from collections.abc import AsyncIterator
from typing import Any, Protocol

from desktop.api.client import Api
from desktop.bus.bus import Bus


class Actions(Protocol):
    """Who carries out what the person does: the door of this process."""

    @property
    def api(self) -> Api:
        """What can be asked, typed."""

    @property
    def bus(self) -> Bus:
        """Where the core tells what happens."""

    async def call(self, verb: str, /, **arguments: Any) -> dict[str, Any]:
        """Do one thing; cancelling ends it. Raises AppError."""

    def stream(self, verb: str, /, **arguments: Any) -> AsyncIterator[dict[str, Any]]:
        """Do one thing and tell of it: its events, then {"result": ...}. Raises AppError."""
