"""Questions of the program's own: the ledger has each of them, by who answered and with all its tokens."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from desktop.bus.bus import Bus
from desktop.database.database import Database
from desktop.providers.base import Completion, Endpoint, RateLimited, Request, Usage
from desktop.providers.one_off import entered
from desktop.usage import UsageLedger
from tests.unit.agent.scripted import ScriptedModel, answer

ASKED = Request(Endpoint("acme", "m"), [{"role": "user", "content": "q"}], max_tokens=8)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(tmp_path / "state.db")
    await database.open()
    yield database
    await database.close()


async def rows(database: Database) -> list[tuple[Any, ...]]:
    return await database.read(
        "SELECT provider, model, cause, outcome, input_tokens, cached_tokens, cost FROM usage"
    )


async def test_who_answered_instead_is_who_is_paid(database: Database) -> None:
    end = Completion("word", usage=Usage(10, 2, cached_tokens=6, cost=0.5), answered=Endpoint("spare", "s"))
    ledger = UsageLedger(database, Bus())
    assert (await entered(ScriptedModel([end]), ASKED, ledger, cause="heartbeat")).text == "word"
    assert await rows(database) == [("spare", "s", "heartbeat", "ok", 10, 6, 0.5)]


async def test_a_call_that_failed_is_entered_with_its_failure(database: Database) -> None:
    ledger = UsageLedger(database, Bus())
    with pytest.raises(RateLimited):
        await entered(ScriptedModel([RateLimited("Too many requests.")]), ASKED, ledger, cause="title")
    assert await rows(database) == [("acme", "m", "title", "RateLimited", 0, 0, None)]


@pytest.mark.expected_log("could not be entered in the ledger")
async def test_an_answer_is_not_lost_with_the_ledger(database: Database) -> None:
    await database.close()
    answered = await entered(
        ScriptedModel(answer("word")), ASKED, UsageLedger(database, Bus()), cause="test"
    )
    assert answered.text == "word"
