"""Runs under way: begun, seen to their end, tried again, and after a restart told or taken up again."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from desktop.bus.bus import Bus
from desktop.bus.events import JobsChanged
from desktop.cron import ledger as kept
from desktop.cron import notices
from desktop.cron.clock import Clock
from desktop.cron.job import Job
from desktop.cron.ledger import FAILED, HAND, INTERRUPTED, OK, SKIPPED, STOPPED, Ledger, Run
from desktop.cron.schedule import At, next_after
from desktop.cron.store import Store
from desktop.errors import AppError, StorageError, explain
from desktop.inbox.inbox import Inbox, Notice
from desktop.tasks import cancel, see_through, spawn
from desktop.text import _, ngettext, sentences

PLACES = 4
"""So many jobs that need a model run side by side."""
PAUSE_AFTER = 3
"""So many failures in a row switch a job off."""
_RETRY_S, _GROWTH, _LONGEST_RETRY_S = 60.0, 5, 3600.0
_STALE_S = 86400.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a run: ok, failed, stopped or skipped, a sentence, and what it used."""

    outcome: str
    detail: str = ""
    tokens: int = 0
    cost: float | None = None
    """US dollars; None where it is not known."""


class Runner(Protocol):
    """Does what a job says, in a turn with the id of the run."""

    async def __call__(self, job: Job, run: Run) -> Done:
        """Do it to its end."""

    async def begun(self, job: Job, run: Run) -> bool:
        """Whether the message of this run is already on disk."""

    async def remind(self, job: Job, run: Run) -> None:
        """A plain reminder is in the inbox: put it into its conversation, once. Raises StorageError."""


@dataclass(frozen=True, slots=True)
class Again:
    """A failed run that is tried again at a moment."""

    moment: float
    run: Run


class Runs:
    """The runs of this process."""

    def __init__(
        self, store: Store, ledger: Ledger, inbox: Inbox, bus: Bus, runner: Runner, clock: Clock
    ) -> None:
        self._store, self._ledger, self._inbox, self._bus = store, ledger, inbox, bus
        self._runner, self._clock = runner, clock
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._jobs: dict[str, Job] = {}
        self._unfinished: dict[str, tuple[Job, Run, Done | None]] = {}
        self.again: dict[str, Again] = {}
        """By job."""
        self.freed: Callable[[], object] = lambda: None
        """Called when a run has ended."""

    @property
    def busy(self) -> Mapping[str, asyncio.Task[None]]:
        """The runs under way by their jobs."""
        return self._tasks

    @property
    def held(self) -> bool:
        """Whether the end of a run still waits to be written down."""
        return bool(self._unfinished)

    @property
    def free(self) -> int:
        """How many more jobs that need a model may begin."""
        return PLACES - sum(1 for job in self._jobs.values() if not job.plain)

    def blocked(self, id_: str) -> bool:
        """Whether a job's own last run is not over yet."""
        return id_ in self._tasks or id_ in self._unfinished

    async def ended(self, id_: str) -> None:
        """Wait until a job is at rest."""
        if task := self._tasks.get(id_):
            await asyncio.wait({task})

    def begin(self, job: Job, run: Run) -> None:
        """Have a claimed run begin."""
        self.again.pop(job.id, None)
        self._jobs[job.id] = job
        self._tasks[job.id] = spawn(self._run(job, run), name=f"cron:{job.id}")
        self._bus.publish(JobsChanged(job.id))

    async def stop(self) -> None:
        """End what is under way; its rows stay open and are told of after the next start."""
        await cancel(*self._tasks.values())
        self._tasks.clear()
        self._jobs.clear()
        self._unfinished.clear()
        self.again.clear()

    async def tell(self, notice: Notice) -> None:
        """Put a notice into the inbox; one that is there already stays as it is. Raises StorageError."""
        await self._inbox.add(notice)

    async def _run(self, job: Job, run: Run) -> None:
        done: Done | None = None
        try:
            done = await self._done(job, run)
            await see_through(self._ended(job, run, done), name=f"cron:{job.id}:end")
        except StorageError as error:
            _log.info("run %s of %s waits for the disk: %s", run.id, job.id, error)
            self._unfinished[job.id] = (job, run, done)
        finally:
            if self._tasks.get(job.id) is asyncio.current_task():
                del self._tasks[job.id], self._jobs[job.id]
            self.freed()

    async def _done(self, job: Job, run: Run) -> Done:
        """Do it. Raises StorageError only where a reminder could not be stored."""
        if job.plain:
            await self.tell(notices.reminder(job, run, self._clock.now()))
            await self._remind(job, run)
            return Done(OK)
        try:
            return await self._runner(job, run)
        except AppError as error:
            return Done(FAILED, str(error))
        except Exception as error:
            _log.exception("run %s of %s", run.id, job.id)
            return Done(FAILED, str(explain(error)))

    async def _remind(self, job: Job, run: Run) -> None:
        """Into the conversation, too; where that cannot be, the inbox has it."""
        try:
            await self._runner.remind(job, run)
        except StorageError:
            raise
        except AppError as error:
            _log.info("reminder %s is in the inbox only: %s", run.id, error)

    async def resume(self) -> None:
        """Write down what the disk had no room for. Raises StorageError."""
        for id_, (job, run, done) in list(self._unfinished.items()):
            if done is None:
                del self._unfinished[id_]
                self.begin(job, run)
            else:
                await self._ended(job, run, done)
                self._unfinished.pop(id_, None)

    async def _ended(self, job: Job, run: Run, done: Done, *, over: bool = False) -> None:
        """Write an end down. `over`: whether a job with one moment is over, although it was not done."""
        now = self._clock.now()
        retry = done.outcome == FAILED and run.cause != HAND and run.attempt < job.retries
        await self._ledger.finish(run.id, done.outcome, done.detail, now, done.tokens, done.cost)
        changed = await self._store.update(
            lambda jobs: _after(jobs, run, done, now, ends=over or not (retry or done.outcome == SKIPPED)),
            by_person=False,
        )
        after = changed.get(job.id)
        if retry and after and after.enabled:
            self.again[job.id] = Again(now + _delay(run), _next_attempt(run))
        elif after and after.paused and not job.paused:
            await self.tell(notices.paused(after, run, now))
        elif done.outcome == FAILED and run.cause != HAND and isinstance(job.spec, At):
            await self.tell(notices.failed(job, run, done.detail, now))
        self._bus.publish(JobsChanged(job.id))

    async def decline(self, job: Job | None, run: Run) -> None:
        """A missed run shall not be made up for. Raises StorageError."""
        text = _("You canceled it.")
        if job is None:
            await self._ledger.finish(run.id, SKIPPED, text, self._clock.now())
        else:
            await self._ended(job, run, Done(SKIPPED, text), over=True)

    async def retry(self, id_: str) -> None:
        """Begin the next attempt of a job whose moment for it has come. Raises StorageError."""
        run = replace(self.again[id_].run, claimed=self._clock.now())
        job = self._store.jobs.get(id_)
        if job and job.enabled and await self._ledger.claim(run):
            self.begin(job, run)
        self.again.pop(id_, None)

    async def recover(self, zone: str) -> None:
        """After a start: what was claimed and not begun is begun now, what was cut off is told, what failed
        and had attempts left is tried again. Raises StorageError."""
        for run in await self._ledger.unended():
            if run.id not in {known.id for _job, known, _done in self._unfinished.values()}:
                await self._recover(run, zone)
        now = self._clock.now()
        for job in list(self._store.jobs.values()):
            if job.enabled and job.id not in self._tasks:
                if job.last_outcome == FAILED and job.retries:
                    await self._take_up(job, now)
                if isinstance(job.spec, At) and job.next_due is None and job.last_due is not None:
                    await self._conclude(job)

    async def _recover(self, run: Run, zone: str) -> None:
        job, now = self._store.jobs.get(run.job), self._clock.now()
        if job is None:
            await self._ledger.finish(run.id, INTERRUPTED, _("The task no longer exists."), now)
            return
        if run.cause != HAND and not run.attempt and (job.last_due or 0) >= run.planned:
            if job.last_run_id != run.id:
                text = _("Another program on this folder took over.")
                await self._ledger.finish(run.id, SKIPPED, text, now)
                return
        elif run.cause != HAND and not run.attempt:
            await self._store.update(lambda jobs: _moved_on(jobs, run, zone), by_person=False)
            job = self._store.jobs.get(run.job, job)
        if not job.plain and await self._runner.begun(job, run):
            await self.tell(notices.interrupted(job, run, now))
            done = Done(INTERRUPTED, _("The program quit while it was running."))
            await self._ended(job, run, done)
        elif job.id not in self._tasks:
            self.begin(job, run)

    async def _take_up(self, job: Job, now: float) -> None:
        last = await self._ledger.last(job.id)
        if last is None or last.outcome != FAILED or last.attempt >= job.retries or last.ended is None:
            return
        if now - last.ended < _STALE_S:
            self.again[job.id] = Again(last.ended + _delay(last), _next_attempt(last))

    async def _conclude(self, job: Job) -> None:
        """A job with one moment that had its run, but whose end was not written into the file."""
        last = await self._ledger.last(job.id)
        if job.id in self.again or (last and last.outcome in (kept.ASKED, SKIPPED, kept.RUNNING)):
            return
        outcome = last.outcome if last else INTERRUPTED
        run = last or Run(job.id, job.name, job.last_due or 0, 0, kept.DUE, 0, 0)
        done = Done(outcome, last.detail if last else "")
        at = (last.ended if last else None) or self._clock.now()
        await self._store.update(lambda jobs: _after(jobs, run, done, at, ends=True), by_person=False)


def _delay(run: Run) -> float:
    """How long after a failed attempt the next one is, seconds."""
    return min(_LONGEST_RETRY_S, _RETRY_S * float(_GROWTH**run.attempt))


def _next_attempt(run: Run) -> Run:
    return Run(run.job, run.name, run.planned, run.attempt + 1, run.cause, run.missed, run.claimed)


def _moved_on(jobs: Mapping[str, Job], run: Run, zone: str) -> Mapping[str, Job | None]:
    """The job of a claimed run, past the moment of it."""
    job = jobs.get(run.job)
    if job is None:
        return {}
    following = next_after(job.spec, run.planned, zone) if job.enabled else None
    return {job.id: replace(job, next_due=following, last_due=run.planned, last_run_id=run.id)}


def _after(
    jobs: Mapping[str, Job], run: Run, done: Done, now: float, *, ends: bool
) -> Mapping[str, Job | None]:
    """The job with what came of a run. `ends`: whether its due moment is over with that."""
    job = jobs.get(run.job)
    if job is None:
        return {}
    failures, paused, enabled = job.failures, job.paused, job.enabled
    if done.outcome == OK:
        failures, paused = 0, "" if enabled else paused
    elif done.outcome == FAILED and ends and run.cause != HAND:
        failures += 1
        if failures >= PAUSE_AFTER and enabled and not isinstance(job.spec, At):
            enabled, paused = False, _pause(failures, done.detail)
    if isinstance(job.spec, At) and run.cause != HAND and ends:
        if job.delete_after_run and done.outcome in (OK, STOPPED, SKIPPED) and job.next_due is None:
            return {job.id: None}
        enabled = enabled and job.next_due is not None
    after = replace(
        job,
        enabled=enabled,
        failures=failures,
        paused=paused,
        last_run=max(run.claimed, job.last_run or 0.0),
        last_outcome=done.outcome,
        last_detail=done.detail,
        next_due=job.next_due if enabled else None,
        planned_as=job.planned_as if enabled else "",
        updated=job.updated if enabled == job.enabled else now,
    )
    return {job.id: after}


def _pause(failures: int, detail: str) -> str:
    text = ngettext(
        "Turned off after {n} failure: {reason}",
        "Turned off after {n} failures in a row: {reason}",
        failures,
    ).format(n=failures, reason=detail)
    return sentences(text, _("Fix the cause, then turn the task on again."))
