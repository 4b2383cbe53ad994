"""One job of the list: what it is, when it comes next, how it went last, a switch and what can be done."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from desktop.text import _
from desktop.ui.widgets import moments
from desktop.ui.widgets.buttons import Button, button
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.list_row import ON, OPEN, REMOVE, Choice, ListRow, SignLine
from desktop.ui.widgets.moments import Now
from desktop.ui.widgets.plain import shown

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine, Run

RUN, RUNS, TALK = "run", "runs", "talk"
"""What can be done with a job besides what every row has."""
_DETAIL = 100


class JobRow(ListRow):
    """It opens for editing."""

    def __init__(self) -> None:
        super().__init__("bell", "link", menu=True)
        self.job: JobLine
        """Once it shows one."""
        self._run: Run | None = None
        self._shown: object = None
        self._now = Now(0, "UTC")
        self._about, self._last = label("small", wrap=True), SignLine()
        self._paused = SignLine("triangle-alert", "warning")
        self.go_on: Button | None = None
        """Made for a job that is paused."""
        self.add_line(self._about)
        self.add_line(self._last)
        self.add_line(self._paused, pressed=True)
        self._paused.hide()

    def show_job(self, job: "JobLine", run: "Run | None", now: Now) -> None:
        """Show it as it is now. `run`: its newest one, where that is known."""
        same = self._shown == (job, run, now.zone)
        self._shown = job, run, now.zone
        self.job, self.key, self._run, self._now = job, job.id, run, now
        self.switch.setChecked(job.enabled)
        if same:
            self.say_times()
        else:
            self.say()

    def say(self) -> None:
        job = self.job
        name = shown(job.name)
        self.tile.show_icon("bell" if job.plain else "bot")
        self.say_title(name, on=job.enabled)
        self._say_paused(shown(job.paused))
        self.setToolTip(tip(shown(job.message[:500])))
        self.switch.setAccessibleName(_("Turn on: {name}").format(name=name))
        assert self.more is not None
        self.more.say(_("More about {name}").format(name=name))
        self.say_times()

    def say_times(self, now: Now | None = None) -> None:
        """Set those words that change as time goes by."""
        self._now = now or self._now
        about = shown(f"{self.job.sentence} · {self._next()}")
        sign, role, last = self._last_run()
        self._about.setText(about)
        self._last.say(last, sign, role)
        kind = _("Reminder") if self.job.plain else _("Task")
        told = (shown(self.job.name), kind, about, last, shown(self.job.paused))
        self.setAccessibleName(", ".join(filter(None, told)))

    def _next(self) -> str:
        due = self.job.next
        if due is not None:
            return _("next {when}").format(when=moments.soon(due, self._now))
        if self.job.paused:
            return _("paused")
        return _("off") if not self.job.enabled else _("no more runs")

    def _last_run(self) -> tuple[str, str, str]:
        """Mark, its colour, and the words."""
        job, run = self.job, self._run
        if run is not None:
            name, when, detail = run.outcome, run.claimed, run.detail
            late = moments.planned(run, self._now)
        elif job.last is not None and job.outcome:
            name, when, detail, late = job.outcome, job.last, job.detail, ""
        else:
            return "circle", "muted", ""
        sign, role, word = moments.outcome(name)
        told = f"{word} {moments.at(when, self._now)}"
        if late:
            told = _("{result} ({late})").format(result=told, late=late)
        line = "" if job.paused else shown(moments.first_line(detail, _DETAIL))
        return sign, role, _("{result}: {detail}").format(result=told, detail=line) if line else told

    def _say_paused(self, why: str) -> None:
        self._paused.say(why)
        if not why:
            return
        if self.go_on is None:
            self.go_on = button("link")
            self.go_on.clicked.connect(lambda: self.act(ON))
            self._paused.column.addWidget(self.go_on, 0, Qt.AlignmentFlag.AlignLeft)
        self.go_on.say(_("Resume"), _("Resume: {name}").format(name=shown(self.job.name)))

    def choices(self) -> Sequence[Choice]:
        talk = () if self.job.plain else (("message-square", _("Open conversation"), TALK),)
        return (
            ("play", _("Run now"), RUN),
            ("pencil", _("Edit"), OPEN),
            ("history", _("Show runs"), RUNS),
            *talk,
            ("trash-2", _("Remove"), REMOVE),
        )
