"""What goes on by itself in a program that stays: heartbeat, memory, notifications, and what was left.

start() brings it up behind a window or in `serve`; a command that only answers has none of it.
"""

import asyncio
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from desktop.agent.deliveries import Deliveries
from desktop.agent.unattended import BEAT, Parts, Unattended
from desktop.api.buttons import Buttons
from desktop.config.presence import Heartbeat as HeartbeatSettings
from desktop.core import subjects
from desktop.core.owner import WINDOW
from desktop.cron.clock import alarm
from desktop.cron.ledger import Ledger
from desktop.cron.service import Scheduler
from desktop.cron.store import Store
from desktop.cron.zone import zone as here
from desktop.heartbeat import Heartbeat
from desktop.inbox.desktop_screen import desktop_screen
from desktop.inbox.presenter import Presenter
from desktop.providers.ready import Ready
from desktop.services import Status
from desktop.tasks import cancel, spawn

if TYPE_CHECKING:
    from desktop.core.core import Core


class Background:
    """The parts, and their life."""

    def __init__(self, core: "Core") -> None:
        self._core = core
        self._recovery: asyncio.Task[None] | None = None
        self.deliveries = Deliveries(core.database, core.sessions, core.loop, core.bus)
        self.unattended = Unattended(
            Parts(
                core.sessions,
                core.loop,
                core.subagents,
                core.inbox,
                core.usage,
                self.deliveries,
                core.bus,
                self._check_budget,
            )
        )
        self.ledger = Ledger(core.database)
        store = Store(core.workspace / "cron", self._zone)
        self.scheduler = Scheduler(
            store, self.ledger, core.inbox, core.bus, self.unattended, self._zone, front=core.front
        )
        self.scheduler.turned = self._turned
        self.heartbeat = Heartbeat(
            core.workspace,
            self._beats,
            self._model,
            self.unattended.heartbeat,
            core.usage,
            core.inbox,
            core.bus,
        )
        screen = desktop_screen()
        self.buttons = self._make_buttons()
        screen.acted = self.buttons.acted
        self.presenter = Presenter(
            core.inbox, lambda: core.store.config.notifications, screen, alarm=alarm()
        )

    def start(self) -> None:
        """Come up, in the background; and tell conversations what they were not told before the end. A
        window starts the presenter itself, once that knows what the person has before their eyes."""
        if self._core.front != WINDOW:
            self.presenter.start()
        self._recovery = spawn(self._recover(), name="background:start")

    async def _recover(self) -> None:
        self.unattended.pause(paused=self._core.store.config.presence.paused)
        await self.deliveries.recover()
        await self._core.subagents.recover()
        await self._core.memory.dreaming.start()
        await self.heartbeat.start()
        await self.scheduler.start()

    async def stop(self) -> None:
        """Begin nothing more, end what is under way."""
        await cancel(self._recovery)
        await self.scheduler.stop()
        await self.heartbeat.stop()
        await self._core.memory.dreaming.stop()
        await self.deliveries.stop()
        await self.presenter.stop()

    def apply(self) -> None:
        """Obey changed settings."""
        self.unattended.pause(paused=self._core.store.config.presence.paused)
        self.heartbeat.apply()
        self.scheduler.apply()
        self.presenter.look()

    def statuses(self) -> list[Status]:
        """The states of the parts that can be off."""
        return [self.scheduler.status, self._core.memory.dreaming.status, self.heartbeat.status]

    def _turned(self) -> None:
        """The clock was set, or the machine slept: timers of the loop do not know of it."""
        self.heartbeat.rhythm.again()
        self._core.memory.dreaming.rhythm.again()

    def _zone(self) -> str:
        """The person's time zone. Blocks."""
        return self._core.store.config.agents.defaults.timezone or here()

    def _beats(self) -> HeartbeatSettings:
        config = self._core.store.config
        beats = config.gateway.heartbeat
        return beats.model_copy(update={"enabled": False}) if config.presence.paused else beats

    def _make_buttons(self) -> Buttons:
        core = self._core
        inbox, questions = (
            functools.partial(subjects.notices, core),
            functools.partial(subjects.questions, core),
        )
        return Buttons(core.inbox, core.bus, inbox, questions, lambda: self.scheduler)

    async def _check_budget(self, metadata: Mapping[str, Any]) -> None:
        await self._core.budget.check(self._core.models.answering(metadata))

    async def _model(self) -> Ready:
        return await self._core.models.ready("", "", BEAT, "", unattended=True)
