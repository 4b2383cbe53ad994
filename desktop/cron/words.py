"""A schedule in words, as a person would say it; what is too intricate for words stays as it is written."""

from datetime import datetime

from desktop.cron import faces
from desktop.cron.schedule import At, Cron, Every, Spec, next_after, zone_of
from desktop.text import _, mark, ngettext

_DAYS = (
    mark("Sunday"),
    mark("Monday"),
    mark("Tuesday"),
    mark("Wednesday"),
    mark("Thursday"),
    mark("Friday"),
    mark("Saturday"),
)
_MONTHS = (
    mark("January"),
    mark("February"),
    mark("March"),
    mark("April"),
    mark("May"),
    mark("June"),
    mark("July"),
    mark("August"),
    mark("September"),
    mark("October"),
    mark("November"),
    mark("December"),
)
_TIMES = 6
"""More times of a day than this are no sentence any more."""


def sentence(spec: Spec, zone: str) -> str:
    """The schedule in words. `zone`: the person's. Raises UsageError for one that makes no sense."""
    match spec:
        case At(moment):
            face = datetime.fromtimestamp(moment, zone_of(zone))
            return _("once on {weekday}, {date} at {time}").format(
                weekday=_(_DAYS[face.isoweekday() % 7]), date=f"{face:%Y-%m-%d}", time=_clock(face)
            )
        case Every(seconds, _anchor):
            return _interval(seconds)
        case Cron(expression, own):
            words = _fields(expression) or _("on cron expression {expression}").format(
                expression=expression
            )
            if not own or own == zone:
                return words
            return _("{schedule} ({zone})").format(schedule=words, zone=own)


def upcoming(spec: Spec, now: float, zone: str, n: int = 5) -> list[float]:
    """The next due moments after a moment, n at the most. Raises UsageError."""
    found: list[float] = []
    while len(found) < n and (due := next_after(spec, now, zone)) is not None:
        found.append(now := due)
    return found


def _clock(face: datetime) -> str:
    return f"{face:%H:%M:%S}" if face.second else f"{face:%H:%M}"


def _interval(seconds: float) -> str:
    whole = round(seconds)
    if whole % 604_800 == 0:
        return _weeks(whole // 604_800)
    if whole % 86_400 == 0:
        return _every_days(whole // 86_400)
    if whole % 3600 == 0:
        return _hours(whole // 3600)
    if whole % 60 == 0:
        return _minutes(whole // 60)
    if seconds == 1:
        return _("every second")
    return ngettext("every {n} second", "every {n} seconds", whole).format(n=f"{seconds:g}")


def _weeks(n: int) -> str:
    if n == 1:
        return _("every week")  # its own words: Chinese has no plural to tell it by
    return ngettext("every {n} week", "every {n} weeks", n).format(n=n)


def _every_days(n: int) -> str:
    if n == 1:
        return _("every day")
    return ngettext("every {n} day", "every {n} days", n).format(n=n)


def _hours(n: int) -> str:
    if n == 1:
        return _("every hour")
    return ngettext("every {n} hour", "every {n} hours", n).format(n=n)


def _minutes(n: int) -> str:
    if n == 1:
        return _("every minute")
    return ngettext("every {n} minute", "every {n} minutes", n).format(n=n)


def _fields(expression: str) -> str:
    table = faces.table(expression)
    minute, hour, day, month, weekday = table.sim.parts[1:]
    if hour.startswith("*"):
        return _all_day(minute, hour) if (day, month, weekday) == ("*", "*", "*") else ""
    if "*" in minute or len(table.minutes) > _TIMES:
        return ""
    days = _days(table, day, month, weekday)
    times = _listed([f"{at // 60:02}:{at % 60:02}" for at in table.minutes])
    return _("{days} at {times}").format(days=days, times=times) if days else ""


def _all_day(minute: str, hour: str) -> str:
    """`*/20 * * * *` and `0 */2 * * *`: an interval that fits into an hour or a day."""
    step = _step(minute, 60)
    if step and hour == "*":
        return _minutes(step)
    if not minute.isdigit() or not (hours := _step(hour, 24)):
        return ""
    if minute == "0":
        return _hours(hours)
    return _("{interval}, {minute} minutes past the hour").format(interval=_hours(hours), minute=minute)


def _step(field: str, size: int) -> int:
    if field == "*":
        return 1
    step = field.removeprefix("*/")
    return int(step) if step.isdigit() and 0 < int(step) < size and size % int(step) == 0 else 0


def _days(table: faces.Table, day: str, month: str, weekday: str) -> str:
    if (day, month) == ("*", "*"):
        return _weekdays(table, weekday)
    if weekday != "*" or not (day.replace(",", "").isdigit() or day == "L"):
        return ""
    if month == "*":
        if day == "L":
            return _("on the last day of every month")
        return _("every month on day {days}").format(days=_listed([str(n) for n in sorted(table.sim.days)]))
    if day == "L" or len(table.sim.days) * len(table.sim.months) > _TIMES:
        return ""
    dates = [
        _("{day} {month}").format(day=n, month=_(_MONTHS[m - 1]))
        for m in sorted(table.sim.months)
        for n in sorted(table.sim.days)
    ]
    return _("every year on {dates}").format(dates=_listed(dates))


def _weekdays(table: faces.Table, weekday: str) -> str:
    if weekday == "*":
        return _every_days(1)
    named = {day % 7 for day in table.sim.weekdays if isinstance(day, int)}
    if len(named) != len({item if isinstance(item, tuple) else item % 7 for item in table.sim.weekdays}):
        return ""
    if len(named) == len(_DAYS):
        return _every_days(1)
    if named == {1, 2, 3, 4, 5}:
        return _("every weekday")
    names = [_(_DAYS[day]) for day in sorted(named, key=lambda day: (day - 1) % 7)]
    return _("every {days}").format(days=_listed(names))


def _listed(items: list[str]) -> str:
    if len(items) == 1:
        return items[0]
    return _("{items} and {last}").format(items=_(", ").join(items[:-1]), last=items[-1])
