"""Each thing that is damaged with what is whole of it and one button that mends it."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from desktop.bus.events import JobsChanged
from desktop.errors import AppError
from desktop.text import _, sentences, titled
from desktop.ui.actions import Actions
from desktop.ui.settings.part import Part
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.flow import Flow
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.progress import Progress
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.recovery import Damage, Found

_NARROW = 460


class DamageRow(Row):
    """One thing that is hurt."""

    def __init__(self, damage: "Damage") -> None:
        self.act, side = button(), QWidget()
        super().__init__(side, width=0)
        across(self.act, None, of=side)
        self.beside.insertWidget(0, Sign("triangle-alert", "warning"))
        self.beside.addStretch(1)
        self.say(damage.title, sentences(damage.hurt, damage.whole))
        self.act.say(damage.act, titled(damage.act, damage.title))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._wide = self.width() < _NARROW  # then the button stands below the words
        super().resizeEvent(event)


class RecoveryPanel(Part):
    """Looks whenever it is seen. `found`: how many things are damaged."""

    found = Signal(int)

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._found: Found | None = None
        self._looked = False
        self._done: list[str] = []
        self._card, self._sound, self._told = Card(), label("muted", wrap=True), label("success", wrap=True)
        self.outcome, self.progress = Outcome(), Progress()
        self._all, self._restore, self._again = (
            button("primary"),
            button("", "archive-restore"),
            button("link"),
        )
        self._lay_out()
        self.hear(actions.bus, JobsChanged, self._jobs)
        self._all.clicked.connect(partial(self.mend, ""))
        self._restore.clicked.connect(lambda: self.page_wanted.emit("data"))
        self._again.clicked.connect(partial(self.look, deep=True))
        self.progress.cancelled.connect(self._work.cancel)
        spoken(self._words)

    def _lay_out(self) -> None:
        buttons = QWidget()
        acts = Flow(buttons)
        for made in (self._all, self._restore, self._again):
            acts.addWidget(made)
        self.column.setSpacing(Space.M)
        for widget in (self._card, self._told, self._sound, self.outcome, self.progress):
            self.column.addWidget(widget)
        self.column.addWidget(buttons)
        self._told.hide()

    def _words(self) -> None:
        self._all.setText(_("Repair all"))
        self._restore.say(_("Restore from a backup…"))
        self._again.setText(_("Check everything"))
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.look()

    def _jobs(self, _event: JobsChanged) -> None:
        if self.isVisible():
            self.look()

    def look(self, *, deep: bool = False) -> None:
        """Look what is damaged; `deep`: at every record, which takes a while."""
        busy = (self._again,) if deep else ()
        if deep:
            self._done = []
        self._work.start(self._look(deep), name="recovery:look", busy=busy)

    async def _look(self, deep: bool) -> None:
        if deep:
            self.outcome.busy(_("Checking everything…"))
        try:
            self._found = await self._actions.api.recovery.look(deep=deep)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        self._looked = True
        self.outcome.clear()
        self._show()
        self.found.emit(len(self._found.damage))

    def mend(self, id_: str) -> None:
        """Repair one thing, or all."""
        self._work.start(self._mend(id_), name="recovery:mend", busy=(self._all, self._restore))

    async def _mend(self, id_: str) -> None:
        self.outcome.clear()
        self.progress.begin(_("Repairing"))
        try:
            done = await self._actions.api.recovery.mend(id_)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        finally:
            self.progress.hide()
        self._done += done.done
        await self._look(deep=False)
        if done.failed:
            self.outcome.failed("\n".join(done.failed))
        self._restore.setFocus()

    def _show(self) -> None:
        damage = self._found.damage if self._found is not None else ()
        sound = self._found.sound if self._found is not None else ()
        rows = [DamageRow(one) for one in damage]
        for row, one in zip(rows, damage, strict=True):
            row.act.clicked.connect(partial(self.mend, one.id))
        self._card.fill(rows, _("Nothing is damaged.") if self._looked else _("Looking…"))
        self._all.setVisible(len(damage) > 1)
        self._told.setText("\n".join(self._done))
        self._told.setVisible(bool(self._done))
        self._sound.setText(sentences(*sound))
        self._sound.setVisible(bool(sound))
        self._sound.setAlignment(Qt.AlignmentFlag.AlignLeft)
