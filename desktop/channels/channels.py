"""The chat apps that are on, kept up side by side, and what they have in common."""

import asyncio
import functools
import logging
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from pydantic.alias_generators import to_snake

from desktop.bus.bus import Bus
from desktop.channels.arrivals import Arrivals
from desktop.channels.channel import Channel, Given, WrongField
from desktop.channels.linking import Linked, Links, Step
from desktop.channels.live import Live
from desktop.channels.message import Known, Outgoing, Pressed, Received
from desktop.channels.notes import Notes
from desktop.channels.outbox import Outbox, Undelivered
from desktop.channels.pairing import Pairings, Request
from desktop.channels.receipts import Receipts
from desktop.channels.receiver import Agent, Receiver
from desktop.channels.registry import TITLES, make
from desktop.channels.seen import Seen
from desktop.config.channels.base import ANYBODY, ChannelSettings
from desktop.config.channels.section import NAMES
from desktop.config.channels.section import Channels as Settings
from desktop.config.keychain import Keychain
from desktop.database.database import Database
from desktop.errors import AppError, KeychainError, UsageError
from desktop.services.service import SignInNeeded
from desktop.services.status import ServiceState
from desktop.services.supervisor import Supervisor
from desktop.tasks import in_thread, spawn
from desktop.text import _

_DAY_S = 86_400.0
_LIKE_A_TOKEN = re.compile(r"[!-~]+").fullmatch
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What they are made with."""

    settings: Callable[[], Settings]
    keychain: Keychain
    database: Database
    supervisor: Supervisor
    bus: Bus
    agent: Agent
    pressed: Callable[[Pressed], Awaitable[str]]
    undelivered: Undelivered
    folder: Path
    """Where files go that come along."""
    own: Path
    """Where apps keep files of their own, each in a folder of its name."""


def entry(name: str, field: str) -> str:
    """The name in the keychain of a secret of an app."""
    return f"channel:{name}:{field}"


async def _last(database: Database, name: str) -> tuple[float | None, float | None]:
    """When something last came from an app, and when something that went there was ready to go."""
    (came,) = await database.read("SELECT max(at) FROM seen WHERE channel = ?", (name,))
    sql = "SELECT max(at) FROM outbox WHERE channel = ? AND state = 'sent' AND sent != '[]'"
    (went,) = await database.read(sql, (name,))
    return came[0], went[0]


class _UnusableKey(SignInNeeded):
    """A key with letters that no service gives out, as where more was copied; each library fails on it in
    its way."""

    def __init__(self, name: str, field: str) -> None:
        super().__init__(
            _("The key of {channel} holds characters that no key has.").format(channel=_(TITLES[name])),
            _("Copy it again, alone, and save it under Settings › Channels."),
        )
        self.field = field


class Channels:
    """All apps. Raises StorageError where it says so; for the loop only."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.seen, self.pairings = Seen(parts.database), Pairings(parts.database)
        self.outbox = Outbox(
            parts.database, self.get, lambda: parts.settings().send_max_retries, parts.undelivered
        )
        self.live = Live(self.outbox)
        self.receipts = Receipts(functools.partial(Notes, parts.database))
        self.receiver = Receiver(
            parts.settings, self.seen, self.pairings, self.outbox, self.receipts, parts.agent, parts.folder
        )
        self.arrivals = Arrivals(parts.database, self.get, self.receiver.take)
        self.receiver.arrivals = self.arrivals
        self._on: dict[str, Channel] = {}
        self._made: dict[str, ChannelSettings] = {}
        self._running = False
        self._applying, self._loading = asyncio.Lock(), asyncio.Lock()
        self._being_linked: set[str] = set()
        self._tidied = 0.0
        """When what is old was last forgotten, Unix time."""

    def get(self, name: str) -> Channel | None:
        """The app of this name, where it is on."""
        return self._on.get(name)

    async def start(self) -> None:
        """Bring up what is on and send what was left. Raises StorageError."""
        self._running = True
        await self._tidy()
        await self.apply()

    async def stop(self) -> None:
        """Take all down: first what comes, then what goes."""
        self._running = False
        for name in tuple(self._on):
            await self._parts.supervisor.remove(name)
        await self.arrivals.stop()
        await self.live.stop()
        await self.receipts.stop()
        await self.outbox.stop()
        self._on.clear()

    async def apply(self, changed_secret: str = "") -> None:
        """Obey the settings: what is on runs, and runs with these. `changed_secret`: an app whose secret is
        another now."""
        async with self._applying:
            await self._apply(changed_secret)

    async def _apply(self, changed_secret: str) -> None:
        settings = self._parts.settings()
        for name in NAMES:
            wanted = settings.of(name)
            if not self._running:
                return
            running = name in self._on
            if running and (not wanted.enabled or name == changed_secret or self._differs(name, wanted)):
                del self._on[name]
                await self._parts.supervisor.remove(name)
                running = False
            if wanted.enabled and not running:
                await self._bring_up(name, wanted)
        if self._running:
            await self._tell_paired(settings)

    def _differs(self, name: str, wanted: ChannelSettings) -> bool:
        """Whether something changed that it reads only when it starts."""
        live = {"allow_from", "owner", "group_policy", "group_allow_from", "dm"}
        return self._made[name].model_dump(exclude=live) != wanted.model_dump(exclude=live)

    async def _bring_up(self, name: str, settings: ChannelSettings) -> None:
        channel = await in_thread(self.make, name)
        channel.received = functools.partial(self._receive, channel)
        channel.pressed = self._parts.pressed
        channel.up.told = functools.partial(self._go_on, name)
        channel.last_in, channel.last_out = await _last(self._parts.database, name)
        self._on[name], self._made[name] = channel, settings
        self._parts.supervisor.add(channel)

    def _go_on(self, name: str) -> None:
        """An app is up."""
        spawn(self.outbox.recover(name), name=f"outbox:{name}")
        spawn(self.arrivals.recover(name), name=f"arrivals:{name}")
        if channel := self._on.get(name):
            spawn(self.receipts.recover(channel), name=f"receipts:{name}")

    def make(self, name: str) -> Channel:
        """A fresh one, also of an app that is off. Raises KeyError. Blocks: it loads a module."""
        given = Given(
            self._parts.settings,
            functools.partial(self._secret, name),
            functools.partial(self._kept, name),
            functools.partial(self._keep, name),
            Notes(self._parts.database, name),
            self._parts.own / name,
            self._parts.bus,
            self._loading,
        )
        return make(name, given)

    async def probe(self, name: str) -> Known:
        """Make one real call. Raises KeyError, WrongField, AppError."""
        channel = self._on.get(name)
        if channel is None or not channel.abilities.alone:
            channel = await in_thread(self.make, name)
        elif not channel.up.is_set() and channel.status.state is not ServiceState.NEEDS_SIGN_IN:
            raise AppError(channel.status.detail or _("It is connecting just now."))
        try:
            return await channel.probe()
        except _UnusableKey as error:
            raise WrongField(error.field, error.text, error.remedy) from error

    async def linked(self, name: str) -> Linked | None:
        """The account that an app is linked to. Raises KeyError, UsageError."""
        return await (await self._linking(name)).linked()

    async def link(self, name: str, phone: str) -> AsyncGenerator[Step]:
        """Link an app to an account, by a picture or by a code for a phone number; where it is on, it
        runs then. Raises KeyError, UsageError, AppError."""
        if name in self._being_linked:
            raise UsageError(_("A link is being made already."), _("Finish or cancel it first."))
        self._being_linked.add(name)
        try:
            channel = await self._linking(name)
            async with aclosing(channel.link(phone)) as steps:
                async for step in steps:
                    if isinstance(step, Linked):
                        await steps.aclose()
                        await self.apply(name)
                    yield step
        finally:
            self._being_linked.discard(name)

    async def forget_link(self, name: str) -> bool:
        """Forget the account of an app; whether the service knows of it, too. Raises KeyError, UsageError,
        StorageError."""
        channel = self._on.get(name)
        told = await (await self._linking(name, channel)).forget()
        await self.apply(name)
        return told

    async def _linking(self, name: str, channel: Channel | None = None) -> Links:
        found = channel or await in_thread(self.make, name)
        if not isinstance(found, Links):
            raise UsageError(_("{channel} has keys, and is not linked.").format(channel=_(TITLES[name])))
        return found

    async def _secret(self, name: str, field: str) -> str:
        found = await self._stored(name, field)
        if not found:
            raise SignInNeeded(
                _("{channel} has no key yet.").format(channel=_(TITLES[name])),
                _("Add it under Settings › Channels."),
            )
        if not found.isprintable() or (field.lower().endswith("token") and not _LIKE_A_TOKEN(found)):
            raise _UnusableKey(name, field)
        return found

    async def _kept(self, name: str, field: str) -> str:
        try:
            return await self._stored(name, field)
        except KeychainError:
            return ""  # where a key is needed, its own question says so

    async def _stored(self, name: str, field: str) -> str:
        """A secret; imports of earlier versions named it as the old file did, which may be bot_token."""
        found, former = entry(name, field), entry(name, to_snake(field))
        keychain = self._parts.keychain
        return await keychain.get(found) or (await keychain.get(former) if former != found else "") or ""

    async def _keep(self, name: str, field: str, value: str) -> None:
        if value:
            await self._parts.keychain.set(entry(name, field), value)
            return
        for one in {entry(name, field), entry(name, to_snake(field))}:
            await self._parts.keychain.delete(one)

    async def _receive(self, channel: Channel, received: Received) -> None:
        channel.came()
        now = time.time()
        await self.receiver.receive(received.readable(), channel)
        if not 0 <= now - self._tidied < _DAY_S:  # also where it runs for months, or the clock was wrong
            self._tidied = now
            spawn(self._tidy(), name="channels:tidy")

    async def _tidy(self) -> None:
        """Forget what is too old to be of use. Raises StorageError."""
        self._tidied = time.time()
        await self.seen.tidy()
        await self.outbox.tidy()
        for name in NAMES:
            await Notes(self._parts.database, name).tidy()

    async def close(self, request: Request) -> None:
        """Somebody who asked is let in, or is not. Raises StorageError."""
        await self.pairings.close(request)
        await self._parts.agent.has_answer(request)

    async def _tell_paired(self, settings: Settings) -> None:
        """Whoever asked and is let in now hears of it."""
        for request in await self.pairings.open():
            allowed = settings.of(request.channel) if request.channel in NAMES else None
            if allowed and {request.sender, ANYBODY} & {*allowed.allow_from, allowed.owner}:
                await self.close(request)
                text = _("You are in. Write a message to begin.")
                await self.outbox.put(f"paired:{request.code}", request.where, "", Outgoing(text))
