"""The scheduler: each due moment has one run, whatever happens between."""

from desktop.cron.schedule import At, Cron, Every
from tests.unit.cron.bed import Bed, unix

HOUR, DAY = 3600.0, 86400.0


async def test_a_reminder_is_in_the_inbox_at_its_moment_and_gone_from_the_list(bed: Bed) -> None:
    start = bed.time.moment
    job = await bed.add(
        At(start + 1200), "call Anna", plain=True, delete_after_run=True, session="window:a"
    )
    assert bed.time.armed == start + 1200
    await bed.until(start + 1199)
    assert not await bed.notices()
    await bed.until(start + 1300)
    [notice] = await bed.notices()
    assert (notice.id, notice.kind, notice.title) == (
        f"due:{job.id}:{start + 1200:.0f}",
        "reminder",
        "call Anna",
    )
    assert notice.session == "window:a"
    assert notice.body["text"] == "do call Anna"
    assert notice.body["late"] == 0
    assert bed.scheduler.jobs() == []
    assert bed.time.armed is None
    assert not bed.worker.runs
    [row] = await bed.rows()
    assert (row.outcome, row.cause, row.missed, row.planned) == ("ok", "due", 0, start + 1200)


async def test_a_job_is_run_each_time_and_its_runs_are_in_the_ledger(bed: Bed) -> None:
    start = bed.time.moment
    job = await bed.add(Cron("0 9 * * 1-5"), "news")
    await bed.until(start + 7 * DAY)
    days = [unix(f"2026-{day}T09:00") for day in ("11-30", "12-01", "12-02", "12-03", "12-04")]
    assert bed.worker.planned == [("news", day) for day in days]
    rows = await bed.rows(job=job.id)
    assert [(row.planned, row.outcome, row.tokens, row.cost) for row in rows] == [
        (day, "ok", 100, 0.01) for day in days
    ]
    kept = bed.scheduler.get(job.id)
    assert (kept.last_due, kept.last_outcome, kept.next_due) == (days[-1], "ok", unix("2026-12-07T09:00"))


async def test_an_interval_is_anchored_where_it_was_made(bed: Bed) -> None:
    start = bed.time.moment
    await bed.add(Every(HOUR, 0), "hourly")
    await bed.until(start + 1.5 * HOUR)
    await bed.again(after=0.2 * HOUR)
    await bed.until(start + 2.5 * HOUR)
    assert bed.worker.planned == [("hourly", start + HOUR), ("hourly", start + 2 * HOUR)]
