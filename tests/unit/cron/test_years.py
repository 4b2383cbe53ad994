"""The scheduler through simulated months, in twelve zones: every planned moment has exactly one run.

The long form, ten years, is in tests/soak (schedule).
"""

import random

import pytest

from tests.unit.cron.bed import unix
from tests.unit.cron.conftest import Made
from tests.unit.cron.oracle import ZONES
from tests.unit.cron.years import Years


@pytest.mark.parametrize(
    ("start", "end", "closed"),
    [("2026-03-06", "2026-04-07", False), ("2026-10-02", "2026-11-03", True)],
    ids=["spring, asleep", "autumn, closed"],
)
async def test_when_clocks_are_changed(made: Made, start: str, end: str, closed: bool) -> None:
    """On Sundays, when clocks are changed, around the hours at which they are."""
    bed = await made(start)
    years = Years(bed, ZONES, ("30 2 * * 0", "45 1 * * 0"), random.Random(7), closed=closed)
    await years.run(until=unix(end), gaps=8)
    assert await years.wrong() == []
    assert years.runs > 100
