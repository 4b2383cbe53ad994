"""One round of the scheduler: which jobs are due, what is claimed for them, and when to look again."""

import heapq
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from desktop.cron import notices
from desktop.cron.clock import Clock
from desktop.cron.decide import Due, Moment, due, plan, replanned
from desktop.cron.job import Job
from desktop.cron.ledger import ASKED, RUNNING, SKIPPED, STOPPED, Ledger, Run
from desktop.cron.runs import Runs
from desktop.cron.store import Store
from desktop.errors import StorageError
from desktop.text import _

_SLACK = 64
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Claimed:
    """A due job with the rows that are entered for it."""

    job: Job
    due: Due
    run: Run | None
    passed: Run | None


class Rounds:
    """The heap of due moments and what is done with those that have come."""

    def __init__(self, store: Store, ledger: Ledger, runs: Runs, clock: Clock) -> None:
        self._store, self._ledger, self._runs, self._clock = store, ledger, runs, clock
        self._heap: list[tuple[float, str]] = []
        self._known: Mapping[str, Job] = {}
        self._waiting: set[str] = set()

    async def plan(self, zone: str, doubt: bool) -> bool:
        """Give each job its due moment where its schedule, or the zone, is new; whether any got another.
        `doubt`: the clock may have been put back. Raises StorageError."""
        if doubt:
            self._known, self._heap = {}, []
        now = self._clock.now()
        planned: dict[str, Job] = {}
        for id_, job in self._store.jobs.items():
            new = plan(job, now, zone)
            if doubt and (new.last_due or 0.0) > now + 1:
                new = replanned(new, now, zone, await self._ledger.planned_after(id_, now))
            if new is not job:
                planned[id_] = new
        if planned:
            await self._store.update(lambda jobs: _moments(jobs, planned), by_person=False)
        return bool(planned)

    def next(self, now: float, mine: bool) -> float | None:
        """When to look again; None if nothing is due ever. `mine`: whether this process runs the jobs; if
        not, what is overdue is left to the one that does."""
        self._refresh()
        while self._heap and (not self._valid(*self._heap[0]) or (not mine and self._heap[0][0] <= now)):
            heapq.heappop(self._heap)
        again = [again.moment for again in self._runs.again.values()]
        return min([moment for moment, _id in self._heap[:1]] + again, default=None)

    async def begin(self, zone: str) -> bool:
        """Claim what is due and have it begin; whether there was anything. Raises StorageError; what was
        claimed by then is found again in the next round."""
        now = self._clock.now()
        ready = self._ready(now)
        claimed = []
        try:
            for id_, job in ready.items():
                found = due(job, now, zone, waited=id_ in self._waiting)
                claimed.append(await self._claimed(job, found, now))
            if claimed:
                await self._tell(claimed, now)
                await self._store.update(lambda jobs: _advanced(jobs, claimed), by_person=False)
        except StorageError:
            self._waiting |= ready.keys()
            raise
        self._waiting -= ready.keys()
        for item in claimed:
            await self._begin(item)
        for id_, again in list(self._runs.again.items()):
            if again.moment <= now and not self._runs.blocked(id_) and self._runs.free > 0:
                await self._runs.retry(id_)
        return bool(claimed)

    def _ready(self, now: float) -> dict[str, Job]:
        """The jobs that are due and may begin; those that may not wait."""
        self._refresh()
        candidates = dict.fromkeys(self._waiting)
        while self._heap and self._heap[0][0] <= now:
            moment, id_ = heapq.heappop(self._heap)
            if self._valid(moment, id_):
                candidates[id_] = None
        ready: dict[str, Job] = {}
        waiting: set[str] = set()
        free = self._runs.free
        for id_ in candidates:
            job = self._store.jobs.get(id_)
            if job is None or job.next_due is None or job.next_due > now:
                continue
            if self._runs.blocked(id_) or not (job.plain or free > 0):
                waiting.add(id_)
                continue
            free -= not job.plain
            ready[id_] = job
        self._waiting = waiting | (self._waiting & ready.keys())
        return ready

    def _refresh(self) -> None:
        """Enter jobs that are new or changed into the heap."""
        jobs = self._store.jobs
        if jobs is self._known:
            return
        if len(self._heap) > 2 * len(jobs) + _SLACK:
            self._heap, self._known = [], {}
        known = self._known.get
        for id_, job in self._store.since(self._known):
            if job is not None and job.next_due is not None and known(id_) is not job:
                heapq.heappush(self._heap, (job.next_due, id_))
        self._known = jobs

    def _valid(self, moment: float, id_: str) -> bool:
        job = self._store.jobs.get(id_)
        return job is not None and job.next_due == moment

    async def _claimed(self, job: Job, found: Due, now: float) -> _Claimed:
        run = passed = None
        if found.run:
            run = await self._claim(job, found.run, RUNNING, now)
        if found.passed:
            outcome = ASKED if job.missed == "ask" else SKIPPED
            passed = await self._claim(job, found.passed, outcome, now)
        return _Claimed(job, found, run, passed)

    async def _claim(self, job: Job, moment: Moment, outcome: str, now: float) -> Run | None:
        """The row of a moment; None if it was dealt with before. A row that was entered, but with which
        nothing was done, is as good as a new one."""
        ended = None if outcome == RUNNING else now
        run = Run(
            job.id,
            job.name,
            moment.planned,
            0,
            moment.cause,
            moment.missed,
            now,
            ended=ended,
            outcome=outcome,
        )
        if await self._ledger.claim(run):
            return run
        found = await self._ledger.find(job.id, moment.planned)
        return found if found and found.outcome == outcome else None

    async def _tell(self, claimed: list[_Claimed], now: float) -> None:
        """One notice with all that was skipped, and one each for what is asked about."""
        skipped = []
        for item in claimed:
            if item.passed and item.passed.outcome == ASKED:
                await self._runs.tell(notices.question(item.job, item.passed, now))
            elif item.passed:
                skipped.append((item.job, item.passed))
        if skipped:
            await self._runs.tell(notices.skipped(skipped, now))

    async def _begin(self, item: _Claimed) -> None:
        if item.run is None:
            return
        if job := self._store.jobs.get(item.job.id):
            self._runs.begin(job, item.run)
        else:
            text = _("The task no longer exists.")
            await self._ledger.finish(item.run.id, STOPPED, text, self._clock.now())


def _moments(jobs: Mapping[str, Job], planned: Mapping[str, Job]) -> dict[str, Job | None]:
    """The jobs with the moments that were reckoned for them, where they are still there."""
    return {
        id_: replace(jobs[id_], next_due=new.next_due, planned_as=new.planned_as, planned_in=new.planned_in)
        for id_, new in planned.items()
        if id_ in jobs
    }


def _advanced(jobs: Mapping[str, Job], claimed: list[_Claimed]) -> dict[str, Job | None]:
    """The jobs past the moments that were claimed."""
    changed: dict[str, Job | None] = {}
    for item in claimed:
        if job := jobs.get(item.job.id):
            job = replace(job, next_due=item.due.next, last_due=item.due.last)
            if item.run:
                job = replace(job, last_run_id=item.run.id)
            elif item.passed:
                job = replace(job, last_outcome=item.passed.outcome, last_detail="")
            changed[job.id] = job
    return changed
