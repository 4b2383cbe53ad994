"""What a part is that can be switched on and off while the program runs, and which errors end its tries."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from desktop.bus.bus import Bus
from desktop.errors import AppError, ConfigError, KeychainError
from desktop.services.status import Status


class SignInNeeded(AppError):
    """The other side wants the person to sign in: no try helps before they did."""


class Service(ABC):
    """A part with the one life cycle. A Supervisor calls start(), stop() and check(), one at a
    time; only stop() may come while a start() that ignores its cancellation still hangs."""

    def __init__(self, name: str, bus: Bus | None = None) -> None:
        self.status = Status(name, bus)
        self.lost: Callable[[BaseException], None] = lambda _error: None
        """Call it when the service went down by itself, with the reason: it is stopped and started again.
        Set by the Supervisor; only on the loop."""

    @abstractmethod
    async def start(self) -> None:
        """Come up; return once it works. Raises SignInNeeded or ConfigError where only the person can help,
        anything else where a later try may succeed. It may be cancelled; stop() follows in every case."""

    @abstractmethod
    async def stop(self) -> None:
        """Go down and leave nothing behind; never raises; harmless when it is down already."""

    @abstractmethod
    async def check(self) -> None:
        """The machine woke up or has another network: see whether the connection still works, such as by a
        ping. Raises when it does not. May be cancelled."""


def only_the_person_helps(error: BaseException) -> bool:
    """Whether a service that failed so is not tried again before it is told to."""
    if isinstance(error, KeychainError):
        return error.state in ("missing", "dismissed")  # others pass, such as one locked at login
    return isinstance(error, SignInNeeded | ConfigError)
