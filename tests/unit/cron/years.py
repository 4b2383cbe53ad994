"""Simulated years: jobs of every kind, sleep or restarts between, an account of every planned moment."""

import random
from collections.abc import Sequence

from desktop.cron.schedule import At, Cron, Every
from tests.unit.cron.bed import Bed
from tests.unit.cron.oracle import walk_all

HOUR, DAY = 3600.0, 86400.0


class Years:
    """Jobs on a bed, and which moments each of them must have."""

    def __init__(
        self,
        bed: Bed,
        zones: Sequence[str],
        expressions: Sequence[str],
        chance: random.Random,
        *,
        closed: bool,
    ) -> None:
        """`closed`: whether the program ends between, instead of sleep."""
        self.bed, self.zones, self.expressions = bed, zones, expressions
        self.chance, self.closed = chance, closed
        self.runs = 0
        self.start = bed.time.moment
        self._due: dict[str, list[float]] = {}

    async def run(self, until: float, gaps: int) -> None:
        """Let time pass, with so many gaps in which nothing is looked at."""
        await self._fill(until)
        ends = sorted(self.chance.uniform(self.start, until) for _ in range(gaps))
        for end in ends:
            await self.bed.until(end)
            length = self.chance.choice((60, 7 * 60, HOUR, 26 * HOUR, 9 * DAY))
            if self.closed:
                await self.bed.again(after=length)
            else:
                await self.bed.sleep(length)
        await self.bed.until(max(until, self.bed.time.moment))
        self.end = self.bed.time.moment

    async def _fill(self, until: float) -> None:
        for zone in self.zones:
            for expression in self.expressions:
                await self.bed.add(Cron(expression, zone), f"{expression} {zone}", plain=True)
        for hours in (25, 36, 168):
            await self.bed.add(Every(hours * HOUR, 0), f"every {hours}", plain=True)
        for n in range(40):
            moment = float(round(self.chance.uniform(self.start, until)))
            name = f"at {moment:.0f} {n}"
            self._due[name] = [moment]
            await self.bed.add(At(moment), name, plain=True, delete_after_run=True)

    async def wrong(self) -> list[str]:
        """What does not agree with the other reckoning."""
        due = self._wanted()
        rows = await self.bed.rows()
        self.runs = len(rows)
        found = [f"{row.name} was not planned" for row in rows if row.name not in due]
        for name, moments in due.items():
            own = [row for row in rows if row.name == name]
            covered: list[float] = []
            for row in sorted(own, key=lambda row: row.planned):
                if row.planned not in moments:
                    found.append(f"{name}: {row.planned} is no due moment")
                    continue
                place = moments.index(row.planned)
                covered += moments[place - row.missed : place + 1]
            if covered != moments:
                found.append(f"{name}: {len(covered)} moments of {len(moments)} were accounted for")
        reminders = await self.bed.notices("reminder")
        if len(reminders) != len(rows):
            found.append(f"{len(reminders)} reminders for {len(rows)} runs")
        return found

    def _wanted(self) -> dict[str, list[float]]:
        due: dict[str, list[float]] = {}
        for zone in self.zones:
            walked = walk_all(self.expressions, zone, self.start, self.end)
            due |= {f"{expression} {zone}": moments for expression, moments in walked.items()}
        for hours in (25, 36, 168):
            count = int((self.end - self.start) // (hours * HOUR))
            due[f"every {hours}"] = [self.start + hours * HOUR * n for n in range(1, count + 1)]
        return due | self._due
