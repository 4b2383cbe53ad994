"""Whatever instant the program dies at: no reminder is lost, and nothing runs twice.

Each test makes the files look as they do at one of these instants, and begins the next process on them.
"""

import asyncio
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from desktop.cron.job import Job
from desktop.cron.ledger import HAND, Run
from desktop.cron.schedule import At, Every
from tests.unit.cron.bed import Bed, soon
from tests.unit.cron.conftest import Made

PLAIN = pytest.mark.parametrize("plain", [True, False], ids=["reminder", "task"])


def claimed(job: Job, now: float) -> Run:
    assert job.next_due is not None
    return Run(job.id, job.name, job.next_due, 0, "due", 0, now)


async def told(bed: Bed) -> list[str]:
    """What the person got: reminders, and runs of the model."""
    return [notice.title for notice in await bed.notices("reminder")] + [
        job.name for job, _run, _at in bed.worker.runs
    ]


async def restart(bed: Bed) -> None:
    await bed.again(after=1)
    await bed.until(bed.time.moment + 30)


@PLAIN
async def test_killed_after_the_claim(bed: Bed, plain: bool) -> None:
    job = await bed.add(At(bed.time.moment + 60), plain=plain, delete_after_run=True)
    await bed.ledger.claim(claimed(job, bed.time.moment + 60))
    bed.time.moment += 60
    await restart(bed)
    assert await told(bed) == ["job"]
    assert [row.outcome for row in await bed.rows()] == ["ok"]
    assert bed.scheduler.jobs() == []


@PLAIN
async def test_killed_after_the_job_was_moved_on(bed: Bed, plain: bool) -> None:
    job = await bed.add(At(bed.time.moment + 60), plain=plain, delete_after_run=True)
    run = claimed(job, bed.time.moment + 60)
    await bed.ledger.claim(run)
    moved = replace(job, next_due=None, last_due=run.planned, last_run_id=run.id)
    await bed.store.update(lambda _jobs: {job.id: moved}, by_person=False)
    bed.time.moment += 60
    await restart(bed)
    assert await told(bed) == ["job"]
    assert [row.outcome for row in await bed.rows()] == ["ok"]
    assert bed.scheduler.jobs() == []


async def test_killed_while_a_task_was_at_work(bed: Bed) -> None:
    """Its message is on disk, so it is not begun again but told of."""
    job = await bed.add(At(bed.time.moment + 60), "report", delete_after_run=True, session="window:a")
    bed.worker.gate = asyncio.Event()
    bed.time.moment += 60
    bed.time.ring()
    await soon(lambda: bool(bed.worker.runs))
    await restart(bed)
    assert len(bed.worker.runs) == 1
    [row] = await bed.rows()
    assert row.outcome == "interrupted"
    [notice] = await bed.notices()
    assert (notice.kind, notice.session, notice.title) == ("error", "window:a", "report")
    kept = bed.scheduler.get(job.id)
    assert (kept.enabled, kept.last_outcome) == (False, "interrupted")
    await restart(bed)
    assert len(await bed.notices()) == 1


async def test_killed_after_the_notice(bed: Bed) -> None:
    job = await bed.add(Every(60, 0), plain=True)
    bed.time.moment += 60
    bed.time.ring()
    await bed.scheduler.quiet()
    [row] = await bed.rows()
    await bed.database.write("UPDATE runs SET outcome = 'running', ended = NULL")
    await restart(bed)
    assert await told(bed) == ["job"]
    assert [(row.id, row.outcome) for row in await bed.rows()] == [(row.id, "ok")]
    assert bed.scheduler.get(job.id).next_due == job.created + 120


@pytest.mark.parametrize("gone", [True, False])
async def test_killed_before_a_job_with_one_moment_was_taken_away(bed: Bed, gone: bool) -> None:
    job = await bed.add(At(bed.time.moment + 60), plain=True, delete_after_run=gone)
    run = claimed(job, bed.time.moment + 60)
    await bed.ledger.claim(run)
    await bed.ledger.finish(run.id, "ok", "", bed.time.moment + 60)
    moved = replace(job, next_due=None, last_due=run.planned, last_run_id=run.id)
    await bed.store.update(lambda _jobs: {job.id: moved}, by_person=False)
    bed.time.moment += 60
    await restart(bed)
    assert await told(bed) == []
    assert [job.enabled for job in bed.scheduler.jobs()] == ([] if gone else [False])


async def test_killed_between_the_question_and_the_file(bed: Bed) -> None:
    """The row says asked: the question is put again, once."""
    job = await bed.add(At(bed.time.moment + 60), missed="ask")
    run = replace(claimed(job, bed.time.moment), outcome="asked", ended=bed.time.moment, cause="late")
    await bed.ledger.claim(run)
    await bed.again(after=3600)
    [notice] = await bed.notices()
    assert notice.body["run"] == run.id
    assert not bed.worker.runs
    assert bed.scheduler.get(job.id).next_due is None
    await bed.again(after=60)
    assert len(await bed.notices()) == 1


async def test_killed_in_a_run_by_hand(bed: Bed) -> None:
    job = await bed.add(At(bed.time.moment + 3600))
    await bed.ledger.claim(Run(job.id, job.name, bed.time.moment, 0, HAND, 0, bed.time.moment))
    await restart(bed)
    assert [run.cause for _job, run, _at in bed.worker.runs] == ["hand"]
    kept = bed.scheduler.get(job.id)
    assert (kept.enabled, kept.next_due) == (True, job.next_due)


async def test_a_job_that_was_taken_away_meanwhile(bed: Bed) -> None:
    job = await bed.add(At(bed.time.moment + 60))
    await bed.ledger.claim(claimed(job, bed.time.moment))
    await bed.store.update(lambda _jobs: {job.id: None}, by_person=True)
    await restart(bed)
    assert [row.outcome for row in await bed.rows()] == ["interrupted"]
    assert not bed.worker.runs


async def test_another_home_took_over_what_this_one_had_claimed(made: Made) -> None:
    """One dies between its claim and the file; two runs the moment; one must not run it after that."""
    one = await made()
    job = await one.add(At(one.time.moment + 60), plain=True)
    await one.ledger.claim(claimed(job, one.time.moment))
    await one.scheduler.stop()
    two = await made(home="other")
    await two.until(two.time.moment + 61)
    assert await told(two) == ["job"]
    await two.stop()
    await two.database.open()
    await one.again(after=120)
    assert await told(one) == []
    assert [row.outcome for row in await one.rows()] == ["skipped"]


# ---- the disk is full


@contextmanager
def full(size: int = 1) -> Iterator[None]:
    """No file can be written beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@PLAIN
@pytest.mark.parametrize("missed", ["late", "skip"])
async def test_a_full_disk_at_the_claim(bed: Bed, plain: bool, missed: str) -> None:
    start = bed.time.moment
    await bed.add(At(start + 60), plain=plain, missed=missed, delete_after_run=True)
    with full():
        for minute in range(1, 4):
            bed.time.moment = start + 60 * minute
            bed.time.ring()
            await bed.scheduler.quiet()
            assert await told(bed) == []
            assert bed.scheduler.status.state == "degraded"
            assert bed.time.armed == bed.time.moment + 60
    await bed.until(start + 600)
    assert await told(bed) == ["job"]
    assert bed.scheduler.status.state == "running"
    [row] = await bed.rows()
    assert (row.planned, row.claimed, row.outcome) == (start + 60, start + 240, "ok")


@PLAIN
async def test_a_disk_that_is_too_full_for_the_file_of_the_jobs(bed: Bed, plain: bool) -> None:
    """The claim is written, the file is not: nothing is begun, and later the claim is taken up."""
    start = bed.time.moment
    heavy = await bed.add(At(start + 1e6))
    await bed.scheduler.change(heavy.id, message="x" * 2_000_000)
    await bed.add(At(start + 60), plain=plain, delete_after_run=True)
    before = bed.store.path.read_bytes()
    with full(1_000_000):
        bed.time.moment = start + 60
        bed.time.ring()
        await bed.scheduler.quiet()
        assert [row.outcome for row in await bed.rows()] == ["running"]
        assert await told(bed) == []
        assert bed.store.path.read_bytes() == before
    await bed.until(start + 600)
    assert await told(bed) == ["job"]
    assert [row.outcome for row in await bed.rows()] == ["ok"]


async def test_a_disk_that_is_full_when_a_run_ends(bed: Bed) -> None:
    start = bed.time.moment
    bed.worker.gate = asyncio.Event()
    job = await bed.add(At(start + 60), delete_after_run=True)
    bed.time.moment = start + 60
    bed.time.ring()
    await soon(lambda: bool(bed.worker.runs))
    with full():
        bed.worker.gate.set()
        await bed.scheduler.quiet()
        assert bed.scheduler.jobs() == [bed.scheduler.get(job.id)]
    await bed.until(start + 600)
    assert [row.outcome for row in await bed.rows()] == ["ok"]
    assert bed.scheduler.jobs() == []
    assert len(bed.worker.runs) == 1
