"""What a person gives of a job: when it is, and what it does. It becomes a job, or changes one."""

from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from desktop.cron.job import Job
from desktop.cron.schedule import At, Cron, Every, Spec, check
from desktop.errors import UsageError
from desktop.text import _

_MISSED = ("late", "skip", "ask")
_MODES = ("", "ask", "risky", "autonomous")
_GIVEN = ("name", "message", "plain", "session", "missed", "mode", "retries")
CHANGEABLE = ("spec", *_GIVEN)
"""The fields of a job that a person changes."""


@dataclass(frozen=True, slots=True)
class When:
    """One of a moment (ISO, in the person's zone unless it has an offset, or Unix time), an interval in
    seconds, and five fields of cron with their zone."""

    at: float | str | None = None
    every: float | None = None
    cron: str | None = None
    tz: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted(When):
    """A job as it is given; what is None is as it was, or as usual."""

    name: str | None = None
    message: str | None = None
    plain: bool | None = None
    session: str | None = None
    missed: str | None = None
    mode: str | None = None
    retries: int | None = None


def spec_of(given: When, zone: str, now: float) -> Spec | None:
    """The schedule that was given; None if there was none. `zone`: the person's. Raises UsageError."""
    spec: Spec | None = None
    if given.at:
        spec = At(_moment(given.at, zone))
    elif given.every is not None:
        spec = Every(float(given.every), now)
    elif given.cron:
        spec = Cron(given.cron.strip(), given.tz or "")
    if spec is not None:
        check(spec, zone, now)
    return spec


def changed(job: Job, given: Wanted) -> Job:
    """A job with what was given. Raises UsageError."""
    fields = {name: getattr(given, name) for name in _GIVEN if getattr(given, name) is not None}
    job = replace(job, **fields)
    job = replace(job, name=" ".join(job.name.split()), message=job.message.strip())
    if not job.name or not job.message:
        raise UsageError(_("A task needs a name and a text that says what to do."))
    if job.missed not in _MISSED or job.mode not in _MODES:
        raise UsageError(_("There is no permission mode {mode}.").format(mode=job.mode or job.missed))
    return job


def _moment(given: float | str, zone: str) -> float:
    """In Unix time. Raises UsageError."""
    if isinstance(given, int | float):
        return float(given)
    try:
        moment = datetime.fromisoformat(given.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))).timestamp()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            _("{text} is not a valid time.").format(text=repr(given)),
            _("Use a format like 2026-12-24T18:00."),
        ) from error
