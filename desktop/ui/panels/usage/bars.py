"""The days of a span as the bars of a chart: each day, or weeks and months where there are too many."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from desktop.api.usage import Amounts, Report
from desktop.text import _
from desktop.ui.panels.usage import words
from desktop.usage import money

_DAYS, _WEEKS = 92, 732
"""Up to so many days each is a bar; up to so many, each week."""
_SUMS = ("calls", "tokens", "usd", "priced", "unpriced", "free")
_STEPS = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: from which day to which, what was used, and how its span is called."""

    first: date
    last: date
    figures: Amounts
    unit: str
    """day, week or month."""

    @property
    def name(self) -> str:
        """Its days in words."""
        if self.unit == "day":
            return words.whole_day(self.first)
        if self.unit == "month":
            return words.month(self.first)
        return f"{words.day(self.first)} – {words.whole_day(self.last)}"

    @property
    def mark(self) -> str:
        """What stands under it."""
        return words.month(self.first) if self.unit == "month" else words.day(self.first)


@dataclass(frozen=True, slots=True)
class Bars:
    """What a chart shows."""

    bars: tuple[Bar, ...] = ()
    paid: bool = False
    """Whether money is shown; else no price is known, and tokens are."""
    values: tuple[float, ...] = ()
    """How high each is."""
    top: float = 1.0
    """The round number up to which the chart goes."""
    highest: int = -1
    """The place of the highest bar; -1 for none."""

    def amount(self, value: float) -> str:
        """A value beside a line of the chart."""
        return money(value) if self.paid else words.short(value)

    @property
    def title(self) -> str:
        """What is shown."""
        unit = self.bars[0].unit if self.bars else "day"
        if self.paid:
            return {"day": _("Cost per day"), "week": _("Cost per week")}.get(unit, _("Cost per month"))
        return {"day": _("Tokens per day"), "week": _("Tokens per week")}.get(unit, _("Tokens per month"))


def bars_of(found: Report) -> Bars:
    """A report, with the days on which there was nothing."""
    first, last = date.fromisoformat(found.first), date.fromisoformat(found.last)
    by_day = {date.fromisoformat(day.day): day for day in found.days}
    last = max(last, first, *by_day)  # a clock that was put back
    count = (last - first).days + 1
    unit = "day" if count <= _DAYS else "week" if count <= _WEEKS else "month"
    spans: dict[date, list[Amounts]] = {}
    for day, line in by_day.items():
        spans.setdefault(_begun(day, unit), []).append(line)
    made = []
    for start, end in _spans(first, last, unit):
        made.append(Bar(start, end, _sum(spans.get(_begun(start, unit), [])), unit))
    paid = bool(found.total.priced and found.total.usd)
    values = tuple(float(bar.figures.usd if paid else bar.figures.tokens) for bar in made)
    most = max(values)
    return Bars(tuple(made), paid, values, _round(most), values.index(most) if most else -1)


def _begun(day: date, unit: str) -> date:
    """The first day of the week or month that a day is in."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if unit == "month" else day


def _spans(first: date, last: date, unit: str) -> Iterator[tuple[date, date]]:
    length = {"day": 1, "week": 7, "month": 31}[unit]
    start = first
    while start <= last:
        following = _begun(_begun(start, unit) + timedelta(days=length), unit)
        yield start, min(following - timedelta(days=1), last)
        start = following


def _sum(days: list[Amounts]) -> Amounts:
    made: dict[str, Any] = {name: sum(getattr(day, name) for day in days) for name in _SUMS}
    return Amounts(**made, cost=made["usd"] if made["priced"] or not made["unpriced"] else None)


def _round(value: float) -> float:
    """The next round number, whose half is one too."""
    if value <= 0:
        return 1.0
    size = 1.0
    while size * 10 <= value:
        size *= 10
    while size > value:
        size /= 10
    return next(step * size for step in _STEPS if step * size >= value * (1 - 1e-9))
