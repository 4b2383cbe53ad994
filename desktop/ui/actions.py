"""The one seam between the window and the core: what it asks for, and what it hears of."""

from typing import Any, Protocol

from desktop.api.client import Api
from desktop.bus.bus import Bus


class Actions(Protocol):
    """Who carries out what the person does."""

    @property
    def api(self) -> Api:
        """What can be asked of the program."""

    @property
    def bus(self) -> Bus:
        """Where the core tells what happens."""

    async def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """One of the requests that this front end answers itself: show, reachable. Raises AppError."""
