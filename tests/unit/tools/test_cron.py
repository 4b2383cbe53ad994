"""The cron tool, on a real scheduler whose time the test moves."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from desktop.agent.arguments import arguments_of
from desktop.agent.view import View
from desktop.cron.schedule import At, Cron, Every
from desktop.tools.base import Effect, ToolContext, ToolFailure
from desktop.tools.cron import Cron as CronTool
from desktop.tools.cron import CronArguments
from desktop.tools.permissions.policy import Situation, Verdict, decide
from tests.unit.cron.bed import Bed, unix

NOW = unix("2026-11-28T18:00", "Europe/Berlin")


@pytest.fixture
async def bed(tmp_path: Path) -> AsyncIterator[Bed]:
    bed = Bed(tmp_path, NOW, "Europe/Berlin")
    await bed.start()
    yield bed
    await bed.stop()


def context(bed: Bed, session: str = "window:a") -> ToolContext:
    return ToolContext(session, "t", "c", bed.folder, bed.folder)


async def call(bed: Bed, session: str = "window:a", **given: Any) -> str:
    tool = CronTool(bed.scheduler)
    args = arguments_of(tool, json.dumps(given))
    assert isinstance(args, CronArguments)
    assert tool.claim(args, context(bed, session)) is not None
    said = await tool.run(args, context(bed, session))
    await bed.scheduler.quiet()
    return said


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ({"in_minutes": 20}, 1200),
        ({"in_minutes": "20"}, 1200),
        ({"in_minutes": "20 minutes"}, 1200),
        ({"in_minutes": "in 20 minutes"}, 1200),
        ({"in_minutes": 0.5}, 30),
        ({"in_minutes": "2 hours"}, 7200),
        ({"in_minutes": "half an hour"}, 1800),
        ({"in_minutes": "an hour"}, 3600),
        ({"in_minutes": "20分钟后"}, 1200),
        ({"in_minutes": "半小时"}, 1800),
        ({"in_minutes": "两天", "at": "18:20"}, 48 * 3600),
        ({"in_minutes": "soon", "at": "18:20"}, None),
        ({"at": "Monday at 9 am"}, 39 * 3600),
        ({"at": "tomorrow at 5"}, None),
        ({"at": "in 20 minutes"}, 1200),
        ({"at": "20 minutes."}, 1200),
        ({"at": "18:20."}, 1200),
        ({"in_minutes": " 20 minutes。"}, 1200),
        ({"at": "20 minutes from now"}, 1200),
        ({"at": "20分钟后"}, 1200),
        ({"at": "18:20:00"}, 1200),
        ({"at": "18:20"}, 1200),
        ({"at": "6:20 pm"}, 1200),
        ({"at": "today at 18:20"}, 1200),
        ({"at": "17:00"}, 23 * 3600),
        ({"at": "tomorrow 9:00"}, 15 * 3600),
        ({"at": "明天 9:00"}, 15 * 3600),
        ({"at": "9am"}, 15 * 3600),
        ({"at": "2026-11-28T18:20"}, 1200),
        ({"at": "2026-11-28 18:20:00"}, 1200),
        ({"at": "2026-11-28T17:20:00Z"}, 1200),
        ({"at": "2026-11-28T12:20:00-05:00"}, 1200),
        ({"at": "2026-11-28T12:20", "tz": "America/New_York"}, 1200),
        ({"at": "2026-11-28T17:58"}, -120),
        ({"in_minutes": 20, "at": ""}, 1200),
        ({"in_minutes": 20, "tz": None, "cron_expr": "", "every_seconds": 0}, 1200),
    ],
)
async def test_a_moment_may_be_written_in_many_ways(
    bed: Bed, given: dict[str, Any], after: float | None
) -> None:
    given = {name: value for name, value in given.items() if value is not None}
    if after is None:
        with pytest.raises(ToolFailure, match=r"must be a number|Ask the person which is meant"):
            await call(bed, message="call Anna", **given)
        return
    said = await call(bed, message="call Anna", **given)
    if after > 0:
        [job] = bed.scheduler.jobs()
        assert (job.spec, job.plain, job.delete_after_run) == (At(NOW + after), True, True)
        assert (job.message, job.session, job.name) == ("call Anna", "window:a", "call Anna")
        assert job.id in said
    await bed.until(NOW + max(after, 0) + 1)
    [notice] = await bed.notices("reminder")
    assert notice.body["text"] == "call Anna"


async def test_what_repeats_is_a_task_unless_it_is_said(bed: Bed) -> None:
    await call(bed, action="add", message="news", cron_expr="0 9 * * 1-5", name="News", missed="skip")
    await call(bed, action="add", message="drink", every_seconds="2 hours", plain=True)
    await call(bed, action="add", message="sum up", at="20:00", plain=False)
    news, drink, sums = bed.scheduler.jobs()
    assert (news.spec, news.plain, news.missed, news.name) == (Cron("0 9 * * 1-5"), False, "skip", "News")
    assert (drink.spec, drink.plain) == (Every(7200, NOW), True)
    assert (sums.plain, sums.delete_after_run) == (False, True)
    listed = await call(bed, action="list")
    assert "'News' (task, every weekday at 09:00, next Mon 2026-11-30 09:00 Europe/Berlin" in listed
    assert await call(bed) == listed


async def test_changing_what_is_there(bed: Bed) -> None:
    await call(bed, message="news", cron_expr="0 9 * * *", name="News")
    [job] = bed.scheduler.jobs()
    assert "off" in await call(bed, action="disable", job_id=job.id)
    assert not bed.scheduler.get(job.id).enabled
    await call(bed, action="enable", job_id="news")
    await call(bed, action="update", job_id=job.id, cron_expr="0 10 * * *", message="all the news")
    [job] = bed.scheduler.jobs()
    assert (job.spec, job.message, job.enabled) == (Cron("0 10 * * *"), "all the news", True)
    await call(bed, action="run", job_id=job.id)
    assert [run.cause for run in await bed.rows()] == ["hand"]
    await call(bed, action="remove", job_id=job.id)
    assert await call(bed, action="list") == "There are no reminders and no tasks."


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"action": "dance"}, "no action"),
        ({"action": "add", "in_minutes": 5}, "message is missing"),
        ({"message": "x"}, "When"),
        ({"message": "x", "at": "soon"}, "not a date and time"),
        ({"message": "x", "at": "25:70"}, "not a valid time"),
        ({"message": "x", "at": "1970-01-01T00:00"}, "past.*now"),
        ({"message": "x", "at": "9999-12-31T00:00"}, "too far"),
        ({"message": "x", "at": "2026-12-24T18:00", "tz": "Mars/Crater"}, "no time zone"),
        ({"message": "x", "in_minutes": "many"}, "must be a number"),
        ({"message": "x", "in_minutes": -5}, "must be a number"),
        ({"message": "x", "in_minutes": 1e300}, "too far"),
        ({"message": "x", "every_seconds": 5}, "Once a minute"),
        ({"message": "x", "cron_expr": "* * 30 2 *"}, "not a valid schedule"),
        ({"message": "x", "cron_expr": "every day"}, "five fields"),
        ({"action": "remove"}, "job_id is missing"),
        ({"action": "remove", "job_id": "nobody"}, "no task 'nobody'"),
    ],
)
async def test_what_makes_no_sense_is_said(bed: Bed, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolFailure, match=said):
        await call(bed, **given)
    assert bed.scheduler.jobs() == []


async def test_a_job_cannot_set_up_jobs(bed: Bed) -> None:
    with pytest.raises(ToolFailure, match="can't set up"):
        await call(bed, session="cron:12345678", message="again", in_minutes=5)
    assert "no reminders" in await call(bed, session="cron:12345678", action="list")


def verdict(bed: Bed, mode: str, outside: bool, **given: Any) -> Verdict:
    tool = CronTool(bed.scheduler)
    args = arguments_of(tool, json.dumps(given))
    assert isinstance(args, CronArguments)
    claim = tool.claim(args, context(bed))
    view = View([{"role": "user", "content": "q", "_origin": "untrusted"}] if outside else [])
    situation = Situation(mode, bed.folder, bed.folder, bed.folder / "home", "window:a", view=view)
    return decide("cron", claim, situation).verdict


async def test_when_the_person_is_asked(bed: Bed) -> None:
    reminder = {"message": "call Anna", "in_minutes": 20}
    job = {"message": "news", "cron_expr": "0 9 * * *"}
    for mode in ("ask", "risky", "autonomous"):
        assert verdict(bed, mode, False, **reminder) is Verdict.ALLOW
        assert verdict(bed, mode, True, **reminder) is Verdict.ASK
        for outside in (False, True):
            assert verdict(bed, mode, outside, action="list") is Verdict.ALLOW
        assert verdict(bed, mode, True, **job) is Verdict.ASK
    assert verdict(bed, "ask", False, **job) is Verdict.ASK
    assert verdict(bed, "risky", False, **job) is Verdict.ALLOW
    assert verdict(bed, "autonomous", False, **job) is Verdict.ALLOW
    await call(bed, **job)
    [made] = bed.scheduler.jobs()
    assert verdict(bed, "risky", True, action="remove", job_id=made.id) is Verdict.ASK
    assert verdict(bed, "risky", False, action="remove", job_id=made.id) is Verdict.ALLOW


async def test_what_models_are_told(bed: Bed) -> None:
    tool = CronTool(bed.scheduler)
    whole = tool.schema["function"]["parameters"]
    assert set(whole["properties"]) == {
        *("action", "message", "name", "in_minutes", "at", "every_seconds", "cron_expr", "tz"),
        *("plain", "missed", "job_id"),
    }
    assert whole["properties"]["in_minutes"]["type"] == "number"
    brief = tool.brief_schema["function"]
    assert list(brief["parameters"]["properties"]) == ["message", "at"]
    assert brief["parameters"]["required"] == ["message", "at"]
    assert tool.effect is Effect.WRITE


async def test_the_list_is_told_to_a_process_that_does_not_run_the_jobs(bed: Bed, tmp_path: Path) -> None:
    other = Bed(tmp_path, NOW, "Europe/Berlin", "other")
    await other.start()
    await call(other, message="call Anna", in_minutes=20)
    with pytest.raises(ToolFailure, match="Another program runs the tasks"):
        await call(other, action="run", job_id=other.scheduler.jobs()[0].id)
    await bed.store.load()
    assert [job.message for job in bed.scheduler.jobs()] == ["call Anna"]
    await other.stop()
