"""The list of the jobs, those that come next first; how to make one where there is none yet."""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent

from desktop.text import _
from desktop.ui.panels.tasks.row import JobRow
from desktop.ui.widgets.list_page import ListPage
from desktop.ui.widgets.moments import Now
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine, Run

_PAGE = 50
_NEAR_S, _MINUTE_MS = 3600.0, 60_000


class JobList(ListPage[JobRow, "JobLine"]):
    """What is near is told by how far it is: its words change while they are seen."""

    def __init__(self) -> None:
        super().__init__("calendar-clock", page=_PAGE)
        self._jobs: Sequence[JobLine] = ()
        self._runs: Mapping[str, Run] = {}
        self._now = Now(0, "UTC")
        self._minute = QTimer(self, singleShot=True, interval=_MINUTE_MS)
        self._minute.timeout.connect(self._time_passed)
        spoken(self._words)

    def _words(self) -> None:
        about = _(
            "A reminder reaches you word for word. A task is carried out by the agent, which tells you "
            "the result."
        )
        new = (_("New"), _("New reminder or task"))
        self.say(about, new, _("Search tasks"), _("No results"))
        empty = self.sections[0].empty
        assert empty is not None
        empty.say(
            _("Nothing scheduled yet"),
            _(
                "Ask in a conversation, for example “remind me in 20 minutes to call Anna”, or create one "
                "here with New."
            ),
        )

    def show_jobs(self, jobs: Sequence["JobLine"], runs: Mapping[str, "Run"], now: Now) -> None:
        """Show these; `runs` are their newest ones."""
        self._jobs, self._runs, self._now = jobs, runs, now
        self.show_items(jobs)
        self._arm()

    def make_row(self) -> JobRow:
        return JobRow()

    def show_row(self, row: JobRow, item: "JobLine") -> None:
        row.show_job(item, self._runs.get(item.id), self._now)

    def found_by(self, item: "JobLine") -> str:
        return f"{item.name}\n{item.message}"

    # ---- as time goes by

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arm()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._minute.stop()

    def _arm(self) -> None:
        now = time.time()
        if self.isVisible() and any(
            job.next is not None and job.next < now + _NEAR_S for job in self._jobs
        ):
            self._minute.start()

    def _time_passed(self) -> None:
        self._now = Now(time.time(), self._now.zone)
        for row in self.rows:
            row.say_times(self._now)
        self._arm()
