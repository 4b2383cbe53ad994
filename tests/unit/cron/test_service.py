"""The scheduler: each due moment has one run, whatever happens between."""

import asyncio
import json
from dataclasses import replace

import pytest

from desktop.bus.events import JobsChanged
from desktop.cron.job import Job
from desktop.cron.listing import Listing
from desktop.cron.schedule import At, Cron, Every
from desktop.cron.service import Done
from desktop.errors import UsageError
from desktop.tasks import spawn
from tests.unit.cron.bed import Bed, soon, unix
from tests.unit.cron.conftest import Made

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


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
    assert (notice.id, notice.kind) == (f"due:{job.id}:{start + 1200:.0f}", "reminder")
    assert (notice.title, notice.session) == ("call Anna", "window:a")
    assert notice.body["text"] == "do call Anna"
    assert notice.body["late"] == 0
    assert bed.scheduler.jobs() == []
    assert bed.time.armed is None
    assert not bed.worker.runs
    [row] = await bed.rows()
    assert (row.outcome, row.cause, row.missed, row.planned) == ("ok", "due", 0, start + 1200)


async def test_whoever_asks_while_it_starts_is_told_of_the_jobs(bed: Bed) -> None:
    job = await bed.add(Every(HOUR, bed.time.moment), "news")
    await bed.stop()
    bed._make()
    await bed.database.open()
    starting = spawn(bed.scheduler.start(), name="start")
    while bed.scheduler._alarm is None:
        await asyncio.sleep(0)
    await bed.scheduler.read()
    assert [one.id for one in bed.scheduler.jobs()] == [job.id]
    await starting


async def test_a_job_with_one_moment_that_is_to_stay_is_switched_off(bed: Bed) -> None:
    job = await bed.add(At(bed.time.moment + 60), plain=True)
    await bed.until(bed.time.moment + 61)
    kept = bed.scheduler.get(job.id)
    assert (kept.enabled, kept.next_due, kept.last_outcome) == (False, None, "ok")
    bed.time.moment += HOUR
    with pytest.raises(UsageError, match="past"):
        await bed.scheduler.switch(job.id, on=True)


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


# ---- missed


LENGTHS = {"1 h": HOUR, "26 h": 26 * HOUR, "30 days": 30 * DAY}


@pytest.mark.parametrize("closed", [False, True], ids=["asleep", "closed"])
@pytest.mark.parametrize("length", LENGTHS.values(), ids=LENGTHS.keys())
@pytest.mark.parametrize("policy", ["late", "skip", "ask"])
async def test_what_was_missed(bed: Bed, policy: str, length: float, closed: bool) -> None:
    """Half past each hour, for a sleep that ends on the full hour."""
    start = bed.time.moment
    job = await bed.add(Cron("30 * * * *"), missed=policy)
    count = int(length // HOUR)
    if closed:
        await bed.again(after=length)
    else:
        await bed.sleep(length)
    last = start + length - HOUR / 2
    [row] = await bed.rows()
    assert (row.planned, row.missed, row.claimed) == (last, count - 1, start + length)
    outcome = {"late": "ok", "skip": "skipped", "ask": "asked"}[policy]
    assert (row.outcome, row.cause) == (outcome, "late")
    assert len(bed.worker.runs) == (policy == "late")
    notices = await bed.notices()
    if policy == "late":
        assert not notices
    elif policy == "skip":
        [notice] = notices
        assert (
            notice.body["skipped"][0] | {"missed": count - 1, "planned": last} == notice.body["skipped"][0]
        )
    else:
        [notice] = notices
        body = notice.body
        assert (body["ask"], body["run"], body["missed"]) == (True, row.id, count - 1)
    assert bed.scheduler.get(job.id).enabled
    await bed.until(start + length + 2 * HOUR)
    assert [run.planned for _job, run, _at in bed.worker.runs][-2:] == [last + HOUR, last + 2 * HOUR]


@pytest.mark.parametrize("yes", [True, False])
async def test_an_answer_to_what_was_missed(bed: Bed, yes: bool) -> None:
    await bed.add(At(bed.time.moment + 60), "report", missed="ask", delete_after_run=True)
    await bed.sleep(5 * HOUR)
    [row] = await bed.rows()
    await bed.again(after=60)
    assert len(bed.scheduler.jobs()) == 1
    assert await bed.scheduler.answer(row.id, yes)
    await bed.scheduler.quiet()
    [row] = await bed.rows()
    assert row.outcome == ("ok" if yes else "skipped")
    assert len(bed.worker.runs) == yes
    [notice] = await bed.notices()
    assert (notice.state, notice.answer) == ("done", "yes" if yes else "no")
    assert not await bed.scheduler.answer(row.id, yes)
    assert bed.scheduler.jobs() == []


async def test_an_answer_waits_for_a_job_that_is_at_work(bed: Bed) -> None:
    bed.worker.gate = asyncio.Event()
    await bed.add(Every(10, 0), missed="ask")
    bed.time.moment += HOUR
    bed.time.ring()
    await soon(lambda: bool(bed.worker.runs))
    [asked] = await bed.rows(outcome="asked")
    with pytest.raises(UsageError, match="already running"):
        await bed.scheduler.answer(asked.id, True)
    bed.worker.gate.set()
    await bed.scheduler.quiet()
    assert await bed.scheduler.answer(asked.id, True)
    await bed.scheduler.quiet()
    assert [row.outcome for row in await bed.rows()] == ["ok", "ok"]


async def test_many_that_were_missed_are_told_in_one_notice(bed: Bed) -> None:
    for n in range(5):
        await bed.add(At(bed.time.moment + 60 * n + 60), f"job {n}", missed="skip", plain=True)
    await bed.again(after=DAY)
    [notice] = await bed.notices()
    assert [line["name"] for line in notice.body["skipped"]] == [f"job {n}" for n in range(5)]
    assert "5" in notice.title
    assert all(job.enabled for job in bed.scheduler.jobs())
    await bed.again(after=60)
    assert len(await bed.notices()) == 1


async def test_a_reminder_that_was_missed_comes_late_and_says_so(bed: Bed) -> None:
    await bed.add(At(bed.time.moment + 60), plain=True)
    await bed.again(after=42 * HOUR)
    [notice] = await bed.notices()
    assert notice.body["late"] == 42 * HOUR - 60


async def test_a_short_interval_goes_on_at_once_after_sleep(bed: Bed) -> None:
    """Of what came in the last minute one is on time; those before are for the policy."""
    start = bed.time.moment
    await bed.add(Every(10, 0), "late", missed="late")
    await bed.add(Every(10, 0), "skip", missed="skip")
    await bed.add(Every(10, 0), "ask", missed="ask")
    await bed.sleep(HOUR + 5)
    rows = {(row.name, row.outcome): (row.planned, row.missed) for row in await bed.rows()}
    assert rows == {
        ("late", "ok"): (start + HOUR, 359),
        ("skip", "ok"): (start + HOUR, 0),
        ("skip", "skipped"): (start + HOUR - 10, 358),
        ("ask", "ok"): (start + HOUR, 0),
        ("ask", "asked"): (start + HOUR - 10, 358),
    }


# ---- side by side


async def test_four_run_side_by_side_and_reminders_wait_for_nobody(bed: Bed) -> None:
    start = bed.time.moment
    bed.worker.gate = asyncio.Event()
    for n in range(7):
        await bed.add(At(start + 60), f"job {n}", missed="skip")
    await bed.add(At(start + 60), "call", plain=True)
    bed.time.moment = start + 60
    bed.time.ring()
    await soon(lambda: len(bed.worker.runs) == 4)
    await bed.scheduler.settled()
    assert [notice.title for notice in await bed.notices()] == ["call"]
    bed.time.moment += 2 * HOUR
    bed.time.ring()
    bed.worker.gate.set()
    await bed.scheduler.quiet()
    assert sorted(name for name, _planned in bed.worker.planned) == [f"job {n}" for n in range(7)]
    assert {row.outcome for row in await bed.rows()} == {"ok"}


async def test_a_job_never_runs_twice_at_the_same_time(bed: Bed) -> None:
    start = bed.time.moment
    bed.worker.gate = asyncio.Event()
    job = await bed.add(Every(60, 0), "slow")
    bed.time.moment = start + 60
    bed.time.ring()
    await soon(lambda: bool(bed.worker.runs))
    with pytest.raises(UsageError, match="already running"):
        await bed.scheduler.run_now(job.id)
    for _ in range(4):
        bed.time.moment += 60
        bed.time.ring()
        await bed.scheduler.settled()
    assert len(bed.worker.runs) == 1
    gate, bed.worker.gate = bed.worker.gate, None
    gate.set()
    await bed.scheduler.quiet()
    rows = await bed.rows()
    assert [(row.planned - start, row.missed, row.cause) for row in rows] == [
        (60, 0, "due"),
        (300, 3, "due"),
    ]


async def test_a_job_that_is_edited_while_it_runs_keeps_its_run(bed: Bed) -> None:
    bed.worker.gate = asyncio.Event()
    job = await bed.add(At(bed.time.moment + 60), "one", delete_after_run=True)
    bed.time.moment += 60
    bed.time.ring()
    await soon(lambda: bool(bed.worker.runs))
    later = bed.time.moment + HOUR
    await bed.scheduler.change(job.id, message="something else", spec=At(later))
    bed.worker.gate.set()
    await bed.scheduler.quiet()
    assert [ran.message for ran, _run, _at in bed.worker.runs] == ["do one"]
    kept = bed.scheduler.get(job.id)
    assert (kept.message, kept.next_due, kept.enabled, kept.last_outcome) == (
        "something else",
        later,
        True,
        "ok",
    )
    await bed.until(later + 1)
    assert len(bed.worker.runs) == 2
    assert bed.scheduler.jobs() == []


async def test_a_job_that_is_removed_while_it_runs_keeps_its_run(bed: Bed) -> None:
    bed.worker.gate = asyncio.Event()
    job = await bed.add(Every(60, 0))
    bed.time.moment += 60
    bed.time.ring()
    await soon(lambda: bool(bed.worker.runs))
    await bed.scheduler.remove(job.id)
    bed.worker.gate.set()
    await bed.scheduler.quiet()
    assert [row.outcome for row in await bed.rows()] == ["ok"]
    assert bed.scheduler.jobs() == []
    assert bed.time.armed is None


# ---- failures


async def test_a_failed_run_is_tried_again_with_growing_delay(bed: Bed) -> None:
    start = bed.time.moment
    bed.worker.say = lambda _job, run: Done("ok" if run.attempt == 2 else "failed", "no network")
    job = await bed.add(Cron("0 19 * * *"), retries=2)
    await bed.until(start + 2 * HOUR)
    rows = await bed.rows()
    assert [(row.attempt, row.outcome, row.claimed - start - HOUR) for row in rows] == [
        (0, "failed", 0),
        (1, "failed", 60),
        (2, "ok", 360),
    ]
    assert {row.planned for row in rows} == {start + HOUR}
    assert bed.scheduler.get(job.id).failures == 0


async def test_what_is_to_be_tried_again_is_known_after_a_restart(bed: Bed) -> None:
    bed.worker.say = lambda _job, run: Done("ok" if run.attempt else "failed", "no network")
    await bed.add(At(bed.time.moment + 60), delete_after_run=True)
    await bed.until(bed.time.moment + 61)
    await bed.again(after=10)
    assert bed.time.armed is not None
    assert len(bed.worker.runs) == 1
    await bed.until(bed.time.moment + HOUR)
    assert [run.attempt for _job, run, _at in bed.worker.runs] == [0, 1]
    assert bed.scheduler.jobs() == []


async def test_three_failures_in_a_row_pause_a_job_and_say_so(bed: Bed) -> None:
    bed.worker.say = lambda _job, _run: Done("failed", "The key is wrong.")
    job = await bed.add(Cron("0 * * * *"), "broken", retries=0, session="window:a")
    await bed.until(bed.time.moment + DAY)
    assert len(bed.worker.runs) == 3
    kept = bed.scheduler.get(job.id)
    assert (kept.enabled, kept.failures, kept.next_due) == (False, 3, None)
    assert "The key is wrong." in kept.paused
    [notice] = await bed.notices()
    assert (notice.kind, notice.title, notice.session) == ("error", "broken", "window:a")
    assert notice.body["text"] == kept.paused
    bed.worker.say = lambda _job, _run: Done("ok")
    kept = await bed.scheduler.switch(job.id, on=True)
    assert (kept.enabled, kept.failures, kept.paused) == (True, 0, "")
    await bed.scheduler.settled()
    await bed.until(bed.time.moment + 2 * HOUR)
    assert len(bed.worker.runs) == 5


async def test_a_failure_between_successes_pauses_nothing(bed: Bed) -> None:
    bed.worker.say = lambda _job, _run: Done("ok" if len(bed.worker.runs) % 3 == 0 else "failed", "x")
    job = await bed.add(Cron("0 * * * *"), retries=0)
    await bed.until(bed.time.moment + 30 * HOUR)
    assert len(bed.worker.runs) == 30
    assert bed.scheduler.get(job.id).enabled


async def test_a_job_with_one_moment_that_fails_stays_and_is_told(bed: Bed) -> None:
    bed.worker.say = lambda _job, _run: Done("failed", "no network")
    job = await bed.add(At(bed.time.moment + 60), retries=0, delete_after_run=True)
    await bed.until(bed.time.moment + 61)
    assert not bed.scheduler.get(job.id).enabled
    [notice] = await bed.notices("error")
    assert "no network" in notice.body["text"]


@pytest.mark.expected_log(r"desktop\.cron\.runs: run")
async def test_a_runner_that_breaks_is_a_failure_and_no_end_of_the_others(bed: Bed) -> None:
    def breaks(job: Job, _run: object) -> Done:
        if job.name == "bad":
            raise RuntimeError("broken")
        return Done("ok")

    bed.worker.say = breaks
    await bed.add(Every(60, 0), "bad", retries=0)
    await bed.add(Every(60, 0), "good")
    await bed.until(bed.time.moment + 200)
    outcomes = [(row.name, row.outcome) for row in await bed.rows()]
    assert sorted(outcomes) == [("bad", "failed")] * 3 + [("good", "ok")] * 3


async def test_a_day_that_is_spent_skips_without_blame(bed: Bed) -> None:
    """The runner says skipped: no failure, and a job with one moment does not go away."""
    bed.worker.say = lambda _job, _run: Done("skipped", "The day's money is spent.")
    once = await bed.add(At(bed.time.moment + 60), delete_after_run=True)
    often = await bed.add(Every(60, 0))
    await bed.until(bed.time.moment + 601)
    assert bed.scheduler.get(once.id).last_outcome == "skipped"
    kept = bed.scheduler.get(often.id)
    assert (kept.enabled, kept.failures) == (True, 0)


# ---- by hand


async def test_run_now_leaves_the_schedule_as_it_is(bed: Bed) -> None:
    job = await bed.add(At(bed.time.moment + HOUR), delete_after_run=True)
    run = await bed.scheduler.run_now(job.id)
    await bed.scheduler.quiet()
    row = await bed.ledger.get(run.id)
    assert row
    assert (row.cause, row.outcome) == ("hand", "ok")
    assert bed.scheduler.get(job.id).next_due == job.next_due
    await bed.until(bed.time.moment + HOUR + 1)
    assert [run.cause for _job, run, _at in bed.worker.runs] == ["hand", "due"]
    with pytest.raises(UsageError, match="no task"):
        await bed.scheduler.run_now("nobody")


async def test_changes_are_told(bed: Bed) -> None:
    with bed.bus.subscribe() as events:
        job = await bed.add(Every(60, 0))
        await bed.until(bed.time.moment + 61)
        await bed.scheduler.remove(job.id)
        seen: list[object] = []
        while seen.count(JobsChanged(job.id)) < 4:
            seen.append(await asyncio.wait_for(anext(events), 5))
    assert JobsChanged() in seen


async def test_a_job_that_is_switched_off_is_not_due(bed: Bed) -> None:
    job = await bed.add(Every(60, 0))
    await bed.scheduler.switch(job.id, on=False)
    await bed.until(bed.time.moment + 600)
    assert bed.time.armed is None
    await bed.sleep(600)
    await bed.scheduler.switch(job.id, on=True)
    await bed.scheduler.quiet()
    assert not bed.worker.runs
    await bed.until(bed.time.moment + 60)
    assert len(bed.worker.runs) == 1


# ---- clocks and zones


async def test_a_clock_that_is_set_back_a_day_runs_nothing_again(bed: Bed) -> None:
    start = bed.time.moment
    await bed.add(Cron("0 * * * *"), "hourly")
    await bed.add(Cron("0 9 * * *"), "daily")
    await bed.until(start + 30 * HOUR)
    before = len(bed.worker.runs)
    bed.time.moment -= DAY
    bed.time.changed()
    await bed.scheduler.quiet()
    assert len(bed.worker.runs) == before
    await bed.until(start + 60 * HOUR)
    planned = bed.worker.planned
    assert len(planned) == len(set(planned))
    assert sorted(moment for name, moment in planned if name == "hourly") == [
        start + HOUR * n for n in range(1, 61)
    ]
    assert len([name for name, _moment in planned if name == "daily"]) == 2


async def test_a_clock_that_is_set_forward_a_year_and_back_again(bed: Bed) -> None:
    start = bed.time.moment
    job = await bed.add(Cron("0 * * * *"), "hourly")
    await bed.until(start + HOUR)
    bed.time.moment += 365 * DAY
    bed.time.changed()
    await bed.scheduler.quiet()
    [_first, late] = await bed.rows()
    assert (late.missed, late.planned) == (365 * 24 - 1, start + HOUR + 365 * DAY)
    bed.time.moment -= 365 * DAY
    bed.time.changed()
    await bed.scheduler.quiet()
    assert bed.scheduler.get(job.id).next_due == start + 2 * HOUR
    await bed.until(start + 3 * HOUR)
    assert [moment for _name, moment in bed.worker.planned][2:] == [start + 2 * HOUR, start + 3 * HOUR]


async def test_a_clock_put_right_while_the_program_was_closed(bed: Bed) -> None:
    start = bed.time.moment
    job = await bed.add(Cron("0 * * * *"))
    await bed.sleep(365 * DAY)
    await bed.again(after=-365 * DAY)
    assert bed.scheduler.get(job.id).next_due == start + HOUR


async def test_the_persons_zone_is_followed(bed: Bed) -> None:
    """Nine in the morning wherever they are; a zone of its own stays."""
    followed = await bed.add(Cron("0 9 * * *"))
    fixed = await bed.add(Cron("0 9 * * *", "UTC"))
    bed.zone = "Asia/Tokyo"
    bed.scheduler.apply()
    await bed.scheduler.quiet()
    assert bed.scheduler.get(followed.id).next_due == unix("2026-11-29T09:00", "Asia/Tokyo")
    assert bed.scheduler.get(fixed.id).next_due == unix("2026-11-29T09:00")
    bed.zone = "America/New_York"
    await bed.again(after=60)
    assert bed.scheduler.get(followed.id).next_due == unix("2026-11-29T09:00", "America/New_York")


async def test_who_only_looks_sees_the_times_of_the_zone_of_now(bed: Bed) -> None:
    job = await bed.add(Cron("0 9 * * *"))
    bed.zone = "Asia/Tokyo"
    seen = Listing(bed.store, bed.bus, bed.time, lambda: bed.zone)
    await seen.read()
    assert seen.get(job.id).next_due == unix("2026-11-29T09:00", "Asia/Tokyo")
    assert [one.next_due for one in seen.jobs()] == [unix("2026-11-29T09:00", "Asia/Tokyo")]


async def test_a_zone_that_does_not_exist_is_said_and_reminders_go_on(bed: Bed) -> None:
    await bed.add(At(bed.time.moment + 60), plain=True)
    bed.zone = "Mars/Crater"
    bed.scheduler.apply()
    await bed.scheduler.quiet()
    assert "Mars/Crater" in bed.scheduler.status.detail
    await bed.until(bed.time.moment + 61)
    assert len(await bed.notices()) == 1


# ---- who runs them


async def test_two_homes_on_one_workspace_run_each_job_once(made: Made) -> None:
    one, two = await made(), await made(home="other")
    assert (one.scheduler.mine, two.scheduler.mine) == (True, False)
    assert "Another program runs the tasks of this folder (test" in two.scheduler.status.detail
    job = await two.add(Every(60, 0))
    await soon(lambda: len(one.scheduler.jobs()) == 1)
    with pytest.raises(UsageError, match="Another program"):
        await two.scheduler.run_now(job.id)
    for bed in (one, two):
        bed.time.moment += 60
        bed.time.ring()
        await bed.scheduler.quiet()
    assert (len(one.worker.runs), len(two.worker.runs)) == (1, 0)
    await one.stop()
    await two.until(two.time.moment + 60)
    assert two.scheduler.mine
    assert two.scheduler.status.detail == ""
    await two.until(two.time.moment + 60)
    moments = [run.planned for bed in (one, two) for _job, run, _at in bed.worker.runs]
    assert moments == [job.created + 60, job.created + 120, job.created + 180]
    await one.database.open()


async def test_a_job_added_by_another_process_is_run(made: Made) -> None:
    one, two = await made(), await made(home="other")
    job = await two.add(At(two.time.moment + 60), plain=True)
    await soon(lambda: one.time.armed == job.next_due)
    await one.until(one.time.moment + 61)
    assert len(await one.notices()) == 1
    await soon(lambda: not two.scheduler.get(job.id).enabled)


# ---- edits by hand


async def test_an_edit_by_hand_counts_at_once(bed: Bed) -> None:
    job = await bed.add(Cron("0 9 * * *"))
    raw = json.loads(bed.store.path.read_text("utf-8"))
    raw["jobs"][0]["schedule"]["expr"] = "30 20 * * *"
    bed.store.path.write_text(json.dumps(raw))
    await soon(lambda: bed.time.armed == unix("2026-11-28T20:30"))
    raw["jobs"].append(
        {"name": "by hand", "schedule": {"at": "2026-11-28 19:00"}, "payload": {"message": "x"}}
    )
    bed.store.path.write_text(json.dumps(raw))
    await soon(lambda: bed.time.armed == unix("2026-11-28T19:00"))
    await bed.until(unix("2026-11-28T21:00"))
    assert [run.planned for _job, run, _at in bed.worker.runs] == [
        unix("2026-11-28T19:00"),
        unix("2026-11-28T20:30"),
    ]
    assert bed.scheduler.get(job.id).next_due == unix("2026-11-29T20:30")


async def test_an_editor_that_saves_an_old_state_brings_no_run_back(bed: Bed) -> None:
    await bed.add(Cron("0 * * * *"))
    old = bed.store.path.read_text("utf-8")
    await bed.until(bed.time.moment + 3 * HOUR)
    assert len(bed.worker.runs) == 3
    bed.store.path.write_text(old.replace('"do job"', '"do more"'))
    await soon(lambda: bed.scheduler.jobs()[0].message == "do more")
    await bed.scheduler.quiet()
    assert len(bed.worker.runs) == 3
    await bed.until(bed.time.moment + HOUR)
    assert [job.message for job, _run, _at in bed.worker.runs] == ["do job"] * 3 + ["do more"]


async def test_jobs_of_nanobot_go_on(bed: Bed) -> None:
    """Those of its kind are planned from now on: months of missed runs are not made up for."""
    job = {
        "id": "a1b2c3d4",
        "name": "water",
        "enabled": True,
        "schedule": {"kind": "cron", "expr": "0 9 * * *", "tz": "Europe/Berlin"},
        "payload": {"kind": "agent_turn", "message": "water", "channel": "telegram", "to": "1001"},
        "state": {"nextRunAtMs": 1772960400000},
        "createdAtMs": 1772300000000,
    }
    bed.store.path.write_text(json.dumps({"version": 1, "jobs": [job]}))
    await soon(lambda: bed.time.armed == unix("2026-11-29T09:00", "Europe/Berlin"))
    assert not bed.worker.runs
    assert replace(bed.scheduler.get("a1b2c3d4")).session == "telegram:1001"
