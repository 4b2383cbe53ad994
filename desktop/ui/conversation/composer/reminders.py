"""Reminders while the person writes: read with every letter, set by Enter, left to the agent by Esc."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from desktop.cron.reminders.phrases import LIKELY
from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.composer.composer import Composer
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.widgets.latest import Latest

if TYPE_CHECKING:
    from desktop.api.reminders import Understood, Wanted
    from desktop.ui.conversation.composer.reminder import ReminderChip

_LONGEST = 300


class Reminding(QObject):
    """One for a message field, between it and the conversation: what is sent comes here first."""

    for_agent = Signal(str)
    """Sent, and no reminder: a message."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        composer: Composer,
        session: Callable[[], str],
        told: Callable[[str, str, Callable[[], object]], object],
    ) -> None:
        """`session`: the key of the conversation. `told`: says what was set, with the words of a button
        that takes it back."""
        super().__init__(composer)
        self._actions, self._reporter, self._composer = actions, reporter, composer
        self._session, self._told = session, told
        self.off: Callable[[], bool] = lambda: False
        """Whether what is in the field is something else, such as an old message that is being changed."""
        self.chip: ReminderChip | None = None
        self._latest = Latest(self._read, partial(reporter.run, name="reminder:read"))
        self._entering = False
        self._known: tuple[str, Understood | None] = "", None
        """What was understood, of which text."""
        composer.changed.connect(self._changed)
        composer.sent.connect(self._sent)
        composer.field.installEventFilter(self)

    # ---- while the person writes

    def _likely(self, text: str) -> bool:
        fits = len(text) <= _LONGEST and not self._composer.files and not self.off()
        return fits and bool(LIKELY.search(text))

    def _changed(self, text: str) -> None:
        if self._likely(text):
            self._latest.want()
        else:
            self._away()

    async def _read(self) -> None:
        text = self._composer.text()
        if not self._likely(text):
            return
        with suppress(AppError):  # Enter will say what is wrong
            found = await self._understood(text)
            if text == self._composer.text():
                self._show(found)

    async def _understood(self, text: str) -> "Understood":
        found = await self._actions.api.reminders.read(text, self._session())
        self._known = text, found
        return found

    def _show(self, found: "Understood") -> None:
        if found.reminder is None and found.unclear is None:
            self._away()
            return
        if self.chip is None:
            from desktop.ui.conversation.composer.reminder import ReminderChip

            self.chip = ReminderChip()
            self.chip.chosen.connect(self._choose)
            self.chip.refused.connect(self._refuse)
            self._composer.place_reminder(self.chip)
        self.chip.tell(found, time.time())

    def _away(self) -> None:
        if self.chip is not None and not self.chip.isHidden():
            had_keyboard = self.chip.hasFocus() or any(made.hasFocus() for made in self.chip.buttons)
            self.chip.hide()
            if had_keyboard:
                self._composer.setFocus()

    # ---- Enter and Esc

    def _sent(self, text: str) -> None:
        known, found = self._known
        plain = known == text and found is not None and not (found.reminder or found.unclear)
        if plain or not self._likely(text):
            self._away()
            self.for_agent.emit(text)
        elif not self._entering:
            self._entering = True
            self._reporter.run(self._enter(text), name="reminder:enter")

    async def _enter(self, text: str) -> None:
        """Read once more: "in 20 minutes" counts from now, and the last letters may not be read yet."""
        try:
            found = await self._understood(text)
            if text != self._composer.text():
                return  # more was written since
            self._show(found)
            if found.reminder is not None:
                await self._set(found.reminder.job, text)
        finally:
            self._entering = False
        if self.chip is None or self.chip.isHidden():
            if found.reminder is None:
                self.for_agent.emit(text)
        elif self.chip.asks:
            self.chip.take_keyboard()

    def _choose(self, job: "Wanted") -> None:
        self._reporter.run(self._set(job, self._composer.text()), name="reminder:set")

    async def _set(self, job: "Wanted", text: str) -> None:
        made = await self._actions.api.jobs.add(job)
        if self._composer.text() == text:
            self._composer.show_draft("")
        self._away()
        self._composer.setFocus()
        said = _("Reminder set: {text}, {when}").format(text=made.message, when=made.sentence)
        self._told(said, _("Undo"), lambda: self._undo(made.id, text))

    def _undo(self, job: str, text: str) -> None:
        self._reporter.run(self._take_back(job, text), name="reminder:undo")

    async def _take_back(self, job: str, text: str) -> None:
        await self._actions.api.jobs.remove(job)
        if not self._composer.text():
            self._composer.show_draft(text)
        self._composer.setFocus()

    def _refuse(self) -> None:
        """It is meant for the agent."""
        text = self._composer.text()
        self._away()
        self._composer.setFocus()
        self.for_agent.emit(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            shown = self.chip is not None and not self.chip.isHidden()
            if shown and event.key() == Qt.Key.Key_Escape and not self._composer.field.composing:
                self._refuse()
                return True
        return super().eventFilter(watched, event)
