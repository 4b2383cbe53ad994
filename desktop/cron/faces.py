"""Five fields of cron and what they mean in a zone: from faces of the local clock to moments.

Where the hour field is `*` the fields follow time as it passes: every minute whose local clock shows what
they say is due. Where hours are named each named time comes once a day: in the hour that autumn repeats at
its first passing, and what spring leaves out at the end of the gap. cronsim reckons on faces without a zone
here; with zones it goes wrong where a clock is moved by half an hour (Lord Howe).
"""

import copy
import functools
import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from desktop.errors import UsageError
from desktop.text import _, mark

_DAY_S = 86400
_REASONS = {
    "Bad minute": mark("the minute is not valid"),
    "Bad hour": mark("the hour is not valid"),
    "Bad day-of-month": mark("the day of the month is not valid"),
    "Bad month": mark("the month is not valid"),
    "Bad day-of-week": mark("the weekday is not valid"),
}
"""What cronsim says, in the person's language."""
_ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_SUNDAY = re.compile(r"((?:^|[\s,]))7/(?=\d+(?:,\S*)?\s*$)")
"""A weekday 7 from which steps begin: Sunday, with which a week of cron begins."""


@dataclass(frozen=True, slots=True)
class Table:
    """The fields of one expression."""

    sim: CronSim
    running: bool
    """Whether they follow time as it passes."""
    minutes: tuple[int, ...]
    """The due minutes of a day that matches."""

    def faces(self, start: datetime) -> Iterator[datetime]:
        """Due faces after one, in order."""
        sim = copy.copy(self.sim)
        sim.dt = start.replace(microsecond=0)
        yield from sim

    def back(self, start: datetime) -> Iterator[datetime]:
        """Due faces that are not after one, the last first."""
        sim = copy.copy(self.sim)
        sim.dt, sim.tick_direction = start.replace(microsecond=0) + timedelta(seconds=1), -1
        yield from sim

    def count(self, start: datetime, end: datetime) -> int:
        """How many due faces there are from `start` on and before `end`."""
        if end <= start:
            return 0
        first, last = start.date(), end.date()
        if first == last:
            return (self._before(end) - self._before(start)) * self._matches(first)
        found = (len(self.minutes) - self._before(start)) * self._matches(first)
        found += self._before(end) * self._matches(last)
        between = range(first.toordinal() + 1, last.toordinal())
        return found + len(self.minutes) * sum(self._matches(date.fromordinal(day)) for day in between)

    def _before(self, face: datetime) -> int:
        return bisect_left(self.minutes, face.hour * 60 + face.minute + face.second / 60)

    def _matches(self, day: date) -> bool:
        return day.month in self.sim.months and self.sim.match_day(day)


@functools.lru_cache(maxsize=1024)
def table(expression: str) -> Table:
    """The fields of an expression. Raises UsageError where it is none."""
    text = _ALIASES.get(expression.strip().lower(), expression)
    if len(text.split()) != 5:
        raise _no_schedule(expression, _("it must have five fields"))
    text = _SUNDAY.sub(r"\g<1>0/", text)
    try:
        sim = CronSim(text, datetime(2000, 1, 1))  # noqa: DTZ001 a face, no moment
    except (CronSimError, AssertionError, ValueError) as error:
        said = str(error)
        raise _no_schedule(expression, _(_REASONS[said]) if said in _REASONS else said) from None
    minutes = tuple(hour * 60 + minute for hour in sorted(sim.hours) for minute in sorted(sim.minutes))
    return Table(sim, text.split()[1] == "*", minutes)


def _no_schedule(expression: str, reason: str) -> UsageError:
    return UsageError(
        _("{expression} is not a valid schedule: {reason}.").format(
            expression=repr(expression), reason=reason
        ),
        _(
            "The fields are minute, hour, day, month and weekday: `0 9 * * 1-5` means 09:00, Monday to "
            "Friday."
        ),
    )


def after(fields: Table, moment: float, zone: ZoneInfo) -> float | None:
    """The first due moment after a moment, Unix seconds; None if there is none in fifty years."""
    now = math.floor(moment)
    local = _face(now, zone)
    best = math.inf
    for face in fields.faces(local - _repeats(now, zone) if fields.running else local):
        best = min([best, *(due for due in _moments(fields, face, zone) if due > moment)])
        if best < math.inf and (face > local or not fields.running):
            return best
    return best if best < math.inf else None


def until(fields: Table, moment: float, zone: ZoneInfo) -> float | None:
    """The last due moment that is not after a moment; None if there is none in fifty years."""
    now = math.floor(moment)
    local = _face(now, zone)
    passed = _passed(now, zone)
    best = -math.inf
    for face in fields.back(local + passed):
        best = max([best, *(due for due in _moments(fields, face, zone) if due <= moment)])
        if best > -math.inf and face <= local:
            return best
    return best if best > -math.inf else None


def count(fields: Table, since: float, now: float, zone: ZoneInfo) -> int:
    """How many due moments are after `since` and not after `now`; no slower for more of them."""
    start, end = math.floor(since) + 1, math.floor(now) + 1
    reached = datetime.min  # noqa: DTZ901
    found = 0
    for first, last, offset in _pieces(start, end, zone):
        a, b = _plus(first, offset), _plus(last, offset)
        if first >= start and fields.running:
            found += fields.count(a, b)
        elif first >= start:
            minute = timedelta(minutes=1)
            if a > reached > datetime.min and fields.count(reached, a):  # noqa: DTZ901
                found += 1 - fields.count(a, min(a + minute, b))
            found += fields.count(max(a, reached), b)
        reached = max(reached, b)
    return found


def _pieces(start: int, end: int, zone: ZoneInfo) -> Iterator[tuple[int, int, int]]:
    """Stretches of time in which the offset stays: begin, end, offset in seconds. They begin two days
    before `start`, where one ends, so that what the clock showed before is known."""
    begin = start - 2 * _DAY_S
    stops = [begin]
    for day in range(begin, end, _DAY_S):
        night = min(day + _DAY_S, end)
        if _offset(day, zone) != _offset(night, zone):
            stops.append(_change(day, night, zone))
    stops = sorted({*stops, start, end})
    for first, last in pairwise(stops):
        yield first, last, _offset(first, zone)


def _moments(fields: Table, face: datetime, zone: ZoneInfo) -> list[float]:
    """When a due face makes the fields due."""
    real = _real(face, zone)
    if fields.running:
        return real
    return real[:1] or [_gap_end(face, zone)]


def _real(face: datetime, zone: ZoneInfo) -> list[float]:
    """The moments when the local clock shows a face: none, one, or two in order."""
    found = {face.replace(tzinfo=zone, fold=fold).timestamp() for fold in (0, 1)}
    return sorted(moment for moment in found if _face(moment, zone) == face)


def _gap_end(face: datetime, zone: ZoneInfo) -> float:
    """The moment when a clock leaps over a face."""
    late, early = (math.floor(face.replace(tzinfo=zone, fold=fold).timestamp()) for fold in (0, 1))
    return float(_change(early, late, zone))


def _change(early: int, late: int, zone: ZoneInfo) -> int:
    """The first second at which the offset is no longer that of `early`."""
    before = _offset(early, zone)
    while late - early > 1:
        middle = (early + late) // 2
        early, late = (middle, late) if _offset(middle, zone) == before else (early, middle)
    return late


def _repeats(moment: int, zone: ZoneInfo) -> timedelta:
    """By how much the clock will be put back over the face it shows; nothing if it will not."""
    aware = datetime.fromtimestamp(moment, zone)
    return _difference(aware) if aware.fold == 0 else timedelta()


def _passed(moment: int, zone: ZoneInfo) -> timedelta:
    """By how much the clock was put back over the face it shows; nothing if it was not."""
    aware = datetime.fromtimestamp(moment, zone)
    return _difference(aware) if aware.fold == 1 else timedelta()


def _difference(aware: datetime) -> timedelta:
    first, second = (aware.replace(fold=fold).utcoffset() or timedelta() for fold in (0, 1))
    return max(first - second, timedelta())


def _face(moment: float, zone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(moment, zone).replace(tzinfo=None, fold=0)


def _offset(moment: int, zone: ZoneInfo) -> int:
    return round((datetime.fromtimestamp(moment, zone).utcoffset() or timedelta()).total_seconds())


def _plus(moment: int, offset: int) -> datetime:
    return datetime.fromtimestamp(moment + offset, UTC).replace(tzinfo=None)
