"""Answers that a server cut off, and calls that a model wrote as text: what the person is told of them."""

import json

import pytest

from desktop.agent.arguments import arguments_of
from desktop.agent.turn import Inbound
from desktop.bus.events import TextDelta, TurnFailed, TurnFinished
from desktop.providers.base import Completion, CutShort, Delta, Usage
from desktop.tools.base import Arguments
from tests.unit.agent.scripted import Agent, ScriptedModel, answer
from tests.unit.agent.tools import Look

CUT = "The content filter of Acme stopped the answer: content_filter."


def cut() -> CutShort:
    error = CutShort(CUT, "Ask in other words.")
    error.usage = Usage(10, 7)
    return error


def shown(agent: Agent) -> str:
    return "".join(event.text for event in agent.seen if isinstance(event, TextDelta))


@pytest.mark.parametrize("said", ["Half a sen", ""])
async def test_a_cut_is_told_with_why_keeps_what_was_said_and_costs_one_call(
    agent: Agent, model: ScriptedModel, said: str
) -> None:
    model.scripts = [[*([Delta(said)] if said else []), cut()]]
    end = await agent.end_of(await agent.loop.submit(Inbound("s", "q")))
    assert isinstance(end, TurnFailed)
    assert (end.error, end.remedy) == (CUT, "Ask in other words.")
    assert len(model.requests) == 1
    record = (await agent.records("s"))[-1]
    assert (record["content"], record["_error_text"]) == (said, CUT)
    rows = await agent.database.read("SELECT outcome, output_tokens FROM usage")
    assert rows == [("CutShort", 7)]


@pytest.mark.parametrize(
    ("thought", "said"),
    [
        ("", "The model used all 1024 tokens of the answer before it wrote anything."),
        ("hm", "The model used all 1024 tokens of the answer for reasoning."),
    ],
)
async def test_tokens_that_ran_out_before_a_word_was_said_are_told_and_not_tried_again(
    agent: Agent, model: ScriptedModel, thought: str, said: str
) -> None:
    model.scripts = [
        [Delta(reasoning=thought), Completion(reasoning=thought, finish="length", usage=Usage(1, 1024))]
    ]
    end = await agent.end_of(await agent.loop.submit(Inbound("s", "q")))
    assert isinstance(end, TurnFailed)
    assert end.error == said
    assert ("lower reasoning level" in end.remedy) == bool(thought)
    assert len(model.requests) == 1
    assert (await agent.records("s"))[-1].get("reasoning_content", "") == thought, "nothing is lost"


async def test_a_model_that_only_reasons_is_told_with_a_remedy(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [[Delta(reasoning="hm"), Completion(reasoning="hm")] for _time in range(3)]
    end = await agent.end_of(await agent.loop.submit(Inbound("s", "q")))
    assert isinstance(end, TurnFinished)
    assert end.text.startswith("The model only reasoned")
    assert (await agent.records("s"))[-1]["reasoning_content"] == "hm"


async def test_a_call_written_after_prose_is_done_and_never_shown(
    agent: Agent, model: ScriptedModel
) -> None:
    look = Look()
    agent.bench.tools = {"look": look}
    text = 'Let me see. <tool_call>{"name": "look", "arguments": {"word": "here"}}</tool_call>'
    model.scripts = [answer(*text), answer("There it is.")]
    end = await agent.end_of(await agent.loop.submit(Inbound("s", "q")))
    assert end == TurnFinished("s", end.turn, "There it is.")
    assert look.done == ["here"]
    assert shown(agent) == "Let me see. There it is."
    said = next(record for record in await agent.records("s") if record.get("tool_calls"))
    assert said["content"] == "Let me see."
    assert json.loads(said["tool_calls"][0]["function"]["arguments"]) == {"word": "here"}


async def test_a_written_call_that_cannot_be_read_is_told_to_the_model(
    agent: Agent, model: ScriptedModel
) -> None:
    agent.bench.tools = {"look": Look()}
    model.scripts = [answer("So: <tool_call>{name: look}"), answer("I could not.")]
    end = await agent.end_of(await agent.loop.submit(Inbound("s", "q")))
    assert isinstance(end, TurnFinished)
    assert "<tool_call>" not in shown(agent)
    result = next(record for record in await agent.records("s") if record["role"] == "tool")
    assert "There is no tool called 'tool_call'. There are: look." in result["content"]


async def test_a_call_that_is_only_quoted_is_shown(agent: Agent, model: ScriptedModel) -> None:
    look = Look()
    agent.bench.tools = {"look": look}
    text = 'It writes `<tool_call>{"name": "look", "arguments": {"word": "x"}}</tool_call>`.'
    model.scripts = [answer(*text)]
    end = await agent.end_of(await agent.loop.submit(Inbound("s", "q")))
    assert (end, shown(agent), look.done) == (TurnFinished("s", end.turn, text), text, [])


@pytest.mark.parametrize("given", ["null", "", " null "])
def test_no_arguments_are_an_empty_object(given: str) -> None:
    class Nothing(Look):
        arguments = Arguments  # type: ignore[assignment]

    assert arguments_of(Nothing(), given).model_dump() == {}
