"""The ledger added up: by the days here, by model, conversation and cause; what is unknown stays apart."""

import time
from collections.abc import AsyncIterator
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.database.database import Database
from desktop.usage import (
    CAUSE,
    DAY,
    MODEL,
    SESSION,
    Call,
    Figures,
    Line,
    UsageLedger,
    beginning,
    days_ago,
    midnight,
    money,
    month,
)

FREE = frozenset({"ollama"})


class Books:
    """A ledger, and a way to enter calls of other times."""

    def __init__(self, database: Database) -> None:
        self.database, self.ledger = database, UsageLedger(database, Bus())

    async def by(self, what: str, since: float = 0) -> list[Line]:
        lines, count = await self.ledger.by(what, since, FREE)
        assert count == len(lines)
        return lines

    async def enter(self, at: float, call: Call) -> None:
        await self.ledger.record(call)
        await self.database.write(
            "UPDATE usage SET at = ? WHERE id = (SELECT max(id) FROM usage)",
            (at,),
        )


@pytest.fixture
async def books(tmp_path: Path) -> AsyncIterator[Books]:
    database = Database(tmp_path / "state.db")
    await database.open()
    yield Books(database)
    await database.close()


async def test_a_day_is_one_of_the_calendar_here(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        for hour, tokens in ((0, 1), (23, 10)):  # in UTC the first is of the day before
            at = datetime(2026, 5, 3, hour, 30).timestamp()
            await books.enter(at, Call("openai", "gpt", input_tokens=tokens, cost=0.5))
        await books.enter(datetime(2026, 5, 4, 0, 1).timestamp(), Call("openai", "gpt", output_tokens=7))
        days = await books.by(DAY, beginning(date(2026, 5, 3)))
        assert [(line.name, line.figures.tokens) for line in days] == [
            (("2026-05-03",), 11),
            (("2026-05-04",), 7),
        ]
        assert await books.ledger.first() == date(2026, 5, 3)
        assert len(await books.by(DAY, beginning(date(2026, 5, 4)))) == 1
    finally:
        monkeypatch.undo()
        time.tzset()


async def test_unknown_prices_and_free_models_are_apart_from_what_is_known(books: Books) -> None:
    record = books.ledger.record
    await record(Call("openai", "gpt", input_tokens=100, output_tokens=10, cost=0.25))
    await record(Call("openai", "gpt", input_tokens=30, output_tokens=3))
    await record(Call("groq", "llama", input_tokens=5, output_tokens=5))
    await record(Call("ollama", "qwen", input_tokens=1000, cost=9.0))
    models = {line.name: line.figures for line in await books.by(MODEL)}
    assert models == {
        ("openai", "gpt"): Figures(2, 130, 13, 0.25, 1, 33, 0),
        ("groq", "llama"): Figures(1, 5, 5, 0.0, 0, 10, 0),
        ("ollama", "qwen"): Figures(1, 1000, 0, 0.0, 0, 0, 1000),
    }
    assert await books.ledger.paid(0, FREE) == 0.25
    assert (await books.ledger.spent(0, FREE)).unpriced == 43


async def test_what_cost_most_comes_first_then_what_used_most(books: Books) -> None:
    for session, cause, tokens, cost in (
        ("a", "turn", 10, None),
        ("b", "turn", 5000, None),
        ("c", "job", 1, 0.1),
        ("d", "memory", 1, 0.2),
    ):
        call = Call("openai", "gpt", cause, session, input_tokens=tokens, cost=cost)
        await books.ledger.record(call)
    assert [line.name for line in await books.by(SESSION)] == [
        ("d",),
        ("c",),
        ("b",),
        ("a",),
    ]
    causes = [(line.name[0], line.figures.calls) for line in await books.by(CAUSE)]
    assert causes == [("memory", 1), ("job", 1), ("turn", 2)]


async def test_calls_that_were_refused_are_none(books: Books) -> None:
    await books.ledger.record(Call("openai", "gpt", outcome="MonthIsSpent"))
    await books.ledger.record(Call("openai", "gpt", outcome="RateLimited"))
    [line] = await books.by(MODEL)
    assert line.figures.calls == 1


async def test_nothing_is_no_line(books: Books) -> None:
    assert await books.by(DAY) == []
    assert await books.ledger.first() is None
    assert await books.ledger.paid(0, FREE) == 0


async def test_the_months_cost_is_looked_up_in_an_index_alone(books: Books) -> None:
    """It is asked for before each call of a model, with a hundred thousand rows too."""
    sql = "SELECT coalesce(sum(cost), 0.0) FROM usage WHERE at >= 0 AND provider NOT IN ('a', 'b')"
    plan = await books.database.read(f"EXPLAIN QUERY PLAN {sql}")
    assert "COVERING INDEX" in str(plan)


def test_spans_begin_at_midnight_here() -> None:
    assert beginning(date.today()) == midnight()
    assert days_ago(7) == date.today() - timedelta(days=6)
    assert (month().day, month().month) == (1, date.today().month)


@pytest.mark.parametrize(
    ("usd", "told"),
    [(0, "$0.00"), (0.00001, "<$0.0001"), (0.0042, "$0.0042"), (0.5, "$0.50"), (1234.5, "$1,234.50")],
)
def test_small_amounts_are_not_rounded_to_nothing(usd: float, told: str) -> None:
    assert money(usd) == told
