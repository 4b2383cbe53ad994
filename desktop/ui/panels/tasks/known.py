"""The jobs as the core knows them, and the newest run of each."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.errors import AppError
from desktop.ui.actions import Actions
from desktop.ui.widgets.latest import Latest
from desktop.ui.widgets.work import Work

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine, Run

_RECENT = 500
"""Newest runs that are looked through for the last one of each job."""


class Known(QObject):
    """Reads when it is told to; `changed` comes after it, `failed` with a sentence and its remedy."""

    changed = Signal()
    failed = Signal(str, str)

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions, self._work = actions, Work(parent)
        self.jobs: Sequence[JobLine] = ()
        self.runs: Mapping[str, Run] = {}
        """By the job's id."""
        self.zone = "UTC"
        """The person's."""
        self.state = self.detail = ""
        """Of the scheduler."""
        self._latest = Latest(self._read, partial(self._work.start, name="tasks:read"))

    def job(self, id_: str) -> "JobLine | None":
        """One job; None where it is gone."""
        return next((job for job in self.jobs if job.id == id_), None)

    def refresh(self) -> asyncio.Task[None]:
        """Read the jobs; the task ends when they are known."""
        return self._latest.want()

    async def _read(self) -> None:
        try:
            found = await self._actions.api.jobs.all()
            runs = await self._actions.api.jobs.runs(limit=_RECENT)
        except AppError as error:
            self.failed.emit(error.text, error.remedy)
            return
        self.jobs, self.zone = found.jobs, found.zone
        self.state, self.detail = found.state, found.detail
        self.runs = {run.job: run for run in reversed(runs)}
        self.changed.emit()
