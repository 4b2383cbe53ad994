"""The one seam through which the window acts: verbs of the core's door, plain JSON both ways."""

from collections.abc import AsyncIterator
from typing import Any, Protocol

from desktop.api.client import Api


class Actions(Protocol):
    """Who carries out what the person does: the door of this process."""

    @property
    def api(self) -> Api:
        """What can be asked, typed."""

    async def call(self, verb: str, /, **arguments: Any) -> dict[str, Any]:
        """Do one thing; cancelling ends it. Raises AppError."""

    def stream(self, verb: str, /, **arguments: Any) -> AsyncIterator[dict[str, Any]]:
        """Do one thing and tell of it: its events, then {"result": ...}. Raises AppError."""
