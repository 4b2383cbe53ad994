"""Turns with tools: what runs, in which order, what is on disk, how they end."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from desktop.agent.turn import Inbound
from desktop.bus.events import TextDelta, ToolFinished, ToolStarted, TurnFinished, TurnJoined, TurnSpoke
from desktop.providers.base import BadRequest, Completion, ContextTooLong, Delta, ToolCall
from desktop.tools.message import Message
from tests.unit.agent.scripted import Agent, ScriptedModel, answer, calls
from tests.unit.agent.tools import Look, Page, Put, Run


@pytest.fixture(autouse=True)
def tools(agent: Agent) -> dict[str, Any]:
    made: dict[str, Any] = {tool.name: tool for tool in (Look(), Put(), Run(), Page(), Message())}
    agent.bench.tools.update(made)
    return made


async def ask(agent: Agent, text: str = "q", **options: Any) -> TurnFinished:
    end = await agent.end_of(await agent.loop.submit(Inbound("s", text, **options)))
    assert isinstance(end, TurnFinished), end
    return end


def results(model: ScriptedModel) -> list[str]:
    """What the model was told by tools in its last request."""
    return [str(m["content"]) for m in model.requests[-1].messages if m["role"] == "tool"]


async def test_a_call_is_carried_out_and_its_result_told(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [calls(("look", {"word": "tree"}), text="Let me look."), answer("A tree.")]
    assert (await ask(agent)).text == "A tree."
    assert results(model) == ["saw tree"]
    asked, step, result, end = await agent.records("s")
    assert (asked["role"], step["content"], end["content"]) == ("user", "Let me look.", "A tree.")
    assert step["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"word": "tree"}'}
    assert (result["tool_call_id"], result["_outcome"], result["_gist"]) == ("c0", "ok", "tree")
    kinds = [type(event) for event in agent.seen]
    assert kinds.index(ToolStarted) < kinds.index(ToolFinished) < kinds.index(TurnFinished)


async def test_safe_calls_run_side_by_side_and_answer_in_order(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    look = tools["look"]
    look.held = asyncio.Event()
    model.scripts = [calls(*(("look", {"word": word}) for word in "abc")), answer("ok")]
    turn = await agent.loop.submit(Inbound("s", "q"))
    async with asyncio.timeout(60):
        while look.running < 3:
            look.begun.clear()
            await look.begun.wait()
    look.held.set()
    await agent.end_of(turn)
    assert results(model) == ["saw a", "saw b", "saw c"]


async def test_writes_and_commands_run_one_after_the_other(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    named: list[tuple[str, dict[str, Any] | str]] = [("put", {"word": "1"}), ("put", {"word": "2"})]
    model.scripts = [calls(*named, ("look", {"word": "3"})), answer("ok")]
    await ask(agent)
    assert tools["put"].most == 1
    assert results(model) == ["wrote 1", "wrote 2", "saw 3"]


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("nothing", {}, "no tool called"),
        ("look", {}, "word: Field required"),
        ("look", "{'word': 'x'", "saw x"),
        ("put", '{"word": "half', "Nothing was done"),
        ("look", '{"word": "broken"}', "It is broken. Try another."),
        ("look", '"{\\"word\\": \\"twice\\"}"', "saw twice"),
    ],
)
async def test_a_bad_call_is_a_result_with_a_hint(
    agent: Agent, model: ScriptedModel, name: str, given: str, told: str
) -> None:
    model.scripts = [calls((name, given)), answer("ok")]
    await ask(agent)
    assert told in results(model)[0]
    assert not list(agent.workspace.glob("half*"))


@pytest.mark.expected_log("tool look failed")
async def test_a_fault_of_a_tool_does_not_end_the_turn(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [calls(("look", {"word": "bug"})), answer("sorry")]
    assert (await ask(agent)).text == "sorry"
    assert "failed inside the program (KeyError)" in results(model)[0]


async def test_calls_without_ids_or_with_the_same_get_their_own(agent: Agent, model: ScriptedModel) -> None:
    same = [ToolCall("x", "look", '{"word": "a"}'), ToolCall("x", "look", '{"word": "b"}')]
    none = ToolCall("", "look", '{"word": "c"}')
    model.scripts = [[Completion(tool_calls=(*same, none))], answer("ok")]
    await ask(agent)
    stored = await agent.records("s")
    ids = [call["id"] for call in stored[1]["tool_calls"]]
    assert len(set(ids)) == 3
    assert [record["tool_call_id"] for record in stored[2:5]] == ids


async def test_a_message_that_comes_while_tools_work_joins_the_turn(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    look = tools["look"]
    look.held = asyncio.Event()
    model.scripts = [calls(("look", {"word": "a"})), answer("both")]
    first = await agent.loop.submit(Inbound("s", "one"))
    await look.begun.wait()
    second = await agent.loop.submit(Inbound("s", "and two"))
    look.held.set()
    end = await agent.end_of(second)
    assert isinstance(end, TurnFinished)
    assert end.text == "both"
    assert TurnJoined("s", first, second) in agent.seen
    assert len(model.requests) == 2
    told = [(m["role"], m["content"]) for m in model.requests[1].messages[1:]]
    assert [role for role, _content in told] == ["user", "assistant", "tool", "user"]
    assert told[-1][1] == "and two"


async def test_stopping_ends_the_tool_and_keeps_what_was_done(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    tools["look"].held = asyncio.Event()
    named: list[tuple[str, dict[str, Any] | str]] = [("put", {"word": "done"}), ("look", {"word": "a"})]
    model.scripts = [calls(*named, text="On it."), answer("later")]
    turn = await agent.loop.submit(Inbound("s", "q"))
    await tools["look"].begun.wait()
    await agent.loop.stop("s")
    end = await agent.end_of(turn)
    assert isinstance(end, TurnFinished)
    assert end.stopped
    assert not tools["look"].running
    kinds = [(m["role"], m.get("_outcome")) for m in await agent.records("s")]
    assert kinds == [("user", None), ("assistant", None), ("tool", "ok"), ("assistant", None)]
    await ask(agent, "again")
    assert results(model) == ["wrote done"]


async def test_a_turn_ends_after_its_steps_with_an_explanation(agent: Agent, model: ScriptedModel) -> None:
    agent.bench.steps = 3
    model.scripts = [calls(("look", {"word": str(n)})) for n in range(3)] + [answer("So far: 3.")]
    assert (await ask(agent)).text == "So far: 3."
    assert not model.requests[-1].callable
    assert "all steps" in model.requests[-1].messages[-1]["content"]


async def test_the_same_call_with_the_same_result_is_broken_off(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [calls(("look", {"word": "x"}))] * 3 + [answer("I give up.")]
    assert (await ask(agent)).text == "I give up."
    assert len(model.requests) == 4


async def test_an_empty_answer_is_asked_twice_more(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [[Completion("")], [Completion(" \n")], answer("there")]
    assert (await ask(agent)).text == "there"
    model.scripts = [[Completion("")]] * 3
    assert (await ask(agent)).text == "The model gave no answer, three times in a row."


async def test_a_cut_off_answer_is_continued_and_joined(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [answer("one ", finish="length"), answer("two")]
    assert (await ask(agent)).text == "one two"
    assert (await agent.records("s"))[-1]["content"] == "one two"
    assert model.requests[1].messages[-2]["content"] == "one "


async def test_thinking_is_never_the_answer(agent: Agent, model: ScriptedModel) -> None:
    text = "<think>hm, a</think>The answer."
    model.scripts = [[*(Delta(letter) for letter in text), Completion(text)]]
    assert (await ask(agent)).text == "The answer."
    assert (await agent.records("s"))[-1]["reasoning_content"] == "hm, a"
    assert "".join(e.text for e in agent.seen if isinstance(e, TextDelta)) == "The answer."


async def test_a_message_to_its_own_conversation_is_the_answer(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [calls(("message", {"content": "Good morning."})), answer("I sent it.")]
    end = await ask(agent)
    assert end.text == ""
    assert [event.text for event in agent.seen if isinstance(event, TurnSpoke)] == ["Good morning."]
    said = [m["content"] for m in await agent.records("s") if m["role"] == "assistant"]
    assert said == ["", "Good morning.", ""]


async def test_what_is_too_long_is_cut_to_half_and_asked_once_more(
    agent: Agent, model: ScriptedModel
) -> None:
    for number in range(6):
        model.scripts = [answer("x" * 2000)]
        await ask(agent, f"{number} " + "y" * 2000)
    model.scripts = [[ContextTooLong("Too long.")], answer("fits")]
    assert (await ask(agent, "last")).text == "fits"
    longer, shorter = (len(request.messages) for request in model.requests[-2:])
    assert shorter < longer
    assert model.requests[-1].messages[-1]["content"] == "last"


async def test_a_turn_that_outgrows_the_window_loses_its_oldest_results_first(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    model.window = 4096
    model.scripts = [calls(("look", {"word": f"long {n}"})) for n in range(5)] + [answer("ok")]
    assert (await ask(agent)).text == "ok"
    told = results(model)
    assert "left out for room" in told[0]
    assert "left out for room" not in told[-1]
    assert len(told) == 5


async def test_a_long_result_goes_to_a_file(agent: Agent, model: ScriptedModel) -> None:
    model.window = 100_000
    model.scripts = [calls(("look", {"word": "z" * 20_000})), answer("ok")]
    await ask(agent)
    told = results(model)[0]
    (kept,) = (agent.workspace / "files" / "results").iterdir()
    assert kept.name in told
    assert len(told) < 17_000
    assert kept.read_text() == f"saw {'z' * 20_000}"


async def test_a_long_result_lands_behind_no_link(
    agent: Agent, model: ScriptedModel, tmp_path: Path
) -> None:
    model.window = 100_000
    closed = tmp_path / "autostart"
    closed.mkdir()
    (agent.workspace / "files").symlink_to(closed)
    model.scripts = [calls(("look", {"word": "z" * 20_000})), answer("ok")]
    await ask(agent)
    assert "a link leads to" in results(model)[0]
    assert not list(closed.iterdir())


async def test_a_small_model_writes_its_call_as_text(agent: Agent, model: ScriptedModel) -> None:
    model.small_model = True
    written = '```json\n{"name": "put", "arguments": {"word": "note"}}\n```'
    await ask(agent, "Hello there!")
    assert not model.requests[-1].tools, "a greeting is no task"
    model.scripts = [[*(Delta(letter) for letter in written), Completion(written)]]
    assert (await ask(agent, "put it into a file")).text == "Done: note", "it is not asked for words"
    assert (agent.workspace / "note").exists()
    assert not [e for e in agent.seen if isinstance(e, TextDelta) and "{" in e.text]


async def test_a_small_model_without_words_for_what_it_did_gets_some(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    model.small_model = True
    written = 'look({"word": "note"})'
    model.scripts = [answer(written), answer(written)]
    assert (await ask(agent, "is it in the file?")).text == "Done: note"
    assert tools["look"].done == ["note"]


async def test_an_interrupted_turn_goes_on_without_calling_again(
    agent: Agent, model: ScriptedModel, tools: dict[str, Any]
) -> None:
    model.scripts = [calls(("put", {"word": "once"})), [BadRequest("Down.", "Later.")], answer("fine")]
    turn = await agent.loop.submit(Inbound("s", "q"))
    await agent.end_of(turn)
    agent.seen.clear()
    assert await agent.loop.again("s") == turn
    end = await agent.end_of(turn)
    assert isinstance(end, TurnFinished)
    assert tools["put"].done == ["once"]
    assert results(model) == ["wrote once"]
