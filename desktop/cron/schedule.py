"""When a job is due: pure arithmetic on Unix seconds and named zones. What the five fields of cron mean
where clocks are put forward and back stands in faces.py.
"""

import functools
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from desktop.cron import faces
from desktop.errors import UsageError
from desktop.text import _


@dataclass(frozen=True, slots=True)
class At:
    """Once."""

    moment: float


@dataclass(frozen=True, slots=True)
class Every:
    """At anchor + seconds, anchor + 2 x seconds, ..."""

    seconds: float
    anchor: float


@dataclass(frozen=True, slots=True)
class Cron:
    """By five fields in a zone; without one in the person's zone, also when that changes."""

    expression: str
    zone: str = ""


type Spec = At | Every | Cron

SOONEST_S = 1.0
"""The shortest interval, seconds."""
BELATED_S = 600.0
"""A moment so little past, in seconds, still counts as now: somebody thought about it for a while."""
_LONGEST_S = 100 * 366 * 86400.0
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC).timestamp()
_LATEST = datetime(2200, 1, 1, tzinfo=UTC).timestamp()
_LONGEST_ZONE = 100
"""Characters of a name; the longest there is has 32."""


def next_after(spec: Spec, moment: float, zone: str) -> float | None:
    """The first due moment after a moment, both Unix seconds; None if there is none. `zone`: the person's
    IANA name. Raises UsageError for an expression or a zone that does not exist."""
    match spec:
        case At(due):
            return due if due > moment else None
        case Every():
            step, first = _whole(spec)
            return (first + step * max(1, (_millis(moment) - first) // step + 1)) / 1000
        case Cron(expression, own):
            return faces.after(faces.table(expression), moment, zone_of(own or zone))


def last_until(spec: Spec, moment: float, zone: str) -> float | None:
    """The last due moment that is not after a moment; None if there is none. Raises as next_after()."""
    match spec:
        case At(due):
            return due if due <= moment else None
        case Every():
            step, first = _whole(spec)
            count = (_millis(moment) - first) // step
            return (first + step * count) / 1000 if count >= 1 else None
        case Cron(expression, own):
            return faces.until(faces.table(expression), moment, zone_of(own or zone))


def missed(spec: Spec, since: float, now: float, zone: str) -> tuple[float, int] | None:
    """The last due moment that is after `since` and not after `now`, and how many are between `since` and
    it; None if there is none. Its cost does not grow with their number. Raises as next_after()."""
    last = last_until(spec, now, zone)
    if last is None or last <= since:
        return None
    match spec:
        case At():
            return last, 0
        case Every():
            first = next_after(spec, since, zone) or last
            return last, round((last - first) * 1000) // _whole(spec)[0]
        case Cron(expression, own):
            return last, faces.count(faces.table(expression), since, now, zone_of(own or zone)) - 1


def _whole(spec: Every) -> tuple[int, int]:
    """Interval and anchor in milliseconds: whole numbers, so that the same moment is the same each time."""
    return max(1, round(spec.seconds * 1000)), round(spec.anchor * 1000)


def _millis(moment: float) -> int:
    """The last whole millisecond that is not after a moment."""
    nearest = round(moment * 1000)
    return nearest - 1 if nearest / 1000 > moment else nearest


def check(spec: Spec, zone: str, now: float) -> None:
    """Whether a schedule that a person or a model gave makes sense. Raises UsageError that says what is
    wrong with it."""
    match spec:
        case At(due):
            _check_moment(due, now - BELATED_S)
        case Every(seconds, _anchor):
            if not math.isfinite(seconds) or not SOONEST_S <= seconds <= _LONGEST_S:
                raise UsageError(
                    _("An interval of {seconds} seconds is not possible.").format(seconds=f"{seconds:g}"),
                    _("Enter the number of seconds between two runs, for example 3600 for every hour."),
                )
        case Cron(expression, own):
            zone_of(own or zone)
            if not _comes(expression):
                raise UsageError(
                    _("{expression} never runs: no such day exists.").format(expression=expression),
                    _("Check the day of the month and the month."),
                )


@functools.lru_cache(maxsize=1024)
def _comes(expression: str) -> bool:
    """Whether fields are due ever again; that depends on no zone, and hardly on the year."""
    return faces.after(faces.table(expression), _EARLIEST, _zone("UTC")) is not None


def _check_moment(due: float, earliest: float) -> None:
    if not (math.isfinite(due) and due < _LATEST):
        raise UsageError(_("That time is too far away."), _("Enter an earlier date."))
    if due < earliest:
        raise UsageError(_("That time is in the past."), _("Enter a date and time in the future."))


def sane(spec: Spec) -> None:
    """What must be true of a schedule in a file, where a moment may be past. Raises UsageError."""
    if isinstance(spec, At):
        _check_moment(spec.moment, _EARLIEST)
    else:
        check(spec, "UTC", _EARLIEST)


def zone_of(name: str) -> ZoneInfo:
    """The zone of an IANA name. Raises UsageError if there is none."""
    try:
        return _zone(name)
    except (KeyError, ValueError, OSError):
        raise UsageError(
            _("There is no time zone {name}.").format(name=name[:_LONGEST_ZONE]),
            _("Use a name like Europe/Berlin or America/New_York."),
        ) from None


@functools.lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    if len(name) > _LONGEST_ZONE:  # ZoneInfo would import a package for each of its parts
        raise KeyError(name)
    return ZoneInfo(name)
