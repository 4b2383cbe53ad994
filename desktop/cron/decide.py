"""What becomes of a job at a moment: pure decisions, so that each can be looked at."""

from dataclasses import dataclass, replace

from desktop.cron.form import identity
from desktop.cron.job import Job
from desktop.cron.ledger import DUE, LATE
from desktop.cron.schedule import At, Cron, last_until, missed, next_after

GRACE_S = 60.0
"""What is no later than this, in seconds, is on time."""
_TICK_S = 0.001


@dataclass(frozen=True, slots=True)
class Moment:
    """A due moment in Unix seconds, and how many before it it stands for."""

    planned: float
    missed: int
    cause: str = DUE


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be done for a job whose moment has come."""

    run: Moment | None
    """To be run."""
    passed: Moment | None
    """Not run: to be recorded, and asked about where the job says so."""
    next: float | None
    """When it is due again."""

    @property
    def last(self) -> float:
        """The last due moment that this deals with."""
        return max(moment.planned for moment in (self.run, self.passed) if moment)


def due(job: Job, now: float, zone: str, *, waited: bool = False) -> Due:
    """What is due for a job whose `next_due` is not after `now`. `waited`: whether the moment was noticed
    in time, but the job had to wait (for a free place, or for its own last run)."""
    first = job.next_due if job.next_due is not None else now
    further = missed(job.spec, first, now, zone)
    last, before = (further[0], further[1] + 1) if further else (first, 0)
    following = next_after(job.spec, max(now, last), zone)
    in_time = now - last <= GRACE_S
    if job.missed == "late" or (waited and job.missed == "ask"):
        cause = DUE if in_time or waited else LATE
        return Due(Moment(last, before, cause), None, following)
    if not in_time and not (waited and not before):
        return Due(None, Moment(last, before, LATE), following)
    if not before:
        return Due(Moment(last, 0), None, following)
    previous = max(first, last_until(job.spec, last - _TICK_S, zone) or first)
    return Due(Moment(last, 0), Moment(previous, before - 1, LATE), following)


def plan(job: Job, now: float, zone: str) -> Job:
    """The job with the due moment that its schedule and the person's zone give; the same object where it
    has it already. A moment that passed before this was looked at stays: it was missed."""
    if not job.enabled:
        return replace(job, next_due=None, planned_as="") if job.next_due or job.planned_as else job
    line = identity(job.spec)
    follows = isinstance(job.spec, Cron) and not job.spec.zone
    if job.planned_as == line and not (follows and job.planned_in != zone):
        return job
    if job.planned_as == line and job.next_due is not None and job.next_due <= now:
        return job
    if isinstance(job.spec, At):
        done = max(job.last_due or 0.0, job.last_run or 0.0) >= job.spec.moment
        moment = None if done else job.spec.moment
    elif job.planned_as == line:
        since = min(now, max(job.last_due or 0.0, job.updated))
        moment = next_after(job.spec, since, zone)
    else:
        moment = next_after(job.spec, now, zone)
    return replace(job, next_due=moment, planned_as=line, planned_in=zone)


def replanned(job: Job, now: float, zone: str, taken: set[float]) -> Job:
    """The job after the clock was put back: due at the first moment that has not had its run."""
    if job.next_due is None or isinstance(job.spec, At):
        return job
    moment = next_after(job.spec, now, zone)
    while moment is not None and moment in taken and moment < job.next_due:
        moment = next_after(job.spec, moment, zone)
    return job if moment is None or moment >= job.next_due else replace(job, next_due=moment)
