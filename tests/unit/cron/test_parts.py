"""The small parts: the ledger's questions, who owns a workspace, the zone of the computer, the watch."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from desktop.cron.ledger import Run
from desktop.cron.owner import CARD, Owner
from desktop.cron.watch import Watch
from desktop.cron.zone import zone
from desktop.errors import StorageError
from tests.unit.cron.bed import Bed, soon


def run(planned: float, **fields: object) -> Run:
    given = {
        "job": "a",
        "name": "n",
        "attempt": 0,
        "cause": "due",
        "missed": 0,
        "claimed": planned,
    } | fields
    return Run(planned=planned, **given)  # type: ignore[arg-type]


async def test_a_moment_is_claimed_once(bed: Bed) -> None:
    first, second = run(5.0), run(5.0)
    assert await bed.ledger.claim(first)
    assert not await bed.ledger.claim(second)
    assert await bed.ledger.claim(run(5.0, attempt=1))
    assert await bed.ledger.claim(run(5.0, job="b"))
    assert await bed.ledger.find("a", 5.0) == first
    assert await bed.ledger.get(second.id) is None
    assert [found.job for found in await bed.ledger.unended()] == ["a", "a", "b"]
    await bed.ledger.finish(first.id, "ok", "well", 9.0, 12, 0.5)
    done = await bed.ledger.get(first.id)
    assert done
    assert (done.outcome, done.detail, done.ended, done.tokens, done.cost) == ("ok", "well", 9.0, 12, 0.5)
    assert done.planned == 5.0


async def test_the_ledger_is_listed_by_job_outcome_and_page(bed: Bed) -> None:
    for n in range(6):
        await bed.ledger.claim(run(float(n), job="ab"[n % 2], outcome="ok" if n < 4 else "failed"))
    moments = [found.planned for found in await bed.ledger.list()]
    assert moments == [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    assert [found.planned for found in await bed.ledger.list(job="a")] == [4.0, 2.0, 0.0]
    assert [found.planned for found in await bed.ledger.list(outcome="failed")] == [5.0, 4.0]
    assert [found.planned for found in await bed.ledger.list(limit=2, before=4.0)] == [3.0, 2.0]
    assert await bed.ledger.planned_after("a", 1.0) == {2.0, 4.0}
    last = await bed.ledger.last("a")
    assert last
    assert last.planned == 4.0


async def test_only_what_was_asked_is_begun_by_an_answer(bed: Bed) -> None:
    asked, done = run(1.0, outcome="asked"), run(2.0, outcome="ok")
    for row in (asked, done):
        await bed.ledger.claim(row)
    assert await bed.ledger.reopen(asked.id, 50.0)
    assert not await bed.ledger.reopen(asked.id, 60.0)
    assert not await bed.ledger.reopen(done.id, 60.0)
    assert [(found.id, found.claimed) for found in await bed.ledger.unended()] == [(asked.id, 50.0)]


async def test_a_ledger_that_is_closed_says_so(bed: Bed) -> None:
    await bed.database.close()
    with pytest.raises(StorageError):
        await bed.ledger.claim(run(1.0))
    await bed.database.open()


def test_one_owner_and_who_that_is(tmp_path: Path) -> None:
    one, two = Owner(tmp_path / "cron", "window"), Owner(tmp_path / "cron", "serve")
    assert one.take()
    assert one.take()
    assert not two.take()
    assert (one.who(), one.mine, two.mine) == ("", True, False)
    assert f"window, process {os.getpid()}" in two.who()
    card = tmp_path / "cron" / CARD
    stranger = json.loads(card.read_text("utf-8")) | {"started": 1.0}
    card.write_text(json.dumps(stranger))  # the number is another process's by now
    assert "process" not in two.who()
    for nonsense in ("", "[]", '{"pid": "x"}', '{"pid": -5}'):
        card.write_text(nonsense)
        assert "Another program" in two.who()
    one.release()
    one.release()
    assert two.take()
    two.release()
    assert not card.exists()


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        (":America/New_York", "America/New_York"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "UTC"),
        ("Nowhere/Land", "UTC"),
    ],
)
def test_the_zone_of_this_computer(said: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", said)
    assert zone() == name


async def test_a_file_is_watched_and_its_neighbours_are_not(tmp_path: Path) -> None:
    calls: list[None] = []
    watch = Watch(tmp_path / "new" / "jobs.json", lambda: calls.append(None))
    await watch.start()
    other = tmp_path / "new" / "other.json"
    other.write_text("x")
    other.replace(tmp_path / "new" / "jobs.json")
    await soon(lambda: len(calls) == 1)
    (tmp_path / "new" / "jobs.json").write_text("y")
    await soon(lambda: len(calls) == 2)
    (tmp_path / "new" / "jobs.json").unlink()
    await soon(lambda: len(calls) == 3)
    other.write_text("x")
    await asyncio.to_thread(other.read_text)
    await watch.stop()
    await watch.stop()
    assert len(calls) == 3
