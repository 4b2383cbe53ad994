"""The schedule: jobs and reminders, and the ledger of their runs."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from desktop.cron.job import Job, new_id
from desktop.cron.ledger import Run
from desktop.cron.schedule import At, Cron, Every, Spec
from desktop.cron.wanted import CHANGEABLE, Wanted, When, changed, spec_of
from desktop.cron.words import sentence, upcoming
from desktop.errors import UsageError
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.cron.ledger import Ledger
    from desktop.cron.service import Scheduler

__all__ = ["AllJobs", "JobDetail", "JobLine", "Jobs", "Meaning", "Removed", "Run", "Wanted", "When"]

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class JobLine:
    """A job as lists have it. Moments in Unix time, intervals in seconds."""

    id: str
    name: str
    message: str
    plain: bool
    enabled: bool
    paused: str
    """Why the program switched it off; "" where it did not."""
    kind: str
    """at, every or cron."""
    at: float | None
    every: float | None
    cron: str
    tz: str
    sentence: str
    """Its schedule in words."""
    session: str
    missed: str
    mode: str
    retries: int
    next: float | None
    last: float | None
    planned: float | None
    """The due moment that was last dealt with."""
    outcome: str
    detail: str
    failures: int


@dataclass(frozen=True, slots=True)
class JobDetail(JobLine):
    """A job with its next times."""

    upcoming: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class AllJobs:
    """All jobs, those due next first; the state of the scheduler, and the person's time zone."""

    jobs: tuple[JobLine, ...]
    state: str
    detail: str
    zone: str


@dataclass(frozen=True, slots=True)
class Removed:
    """The id and the name of a job that was taken away."""

    removed: str
    name: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a schedule means: in words, and its next times."""

    sentence: str = ""
    upcoming: tuple[float, ...] = ()


class Jobs:
    """Acts on jobs, which are named by their ids or their names."""

    def __init__(self, scheduler: "Callable[[], Scheduler]", ledger: "Callable[[], Ledger]") -> None:
        """Both are made when they are first wanted."""
        self._make, self._ledger = scheduler, ledger

    async def all(self) -> AllJobs:
        """All of them."""
        scheduler = await self._scheduler()
        status, zone = scheduler.status, scheduler.zone
        jobs = sorted(scheduler.jobs(), key=_order)
        lines = await in_thread(lambda: tuple(_line(job, zone) for job in jobs))
        return AllJobs(lines, status.state.value, status.detail, zone)

    async def one(self, id: str) -> JobDetail:  # noqa: A002
        """One of them. Raises UsageError."""
        scheduler = await self._scheduler()
        job, zone = _find(scheduler, id), scheduler.zone
        line = _line(job, zone)
        fields = {name: getattr(line, name) for name in JobLine.__dataclass_fields__}
        return JobDetail(**fields, upcoming=_upcoming(job.spec, zone))

    async def add(self, given: Wanted) -> JobLine:
        """Make a job: it needs a name, a message and a schedule. Raises UsageError."""
        scheduler, now = await self._scheduler(), time.time()
        spec = spec_of(given, scheduler.zone, now)
        if spec is None:
            raise UsageError(
                _("No time was given."),
                _("Give a time, an interval or a cron expression with five fields."),
            )
        job = Job(new_id(), "", spec, "", delete_after_run=isinstance(spec, At), created=now, updated=now)
        return _line(await scheduler.add(changed(job, given)), scheduler.zone)

    async def change(self, id: str, given: Wanted) -> JobLine:  # noqa: A002
        """Change a job; what is not given stays. Raises UsageError."""
        scheduler, now = await self._scheduler(), time.time()
        job = _find(scheduler, id)
        new = changed(replace(job, spec=spec_of(given, scheduler.zone, now) or job.spec), given)
        fields = {name: getattr(new, name) for name in CHANGEABLE}
        return _line(await scheduler.change(job.id, **fields), scheduler.zone)

    async def remove(self, id: str) -> Removed:  # noqa: A002
        """Take a job away; its runs stay in the ledger. Raises UsageError."""
        scheduler = await self._scheduler()
        job = _find(scheduler, id)
        await scheduler.remove(job.id)
        return Removed(job.id, job.name)

    async def switch(self, id: str, *, on: bool) -> JobLine:  # noqa: A002
        """Switch a job on or off. Raises UsageError."""
        scheduler = await self._scheduler()
        return _line(await scheduler.switch(_find(scheduler, id).id, on), scheduler.zone)

    async def run(self, id: str, *, wait: bool = False) -> Run:  # noqa: A002
        """Do a job now; with `wait` its end is waited for. Raises UsageError."""
        scheduler = await self._scheduler()
        await scheduler.take()
        job = _find(scheduler, id)
        run = await scheduler.run_now(job.id)
        if wait:
            await scheduler.runs.ended(job.id)
            run = await self._ledger().get(run.id) or run
        return run

    async def answer(self, run: str, *, yes: bool) -> None:
        """Whether a missed run shall be made up for."""
        await (await self._scheduler()).answer(run, yes)

    async def check(self, given: When) -> Meaning:
        """What a schedule means. Raises UsageError."""
        zone = (await self._scheduler()).zone
        spec = spec_of(given, zone, time.time())
        if spec is None:
            raise UsageError(_("No time was given."))
        return Meaning(sentence(spec, zone), _upcoming(spec, zone))

    async def runs(
        self,
        id: str = "",  # noqa: A002
        outcome: str = "",
        *,
        limit: int = 200,
        before: float | None = None,
    ) -> tuple[Run, ...]:
        """Runs, the newest first: of a job or all, of one outcome or any, claimed before a moment."""
        job = _known(await self._scheduler(), id) if id else None
        found = await self._ledger().list(
            job=job.id if job else id, outcome=outcome, limit=limit, before=before
        )
        return tuple(found)

    async def _scheduler(self) -> "Scheduler":
        """Once the jobs are read."""
        scheduler = self._make()
        await scheduler.read()
        return scheduler


def _known(scheduler: "Scheduler", id_: str) -> Job | None:
    jobs = scheduler.jobs()
    named = (job for job in jobs if job.name.casefold() == id_.casefold())
    return next((job for job in jobs if job.id == id_), None) or next(named, None)


def _find(scheduler: "Scheduler", id_: str) -> Job:
    if job := _known(scheduler, id_):
        return job
    raise UsageError(
        _("There is no task named {name}.").format(name=id_), _("List them with: nanobot-desktop cron list")
    )


def _line(job: Job, zone: str) -> JobLine:
    spec = job.spec
    return JobLine(
        id=job.id,
        name=job.name,
        message=job.message,
        plain=job.plain,
        enabled=job.enabled,
        paused=job.paused,
        kind=type(spec).__name__.lower(),
        at=spec.moment if isinstance(spec, At) else None,
        every=spec.seconds if isinstance(spec, Every) else None,
        cron=spec.expression if isinstance(spec, Cron) else "",
        tz=spec.zone if isinstance(spec, Cron) else "",
        sentence=sentence(spec, zone),
        session=job.session,
        missed=job.missed,
        mode=job.mode,
        retries=job.retries,
        next=job.next_due if job.enabled else None,
        last=job.last_run,
        planned=job.last_due,
        outcome=job.last_outcome,
        detail=job.last_detail,
        failures=job.failures,
    )


def _upcoming(spec: Spec, zone: str) -> tuple[float, ...]:
    return tuple(upcoming(spec, time.time(), zone, _SHOWN))


def _order(job: Job) -> tuple[bool, float, str]:
    due = job.next_due if job.enabled else None
    return due is None, due or 0.0, job.name
