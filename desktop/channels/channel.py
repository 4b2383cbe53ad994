"""What every chat app is to the rest of the program: a service that also sends."""

import asyncio
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.bus.bus import Bus
from desktop.bus.events import ChannelUsed
from desktop.channels.message import Abilities, Address, Known, Pressed, Received, Sending
from desktop.channels.newfile import NewFile, NotFetched
from desktop.channels.notes import Notes
from desktop.config.channels.section import Channels as Settings
from desktop.errors import AppError
from desktop.services.service import Service
from desktop.tasks import in_thread
from desktop.text import _

SIGNS_AFTER_S = 0.1
"""How long a message is here before its chat sees a sign of that: a call to the service takes the program
as long as a message's whole way to the model, which goes first."""


class Slower(AppError):
    """The service wants a pause before the next message."""

    def __init__(self, text: str, seconds: float) -> None:
        super().__init__(text)
        self.seconds = seconds


class MarkupRefused(AppError):
    """The service does not take the markup: the same goes as plain text."""


class NotDelivered(AppError):
    """This message can't be delivered, and no later try helps: the chat is gone, the bot was blocked."""


class Gone(AppError):
    """The message that was to be edited is not there any more, or can't be edited any more."""


class WrongField(AppError):
    """A test failed. `field` names the setting or secret that is to blame; empty where none is."""

    def __init__(self, field: str, text: str, remedy: str = "") -> None:
        super().__init__(text, remedy)
        self.field = field


@dataclass(frozen=True, slots=True)
class Given:
    """What every app is made with."""

    settings: Callable[[], Settings]
    secret: Callable[[str], Awaitable[str]]
    """One of its secrets by its field; raises SignInNeeded where there is none, KeychainError."""
    kept: Callable[[str], Awaitable[str]]
    """The same, empty where there is none."""
    keep: Callable[[str, str], Awaitable[None]]
    """Puts one of its secrets into the keychain, by its field; an empty one is removed. Raises
    KeychainError."""
    notes: Notes
    """What it has to know at the next start."""
    folder: Path
    """For files of its own; made by who needs it."""
    bus: Bus | None
    loading: asyncio.Lock
    """Held while a library is loaded: threads that load several keep the loop from its turns."""

    async def load[**P, T](self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Do in a thread what loads a library."""
        async with self.loading:
            return await in_thread(work, *given, **named)


class Up(asyncio.Event):
    """Tells, too, when it is set."""

    def __init__(self) -> None:
        super().__init__()
        self.told: Callable[[], object] = lambda: None

    def set(self) -> None:
        """Messages can be sent."""
        super().set()
        self.told()


class Channel(Service):
    """One chat app. Everything runs on the loop; SDKs are imported in a thread by start()."""

    abilities: Abilities

    def __init__(self, name: str, bus: Bus | None) -> None:
        super().__init__(name, bus)
        self.name, self._bus = name, bus
        self.up = Up()
        """Set while messages can be sent."""
        self.last_in: float | None = None
        """Unix time of the last message that came."""
        self.last_out: float | None = None
        self.received: Callable[[Received], Awaitable[None]] = _nobody
        """Returns once a message is stored, and only then may the service be told that it came. Raises
        StorageError."""
        self.pressed: Callable[[Pressed], Awaitable[str]] = _nothing
        """Told of a button; the words to show the person."""

    def came(self) -> None:
        """A message came just now."""
        self.last_in = time.time()
        self._used()

    def went(self) -> None:
        """A message went just now."""
        self.last_out = time.time()
        self._used()

    def _used(self) -> None:
        if self._bus:
            self._bus.publish(ChannelUsed(self.name))

    @abstractmethod
    async def probe(self) -> Known:
        """Make one real call with the settings and secrets. Raises WrongField, AppError."""

    @abstractmethod
    async def post(self, sending: Sending) -> str:
        """Send one part; the service's id of the message. Raises Slower, MarkupRefused, NotDelivered, and
        AppError or OSError where a later try may succeed."""

    async def edit(self, id_: str, sending: Sending) -> None:
        """Put a part in the place of a message; no error where it is the same already. Raises as post()
        does, and Gone, as every service does that has no edits: the part is sent as a message then."""
        raise Gone(_("This app can’t edit messages."))

    async def typing(self, where: Address) -> None:
        """Show that an answer is being written; never raises."""

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """Put a reaction on a message; never raises."""

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """Take a reaction of ours away; never raises."""

    async def earlier(self, received: Received) -> list[tuple[str, str]]:
        """Who said what in the thread of a message before it, the newest messages, in order. Raises
        AppError, OSError."""
        return []

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Write a file that came along. Raises NotFetched, and AppError or OSError where a later try may
        succeed."""
        raise NotFetched(_("The file could not be received."))

    def went_down(self, error: BaseException) -> None:
        """Nothing can be sent any more: have it stopped, and started again where that helps."""
        self.up.clear()
        self.lost(error)

    def largest(self) -> int:
        """The largest file that can be sent, bytes."""
        return self.abilities.uploads

    def every(self, _where: Address) -> float:
        """Seconds between messages to one chat."""
        return self.abilities.chat_every_s

    async def private(self, sender: str) -> Address:
        """Where this sender alone reads. Raises AppError."""
        return Address(self.name, sender)

    @abstractmethod
    def parts(self, text: str) -> list[tuple[str, str]]:
        """Markdown in the service's markup and plain, split where the service's messages end."""


def connection_lost() -> AppError:
    """The link is down, and nobody said why."""
    return AppError(_("The connection was lost."), _("Check the internet connection."))


async def _nobody(_received: Received) -> None:
    """Nobody hears of it."""


async def _nothing(_pressed: Pressed) -> str:
    return ""
