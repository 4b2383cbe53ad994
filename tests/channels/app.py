"""What every chat app of soaks and benchmarks is: a service, people who write to the bot, what it said."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

type Json = dict[str, Any]
PEOPLE = 10


class App(ABC):
    """One chat app, everybody may write."""

    name: ClassVar[str]
    idempotent: ClassVar[bool] = False
    """Whether the service can tell a second try of a message from a second message."""

    @abstractmethod
    def settings(self) -> Json:
        """Its section of the settings."""

    @abstractmethod
    def environment(self) -> dict[str, str]:
        """Its keys."""

    def prepare(self, home: Path) -> None:  # noqa: B027 - most need nothing
        """What else a home needs before the app is switched on."""

    @abstractmethod
    def write(self, text: str, by: int) -> None:
        """One of the people writes."""

    @abstractmethod
    def chat(self, by: int) -> str:
        """The id of the bot's chat with one of the people."""

    def waiting(self) -> int:
        """How many messages the service was not told of, where it is told."""
        return 0

    @abstractmethod
    def said(self) -> list[str]:
        """What the bot said, as the people have it."""

    @abstractmethod
    def cut(self) -> None:
        """Cut every connection, as another network does."""
