"""When a job is due: once, every so often, or by five fields of cron; checked while it is typed."""

import time
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QLocale, QTime, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QLineEdit, QSpinBox, QTimeEdit, QVBoxLayout, QWidget

from desktop import text as catalogue
from desktop.api.jobs import Meaning
from desktop.cron.wanted import When as Moment
from desktop.errors import AppError
from desktop.text import _, listed, mark
from desktop.ui.actions import Actions
from desktop.ui.panels.tasks.calendar import DateField
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets import moments
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.choice_box import ChoiceBox
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.moments import Now
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine

ONCE, EVERY, CRON = "at", "every", "cron"
_KINDS = {ONCE: mark("Once"), EVERY: mark("Repeating"), CRON: mark("Cron expression")}
_UNITS = {
    1: mark("seconds"),
    60: mark("minutes"),
    3600: mark("hours"),
    86400: mark("days"),
    604_800: mark("weeks"),
}
_TYPING_MS = 250
_MOST = 1_000_000


class _Time(QTimeEdit):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _Number(QSpinBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class When(QWidget):
    """What `given` means is asked of the core, and said below."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._zone, self._asked = "UTC", 0
        self._before = Moment()
        self._last = Meaning()
        """What the core said of what stands here now."""
        self.kind, self.date, self.time = ChoiceBox(_KINDS), DateField(), _Time()
        self.number, self.unit = _Number(), ChoiceBox(_UNITS)
        self.expression, self.zone = QLineEdit(), QLineEdit()
        self._unit_name = label()
        self._unit_name.setBuddy(self.unit)  # on Linux a list's own name is not read out
        self._kind_row, self._once_row = Row(self.kind), Row(_beside(self.date, self.time))
        every = _beside(self.number, self.unit)
        self._unit_name.setParent(every)  # never shown; a name counts among brothers
        self._every_row = Row(every)
        self._cron_row, self._zone_row = Row(self.expression), Row(self.zone)
        self._sentence, self._dates = label("title", wrap=True), label("small", wrap=True)
        self._means = QWidget()
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._lay_out()
        self._connect()
        spoken(self._words)

    def _lay_out(self) -> None:
        for field in (self.time, self.number):
            field.lineEdit().setTextMargins(Space.S, 0, Space.S, 0)  # a padding is not minded here
        self.time.setDisplayFormat("HH:mm")
        self.number.setRange(1, _MOST)
        self.number.setValue(1)
        down(self._sentence, self._dates, gap=Space.XS, edges=(0, Space.M, 0, Space.M), of=self._means)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        card = Card(framed=False)
        for row in (self._kind_row, self._once_row, self._every_row, self._cron_row, self._zone_row):
            card.add(row)
        card.add(self._means)
        column.addWidget(card)

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._arrange)
        self.kind.activated.connect(lambda _at: self._typed())
        self.unit.activated.connect(lambda _at: self._typed())
        self.date.dateChanged.connect(lambda _date: self._typed())
        self.time.timeChanged.connect(lambda _time: self._typed())
        self.number.valueChanged.connect(lambda _n: self._typed())
        for field in (self.expression, self.zone):
            field.textEdited.connect(lambda _text: self._typed())
        self._typing.timeout.connect(self.check)

    def _words(self) -> None:
        self._kind_row.call(_("When"))
        self._once_row.say(_("Date and time"))
        self._every_row.say(_("Every"))
        self._cron_row.call(
            _("Expression"), _("Minute, hour, day, month, weekday: 0 9 * * 1-5 means 9:00 on weekdays.")
        )
        self._unit_name.setText(_("Unit"))
        self._zone_row.call(
            _("Time zone"),
            _("For example Europe/Berlin. Leave empty to use your own, also when you travel."),
        )
        self.zone.setPlaceholderText(self._zone)
        self.expression.setPlaceholderText("0 9 * * 1-5")
        for field, name in (
            (self.date, _("Date")),
            (self.time, _("Time")),
            (self.number, _("Number")),
            (self.unit, _("Unit")),
        ):
            field.setAccessibleName(name)
        self.date.setLocale(QLocale(catalogue.language()))
        self._arrange()
        self._tell()

    # ---- what is given

    @property
    def given(self) -> Moment:
        """What stands here."""
        kind = self.kind.value
        if kind == ONCE:
            face = f"{self.date.date().toString('yyyy-MM-dd')}T{self.time.time().toString('HH:mm')}"
            return Moment(at=face)
        if kind == EVERY:
            return Moment(every=self.number.value() * int(self.unit.value))
        return Moment(cron=self.expression.text().strip(), tz=self.zone.text().strip())

    @property
    def changed(self) -> bool:
        """Whether it is another than was shown."""
        return self.given != self._before

    def complete(self) -> bool:
        """Whether nothing is missing; what is, is said, and has the keyboard."""
        if self.given.cron != "":
            return True
        self._complain(_("Enter five fields."), "")
        self.expression.setFocus()
        return False

    def show_job(self, job: "JobLine | None", zone: str) -> None:
        """Show that of a job; None for a new one. `zone`: the person's."""
        self._zone = zone
        now = Now(time.time(), zone)
        face = now.face(now.moment) + timedelta(hours=1)
        if job is not None and job.at is not None:
            face = now.face(job.at)
        blocked = [field.blockSignals(True) for field in (self.date, self.time, self.number)]
        self.date.setDate(QDate(face.year, face.month, face.day))
        self.time.setTime(QTime(face.hour, face.minute))
        self.number.setValue(1)
        self.unit.choose(3600)
        every = job.every if job is not None else None
        if every:
            size = max(size for size in _UNITS if every % size == 0 or size == 1)
            self.number.setValue(max(1, round(every / size)))
            self.unit.choose(size)
        for field, was in zip((self.date, self.time, self.number), blocked, strict=True):
            field.blockSignals(was)
        self.expression.setText(job.cron if job is not None else "")
        self.zone.setText(job.tz if job is not None else "")
        self.kind.choose(job.kind if job is not None else ONCE)
        self._before = self.given if job is not None else Moment()
        self._words()
        self.check()

    # ---- what it means

    def check(self) -> None:
        """Ask what it means."""
        self._typing.stop()
        self._asked += 1
        if self.given.cron == "":
            self._told(Meaning(), "", "")
        else:
            self._work.start(self._checking(self._asked), name="tasks:check")

    def _typed(self) -> None:
        self._complain("", "")
        self._typing.start()

    async def _checking(self, asked: int) -> None:
        given = self.given
        try:
            found, wrong, zone = await self._actions.api.jobs.check(given), "", ""
        except AppError as error:
            found, wrong, zone = Meaning(), error.text, ""
            if given.tz and not await self._wrong(replace(given, tz="")):
                wrong, zone = "", error.text
        if asked == self._asked:
            self._told(found, wrong, zone)

    async def _wrong(self, given: Moment) -> bool:
        try:
            await self._actions.api.jobs.check(given)
        except AppError:
            return True
        return False

    def _told(self, found: Meaning, wrong: str, zone: str) -> None:
        self._last = found
        self._complain(wrong, zone)
        self._tell()

    def _complain(self, wrong: str, zone: str) -> None:
        kind = self.kind.value
        for row, own in ((self._once_row, ONCE), (self._every_row, EVERY), (self._cron_row, CRON)):
            row.complain(wrong if own == kind else "")
        self._zone_row.complain(zone)

    def _tell(self) -> None:
        sentence = self._last.sentence
        self._means.setVisible(bool(sentence))
        if not sentence:
            return
        now = Now(time.time(), self._zone)
        self._sentence.setText(shown(sentence[:1].upper() + sentence[1:]))
        dates = [moments.date(moment, now) for moment in self._last.upcoming]
        own = self.given.tz or self._zone
        head = [] if own == self._zone else [_("In your time zone:")]
        self._dates.setText("\n".join([*head, *dates]))
        self._dates.setAccessibleName(_("Next: {dates}").format(dates=listed(dates)))

    def _arrange(self) -> None:
        kind = self.kind.value
        for row, own in (
            (self._once_row, ONCE),
            (self._every_row, EVERY),
            (self._cron_row, CRON),
            (self._zone_row, CRON),
        ):
            row.setVisible(own == kind)


def _beside(first: QWidget, second: QWidget) -> QWidget:
    """Two fields in a line; the first takes the complaint."""
    made = QWidget()
    across((first, 3), (second, 2), of=made)
    made.setFocusProxy(first)
    return made
