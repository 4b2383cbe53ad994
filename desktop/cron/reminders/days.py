"""Days as words name them, and which dates they can mean: a person's next Friday may be two of them."""

import calendar
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Protocol

from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]

from desktop.text import _, mark

WEEK = 7
WEEKDAYS = (
    mark("Monday"),
    mark("Tuesday"),
    mark("Wednesday"),
    mark("Thursday"),
    mark("Friday"),
    mark("Saturday"),
    mark("Sunday"),
)
_SHORTEST_MONTH = 28
_LEAP_YEAR = 2028
_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400, "weeks": 604_800}


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time: months and days go by the calendar, seconds by the time that passes."""

    months: int = 0
    days: int = 0
    seconds: float = 0.0

    @classmethod
    def of(cls, amount: float, unit: str) -> "Span":
        """So many seconds, minutes, hours, days, weeks, months or years."""
        if unit in ("months", "years"):
            months = amount * (12 if unit == "years" else 1)
            return cls(int(months), round((months - int(months)) * 30))
        if unit in ("days", "weeks") and amount == int(amount):
            return cls(days=int(amount) * (WEEK if unit == "weeks" else 1))
        return cls(seconds=round(amount * _SECONDS[unit]))

    def __add__(self, more: "Span") -> "Span":
        return Span(self.months + more.months, self.days + more.days, self.seconds + more.seconds)

    @property
    def dated(self) -> bool:
        """Whether the calendar has a say in it."""
        return bool(self.months or self.days)


@dataclass(frozen=True, slots=True)
class Repeat:
    """What comes again and again: by fields of cron, or every so many seconds."""

    days: str = "*"
    months: str = "*"
    weekdays: str = "*"
    seconds: float = 0.0
    unit: str = ""
    """week, month or year, where its day is still to be said."""


type Again = list[tuple[Repeat, str]]
"""What a day can mean in what repeats, each with what tells it from the others."""


class NoSuchDay(Exception):
    """A date that no calendar has. `near`: days that it may have been meant for."""

    def __init__(self, said: str, near: Iterable[date] = ()) -> None:
        super().__init__(said)
        self.said, self.near = said, tuple(near)


class Past(Exception):
    """A day that is over."""


class Day(Protocol):
    """A day as it was said."""

    def dates(self, today: date) -> tuple[date, ...]:
        """All that it can mean. Raises NoSuchDay, Past."""

    def again(self, repeat: Repeat) -> Again:
        """The same in what repeats; nothing where that makes no sense. Raises NoSuchDay."""


@dataclass(frozen=True, slots=True)
class Offset:
    """So many days from today."""

    days: int

    def dates(self, today: date) -> tuple[date, ...]:
        """The one."""
        return (today + timedelta(days=self.days),)

    def again(self, repeat: Repeat) -> Again:
        """It comes once."""
        return []


class Today(Offset):
    """Today: its earlier hours are over."""


@dataclass(frozen=True, slots=True)
class Weekday:
    """Monday is 0. `week`: of this week (0), the next one (1) and so on as calendars count them from
    Monday; None for the one that comes. `next_`: said with "next", which people understand in two ways."""

    number: int
    week: int | None = None
    next_: bool = False

    def dates(self, today: date) -> tuple[date, ...]:
        """Of today's own name: today, and in a week."""
        monday = today - timedelta(days=today.weekday())
        if self.week is not None:
            found = monday + timedelta(days=self.week * WEEK + self.number)
            if found < today:
                raise Past
            return (found,)
        ahead = (self.number - today.weekday()) % WEEK
        coming = today + timedelta(days=ahead)
        if not self.next_:
            return (coming,) if ahead else (today, today + timedelta(days=WEEK))
        sunday = today - timedelta(days=(today.weekday() + 1) % WEEK)
        after_today = coming if ahead else coming + timedelta(days=WEEK)
        from_sunday = sunday + timedelta(days=WEEK + (self.number + 1) % WEEK)
        return tuple(sorted({after_today, monday + timedelta(days=WEEK + self.number), from_sunday}))

    def again(self, repeat: Repeat) -> Again:
        """On it each week."""
        fits = repeat.unit == "week" and self.week is None and not self.next_
        return [(replace(repeat, weekdays=str((self.number + 1) % WEEK), unit=""), "")] if fits else []


@dataclass(frozen=True, slots=True)
class MonthDay:
    """A day of the month by its number; `months` from this one (0) or None for the one that comes."""

    day: int
    months: int | None = None

    def dates(self, today: date) -> tuple[date, ...]:
        """In the first month that has it."""
        if not 1 <= self.day <= 31:
            raise NoSuchDay(_("Day {day} of a month").format(day=self.day))
        if self.months is not None:
            first = today.replace(day=1) + relativedelta(months=self.months)
            found = Date(self.day, first.month, first.year).dates(today)
            if found[0] < today:
                raise Past
            return found
        for ahead in range(3):
            month = today.replace(day=1) + relativedelta(months=ahead)
            if self.day > calendar.monthrange(month.year, month.month)[1]:
                continue
            if (found_day := month.replace(day=self.day)) >= today:
                return (found_day,)
        raise NoSuchDay(str(self.day))

    def again(self, repeat: Repeat) -> Again:
        """On it each month, or at the month's end where not every month has it."""
        if repeat.unit != "month" or self.months is not None:
            return []
        if not 1 <= self.day <= 31:
            raise NoSuchDay(_("Day {day} of a month").format(day=self.day))
        its = replace(repeat, days=str(self.day), unit="")
        if self.day <= _SHORTEST_MONTH:
            return [(its, "")]
        return [
            (replace(its, days="L"), ""),
            (its, _("only in months that have a day {day}").format(day=self.day)),
        ]


@dataclass(frozen=True, slots=True)
class LastDay:
    """The last day of a month; `months` from this one."""

    months: int = 0

    def dates(self, today: date) -> tuple[date, ...]:
        """The one."""
        return (today.replace(day=1) + relativedelta(months=self.months + 1, days=-1),)

    def again(self, repeat: Repeat) -> Again:
        """On it each month."""
        return [(replace(repeat, days="L", unit=""), "")] if repeat.unit == "month" else []


@dataclass(frozen=True, slots=True)
class Date:
    """A date of the calendar; without a year, the next one. `ahead`: of so many years from now. `or_`: what
    else its figures can mean, as 05/06 is a day of May or of June."""

    day: int
    month: int
    year: int | None = None
    or_: "Date | None" = None
    ahead: int | None = None

    def dates(self, today: date) -> tuple[date, ...]:
        """All that it can mean."""
        others = self.or_.dates(today) if self.or_ else ()
        return tuple(sorted({self._date(today), *others}))

    def _date(self, today: date) -> date:
        year = today.year + (self.ahead or 0) if self.year is None else self.year
        if not (1 <= self.month <= 12 and 1 <= self.day <= 31 and 1 <= year <= 9999):
            raise NoSuchDay(self.said)
        found = self._in(year, today)
        if self.year is None and self.ahead is None and found < today:
            found = self._in(year + 1, today)
        return found

    def _in(self, year: int, today: date) -> date:
        last = calendar.monthrange(year, self.month)[1]
        if self.day <= last:
            return date(year, self.month, self.day)
        end = date(year, self.month, last)
        if self.year is None and end < today:
            return self._in(year + 1, today)
        leap = self.year is None and self.ahead is None and (self.month, self.day) == (2, 29)
        leaps = [date(y, 2, 29) for y in range(year, year + 9) if calendar.isleap(y)][:1] if leap else []
        raise NoSuchDay(f"{year}-{self.month:02}-{self.day:02}", [end, end + timedelta(days=1), *leaps])

    def again(self, repeat: Repeat) -> Again:
        """On it each year."""
        if repeat.unit != "year" or self.year is not None or self.or_:
            return []
        if not (1 <= self.month <= 12 and 1 <= self.day <= 31):
            raise NoSuchDay(self.said)
        self._in(_LEAP_YEAR, date(_LEAP_YEAR, 1, 1))
        its = replace(repeat, days=str(self.day), months=str(self.month), unit="")
        if (self.month, self.day) != (2, 29):
            return [(its, "")]
        return [
            (replace(its, days="28"), ""),
            (its, _("in leap years only")),
        ]

    @property
    def said(self) -> str:
        """As digits."""
        year = "" if self.year is None else f"{self.year}-"
        return f"{year}{self.month:02}-{self.day:02}"


@dataclass(frozen=True, slots=True)
class Dated:
    """A date said with its weekday."""

    day: Day
    weekday: int

    def dates(self, today: date) -> tuple[date, ...]:
        """Those of its dates that are such a weekday."""
        found = self.day.dates(today)
        fit = tuple(day for day in found if day.weekday() == self.weekday)
        if not fit:
            name = _(WEEKDAYS[self.weekday])
            said = _("{weekday}, {date}").format(weekday=name, date=", ".join(str(day) for day in found))
            raise NoSuchDay(said, found)
        return fit

    def again(self, repeat: Repeat) -> Again:
        """It comes once."""
        return []


def both(a: Day, b: Day) -> Day | None:
    """Two days that were said of one time: a date with its weekday; None for others."""
    if isinstance(b, Weekday):
        a, b = b, a
    if isinstance(a, Weekday) and isinstance(b, Date | MonthDay) and a.week is None and not a.next_:
        return Dated(b, a.number)
    return None


DAYS = (Offset, Weekday, MonthDay, LastDay, Date, Dated)
