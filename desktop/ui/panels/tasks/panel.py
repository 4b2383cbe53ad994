"""The page of the tasks: the list or the form in its place, and beside it the ledger of the runs."""

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import fields
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from desktop.bus.events import JobsChanged, ServiceChanged
from desktop.cron.wanted import Wanted
from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.panels.tasks import row
from desktop.ui.panels.tasks.form import TaskForm
from desktop.ui.panels.tasks.known import Known
from desktop.ui.panels.tasks.listing import JobList
from desktop.ui.panels.tasks.runs import Runs
from desktop.ui.settings.part import ListPart, PageData
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.list_row import ON, OPEN, REMOVE
from desktop.ui.widgets.moments import Now
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.tabs import Tabs
from desktop.ui.widgets.toast import Toast
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine

JOBS, RUNS = 0, 1
_SCHEDULER = "cron"
_OFF = ("off", "starting", "running")


class TasksPanel(ListPart):
    """Reads what there is whenever it is seen, and when jobs or their runs change."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._known = Known(actions, self)
        self._paused = False
        self._toast: Toast | None = None
        self.state, self.outcome, self.tabs = Outcome(), Outcome(), Tabs(2)
        self.list, self.runs, self.form = JobList(), Runs(actions), TaskForm(actions)
        self.column.addWidget(self.state)
        self.column.addWidget(self.tabs)
        self.column.addSpacing(Space.XS)
        self.column.addWidget(self.outcome)
        for place in (self.list, self.runs, self.form):
            self.add_place(place)
        self._connect()
        spoken(self._words)

    def _connect(self) -> None:
        self.hear(self._actions.bus, JobsChanged)
        self.hear(self._actions.bus, ServiceChanged, self._service)
        self._known.changed.connect(self._show_known)
        self._known.failed.connect(self.outcome.failed)
        self.tabs.chosen.connect(self._turn_to)
        self.list.acted.connect(self._act)
        self.list.new_wanted.connect(lambda: self._open_form(None))
        self.runs.open_wanted.connect(self._talk)
        self.form.left.connect(self.go_back)
        self.form.save_wanted.connect(self._save)
        self.form.remove_wanted.connect(self._remove)

    def _words(self) -> None:
        for made, words in zip(self.tabs.buttons, (_("Planned"), _("Runs")), strict=True):
            made.setText(words)
            made.setAccessibleName(words)

    # ---- what is shown

    def refresh(self) -> None:
        self._known.refresh()

    def show_all(self, data: PageData) -> None:
        self._paused = bool(data.settings.values.get("presence.paused", False))
        super().show_all(data)

    def _service(self, event: ServiceChanged) -> None:
        if event.name == _SCHEDULER:
            self.stale(event)

    @property
    def away(self) -> bool:
        return not self.form.isHidden()

    def show_place(self, shown: QWidget) -> None:
        super().show_place(shown)
        self.tabs.setVisible(shown is not self.form)

    def _turn_to(self, number: int) -> None:
        self.outcome.clear()
        self.show_place(self.runs if number == RUNS else self.list)
        if number == RUNS and self.isVisible():
            self.runs.refresh()

    def _open_form(self, job: "JobLine | None") -> None:
        self.outcome.clear()
        self.form.show_job(job, self._known.zone)
        self.show_place(self.form)
        self.form.take_keyboard()

    def go_back(self) -> None:
        id_ = str(self.form.job.id) if self.form.job is not None else ""
        self.show_place(self.list)
        self.list.focus_on(id_)
        self._known.refresh()

    # ---- what there is

    def _show_known(self) -> None:
        known = self._known
        self.list.show_jobs(known.jobs, known.runs, Now(time.time(), known.zone))
        self.runs.show_jobs(known.jobs, known.zone)
        if not self.runs.isHidden():
            self.runs.refresh()
        self._say_state(known.state, known.detail)

    def _say_state(self, state: str, detail: str) -> None:
        if detail:
            self.state.failed(shown(detail), tone="info" if state in _OFF else "warning")
        elif self._paused:
            self.state.failed(
                _("Background work is paused. Reminders still arrive."),
                _("Resume it under Tray and startup, or in the tray menu."),
                tone="info",
            )
        else:
            self.state.clear()

    # ---- what is done

    def _act(self, what: str, id_: str) -> None:
        if what == OPEN:
            self._open_form(self._known.job(id_))
        elif what == row.RUNS:
            self.tabs.choose(RUNS)
            self.runs.show_only(id_)
        elif what == row.TALK:
            self._talk(id_)
        elif what == REMOVE:
            self._remove(id_)
        elif what == row.RUN:
            self._do(self._actions.api.jobs.run(id_))
        else:
            self._do(self._actions.api.jobs.switch(id_, on=what == ON))

    def _do(self, work: Awaitable[object]) -> None:
        self._work.start(self._doing(work), name="tasks:act")

    async def _doing(self, work: Awaitable[object]) -> bool:
        """Whether it worked."""
        self.outcome.clear()
        try:
            await work
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return False
        finally:
            self._known.refresh()
        return True

    def _talk(self, id_: str) -> None:
        self._do(self._actions.show(f"cron:{id_}"))

    def _save(self, id_: str, given: Wanted) -> None:
        self._work.tell(
            self._saving(id_, given), self.form.outcome, name="tasks:save", busy=(self.form.save,)
        )

    async def _saving(self, id_: str, given: Wanted) -> None:
        jobs = self._actions.api.jobs
        job = await (jobs.change(id_, given) if id_ else jobs.add(given))
        self.form.show_job(None, self._known.zone)
        self.show_place(self.list)
        await asyncio.wait({self._known.refresh()})
        self.list.focus_on(job.id)

    def _remove(self, id_: str) -> None:
        self._work.start(self._removing(id_), name="tasks:remove", busy=(self.form.delete,))

    async def _removing(self, id_: str) -> None:
        job = self._known.job(id_)
        if job is None or not await self._doing(self._actions.api.jobs.remove(id_)):
            return
        self.show_place(self.list)
        self.list.new.setFocus()
        if self._toast is None:
            self._toast = Toast(self.window())
        told = _("“{title}” removed").format(title=shown(job.name))
        self._toast.say(told, _("Undo"), lambda: self._do_again(job))

    def _do_again(self, job: "JobLine") -> None:
        self._work.start(self._adding_again(job), name="tasks:undo")

    async def _adding_again(self, job: "JobLine") -> None:
        wanted = Wanted(**{field.name: getattr(job, field.name) for field in fields(Wanted)})
        try:
            made = await self._actions.api.jobs.add(wanted)
            if not job.enabled:
                await self._actions.api.jobs.switch(made.id, on=False)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
        self._known.refresh()
