"""When something is meant, as words said it, and what that can mean now: one schedule, several, or none.

The languages make a When of words; nothing here knows a language. Pure: everything follows from the words,
the moment and the zone.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import product

from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]
from dateutil.tz import (  # type: ignore[import-untyped]
    datetime_ambiguous,
    datetime_exists,
    resolve_imaginary,
)

from desktop.cron.reminders.days import DAYS, Day, NoSuchDay, Past, Repeat, Span, Today, both
from desktop.cron.schedule import At, Cron, Every, Spec, check, zone_of
from desktop.errors import AppError, UsageError
from desktop.text import _

type Minute = int
"""Minutes since the midnight with which a day begins; from 1440 on it is the night after it."""

HOUR, DAY = 60, 1440
_NOON = 12
_PARTS: dict[str, tuple[tuple[int, int], ...]] = {
    "am": ((0, 11),),
    "pm": ((12, 23),),
    "small hours": ((0, 5),),
    "morning": ((1, 11),),
    "noon": ((11, 14),),
    "afternoon": ((12, 18),),
    "evening": ((16, 24),),
    "night": ((17, 28),),
    "dead of night": ((0, 5), (21, 29)),
}
"""Parts of the day: their hours; from 24 on it is the night after."""
_OFFERED = {
    "": (9, 12, 18),
    "small hours": (3, 4, 5),
    "morning": (8, 9, 10),
    "noon": (12,),
    "afternoon": (14, 15, 16),
    "evening": (18, 19, 20),
    "night": (20, 21, 22),
    "dead of night": (24, 25, 26),
}
"""Hours to choose from where a day or a part of it is all that was said."""
_MORNING_HOURS = range(7, 12)
"""On a day that was named, and in what repeats, these mean the morning where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time as it was said."""

    hour: int
    minute: int = 0
    part: str = ""
    """am or pm."""
    whole: bool = False
    """Whether it is written as on a clock of 24 hours."""

    @property
    def said(self) -> str:
        """As digits."""
        return f"{self.hour}:{self.minute:02}"


MIDNIGHT = Clock(24)


@dataclass(frozen=True, slots=True)
class When:
    """What was said of the time; each part once."""

    day: Day | None = None
    clocks: tuple[Clock, ...] = ()
    part: str = ""
    after: Span | None = None
    repeat: Repeat | None = None

    def __or__(self, more: "When") -> "When | None":
        """Both together; None where both say the same thing, or what does not go together."""
        mine = {name: getattr(self, name) for name in _SAID}
        for name in _SAID:
            if value := getattr(more, name):
                mine[name] = _together(mine[name], value) if mine[name] else value
                if mine[name] is None:
                    return None
        whole = When(**mine)
        if whole.after is not None and (whole.day or whole.repeat):
            return None
        return whole

    @property
    def timed(self) -> bool:
        """Whether it names more than a day."""
        return bool(self.clocks or self.after or (self.repeat and self.repeat.seconds))


_SAID = ("day", "clocks", "part", "after", "repeat")


def _together(a: object, b: object) -> Day | Repeat | None:
    """What two sayings of the same thing come to; None where they do not agree."""
    if isinstance(a, Repeat) and isinstance(b, Repeat):
        weekly = [one for one in (a, b) if one.weekdays != "*"]
        return weekly[0] if len(weekly) == 1 and "week" in (a.unit, b.unit) else None
    return both(a, b) if isinstance(a, DAYS) and isinstance(b, DAYS) else None


@dataclass(frozen=True, slots=True)
class Meant:
    """One thing that it can mean."""

    spec: Spec
    note: str = ""
    """What tells it from the others, where its time does not."""


class NotClear(AppError):
    """The words can mean several things, or nothing that will ever be."""

    def __init__(self, text: str, remedy: str, choices: Iterable[Meant] = ()) -> None:
        super().__init__(text, remedy)
        self.choices = tuple(choices)


def resolve(when: When, now: float, zone: str) -> Spec | None:
    """The schedule; None for words that do not go together. Raises NotClear where there is not exactly
    one."""
    try:
        if when.repeat is not None:
            found = _repeated(when, when.repeat, now)
        elif when.after is not None:
            found = _after(when, when.after, now, zone)
        else:
            found = _once(when, now, zone)
        for meant in found:
            check(meant.spec, zone, now)
    except NoSuchDay as error:
        raise NotClear(
            _("{date} does not exist.").format(date=error.said),
            _("Choose a day, or enter another date."),
            _on(error.near, when, now, zone),
        ) from None
    except Past:
        raise _past() from None
    except (ValueError, OverflowError):
        raise NotClear(_("That time is too far away."), _("Enter an earlier date.")) from None
    except UsageError as error:
        raise NotClear(error.text, error.remedy) from None
    if len(found) == 1 and not found[0].note:
        return found[0].spec
    if found:
        raise NotClear(_("That could mean several times."), _("Choose one, or be more specific."), found)
    return None


def _past() -> NotClear:
    return NotClear(_("That time is in the past."), _("Enter a date and time in the future."))


def _which(found: Iterable[Meant]) -> NotClear:
    return NotClear(_("At what time?"), _("Choose one, or enter a time."), found)


# ---- once


def _once(when: When, now: float, zone: str) -> list[Meant]:
    here = datetime.fromtimestamp(now, zone_of(zone)).replace(tzinfo=None)
    today = here.date()
    if len(when.clocks) > 1:
        return []
    named = when.day is not None and not isinstance(when.day, Today)
    minutes, chosen = _minutes(when, named=named)
    if when.day is None:
        days: tuple[date, ...] = (today, today + timedelta(days=1))
    else:
        days = when.day.dates(today)
    faces = [_face(day, minute) for day, minute in product(days, minutes)]
    coming = sorted({face for face in faces if face > here})
    if when.day is None:  # each time of the clock comes once more today or tomorrow
        coming = sorted(
            {min(face for face in coming if face.time() == at) for at in {f.time() for f in coming}}
        )
    if not coming:
        raise _past()
    found = [meant for face in coming for meant in _moments(face, zone)]
    if chosen:
        raise _which(found)
    return found


def _on(days: Iterable[date], when: When, now: float, zone: str) -> list[Meant]:
    """The same on days that exist, as far as they are to come."""
    if when.repeat is not None or not when.clocks:
        return []
    minutes, _chosen = _minutes(when, named=True)
    moments = [m for day in days for at in minutes for m in _moments(_face(day, at), zone)]
    return [meant for meant in moments if isinstance(meant.spec, At) and meant.spec.moment > now]


def _face(day: date, minute: Minute) -> datetime:
    return datetime.combine(day, time()) + timedelta(minutes=minute)


def _moments(face: datetime, zone: str) -> list[Meant]:
    """The moments at which a clock shows a face: two in the hour that autumn repeats. In the gap of spring
    the clock never does: then the times around it are offered."""
    own = zone_of(zone)
    if not datetime_exists(face, own):
        after = resolve_imaginary(face.replace(tzinfo=own)).replace(tzinfo=None)
        before = face - (after - face)
        raise NotClear(
            _("There is no {time} on {date}: clocks go forward.").format(
                date=f"{face:%Y-%m-%d}", time=f"{face:%H:%M}"
            ),
            _("Choose a time before or after it."),
            [Meant(At(other.replace(tzinfo=own).timestamp())) for other in (before, after)],
        )
    if not datetime_ambiguous(face, own):
        return [Meant(At(face.replace(tzinfo=own).timestamp()))]
    notes = (_("before clocks go back"), _("after clocks go back"))
    return [
        Meant(At(face.replace(tzinfo=own, fold=fold).timestamp()), note) for fold, note in enumerate(notes)
    ]


def _after(when: When, span: Span, now: float, zone: str) -> list[Meant]:
    """So long from now. Days and more go by the calendar, hours and less by the time that passes."""
    own = zone_of(zone)
    if not span.dated:
        return [] if when.clocks or when.part else [Meant(At(math.floor(now) + span.seconds))]
    face = datetime.fromtimestamp(math.floor(now), own).replace(tzinfo=None)
    face += relativedelta(months=span.months, days=span.days)
    if not (when.clocks or when.part):
        return [
            replace(meant, spec=At(meant.spec.moment + span.seconds))
            for meant in _moments(face, zone)
            if isinstance(meant.spec, At)
        ]
    if span.seconds or len(when.clocks) > 1:
        return []
    minutes, chosen = _minutes(when, named=True)
    found = [meant for at in minutes for meant in _moments(_face(face.date(), at), zone)]
    if chosen:
        raise _which(found)
    return found


# ---- times of the clock


def _minutes(when: When, *, named: bool) -> tuple[list[Minute], bool]:
    """The times that the words can mean, and whether they say a day or a part of it only, so that times
    must be offered. Raises NotClear for a time that no clock shows."""
    if not when.clocks:
        hours = _OFFERED[when.part]
        return [hour * HOUR for hour in hours], len(hours) > 1
    return sorted({at for clock in when.clocks for at in _meant(clock, when.part, named=named)}), False


def _meant(clock: Clock, part: str, *, named: bool) -> list[Minute]:
    if clock.hour > 24 or clock.minute > 59 or (clock.hour == 24 and clock.minute):
        raise NotClear(
            _("{time} is not a valid time.").format(time=clock.said),
            _("Use a format like 9:30, 9:30 pm or 21:30."),
        )
    parts = [name for name in (clock.part, part) if name]
    twice = 0 < clock.hour <= _NOON and not clock.whole
    hours = {clock.hour % 12, clock.hour % 12 + 12} if twice else {clock.hour % 24}
    if clock.hour == 24 and not part:
        hours = {0, 24}
    hours |= {hour + 24 for hour in hours if hour < 6 and part}
    if parts:
        fit = [hour for hour in hours if all(_within(hour, name) for name in parts)]
    elif twice and clock.hour == _NOON:
        fit = [_NOON]
    elif twice and named and clock.hour in _MORNING_HOURS:
        fit = [clock.hour]
    else:
        fit = list(hours)
    if not fit:
        raise NotClear(
            _("{time} does not fit that part of the day.").format(time=clock.said),
            _("Use a format like 9:30, 9:30 pm or 21:30."),
        )
    return [hour * HOUR + clock.minute for hour in fit]


def _within(hour: int, part: str) -> bool:
    return any(first <= hour <= last for first, last in _PARTS[part])


# ---- again and again


def _repeated(when: When, repeat: Repeat, now: float) -> list[Meant]:
    if repeat.seconds:
        alone = not (when.day or when.clocks or when.part)
        return [Meant(Every(repeat.seconds, float(math.floor(now))))] if alone else []
    dated = when.day.again(repeat) if when.day else [(repeat, "")]
    if repeat.unit and not when.day:
        return []
    if len(when.clocks) > 1:
        each = [_meant(clock, when.part, named=True) for clock in when.clocks]
        sure = all(len(times) == 1 for times in each) and len({times[0] % HOUR for times in each}) == 1
        alike = [sorted({times[0] for times in each})] if sure else []
        chosen = False
    else:
        minutes, chosen = _minutes(when, named=True)
        alike = [[at] for at in minutes]
    if (repeat.days, repeat.weekdays, repeat.unit) == ("*", "*", ""):  # the night after is a night like it
        alike = [[at % DAY for at in times] for times in alike]
    found = [
        Meant(_cron(fields, times), note) for times in alike for fields, note in dated if max(times) < DAY
    ]
    found = list(dict.fromkeys(found))
    if chosen:
        raise _which(found)
    return found


def _cron(fields: Repeat, times: list[Minute]) -> Cron:
    hours = ",".join(str(at // HOUR) for at in times)
    return Cron(f"{times[0] % HOUR} {hours} {fields.days} {fields.months} {fields.weekdays}")
