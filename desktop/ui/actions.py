"""The one seam between the window and the core: what it asks for, and what it hears of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from desktop.api.client import Api
from desktop.bus.bus import Bus


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether tray, shortcut or notifications work on this desktop, in a sentence."""

    text: str
    works: bool
    remedy: str = ""
    notifies: bool = False
    """Whether it is about notifications."""


class Actions(Protocol):
    """Who carries out what the person does."""

    @property
    def api(self) -> Api:
        """What can be asked of the program."""

    @property
    def bus(self) -> Bus:
        """Where the core tells what happens."""

    async def show(self, session: str) -> None:
        """Bring the window to the front, with this conversation."""

    async def reach(self) -> Sequence[Reach]:
        """What of tray, shortcut and notifications works. Raises AppError."""
