"""Apps that have no key: the person links the program to an account as a further device, by a code."""

from abc import abstractmethod
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class ToScan:
    """A picture that the phone takes. `code`: what is in it."""

    code: str
    seconds: float
    """How long it is valid."""


@dataclass(frozen=True, slots=True)
class ToEnter:
    """A code that is entered on the phone."""

    code: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Scanned:
    """The phone took it; the rest takes a moment."""


@dataclass(frozen=True, slots=True)
class Linked:
    """It is linked."""

    account: str
    """Its ID there."""
    name: str = ""


type Step = ToScan | ToEnter | Scanned | Linked


@runtime_checkable
class Links(Protocol):
    """What such a channel can do, beside what every one can."""

    @abstractmethod
    async def linked(self) -> Linked | None:
        """The account, without asking the service."""

    @abstractmethod
    def link(self, phone: str) -> AsyncGenerator[Step]:
        """Link it, by a picture, or by a code for this phone number. Raises AppError."""

    @abstractmethod
    async def forget(self) -> bool:
        """Forget the account; whether the service knows of it, too. Raises StorageError."""
