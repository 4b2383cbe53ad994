"""The scheduler: one alarm for the earliest due moment, and what happens then.

When a job is due its run is claimed in the ledger, then the job's next due moment is written into
jobs.json, then the run begins, then its end is written down: wherever the program dies between, no reminder
is lost and no run happens twice. Only the process that holds the workspace's lock runs jobs; another one
shows them and tries the lock again when something is due.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from desktop.bus.bus import Bus
from desktop.bus.events import JobsChanged
from desktop.cron import clock as clocks
from desktop.cron import notices
from desktop.cron.clock import Alarm, Clock, SystemClock
from desktop.cron.decide import plan
from desktop.cron.job import Job, new_id
from desktop.cron.ledger import ASKED, HAND, RUNNING, Ledger, Run
from desktop.cron.owner import Owner
from desktop.cron.rounds import Rounds
from desktop.cron.runs import Done, Runner, Runs
from desktop.cron.schedule import At, Every, Spec, check, zone_of
from desktop.cron.store import Store
from desktop.cron.wake import Wake
from desktop.cron.watch import Watch
from desktop.cron.zone import zone as here
from desktop.errors import AppError, UsageError, explain
from desktop.inbox.inbox import Inbox
from desktop.services import ServiceState, Status
from desktop.tasks import in_thread, spawn
from desktop.text import _

__all__ = ["NAME", "Done", "Runner", "Scheduler", "Times"]

NAME = "cron"
HOLD_S = 60.0
"""What could not be written down is tried again after so long."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Times:
    """When a job was last run and when the next is due, Unix seconds; None for never."""

    last: float | None = None
    next: float | None = None


class Scheduler:
    """The service."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        inbox: Inbox,
        bus: Bus,
        runner: Runner,
        zone: Callable[[], str],
        *,
        front: str = "",
        clock: Clock | None = None,
        alarm: Callable[[], Alarm] = clocks.alarm,
        wake: Callable[[Callable[[], object]], Wake] | None = Wake,
    ) -> None:
        """`zone`: tells the person's zone; called in a thread. `front`: what this process is, for others.
        `alarm` and `wake` make the alarm and the ear for wake-up."""
        self._store, self._ledger, self._inbox, self._bus = store, ledger, inbox, bus
        self._clock = clock or SystemClock()
        self._ask_zone, self._make_alarm, self._make_wake = zone, alarm, wake
        self.runs = Runs(store, ledger, inbox, bus, runner, self._clock)
        self.runs.freed = self._kick
        self._rounds = Rounds(store, ledger, self.runs, self._clock)
        self.status = Status(NAME, bus)
        self._owner = Owner(store.folder, front)
        self._watch = Watch(store.path, self._kick)
        self._alarm: Alarm | None = None
        self._wake: Wake | None = None
        self._zone = "UTC"
        self._doubt, self._recovered = True, False
        self._trouble, self._who = "", ""
        self._wanted = False
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read the jobs, take the lock if it is free, and arm the alarm. Raises AppError."""
        await self.stop()
        self._alarm = self._make_alarm()
        self._alarm.start(self._kick, self._turned)
        self._doubt, self._recovered = True, False
        self._kick()
        await self.settled()
        await self._watch.start()
        if self._make_wake:
            self._wake = self._make_wake(self._turned)
            await self._wake.start()

    async def read(self) -> None:
        """Know the jobs as they are in the file, without running any; nothing where they run here."""
        if self._alarm is None:
            self._zone, _wrong = await in_thread(self._zone_now)
            await self._store.load()

    async def take(self) -> None:
        """Be the one who runs jobs, to run one by hand; the others wait for who keeps them."""
        if self._alarm is None and not await in_thread(self._owner.take):
            self._who = await in_thread(self._owner.who)

    async def stop(self) -> None:
        """End what is under way, which is told of after the next start, and let go of the lock."""
        if self._alarm is None:
            await self.runs.stop()
            await in_thread(self._owner.release)
            return
        self._alarm.stop()
        self._alarm = None
        await self._watch.stop()
        if self._wake:
            await self._wake.stop()
        self._wanted = False
        await self.settled()
        await self.runs.stop()
        await in_thread(self._owner.release)
        self.status.set(ServiceState.OFF)

    def apply(self) -> None:
        """Obey changed settings: the person's zone."""
        self._turned()

    @property
    def mine(self) -> bool:
        """Whether this process runs the jobs."""
        return self._owner.mine

    @property
    def zone(self) -> str:
        """The person's zone."""
        return self._zone

    def now(self) -> float:
        """The time by which jobs are due, Unix seconds."""
        return self._clock.now()

    @property
    def times(self) -> Times:
        """Of all jobs."""
        jobs = self._store.jobs.values()
        last = max((job.last_run for job in jobs if job.last_run is not None), default=None)
        return Times(last, min((job.next_due for job in jobs if job.next_due is not None), default=None))

    def jobs(self) -> list[Job]:
        """All jobs, in the order of the file."""
        return list(self._store.jobs.values())

    def get(self, id_: str) -> Job:
        """One job. Raises UsageError if there is none."""
        job = self._store.jobs.get(id_)
        if job is None:
            raise UsageError(
                _("There is no job {id}.").format(id=repr(id_)), _("Look at the list of jobs for its id.")
            )
        return job

    async def add(self, job: Job) -> Job:
        """Put a job in; what it became, with its id and next due moment. Raises UsageError for a schedule
        that makes no sense, StorageError."""
        now = self._clock.now()
        spec = _exact(job.spec, now)
        check(spec, self._zone, now)
        name = job.name.strip() or " ".join(job.message.split())[:60]
        now = round(now, 3)
        made = replace(job, spec=spec, name=name, created=now, updated=now, planned_as="", next_due=None)

        def put(jobs: Mapping[str, Job]) -> Mapping[str, Job]:
            id_ = made.id
            while not id_ or id_ in jobs:
                id_ = new_id()
            return {id_: plan(replace(made, id=id_), now, self._zone)}

        return await self._put(put)

    async def change(self, id_: str, **fields: Any) -> Job:
        """Change fields of a job. A run under way keeps what it began with. Raises UsageError,
        StorageError."""
        old, now = self.get(id_), self._clock.now()
        spec = _exact(fields.get("spec", old.spec), old.created)
        enabled = fields.get("enabled", old.enabled)
        if spec != old.spec or (enabled and not old.enabled):
            check(spec, self._zone, now)

        def put(jobs: Mapping[str, Job]) -> Mapping[str, Job]:
            job = replace(jobs.get(id_, old), **{**fields, "spec": spec, "updated": now})
            if enabled and not old.enabled:
                job = replace(job, failures=0, paused="", planned_as="")
            return {id_: plan(job, now, self._zone)}

        return await self._put(put)

    async def switch(self, id_: str, on: bool) -> Job:
        """Switch a job on or off. Raises UsageError, StorageError."""
        return await self.change(id_, enabled=on)

    async def remove(self, id_: str) -> None:
        """Take a job away; a run under way goes on to its end. Raises UsageError, StorageError."""
        self.get(id_)
        await self._store.update(lambda jobs: {id_: None} if id_ in jobs else {}, by_person=True)
        self._bus.publish(JobsChanged(id_))
        self._kick()

    async def _put(self, put: Callable[[Mapping[str, Job]], Mapping[str, Job]]) -> Job:
        changed = await self._store.update(put, by_person=True)
        job = next(job for job in changed.values() if job)
        self._bus.publish(JobsChanged(job.id))
        self._kick()
        return job

    async def run_now(self, id_: str) -> Run:
        """Run a job by hand; its schedule stays. Raises UsageError, StorageError."""
        job, now = self.get(id_), self._clock.now()
        self._need_lock()
        if job.id in self.runs.busy:
            raise UsageError(_("This job is at work already."), _("Wait until it is done."))
        run = Run(job.id, job.name, now, 0, HAND, 0, now)
        await self._ledger.claim(run)
        self.runs.begin(job, run)
        return run

    async def answer(self, run_id: str, yes: bool) -> bool:
        """Say whether a missed run shall be made up for; whether it was waiting for that. Raises
        UsageError, StorageError."""
        self._need_lock()
        run, now = await self._ledger.get(run_id), self._clock.now()
        job = self._store.jobs.get(run.job) if run else None
        if run is None:
            return False
        if not yes or job is None:
            asked = run.outcome == ASKED
            if asked:
                await self.runs.decline(job, run)
        else:
            asked = await self._ledger.reopen(run.id, now)
        await self._inbox.settle(notices.due_id(run), "yes" if yes else "no")
        if asked and yes and job:
            self.runs.begin(job, replace(run, outcome=RUNNING, claimed=now, ended=None))
        return asked

    def _need_lock(self) -> None:
        if not self._owner.mine:
            raise UsageError(
                self._who or _("The jobs are not running."), _("Do it there, or close that program.")
            )

    async def settled(self) -> None:
        """Wait until nothing is being decided."""
        while self._task is not None and not self._task.done():
            await asyncio.wait({self._task})

    async def quiet(self) -> None:
        """Wait until nothing is being decided and no run is under way."""
        await self.settled()
        while self.runs.busy:
            await asyncio.wait(set(self.runs.busy.values()))
            await self.settled()

    def _turned(self) -> None:
        """The clock or the zone may be another, or the machine slept."""
        self._doubt = True
        self._kick()

    def _kick(self) -> None:
        self._wanted = True
        if self._alarm is not None and (self._task is None or self._task.done()):
            self._task = spawn(self._look(), name="cron")

    async def _look(self) -> None:
        """Do what is due, as often as there was a reason to look meanwhile, and arm the alarm."""
        while self._wanted and self._alarm is not None:
            self._wanted = False
            try:
                await self._look_once()
                hold, self._trouble = self.runs.held, ""
            except (AppError, OSError) as error:
                hold, trouble = not isinstance(error, UsageError), str(explain(error))
                if trouble != self._trouble:
                    _log.info("jobs wait: %s", trouble)
                self._trouble = trouble
            if self._alarm is not None:
                now = self._clock.now()
                self._alarm.set(now + HOLD_S if hold else self._rounds.next(now, self._owner.mine))
            self._say()

    async def _look_once(self) -> None:
        self._zone, wrong = await in_thread(self._zone_now)
        changed = await self._store.load()
        mine = await in_thread(self._owner.take)
        self._who = "" if mine else await in_thread(self._owner.who)
        if mine:
            if not self._recovered:
                await self.runs.recover(self._zone)
                self._recovered = True
            changed = await self._rounds.plan(self._zone, self._doubt) or changed
            self._doubt = False
            await self.runs.resume()
            changed = await self._rounds.begin(self._zone) or changed
        if changed:
            self._bus.publish(JobsChanged())
        if wrong:
            raise wrong

    def _zone_now(self) -> tuple[str, AppError | None]:
        """The person's zone; this computer's, and what to say, where theirs does not exist."""
        try:
            return zone_of(self._ask_zone()).key, None
        except AppError as error:
            return here(), error

    def _say(self) -> None:
        """Tell how it is."""
        if self._alarm is None:
            return
        if trouble := self._trouble or self._store.trouble:
            self.status.set(ServiceState.DEGRADED, trouble)
        else:
            self.status.set(ServiceState.RUNNING, self._who)


def _exact(spec: Spec, created: float) -> Spec:
    """The schedule in whole milliseconds, as the file has it; an interval without an anchor begins when the
    job was made."""
    if isinstance(spec, At):
        return At(round(spec.moment, 3)) if math.isfinite(spec.moment) else spec
    if isinstance(spec, Every):
        return Every(round(spec.seconds, 3), round(spec.anchor or created, 3))
    return spec
