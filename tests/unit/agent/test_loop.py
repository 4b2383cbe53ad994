"""The agent's loop: one mailbox a session, written first and asked second, every turn closed once."""

import asyncio
from pathlib import Path

import pytest

from desktop.agent.turn import Inbound
from desktop.bus.events import TextDelta, TurnFailed, TurnFinished
from desktop.errors import StorageError
from desktop.providers.base import Completion, Delta, SignInNeeded
from desktop.tasks import spawn
from tests.unit.agent.scripted import Agent, ScriptedModel, answer


async def test_a_message_is_on_disk_before_the_model_is_asked(agent: Agent, model: ScriptedModel) -> None:
    held = asyncio.Event()
    model.scripts = [[held, *answer("Hi.")]]
    turn = await agent.loop.submit(Inbound("s", "hello"))
    assert not model.requests
    assert await agent.said("s") == [("user", "hello")]
    held.set()
    assert await agent.end_of(turn) == TurnFinished("s", turn, "Hi.")
    assert await agent.said("s") == [("user", "hello"), ("assistant", "Hi.")]
    assert {m["_turn"] for m in await agent.records("s")} == {turn}


async def test_what_is_stored_is_answered_whatever_becomes_of_who_brought_it(
    agent: Agent, model: ScriptedModel
) -> None:
    model.scripts = [answer("ok") for _ in range(30)]
    for steps in range(30):
        bringing = spawn(agent.loop.submit(Inbound(f"s{steps}", "q"), f"t{steps}"), name="bringing")
        for _ in range(steps):
            await asyncio.sleep(0)
        bringing.cancel()
        await asyncio.wait({bringing})
        if await agent.said(f"s{steps}"):
            assert isinstance(await agent.end_of(f"t{steps}"), TurnFinished)


async def test_a_session_never_runs_two_turns(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [answer("1"), answer("2"), answer("3")]
    turns = [await agent.loop.submit(Inbound("s", f"q{n}")) for n in (1, 2, 3)]
    ends = [await agent.end_of(turn) for turn in turns]
    assert [end.text for end in ends if isinstance(end, TurnFinished)] == ["1", "2", "3"]
    assert model.most == 1
    expected = [("user", "q1"), ("assistant", "1"), ("user", "q2"), ("assistant", "2")]
    assert (await agent.said("s"))[:4] == expected
    last = [m["content"] for m in model.requests[2].messages[1:]]
    assert last == ["q1", "1", "q2", "2", "q3"]


async def test_sessions_run_side_by_side_up_to_the_bound(agent: Agent, model: ScriptedModel) -> None:
    held = asyncio.Event()
    model.scripts = [[held, *answer("ok")] for _ in range(4)]
    turns = [await agent.loop.submit(Inbound(f"s{n}", "q")) for n in range(4)]
    await model.busy(2)
    held.set()
    for turn in turns:
        assert isinstance(await agent.end_of(turn), TurnFinished)
    assert model.most == 2


async def test_a_provider_with_one_place_answers_one_after_the_other_and_holds_up_no_other(
    agent: Agent, model: ScriptedModel
) -> None:
    held = asyncio.Event()
    model.scripts = [[held, *answer("first")], answer("elsewhere"), answer("second")]
    first, second = [await agent.loop.submit(Inbound(key, "q", provider="slow")) for key in ("a", "b")]
    await model.busy(1)
    elsewhere = await agent.loop.submit(Inbound("c", "q"))
    end = await agent.end_of(elsewhere)
    assert isinstance(end, TurnFinished)
    assert end.text == "elsewhere"
    held.set()
    for turn in (first, second):
        assert isinstance(await agent.end_of(turn), TurnFinished)
    assert [request.conversation for request in model.requests] == ["a", "c", "b"]


async def test_a_later_question_is_not_in_the_request_of_an_earlier_one(
    agent: Agent, model: ScriptedModel
) -> None:
    held = asyncio.Event()
    model.scripts = [[held, *answer("-")], [held, *answer("-")], answer("1"), answer("2")]
    for other in ("busy", "busy too"):
        await agent.loop.submit(Inbound(other, "q"))
    await model.busy(2)
    turns = [await agent.loop.submit(Inbound("s", f"q{n}")) for n in (1, 2)]
    held.set()
    for turn in turns:
        await agent.end_of(turn)
    asked = [[m["content"] for m in r.messages[1:]] for r in model.requests if r.conversation == "s"]
    assert asked == [["q1"], ["q1", "1", "q2"]]


async def test_a_failure_is_told_and_leaves_a_mark_with_what_was_shown(
    agent: Agent, model: ScriptedModel
) -> None:
    model.scripts = [[Delta("half "), Delta("an"), SignInNeeded("No key.", "Set one.")], answer("Fine.")]
    first = await agent.loop.submit(Inbound("s", "q1"))
    assert await agent.end_of(first) == TurnFailed("s", first, "No key.", "Set one.", "SignInNeeded")
    mark = (await agent.records("s"))[-1]
    assert (mark["content"], mark["_error"], mark["_error_text"]) == ("half an", "SignInNeeded", "No key.")
    second = await agent.loop.submit(Inbound("s", "q2"))
    assert isinstance(await agent.end_of(second), TurnFinished)


async def test_no_model_to_ask_is_a_failed_turn(agent: Agent, model: ScriptedModel) -> None:
    turn = await agent.loop.submit(Inbound("s", "q", model="missing"))
    end = await agent.end_of(turn)
    assert isinstance(end, TurnFailed)
    assert (end.error, end.remedy) == ("There is no such model.", "Choose another.")
    assert await agent.said("s") == [("user", "q"), ("assistant", "")]
    assert not model.requests


@pytest.mark.expected_log("turn .* failed")
async def test_a_fault_of_the_program_is_told_without_its_inside(
    agent: Agent, model: ScriptedModel
) -> None:
    model.scripts = [[KeyError("private")]]
    turn = await agent.loop.submit(Inbound("s", "q"))
    end = await agent.end_of(turn)
    assert isinstance(end, TurnFailed)
    assert "private" not in f"{end} {(await agent.records('s'))[-1]}"
    assert end.remedy


async def test_stopping_keeps_what_was_shown_and_drops_what_waits(
    agent: Agent, model: ScriptedModel
) -> None:
    model.scripts = [[Delta("so far"), asyncio.Event()]]
    turns = [await agent.loop.submit(Inbound("s", f"q{n}")) for n in (1, 2)]
    await _shown(agent)
    assert await agent.loop.stop("s")
    assert await agent.end_of(turns[0]) == TurnFinished("s", turns[0], "so far", stopped=True)
    assert await agent.end_of(turns[1]) == TurnFinished("s", turns[1], "", stopped=True)
    records = await agent.records("s")
    assert [(m["content"], m.get("_stopped")) for m in records if m["role"] == "assistant"] == [
        ("so far", True),
        ("", True),
    ]
    assert len(model.requests) == 1
    assert not (await agent.sessions.open("s")).unanswered
    assert not await agent.loop.stop("other")


async def test_one_waiting_turn_can_be_stopped_alone(agent: Agent, model: ScriptedModel) -> None:
    held = asyncio.Event()
    model.scripts = [[held, *answer("1")], answer("3")]
    turns = [await agent.loop.submit(Inbound("s", f"q{n}")) for n in (1, 2, 3)]
    await agent.loop.stop("s", only=turns[1])
    held.set()
    ends = [await agent.end_of(turn) for turn in turns]
    assert [end.stopped for end in ends if isinstance(end, TurnFinished)] == [False, True, False]
    assert len(model.requests) == 2


async def test_a_stop_while_the_whole_answer_is_stored_comes_too_late(
    agent: Agent, model: ScriptedModel
) -> None:
    for number in range(20):
        key = f"s{number}"
        model.ended.clear()
        turn = await agent.loop.submit(Inbound(key, "q"))
        await model.ended.wait()
        await agent.loop.stop(key)
        assert await agent.end_of(turn) == TurnFinished(key, turn, "ok")
        assert await agent.said(key) == [("user", "q"), ("assistant", "ok")]


async def test_a_stop_while_a_failure_is_stored_comes_too_late(agent: Agent, model: ScriptedModel) -> None:
    for number in range(20):
        key = f"s{number}"
        model.ended.clear()
        turn = await agent.loop.submit(Inbound(key, "q", model="missing"))
        await model.ended.wait()
        await agent.loop.stop(key)
        assert isinstance(await agent.end_of(turn), TurnFailed)
        assert await agent.said(key) == [("user", "q"), ("assistant", "")]


async def test_closing_ends_every_turn_and_keeps_what_it_said(agent: Agent, model: ScriptedModel) -> None:
    model.scripts = [[Delta("so far"), asyncio.Event()]]
    turn = await agent.loop.submit(Inbound("s", "q"))
    await _shown(agent)
    await agent.loop.close()
    assert await agent.end_of(turn) == TurnFinished("s", turn, "so far", stopped=True)
    assert model.running == 0


async def test_a_message_that_cannot_be_stored_changes_nothing(
    agent: Agent, model: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "workspace" / "sessions").write_bytes(b"a file in the way")
    with pytest.raises(StorageError):
        await agent.loop.submit(Inbound("s", "q"))
    (tmp_path / "workspace" / "sessions").unlink()
    turn = await agent.loop.submit(Inbound("s", "again"))
    assert isinstance(await agent.end_of(turn), TurnFinished)
    assert await agent.said("s") == [("user", "again"), ("assistant", "ok")]
    assert len(model.requests) == 1


async def test_a_key_with_half_a_letter_is_one_session(agent: Agent) -> None:
    for _ in range(2):
        turn = await agent.loop.submit(Inbound("k\udce9", "q"))
        assert isinstance(await agent.end_of(turn), TurnFinished)
    assert len(await agent.records("k\N{REPLACEMENT CHARACTER}")) == 4


async def test_the_history_leaves_room_for_the_answer(agent: Agent, model: ScriptedModel) -> None:
    session = await agent.sessions.open("s")
    for number in range(40):
        await session.append({"role": "user", "content": f"{number} " + "word " * 700})
        await session.append({"role": "assistant", "content": "ok"})
    await agent.end_of(await agent.loop.submit(Inbound("s", "last")))
    sent = model.requests[0].messages
    assert sent[-1]["content"] == "last"
    assert 2 < len(sent) < 20
    assert sum(len(str(m["content"])) for m in sent) / 3.6 < 8192 - 1024


async def _shown(agent: Agent) -> None:
    async with asyncio.timeout(60):
        async for event in agent.events:
            if isinstance(event, TextDelta):
                return


def test_the_script_says_what_a_model_says() -> None:
    assert answer("a", "b") == [Delta("a"), Delta("b"), Completion("ab")]
