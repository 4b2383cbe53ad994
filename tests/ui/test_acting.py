"""Calls of tools in the open conversation, over a real core: shown while they run, and from the log."""

import json
from pathlib import Path
from typing import Any

import pytest

from desktop.api.reply import Reply
from desktop.ui.conversation.copying import as_markdown
from desktop.ui.conversation.step import Outcome, Step, sentence
from desktop.ui.conversation.transcript import Author, Entry
from tests.servers.scripted import ScriptedServer
from tests.ui.talking import Desk


def use(*calls: tuple[str, dict[str, Any]]) -> str:
    """A step of the model that calls tools."""
    return f"use:{json.dumps(calls)}"


@pytest.fixture
def desk(talking: Desk) -> Desk:
    return talking


@pytest.fixture
def workspace(home: Path) -> Path:
    folder = home / "workspace"
    folder.mkdir(exist_ok=True)
    (folder / "notes.txt").write_text("alpha\nbeta\n")
    return folder


def said(desk: Desk) -> list[str]:
    """Each entry in words, from top to bottom."""
    return [sentence(e.step) if e.step else e.text for e in desk.talk.transcript.entries]


def steps(desk: Desk) -> list[Step]:
    return [entry.step for entry in desk.talk.transcript.entries if entry.step]


def asked(desk: Desk) -> Step:
    """The step that waits for the person, once there is one."""
    desk.until(lambda: any(step.question for step in steps(desk)))
    return next(step for step in steps(desk) if step.question)


def rest(desk: Desk) -> None:
    desk.until(lambda: bool(desk.shown) and not desk.talk.busy)
    desk.settle()


def again(desk: Desk) -> list[str]:
    """What the conversation shows when it is opened from the log."""
    desk.open("window:b")
    desk.open("window:a")
    return said(desk)


def test_calls_stand_between_the_question_and_the_answer(
    desk: Desk, server: ScriptedServer, workspace: Path
) -> None:
    server.script(
        use(("read_file", {"path": "notes.txt"}), ("grep", {"pattern": "^b"})),
        use(("read_file", {"path": "missing.txt"})),
        "say:All read.",
    )
    desk.open("window:a")
    desk.talk.send("Read my notes")
    rest(desk)
    expected = [
        "Read my notes",
        "Read notes.txt, done",
        "Searched files for ^b (.), done",
        "Read missing.txt, failed",
        "All read.",
    ]
    assert said(desk) == expected
    assert again(desk) == expected
    copied = as_markdown(desk.talk.transcript.entries, lambda entry: entry.author.value)
    assert "- Read notes.txt, done\n- Searched files for ^b (.), done\n- Read" in copied


def test_an_opened_call_has_its_arguments_and_its_result(
    desk: Desk, server: ScriptedServer, workspace: Path
) -> None:
    server.script(use(("read_file", {"path": "notes.txt"})), "say:Read.")
    desk.open("window:a")
    desk.talk.send("Read")
    rest(desk)
    step = steps(desk)[0]
    assert not step.read
    entry = next(entry for entry in desk.talk.transcript.entries if entry.step is step)
    desk.talk.calls.look_into(entry.id)
    desk.until(lambda: step.read)
    assert json.loads(step.arguments) == {"path": "notes.txt"}
    assert "2| beta" in step.result


def test_a_question_is_answered_in_its_place(desk: Desk, server: ScriptedServer, workspace: Path) -> None:
    server.script(use(("exec", {"command": "touch made.txt"})), "say:Made.")
    desk.open("window:a")
    desk.talk.send("Make it")
    step = asked(desk)
    assert step.question
    assert step.question.card["command"] == "touch made.txt"
    assert said(desk)[1] == "Run touch made.txt, waiting for your answer"
    desk.talk.questions.answer(step.question.id, Reply(True))
    rest(desk)
    assert said(desk) == ["Make it", "Ran touch made.txt, done", "Made."]
    assert (workspace / "made.txt").exists()
    assert desk.talk.questions.all == []


def test_a_no_is_told_and_the_call_not_made(desk: Desk, server: ScriptedServer, workspace: Path) -> None:
    server.script(use(("exec", {"command": "touch made.txt"})), "say:Then not.")
    desk.open("window:a")
    desk.talk.send("Make it")
    question = asked(desk).question
    assert question
    desk.talk.questions.answer(question.id, Reply(False, "wrong folder"))
    rest(desk)
    assert said(desk) == ["Make it", "Run touch made.txt, denied", "Then not."]
    assert steps(desk)[0].decision == "You denied it: wrong folder"
    assert not (workspace / "made.txt").exists()


def test_what_is_left_for_later_waits_at_its_call_and_is_done_from_there(
    desk: Desk, server: ScriptedServer, workspace: Path
) -> None:
    server.script(use(("exec", {"command": "touch made.txt"})), "say:It waits.", "say:Now it is made.")
    desk.open("window:a")
    desk.talk.send("Make it")
    question = asked(desk).question
    assert question
    desk.talk.questions.later(question.id)
    rest(desk)
    desk.until(lambda: said(desk)[1:] == ["Run touch made.txt, not answered yet", "It waits."])
    assert again(desk)[1] == "Run touch made.txt, not answered yet"
    waiting = steps(desk)[0].question
    assert waiting
    assert waiting.parked
    desk.talk.questions.answer(waiting.id, Reply(True))
    desk.until(lambda: said(desk)[-1] == "Now it is made.")
    rest(desk)
    assert said(desk)[1] == "Run touch made.txt, postponed"
    assert said(desk)[-2] == "Ran touch made.txt, done"
    notes = [e for e in desk.talk.transcript.entries if e.author is Author.NOTE]
    assert [note.text for note in notes] == ["I allow it; you can do it now: exec: touch made.txt"]
    assert (workspace / "made.txt").exists()


def test_stop_closes_the_question(desk: Desk, server: ScriptedServer, workspace: Path) -> None:
    server.script(use(("exec", {"command": "touch made.txt"})))
    desk.open("window:a")
    desk.talk.send("Make it")
    asked(desk)
    desk.talk.stop()
    rest(desk)
    desk.until(lambda: said(desk)[:2] == ["Make it", "Run touch made.txt, stopped"])
    assert desk.talk.questions.all == []


def test_a_message_that_joins_has_the_answer_below_it(
    desk: Desk, server: ScriptedServer, workspace: Path
) -> None:
    server.script(use(("exec", {"command": "touch made.txt"})), "say:Both done.")
    desk.open("window:a")
    desk.talk.send("Make it")
    question = asked(desk).question
    assert question
    desk.talk.send("And be quick")
    desk.until(lambda: "And be quick" in said(desk))
    desk.settle()
    desk.talk.questions.answer(question.id, Reply(True))
    rest(desk)
    expected = ["Make it", "Ran touch made.txt, done", "And be quick", "Both done."]
    assert said(desk) == expected
    assert again(desk) == expected


def test_a_message_of_its_own_is_the_answer(desk: Desk, server: ScriptedServer, workspace: Path) -> None:
    server.script(use(("message", {"content": "Good morning."})), "say:Sent.")
    desk.open("window:a")
    desk.talk.send("Greet me")
    rest(desk)
    shown = said(desk)
    assert shown[0] == "Greet me"
    assert shown[-1] == "Good morning."
    assert "Sent." not in shown
    assert again(desk) == shown


def test_a_conversation_opened_in_mid_turn_shows_what_waits(
    desk: Desk, server: ScriptedServer, workspace: Path
) -> None:
    server.script(use(("exec", {"command": "touch made.txt"})), "say:Made.")
    desk.open("window:a")
    desk.talk.send("Make it")
    asked(desk)
    desk.settle()
    assert again(desk) == ["Make it", "Run touch made.txt, waiting for your answer", ""]
    question = steps(desk)[0].question
    assert question
    desk.talk.questions.answer(question.id, Reply(True))
    rest(desk)
    assert said(desk) == ["Make it", "Ran touch made.txt, done", "Made."]


def test_calls_of_one_name_in_two_rounds_are_two(
    desk: Desk, server: ScriptedServer, workspace: Path
) -> None:
    call = use(("list_dir", {"path": "."}))
    server.script(call, call, "say:Listed.")
    desk.open("window:a")
    desk.talk.send("List twice")
    rest(desk)
    assert [step.outcome for step in steps(desk)] == [Outcome.OK, Outcome.OK]
    ids = [entry.id for entry in desk.talk.transcript.entries]
    assert len(set(ids)) == len(ids)


def test_a_call_that_the_end_of_the_program_cut_off_reads_interrupted(desk: Desk) -> None:
    async def write() -> None:
        session = await desk.running.core.sessions.open("window:a")
        await session.append({"role": "user", "content": "Go", "_turn": "t"})
        function = {"name": "exec", "arguments": '{"command": "sleep 9"}'}
        call = {"id": "c", "type": "function", "function": function}
        await session.append({"role": "assistant", "content": "I go.", "_turn": "t", "tool_calls": [call]})

    desk.running.wait(write())
    desk.open("window:a")
    assert said(desk)[:3] == ["Go", "I go.", "Run sleep 9, interrupted"]
    last: Entry = desk.talk.transcript.entries[-1]
    assert last.action == "Ask again"
