"""One question to the model: what is stored of it, what is told, what it cost."""

import asyncio
from typing import Any

import pytest

from desktop.agent.turn import Inbound
from desktop.bus.events import ReasoningDelta, TextDelta, TurnFinished, TurnStarted
from desktop.providers.base import Completion, Delta, RateLimited, Usage
from tests.unit.agent.scripted import Agent, ScriptedModel, answer


async def rows(agent: Agent) -> list[tuple[Any, ...]]:
    return await agent.database.read(
        "SELECT provider, model, session, turn, outcome, input_tokens, output_tokens, cost FROM usage"
    )


async def test_a_turn_is_told_from_start_to_end(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [[Delta(reasoning="hm"), *answer("Hello ", "you.", reasoning="hm")]]
    turn = await agent.loop.submit(Inbound("s", "q"))
    await agent.end_of(turn)
    kinds = [type(event) for event in agent.seen[:2]]
    assert kinds == [TurnStarted, ReasoningDelta]
    assert "".join(e.text for e in agent.seen if isinstance(e, TextDelta)) == "Hello you."
    assert (await agent.records("s"))[-1]["reasoning_content"] == "hm"


async def test_the_completion_has_the_last_word(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [[Delta("draft"), Completion("final", thinking_blocks=({"type": "thinking"},))]]
    turn = await agent.loop.submit(Inbound("s", "q"))
    assert await agent.end_of(turn) == TurnFinished("s", turn, "final")
    record = (await agent.records("s"))[-1]
    assert (record["content"], record["thinking_blocks"]) == ("final", [{"type": "thinking"}])


@pytest.mark.parametrize("text", ["", " \n"])
async def test_three_empty_answers_end_in_a_sentence_of_ours(
    agent: Agent, model: ScriptedModel, text: str
) -> None:
    model.scripts = [[Completion(text)]] * 3
    turn = await agent.loop.submit(Inbound("s", "q"))
    end = await agent.end_of(turn)
    assert end == TurnFinished("s", turn, "The model gave no answer, three times in a row.")
    assert [row[4] for row in await rows(agent)] == ["ok"] * 3


async def test_every_call_is_a_row_with_its_outcome(agent: Agent, model: ScriptedModel) -> None:
    usage = Usage(input_tokens=10, output_tokens=3, cost=0.5)
    model.scripts = [
        answer("ok", usage=usage),
        [RateLimited("Too many.", "Wait.")],
        [Delta("so far"), asyncio.Event()],
    ]
    turns = [await agent.loop.submit(Inbound("s", "q1"))]
    await agent.end_of(turns[0])
    turns.append(await agent.loop.submit(Inbound("s", "q2", model="other")))
    await agent.end_of(turns[1])
    model.asked.clear()
    turns.append(await agent.loop.submit(Inbound("s", "q3")))
    await model.asked.wait()
    await agent.loop.stop("s")
    await agent.end_of(turns[2])
    assert await rows(agent) == [
        ("acme", "m", "s", turns[0], "ok", 10, 3, 0.5),
        ("acme", "other", "s", turns[1], "RateLimited", 0, 0, None),
        ("acme", "m", "s", turns[2], "stopped", 0, 0, None),
    ]


async def test_a_turn_that_never_reached_a_model_costs_nothing(agent: Agent) -> None:
    await agent.end_of(await agent.loop.submit(Inbound("s", "q", model="missing")))
    assert await rows(agent) == []


@pytest.mark.expected_log("could not be entered in the ledger")
async def test_a_ledger_that_cannot_be_written_costs_the_row_not_the_answer(agent: Agent) -> None:
    await agent.database.close()
    turn = await agent.loop.submit(Inbound("s", "q"))
    assert await agent.end_of(turn) == TurnFinished("s", turn, "ok")
    assert await agent.said("s") == [("user", "q"), ("assistant", "ok")]
