"""What apps have in common that keep one connection: a task hears what comes by it, and its end is told."""

import asyncio
import logging
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from desktop.channels.calls import Calls
from desktop.channels.channel import Channel, Given, connection_lost
from desktop.channels.message import Address, Sending
from desktop.channels.newfile import NewFile
from desktop.services.service import SignInNeeded
from desktop.tasks import cancel, spawn

_log = logging.getLogger(__name__)


def understood[T](read: Callable[[], T], otherwise: T) -> T:
    """What an event means; `otherwise` where nobody here knows: one that is odd must not hold up for ever
    what comes behind it."""
    try:
        return read()
    except Exception:  # people write what is in it
        _log.exception("an event of a chat app could not be understood")
        return otherwise


class Wire(Protocol):
    """The calls that every service has."""

    async def close(self) -> None:
        """End all connections."""

    async def post(self, sending: Sending) -> str:
        """As Channel.post()."""

    async def edit(self, id_: str, sending: Sending) -> None:
        """As Channel.edit()."""

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """As Channel.react()."""

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """As Channel.unreact()."""

    async def fetch(self, ref: str, file: NewFile) -> None:
        """As Channel.fetch()."""


class Listening[W: Wire](Channel):
    """An app whose SDK is behind a wire, which is made anew for each start."""

    def __init__(self, name: str, given: Given) -> None:
        super().__init__(name, given.bus)
        self._given = given
        self._wire: W | None = None
        self._task: asyncio.Task[None] | None = None
        self._calls = Calls()

    @abstractmethod
    async def connect(self) -> W:
        """A wire with the settings and secrets; it has asked for nothing yet. Raises as start() does."""

    @abstractmethod
    async def sign_in(self, wire: W) -> None:
        """Make a wire ready to hear and send. Raises as start() does."""

    @abstractmethod
    async def hear(self, wire: W) -> None:
        """Take what comes until the connection ends: by returning, or with the reason."""

    async def start(self) -> None:
        """Sign in and listen."""
        self._wire = wire = await self.connect()
        await self.sign_in(wire)
        self.listen(wire)
        self.up.set()

    async def stop(self) -> None:
        """Hear nothing more and close the connection; what is on its way may arrive before."""
        self.up.clear()
        await cancel(self._task)
        wire, self._wire = self._wire, None
        if wire is not None:
            await self._calls.rest()  # a connection that is made meanwhile would stay
            await wire.close()

    @contextmanager
    def calling(self) -> Iterator[W]:
        """The wire for one call. Raises ConnectionError where it is down."""
        wire = self.wire()
        with self._calls.one():
            yield wire

    async def post(self, sending: Sending) -> str:
        """Send one part. A key that is taken back may be noticed here first: some services go on to tell of
        what comes."""
        try:
            with self.calling() as wire:
                return await wire.post(sending)
        except SignInNeeded as error:
            self.went_down(error)
            raise

    async def edit(self, id_: str, sending: Sending) -> None:
        """Put a part in the place of a message."""
        try:
            with self.calling() as wire:
                await wire.edit(id_, sending)
        except SignInNeeded as error:
            self.went_down(error)
            raise

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """Where it is up."""
        if self.up.is_set():
            with self.calling() as wire:
                await wire.react(where, message, emoji)

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """Where it is up."""
        if self.up.is_set():
            with self.calling() as wire:
                await wire.unreact(where, message, emoji)

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Get a file by what the service calls it."""
        await self.wire().fetch(ref, file)

    def wire(self) -> W:
        """The one that is in use. Raises ConnectionError where it is down."""
        if self._wire is None:
            raise ConnectionError
        return self._wire

    def listen(self, wire: W) -> None:
        """Begin to hear what comes."""
        self._task = spawn(self.hear(wire), name=f"{self.name}:listen")
        self._task.add_done_callback(self._ended)

    async def listen_anew(self) -> None:
        """Hear by another request: the one that waits may wait on a connection that died."""
        await cancel(self._task)
        self.listen(self.wire())

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled():
            self.went_down(task.exception() or connection_lost())
