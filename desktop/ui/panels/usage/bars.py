"""The days of a span as the bars of a chart: each day, or weeks and months where there are too many."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from desktop.text import _
from desktop.ui.panels.usage import words
from desktop.usage import money

type Json = Mapping[str, Any]

_DAYS, _WEEKS = 92, 732
"""Up to so many days each is a bar; up to so many, each week."""
_SUMS = ("calls", "tokens", "usd", "priced", "unpriced", "free")
_STEPS = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: from which day to which, what was used, and how its span is called."""

    first: date
    last: date
    figures: Json
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

    def value(self, number: int) -> float:
        """How high one is."""
        return float(self.bars[number].figures["usd" if self.paid else "tokens"])

    @property
    def top(self) -> float:
        """The round number up to which the chart goes."""
        return _round(max((self.value(number) for number in range(len(self.bars))), default=0.0))

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

    @property
    def highest(self) -> int:
        """The place of the highest bar; -1 for none."""
        return max(range(len(self.bars)), key=self.value, default=-1)


def bars_of(found: Json) -> Bars:
    """What the verb `usage` replied, with the days on which there was nothing."""
    first, last = date.fromisoformat(found["from"]), date.fromisoformat(found["to"])
    by_day = {date.fromisoformat(day["day"]): day for day in found["days"]}
    last = max(last, first, *by_day)  # a clock that was put back
    count = (last - first).days + 1
    unit = "day" if count <= _DAYS else "week" if count <= _WEEKS else "month"
    made = []
    for start, end in _spans(first, last, unit):
        days = [day for day in by_day if start <= day <= end] if unit != "day" else [start]
        made.append(Bar(start, end, _sum([by_day[day] for day in days if day in by_day]), unit))
    total = found["total"]
    return Bars(tuple(made), bool(total["priced"] and total["usd"]))


def _spans(first: date, last: date, unit: str) -> Iterator[tuple[date, date]]:
    start = first
    while start <= last:
        if unit == "day":
            end = start
        elif unit == "week":
            end = start + timedelta(days=6 - start.weekday())
        else:
            end = (start.replace(day=1) + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        yield start, min(end, last)
        start = end + timedelta(days=1)


def _sum(days: list[Json]) -> Json:
    made: dict[str, Any] = {name: sum(day[name] for day in days) for name in _SUMS}
    return {**made, "cost": made["usd"] if made["priced"] or not made["unpriced"] else None}


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
