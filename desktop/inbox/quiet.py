"""Quiet hours, in the wall time of the person: whether a moment lies in them, and when they end."""

from datetime import date, datetime, time, timedelta, tzinfo


def quiet_until(moment: float, begin: str, end: str, zone: tzinfo | None = None) -> float | None:
    """When the quiet hours around this moment end, both in Unix time; None where it lies in none.

    `begin` and `end` are such as "22:00" and "07:00"; where they are equal there are no quiet hours.
    `zone`: that of the system if None. Where clocks are changed, an hour that comes twice stands for its
    first time, and one that is left out for the moment of the change.
    """
    first, last = time.fromisoformat(begin), time.fromisoformat(end)
    if first == last:
        return None
    nights = timedelta(days=1 if last < first else 0)
    today = datetime.fromtimestamp(moment, zone).date()
    for day in (today - timedelta(days=1), today):
        until = _moment(day + nights, last, zone)
        if _moment(day, first, zone) <= moment < until:
            return until
    return None


def _moment(day: date, clock: time, zone: tzinfo | None) -> float:
    """The Unix time when a clock on the wall shows this first, or a later time for the first time."""
    wall = datetime.combine(day, clock, zone)
    first, second = wall.timestamp(), wall.replace(fold=1).timestamp()
    if second >= first:
        return first
    low, high = second, first  # the clocks jump over it somewhere in between
    while high - low > 1:
        middle = (low + high) // 2
        passed = datetime.fromtimestamp(middle, zone).replace(tzinfo=None) >= wall.replace(tzinfo=None)
        low, high = (low, middle) if passed else (middle, high)
    return high
