"""What was used, through the door; and the month's budget: warned, stopped, and what goes on."""

import json
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from desktop.api.usage import Budget
from desktop.bus.events import TurnFailed, TurnFinished
from desktop.cron.job import Job
from desktop.cron.ledger import DUE, Run
from desktop.cron.schedule import At
from desktop.errors import UsageError
from desktop.inbox.inbox import ERROR
from desktop.providers.budget import MonthIsSpent
from desktop.tasks import in_thread
from desktop.usage import Call, beginning, today
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk


async def used(desk: Desk, usd: float | None, **call: Any) -> None:
    """Enter a call of today in the ledger."""
    given: dict[str, Any] = {"provider": "openai", "model": "gpt-5"} | call
    await desk.owner.core.usage.record(Call(**given, input_tokens=1000, output_tokens=100, cost=usd))


async def notices(desk: Desk) -> list[str]:
    return [n.title for n in await desk.owner.core.inbox.list(all_=True) if n.kind == ERROR]


async def run_job(desk: Desk) -> str:
    job = Job("abcd1234", "news", At(0), "Say the news.")
    run = Run(job.id, job.name, time.time(), 0, DUE, 0, time.time())
    done = await desk.owner.core.background.unattended(job, run)
    return f"{done.outcome}: {done.detail}"


# ---- what was used


async def test_what_was_used_is_told_by_model_conversation_and_cause(desk: Desk) -> None:
    await desk.ask("window:a", "What is this?")
    await used(desk, 0.5, session="window:a")
    await used(desk, None, provider="groq", model="llama", session="window:gone", cause="job")
    await used(desk, None, provider="ollama", model="qwen", cause="heartbeat", session="heartbeat")
    found = await desk.api.usage.report("7", "model")
    titles = {line.title: line for line in found.lines}
    assert found.lines[0].title == "gpt-5"
    assert (titles["gpt-5"].about, titles["gpt-5"].cost) == ("OpenAI", 0.5)
    assert (titles["llama"].cost, titles["llama"].unpriced) == (None, 1100)
    assert (titles["qwen"].cost, titles["qwen"].free) == (0.0, 1100)
    assert found.total.cost == 0.5
    assert found.total.unpriced >= 1100
    assert [day.day for day in found.days] == [today().isoformat()]
    assert found.first == (today() - timedelta(days=6)).isoformat()

    lines = (await desk.api.usage.report(by="session")).lines
    assert {line.title for line in lines} == {
        "What is this?",
        "A deleted conversation",
        "Heartbeat",
    }
    lines = (await desk.api.usage.report(by="cause")).lines
    assert {line.title for line in lines} == {"Conversations", "Tasks", "Heartbeat"}


async def test_a_span_has_its_days_and_no_others(desk: Desk) -> None:
    core = desk.owner.core
    for days in (0, 6, 7, 40, 400):
        await used(desk, 1.0)
        at = beginning(today() - timedelta(days=days)) + 60
        await core.database.write("UPDATE usage SET at = ? WHERE id = (SELECT max(id) FROM usage)", (at,))
    for span, calls in (("7", 2), ("30", 3), ("90", 4), ("all", 5)):
        assert (await desk.api.usage.report(span)).total.calls == calls
    found = await desk.api.usage.report("month")
    assert date.fromisoformat(found.first) == today().replace(day=1)
    assert date.fromisoformat((await desk.api.usage.report("all")).first) == today() - timedelta(400)


@pytest.mark.parametrize("given", [{"by": "colour"}, {"span": "0"}, {"span": "-3"}, {"span": "1e9"}])
async def test_what_cannot_be_asked_is_said(desk: Desk, given: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        await desk.api.usage.report(**given)


async def test_a_long_list_is_cut_and_says_so(desk: Desk) -> None:
    for number in range(103):
        await used(desk, 0.001 * number, session=f"window:{number}")
    found = await desk.api.usage.report(by="session")
    assert (len(found.lines), found.count) == (100, 103)
    assert found.lines[0].name == ("window:102",)


# ---- the month's budget


async def test_without_a_budget_nothing_is_stopped(desk: Desk) -> None:
    await used(desk, 1e6)
    assert isinstance(await desk.ask("window:a", "Hello"), TurnFinished)
    assert (await desk.api.usage.report()).budget.state == ""


async def test_four_fifths_are_told_once_and_all_once(desk: Desk) -> None:
    await desk.api.settings.change({"limits.monthly_usd": 10})
    await used(desk, 7.99)
    assert await notices(desk) == []
    await used(desk, 0.02)
    await used(desk, 0.02)
    assert await notices(desk) == ["80% of this month’s budget is used."]
    budget = (await desk.api.usage.report()).budget
    assert budget == Budget(budget.usd, 0, 10.0, "warned")
    assert budget.usd == pytest.approx(8.03)
    await used(desk, 2.0)
    await used(desk, 2.0)
    assert sorted(await notices(desk)) == [
        "80% of this month’s budget is used.",
        "This month’s budget of $10.00 is used up.",
    ]
    assert (await desk.api.usage.report()).budget.state == "spent"


async def test_when_the_month_is_spent_no_model_that_costs_is_asked(
    desk: Desk, server: ScriptedServer
) -> None:
    await desk.api.settings.change({"limits.monthly_usd": 5})
    await used(desk, 5.0)
    for _time in range(2):
        end = await desk.ask("window:a", "Hello")
        assert isinstance(end, TurnFailed)
        assert end.error == "This month’s budget of $5.00 is used up."
        assert "Settings, under Usage" in end.remedy
    assert (await run_job(desk)).startswith("skipped: This month’s budget")
    assert server.requests == []
    assert await notices(desk) == ["This month’s budget of $5.00 is used up."]
    await desk.api.settings.change({"limits.monthly_usd": 6})
    await desk.api.turns.again("window:a")
    assert isinstance(await desk.end(), TurnFinished)
    assert len(server.requests) == 1


async def test_the_budget_stops_a_turn_between_two_calls(desk: Desk, server: ScriptedServer) -> None:
    await desk.api.settings.change({"limits.monthly_usd": 5})
    held = server.hold("Look")
    server.when("Look", f"use:{json.dumps([['list_dir', {'path': '.'}]])}")
    await desk.api.turns.submit("window:a", "Look")
    await in_thread(server.wait_for_request)
    await used(desk, 5.0)
    held.set()
    end = await desk.end()
    assert isinstance(end, TurnFailed)
    assert "budget" in end.error
    assert len(server.requests) == 1


async def test_what_was_spent_before_this_month_does_not_count(desk: Desk) -> None:
    await desk.api.settings.change({"limits.monthly_usd": 5})
    await used(desk, 50.0)
    at = beginning(today().replace(day=1)) - 60
    await desk.owner.core.database.write("UPDATE usage SET at = ?", (at,))
    assert isinstance(await desk.ask("window:a", "Hello"), TurnFinished)


async def test_unknown_prices_neither_count_nor_pass_for_nothing(desk: Desk) -> None:
    await desk.api.settings.change({"limits.monthly_usd": 5})
    await used(desk, None)
    await used(desk, 4.5)
    budget = (await desk.api.usage.report()).budget
    assert (budget.usd, budget.unpriced, budget.state) == (4.5, 1100, "warned")


async def test_models_on_this_computer_go_on(desk: Desk, server: ScriptedServer, tmp_path: Path) -> None:
    values = {
        "providers.vllm.api_base": server.url,
        "agents.defaults.provider": "vllm",
        "limits.monthly_usd": 5,
    }
    await desk.api.settings.change(values)
    await used(desk, 5.0)
    assert isinstance(await desk.ask("window:a", "Hello"), TurnFinished)
    assert (await run_job(desk)).startswith("ok:")
    with pytest.raises(MonthIsSpent):
        await desk.owner.core.budget.check_month()


# ---- on the command line


async def test_the_command_says_what_has_no_known_price(desk: Desk, tmp_path: Path) -> None:
    await used(desk, 1.5)
    await used(desk, None, provider="groq", model="llama", session="window:gone")
    done = await in_thread(Program(tmp_path).run, "usage", "--by", "model")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["gpt-5", "(OpenAI)", "1", "1,000", "100", "$1.50"] in lines
    assert ["llama", "(Groq)", "1", "1,000", "100", "unknown"] in lines
    assert ["Total", "2", "2,000", "200", "$1.50", "+", "unknown"] in lines
    assert "The price of 1,100 tokens is unknown." in done.stdout


def test_the_command_tells_days_models_and_the_budget(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.configure(limits={"monthlyUsd": 10})
    done = program.run("usage")
    assert (done.returncode, "No calls to a model in this period." in done.stdout) == (0, True)
    assert "This month: $0.00 of $10.00." in done.stdout
    [found] = program.events("usage", "--by", "model", "--days", "7")
    assert (found["lines"], found["total"]["calls"], found["budget"]["limit"]) == ([], 0, 10.0)
    assert program.run("usage", "--by", "colour").returncode == 2
    assert program.run("usage", "--days", "0").returncode == 2
