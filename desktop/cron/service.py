"""The scheduler: one alarm for the earliest due moment, and what happens then.

When a job is due its run is claimed in the ledger, then the job's next due moment is written into
jobs.json, then the run begins, then its end is written down: wherever the program dies between, no reminder
is lost and no run happens twice. Only the process that holds the workspace's lock runs jobs; another one
shows them and tries the lock again when something is due.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from desktop.bus.bus import Bus
from desktop.bus.events import JobsChanged
from desktop.cron import clock as clocks
from desktop.cron import notices
from desktop.cron.clock import Alarm, Clock, SystemClock
from desktop.cron.job import Job
from desktop.cron.ledger import ASKED, HAND, RUNNING, Ledger, Run
from desktop.cron.listing import Listing
from desktop.cron.owner import Owner
from desktop.cron.rounds import Rounds
from desktop.cron.runs import Done, Runner, Runs
from desktop.cron.store import Store
from desktop.cron.wake import ear
from desktop.cron.watch import Watch
from desktop.errors import AppError, UsageError, explain
from desktop.inbox.inbox import Inbox
from desktop.services.status import ServiceState, Status
from desktop.services.supervisor import Ear
from desktop.tasks import in_thread, spawn
from desktop.text import _

__all__ = ["NAME", "Done", "Runner", "Scheduler"]

NAME = "cron"
HOLD_S = 60.0
"""What could not be written down is tried again after so long."""
_log = logging.getLogger(__name__)


class Scheduler(Listing):
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
        wake: Callable[[Callable[[], object]], Ear] | None = ear,
    ) -> None:
        """`zone`: tells the person's zone; called in a thread. `front`: what this process is, for others.
        `alarm` and `wake` make the alarm and the ear for wake-up."""
        super().__init__(store, bus, clock or SystemClock(), zone)
        self._ledger, self._inbox = ledger, inbox
        self._make_alarm, self._make_wake = alarm, wake
        self.runs = Runs(store, ledger, inbox, bus, runner, self._clock)
        self.runs.freed = self._kick
        self._rounds = Rounds(store, ledger, self.runs, self._clock)
        self.status = Status(NAME, bus)
        self._owner = Owner(store.folder, front)
        self._watch = Watch(store.path, self._kick)
        self._alarm: Alarm | None = None
        self._wake: Ear | None = None
        self._doubt, self._recovered = True, False
        self._trouble, self._who = "", ""
        self._wanted = False
        self._task: asyncio.Task[None] | None = None
        self.turned: Callable[[], object] = lambda: None
        """Called when the clock was set, or the machine woke up."""

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
        """Know the jobs as they are in the file, without running any; nothing where they run here and were
        looked at before."""
        if self._alarm is None or self._store.unread:
            await super().read()
        if self._alarm is None:
            self.status.set(ServiceState.OFF, self._store.trouble)

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

    async def run_now(self, id_: str) -> Run:
        """Run a job by hand; its schedule stays. Raises UsageError, StorageError."""
        job, now = self.get(id_), self._clock.now()
        self._need_lock()
        self._need_rest(job)
        run = Run(job.id, job.name, now, 0, HAND, 0, now)
        await self._ledger.claim(run)
        self.runs.begin(job, run)
        return run

    async def answer(self, run_id: str, yes: bool) -> bool:
        """Say whether a missed run shall be made up for; whether it was waiting for that. Raises
        UsageError, StorageError."""
        self._need_lock()
        run, now = await self._ledger.get(run_id), self._clock.now()
        if run is None:
            return False
        job = self._store.jobs.get(run.job)
        if yes and job:
            self._need_rest(job)
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

    def _need_rest(self, job: Job) -> None:
        if self.runs.blocked(job.id):
            raise UsageError(_("This task is already running."), _("Wait until it is done."))

    def _need_lock(self) -> None:
        if not self._owner.mine:
            raise UsageError(
                self._who or _("Tasks are not running."), _("Do it there, or quit that program.")
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

    def _changed(self) -> None:
        self._kick()

    def _turned(self) -> None:
        """The clock or the zone may be another, or the machine slept."""
        self._doubt = True
        self.turned()
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

    def _say(self) -> None:
        """Tell how it is."""
        if self._alarm is None:
            return
        if trouble := self._trouble or self._store.trouble:
            self.status.set(ServiceState.DEGRADED, trouble)
        else:
            self.status.set(ServiceState.RUNNING, self._who)
