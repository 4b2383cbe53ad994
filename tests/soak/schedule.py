"""Ten years of appointments in twelve zones, on a clock that is moved.

First the pure reckoning against one that looks at the wall clock minute by minute; then the scheduler
itself with its ledger, file and inbox, with sleep and restarts between.
"""

import asyncio
import random
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from desktop.cron.schedule import Cron, missed, next_after
from tests.unit.cron.bed import Bed
from tests.unit.cron.oracle import ZONES, walk_all
from tests.unit.cron.years import Years

EXPRESSIONS = (
    *("30 2 * * *", "45 1 * * *", "0 * * * *", "*/20 1-3 * * *", "0 9 * * 1-5", "0 0 1 * *"),
    *("15 */2 * * *", "0 12 29 2 *", "5 0 13 * 5", "30 3 25 3,10 *"),
)
WEEKLY = ("30 2 * * 0", "0 9 1 * *")


def run(chance: random.Random, years: int) -> list[str]:
    """So many years; what went wrong."""
    start = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
    end = datetime(2026 + years, 1, 1, tzinfo=UTC).timestamp()
    lost: list[str] = []
    for zone in ZONES:
        began = time.monotonic()
        lost += _reckoned(zone, start, end)
        print(f"{zone}: {len(EXPRESSIONS)} schedules in {time.monotonic() - began:.0f} s", flush=True)
    for closed in (False, True):
        began = time.monotonic()
        found, runs = asyncio.run(_lived(chance, start, end, closed=closed))
        lost += found
        print(
            f"{'closed' if closed else 'asleep'}: {runs} runs in {time.monotonic() - began:.0f} s",
            flush=True,
        )
    return lost


def _reckoned(zone: str, start: float, end: float) -> list[str]:
    lost = []
    for expression, wanted in walk_all(EXPRESSIONS, zone, start, end).items():
        spec, moment, found = Cron(expression), start, []
        while (due := next_after(spec, moment, zone)) is not None and due <= end:
            found.append(moment := due)
        if found != wanted:
            odd = sorted(set(found) ^ set(wanted))
            lost.append(f"{zone} {expression}: {len(found)} for {len(wanted)}, {odd[:1]}")
        if missed(spec, start, end, zone) != ((wanted[-1], len(wanted) - 1) if wanted else None):
            lost.append(f"{zone} {expression}: {missed(spec, start, end, zone)} are said to be missed")
    return lost


async def _lived(chance: random.Random, start: float, end: float, *, closed: bool) -> tuple[list[str], int]:
    with tempfile.TemporaryDirectory() as folder:
        bed = Bed(Path(folder), start)
        await bed.start()
        years = Years(bed, ZONES, WEEKLY, chance, closed=closed)
        await years.run(end, gaps=200)
        lost = await years.wrong()
        await bed.stop()
        return lost, years.runs
