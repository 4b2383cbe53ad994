"""What goes on by itself in a program that stays: heartbeat, memory, notifications, and what was left.

start() brings it up behind a window or in `serve`; a command that only answers has none of it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.agent.deliveries import Deliveries
from desktop.agent.loop import Loop
from desktop.agent.outward import Outward
from desktop.agent.subagents import Subagents
from desktop.agent.unattended import BEAT, Unattended
from desktop.agent.unattended import Parts as UnattendedParts
from desktop.api.buttons import Buttons
from desktop.bus.bus import Bus
from desktop.config.keychain import Keychain
from desktop.config.presence import Heartbeat as HeartbeatSettings
from desktop.config.schema import Config
from desktop.core.chats import Chats
from desktop.core.chats import Parts as ChatParts
from desktop.core.voices import Voices
from desktop.cron.clock import alarm
from desktop.cron.ledger import Ledger
from desktop.cron.service import Scheduler
from desktop.cron.store import Store
from desktop.cron.zone import zone as here
from desktop.database.database import Database
from desktop.heartbeat import Heartbeat
from desktop.inbox.desktop_screen import desktop_screen
from desktop.inbox.inbox import Inbox
from desktop.inbox.presenter import Presenter
from desktop.ipc.ownership import WINDOW
from desktop.memory.dream_service import DreamService
from desktop.providers.budget import Budget
from desktop.providers.chooser import ModelChooser
from desktop.providers.ready import ModelWanted, Ready
from desktop.services.status import Status
from desktop.services.supervisor import Supervisor
from desktop.session.sessions import Sessions
from desktop.tasks import cancel, spawn
from desktop.updates.service import UpdateCheck
from desktop.usage import UsageLedger

if TYPE_CHECKING:
    from desktop.api.inbox import Notices
    from desktop.api.questions import Questions
    from desktop.providers.speech.transcriber import Transcriber


@dataclass(frozen=True, slots=True)
class Parts:
    """What it is made with."""

    front: str
    workspace: Path
    config: Callable[[], Config]
    database: Database
    sessions: Sessions
    loop: Loop
    subagents: Subagents
    inbox: Inbox
    usage: UsageLedger
    budget: Budget
    models: ModelChooser
    dreaming: DreamService
    bus: Bus
    notices: "Callable[[], Notices]"
    questions: "Callable[[], Questions]"
    updates: UpdateCheck
    outward: Outward
    keychain: Keychain
    change: Callable[[Mapping[str, Any]], Awaitable[None]]
    channels: Path
    """Where chat apps keep files of their own."""
    transcriber: "Callable[[], Transcriber]"


class Background:
    """The parts, and their life."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._recovery: asyncio.Task[None] | None = None
        inbox, bus = parts.inbox, parts.bus
        self.deliveries = Deliveries(parts.database, parts.sessions, parts.loop, bus, parts.outward)
        self.unattended = Unattended(
            UnattendedParts(
                parts.sessions,
                parts.loop,
                parts.subagents,
                inbox,
                parts.usage,
                self.deliveries,
                bus,
                self._check_budget,
            )
        )
        self.ledger = Ledger(parts.database)
        store = Store(parts.workspace / "cron", self._zone)
        self.scheduler = Scheduler(
            store, self.ledger, inbox, bus, self.unattended, self._zone, front=parts.front
        )
        self.scheduler.turned = self._turned
        self.services = Supervisor()
        self.chats = self._chats()
        beat = self.unattended.heartbeat
        self.heartbeat = Heartbeat(parts.workspace, self._beats, self._model, beat, parts.usage, inbox, bus)
        self.buttons = Buttons(inbox, bus, parts.notices, parts.questions, lambda: self.scheduler)
        screen = desktop_screen()
        screen.acted = self.buttons.acted
        self.presenter = Presenter(inbox, lambda: parts.config().notifications, screen, alarm=alarm())

    def start(self) -> None:
        """Come up, in the background; and tell conversations what they were not told before the end. A
        window starts the presenter itself, once that knows what the person has before their eyes."""
        if self._parts.front != WINDOW:
            self.presenter.start()
        self._recovery = spawn(self._recover(), name="background:start")

    async def _recover(self) -> None:
        self.unattended.pause(paused=self._parts.config().presence.paused)
        await self.chats.start()
        await self.deliveries.recover()
        await self._parts.subagents.recover()
        await self._parts.dreaming.start()
        await self.heartbeat.start()
        await self._parts.updates.start()
        await self.scheduler.start()

    async def stop(self) -> None:
        """Begin nothing more, end what is under way."""
        await cancel(self._recovery)
        await self.chats.stop()
        await self.services.stop()
        await self.scheduler.stop()
        await self.heartbeat.stop()
        await self._parts.updates.stop()
        await self._parts.dreaming.stop()
        await self.deliveries.stop()
        await self.presenter.stop()

    async def apply(self) -> None:
        """Obey changed settings."""
        self.unattended.pause(paused=self._parts.config().presence.paused)
        self.heartbeat.apply()
        self._parts.updates.apply()
        self.scheduler.apply()
        self.presenter.look()
        await self.chats.channels.apply()

    def _chats(self) -> Chats:
        parts = self._parts
        return Chats(
            ChatParts(
                parts.config,
                parts.change,
                parts.keychain,
                parts.database,
                parts.sessions,
                parts.loop,
                parts.inbox,
                parts.bus,
                parts.questions,
                self.services,
                parts.outward,
                parts.workspace / "files",
                parts.channels,
                Voices(parts.config, parts.transcriber, parts.inbox),
            )
        )

    def statuses(self) -> list[Status]:
        """The states of the parts that can be off."""
        own = [self.scheduler.status, self._parts.dreaming.status, self.heartbeat.status]
        if self._parts.updates.source is not None:
            own.append(self._parts.updates.status)
        return own + self.services.statuses()

    def _turned(self) -> None:
        """The clock was set, or the machine slept: timers of the loop do not know of it, and connections
        may be gone."""
        self.services.again()
        self.heartbeat.rhythm.again()
        self._parts.dreaming.rhythm.again()
        self._parts.updates.rhythm.again()

    def _zone(self) -> str:
        """The person's time zone. Blocks."""
        return self._parts.config().agents.defaults.timezone or here()

    def _beats(self) -> HeartbeatSettings:
        config = self._parts.config()
        beats = config.gateway.heartbeat
        return beats.model_copy(update={"enabled": False}) if config.presence.paused else beats

    async def _check_budget(self, metadata: Mapping[str, Any]) -> None:
        await self._parts.budget.check(self._parts.models.answering(metadata))

    async def _model(self) -> Ready:
        return await self._parts.models.ready(ModelWanted("", "", BEAT, "", unattended=True))
