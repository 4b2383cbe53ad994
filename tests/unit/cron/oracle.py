"""A second reckoning of when jobs are due: it looks at the wall clock, minute by minute, and no further."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Shanghai",
    "Asia/Kathmandu",
    "America/St_Johns",
    "Africa/Casablanca",
    "Pacific/Chatham",
    "America/Santiago",
    "Asia/Tehran",
    "Pacific/Apia",
    "UTC",
)


def walk(expression: str, zone: str, start: float, end: float) -> list[float]:
    """When an expression is due after `start` and not after `end`, Unix seconds."""
    return walk_all([expression], zone, start, end)[expression]


def walk_all(expressions: Iterable[str], zone: str, start: float, end: float) -> dict[str, list[float]]:
    """The same for several at once.

    Every minute that shows a due face for the first time is due; a face that the clock leapt over makes the
    minute after the leap due. Where the hour is * a face may be shown twice and need not be shown at all.
    """
    info = ZoneInfo(zone)
    found: dict[str, list[float]] = {expression: [] for expression in expressions}
    fields = {expression: _Fields(expression) for expression in found}
    moment = start // 60 * 60 - 86400
    seen = datetime.fromtimestamp(moment, info).replace(tzinfo=None)
    while (moment := moment + 60) <= end:
        face = datetime.fromtimestamp(moment, info).replace(tzinfo=None)
        fresh = []
        while seen < face:
            seen += timedelta(minutes=1)
            fresh.append(seen)
        if moment > start:
            for expression, due in fields.items():
                if any(map(due.at, [face] if due.running else fresh)):
                    found[expression].append(moment)
    return found


class _Fields:
    """The sets of values of an expression."""

    def __init__(self, expression: str) -> None:
        minute, hour, day, month, weekday = expression.split()
        self.running = hour == "*"
        self.both = day.startswith("*") or weekday.startswith("*")
        self.minutes, self.hours = _values(minute, 0, 59), _values(hour, 0, 23)
        self.days, self.months = _values(day, 1, 31), _values(month, 1, 12)
        self.weekdays = {value % 7 for value in _values(weekday, 0, 7)}

    def at(self, face: datetime) -> bool:
        if face.minute not in self.minutes or face.hour not in self.hours or face.month not in self.months:
            return False
        days = (face.day in self.days, face.isoweekday() % 7 in self.weekdays)
        return all(days) if self.both else any(days)


def _values(field: str, low: int, high: int) -> set[int]:
    values: set[int] = set()
    for part in field.split(","):
        named, _, step = part.partition("/")
        first, _, last = named.partition("-")
        start = low if named == "*" else int(first)
        end = high if named == "*" or (step and not last) else int(last or first)
        values.update(range(start, end + 1, int(step or 1)))
    return values
