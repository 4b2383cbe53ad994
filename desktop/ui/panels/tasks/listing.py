"""The list of the jobs, those that come next first; how to make one where there is none yet."""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.text import _, ngettext
from desktop.ui.panels.memory.stock import Stock
from desktop.ui.panels.tasks.row import JobRow
from desktop.ui.panels.tasks.words import Now
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.lens import Lens
from desktop.ui.widgets.sign import Sign
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine, Run

_FEW, _PAGE = 8, 50
_TYPING_MS = 120
_NEAR_S, _MINUTE_MS = 3600.0, 60_000
_SIGN = 32


class JobList(QWidget):
    """The first so many are shown; the others are found by their words, or asked for."""

    acted = Signal(str, str)
    """What is wanted (see row.py), and of which job."""
    new_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._jobs: Sequence[JobLine] = ()
        self._runs: Mapping[str, Run] = {}
        self._now = Now(0, "UTC")
        self._most = _PAGE
        self._about, self.new, self.search = label("muted", wrap=True), button("", "plus"), QLineEdit()
        self._card, self._inner = QFrame(), QVBoxLayout()
        self._nothing, self.more = label("muted", wrap=True), button("link")
        self._empty, self._empty_title = QWidget(), label("title")
        self._empty_words = label("muted", wrap=True)
        Lens(self.search)
        self.search.setClearButtonEnabled(True)
        self.stock = Stock[JobRow, "JobLine"](self._inner, self._made, self._show_row)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._minute = QTimer(self, singleShot=True, interval=_MINUTE_MS)
        self._lay_out()
        self._minute.timeout.connect(self._time_passed)
        self._typing.timeout.connect(self._show)
        self.new.clicked.connect(self.new_wanted)
        self.search.textChanged.connect(lambda: self._typing.start())
        self.more.clicked.connect(self._show_more)
        spoken(self._words)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(Space.L)
        head.addWidget(self._about, 1)
        head.addWidget(self.new, 0, Qt.AlignmentFlag.AlignTop)
        self._card.setProperty("kind", "card")
        around = QVBoxLayout(self._card)
        around.setContentsMargins(1, Space.XS, 1, Space.XS)
        around.setSpacing(0)
        self._inner.setSpacing(0)
        around.addLayout(self._inner)
        empty = QVBoxLayout(self._empty)
        empty.setContentsMargins(Space.XL, Space.XL, Space.XL, Space.XL)
        empty.setSpacing(Space.S)
        empty.addWidget(Sign("calendar-clock", "link", _SIGN), 0, Qt.AlignmentFlag.AlignHCenter)
        for words in (self._empty_title, self._empty_words):
            words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            empty.addWidget(words)
        around.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.S)
        column.addLayout(head)
        for shown in (self.search, self._card, self._nothing):
            column.addWidget(shown)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        for part in (self.search, self._nothing, self.more, self._card, self._empty):
            part.hide()

    def _words(self) -> None:
        self._about.setText(
            _(
                "A reminder comes word for word. A task is done by the agent, which tells you what came of "
                "it."
            )
        )
        self.new.setText(_("New"))
        self.new.setAccessibleName(_("New reminder or task"))
        self.search.setPlaceholderText(_("Search tasks"))
        self.search.setAccessibleName(_("Search tasks"))
        self._nothing.setText(_("No task has this text."))
        self._empty_title.setText(_("Nothing is planned yet"))
        self._empty_words.setText(
            _(
                "Say it in a conversation, such as “remind me in 20 minutes to call Anna”, or make one "
                "here with “New”."
            )
        )
        if self._jobs:
            self._show()
        for row in self.stock.seen:
            row.say()

    def show_jobs(self, jobs: Sequence["JobLine"], runs: Mapping[str, "Run"], now: Now) -> None:
        """Show these; `runs` are their newest ones."""
        self._jobs, self._runs, self._now = jobs, runs, now
        self.search.setVisible(len(jobs) > _FEW)
        self._show()
        self._arm()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arm()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._minute.stop()

    def _arm(self) -> None:
        """What is near is told by how far it is: its words change while they are seen."""
        now = time.time()
        if self.isVisible() and any(
            job.next is not None and job.next < now + _NEAR_S for job in self._jobs
        ):
            self._minute.start()

    def _time_passed(self) -> None:
        self._now = Now(time.time(), self._now.zone)
        for row in self.stock.seen:
            row.say_times(self._now)
        self._arm()

    def focus_on(self, id_: str) -> None:
        """Give the keyboard to a job, or to the button where it is gone."""
        row = next((row for row in self.stock.seen if row.job.id == id_), None)
        (row or self.new).setFocus()

    def _show(self) -> None:
        had, part = self._keyboard()
        wanted = self.search.text().strip().casefold() if not self.search.isHidden() else ""
        jobs = [job for job in self._jobs if wanted in f"{job.name}\n{job.message}".casefold()]
        self.stock.show_items(jobs[: self._most])
        left = len(jobs) - self._most
        self.more.setVisible(left > 0)
        n = min(left, _PAGE)
        self.more.setText(ngettext("Show {n} more", "Show {n} more", n).format(n=n))
        self._card.setVisible(bool(jobs) or not self._jobs)
        self._empty.setVisible(not self._jobs)
        self._nothing.setVisible(bool(self._jobs) and not jobs)
        self._keep_keyboard(had, part)

    def _show_more(self) -> None:
        self._most += _PAGE
        self._show()

    def _keyboard(self) -> tuple[str, str]:
        """Which job has the keyboard, and which part of its row."""
        focus = QApplication.focusWidget()
        for row in self.stock.seen:
            for part in ("", "switch", "more"):
                if focus is not None and focus is (getattr(row, part) if part else row):
                    return row.job.id, part
        return "", ""

    def _keep_keyboard(self, id_: str, part: str) -> None:
        """Rows are used again for other jobs: the keyboard stays with the job."""
        for row in self.stock.seen if id_ else ():
            if row.job.id == id_:
                (getattr(row, part) if part else row).setFocus()

    def _made(self) -> JobRow:
        row = JobRow()
        row.acted.connect(self.acted)
        return row

    def _show_row(self, row: JobRow, job: "JobLine") -> None:
        row.show_job(job, self._runs.get(job.id), self._now)
