"""The open conversation, over a real core: whatever comes first, what is shown is what is in the log."""

import asyncio
from pathlib import Path

import pytest

from desktop.agent.turn import Inbound
from desktop.ui.conversation.transcript import AGAIN, WITHDRAW, Author, State
from tests.servers.scripted import ScriptedServer
from tests.ui.talking import Desk


@pytest.fixture
def desk(talking: Desk) -> Desk:
    return talking


@pytest.fixture
def gate(server: ScriptedServer, tmp_path: Path) -> Path:
    """The next answer goes on when this file is made."""
    path = tmp_path / "gate"
    server.script(f"gate:{path}")
    return path


def test_what_is_said_and_answered_is_shown_and_leaves_nothing_behind(desk: Desk) -> None:
    desk.talk.send("Hello")
    desk.wait_shown("Hello", "Noted.")
    assert desk.talk.key.startswith("window:")
    assert desk.talk._live.answers == {}
    assert len(desk.talk._turns) == 0


def test_two_messages_sent_at_once_begin_one_conversation(desk: Desk) -> None:
    begun: list[str] = []
    desk.talk.created.connect(lambda key, _text: begun.append(key))
    desk.talk.send("one")
    desk.talk.send("two")
    desk.until(lambda: len(desk.shown) == 4 and not desk.talk.busy)
    assert {text for _, text in desk.shown} == {"one", "two", "Noted."}
    assert begun == [desk.talk.key]
    found = desk.running.wait(desk.running.actions.api.conversations.list())
    assert [line.key for line in found] == begun


def test_a_conversation_begun_while_another_was_opened_does_not_come_to_the_front(desk: Desk) -> None:
    desk.door.before["turns.submit"] = asyncio.Event()
    desk.talk.send("one")
    desk.until(lambda: desk.door.asked == ["turns.submit"])
    desk.open("window:other")
    desk.door.before["turns.submit"].set()
    desk.until(lambda: len(desk.running.wait(desk.running.actions.api.conversations.list())) == 1)
    desk.settle()
    assert desk.talk.key == "window:other"
    assert desk.shown == []
    desk.talk.open("")
    desk.talk.send("two")
    desk.wait_shown("two", "Noted.")


def test_an_answer_that_ends_while_its_conversation_is_read_is_shown_whole(desk: Desk, gate: Path) -> None:
    desk.begin("window:a", "Hello")
    desk.open("window:b")
    held = desk.door.after["conversations.read"] = asyncio.Event()
    desk.talk.open("window:a")
    desk.until(lambda: desk.door.asked == ["conversations.read"])
    gate.touch()
    desk.until(lambda: desk.talk._live.answers == {})
    held.set()
    desk.wait_shown("Hello", "before the gate behind the gate")
    assert desk.talk.transcript.entries[-1].state is State.DONE


def test_a_message_sent_while_its_conversation_is_read_is_shown(desk: Desk) -> None:
    desk.open("window:a")
    held = desk.door.after["conversations.read"] = asyncio.Event()
    desk.talk.open("window:a")
    desk.until(lambda: desk.door.asked == ["conversations.read"])
    desk.talk.send("Hello")
    desk.until(lambda: desk.talk.busy)
    held.set()
    desk.wait_shown("Hello", "Noted.")


def test_of_two_conversations_opened_the_last_is_shown(desk: Desk) -> None:
    for key, text in (("window:a", "first"), ("window:b", "second")):
        desk.open(key)
        desk.talk.send(text)
        desk.wait_shown(text, "Noted.")
    held = desk.door.after["conversations.read"] = asyncio.Event()
    desk.talk.open("window:a")
    desk.until(lambda: desk.door.asked == ["conversations.read"])
    del desk.door.after["conversations.read"]
    desk.open("window:b")
    held.set()
    desk.settle()
    assert desk.shown[0] == (Author.YOU, "second")


def test_a_conversation_that_cannot_be_read_does_not_show_another(desk: Desk) -> None:
    desk.open("window:a")
    desk.talk.send("Hello")
    desk.wait_shown("Hello", "Noted.")
    desk.door.refused.add("conversations.read")
    desk.open("window:b")
    assert desk.errors == ["The disk is full."]
    assert desk.shown == []


def test_a_message_that_is_not_stored_comes_back_with_its_conversation(desk: Desk) -> None:
    desk.open("window:a")
    desk.door.before["turns.submit"] = asyncio.Event()
    desk.talk.send("Hello")
    desk.until(lambda: desk.door.asked == ["turns.submit"])
    desk.open("window:b")
    desk.running.core.sessions.folder.rmdir()
    desk.running.core.sessions.folder.write_text("not a folder", "utf-8")
    desk.door.before["turns.submit"].set()
    desk.until(lambda: desk.errors != [])
    assert desk.refused == [("window:a", "Hello")]
    assert not desk.talk.busy


def test_a_question_of_the_terminal_is_shown_with_its_failure(desk: Desk) -> None:
    """It has no model, so that its turn ends before it has begun."""

    async def ask() -> None:
        session = await desk.running.core.sessions.open("cli:direct")
        await session.set_metadata(provider="nobody")
        await desk.running.core.loop.submit(Inbound("cli:direct", "Anyone?"))

    spoken: list[tuple[str, bool]] = []
    desk.talk.spoken_in.connect(lambda key, at_rest: spoken.append((key, at_rest)))
    desk.open("cli:direct")
    desk.running.wait(ask())
    desk.until(lambda: len(desk.shown) == 2)
    desk.settle()
    assert desk.talk.transcript.entries[-1].state is State.FAILED
    assert not desk.talk.busy
    assert ("cli:direct", True) in spoken


def test_stop_keeps_what_came(desk: Desk, gate: Path) -> None:
    desk.begin("window:a", "Hello")
    desk.until(lambda: desk.shown[-1][1] == "before the gate ")
    desk.talk.stop()
    desk.wait_shown("Hello", "before the gate ")
    assert desk.talk.transcript.entries[-1].state is State.STOPPED
    assert not gate.exists()


def test_stop_counts_from_the_moment_a_message_is_sent(desk: Desk, gate: Path) -> None:
    desk.open("window:a")
    desk.talk.send("Hello")
    assert desk.talk.stoppable
    desk.talk.stop()
    desk.until(lambda: len(desk.shown) == 2 and not desk.talk.stoppable)
    assert desk.talk.transcript.entries[-1].state is State.STOPPED
    assert not gate.exists()


def test_a_failed_answer_is_asked_for_again_in_its_place(desk: Desk, server: ScriptedServer) -> None:
    server.script("status:400")
    desk.open("window:a")
    desk.talk.send("Hello")
    desk.until(lambda: bool(desk.shown) and desk.talk.transcript.entries[-1].state is State.FAILED)
    desk.talk.act(desk.talk.transcript.entries[-1].id, AGAIN)
    desk.wait_shown("Hello", "Noted.")


def test_the_model_chosen_for_a_new_conversation_answers_it(desk: Desk) -> None:
    desk.talk.open("")
    desk.talk.choose_model("say:Chosen.", "custom")
    desk.settle()
    desk.talk.settings_changed()
    desk.settle()
    assert desk.models[-1] == "say:Chosen."
    desk.talk.send("Hello")
    desk.wait_shown("Hello", "Chosen.")


def test_a_model_chosen_for_a_conversation_is_not_said_of_another(desk: Desk) -> None:
    desk.open("window:a")
    held = desk.door.after["models.choose"] = asyncio.Event()
    desk.talk.choose_model("say:Chosen.", "custom")
    desk.until(lambda: desk.door.asked == ["models.choose"])
    desk.talk.open("window:b")
    desk.until(lambda: len(desk.models) == 2)
    held.set()
    desk.settle()
    assert desk.models[-1] == "say:Noted."


def line_up(desk: Desk, gate: Path) -> None:
    """One message is being answered, and another waits."""
    desk.begin("window:a", "Hello")
    desk.until(lambda: desk.shown[1][1] == "before the gate ")
    desk.talk.send("And?")
    desk.until(lambda: len(desk.shown) == 4, timeout=20_000)


def test_a_message_sent_during_an_answer_says_that_it_waits(desk: Desk, gate: Path) -> None:
    line_up(desk, gate)
    waits = desk.talk.transcript.entries[-1]
    assert (waits.state, waits.detail) == (State.QUEUED, "Queued")
    desk.open("window:b")
    desk.open("window:a")
    waits = desk.talk.transcript.entries[-1]
    assert (waits.state, waits.detail) == (State.QUEUED, "Queued")
    gate.touch()
    desk.wait_shown("Hello", "before the gate behind the gate", "And?", "Noted.")


def test_stop_ends_the_answer_that_runs_and_the_next_message_is_answered(desk: Desk, gate: Path) -> None:
    line_up(desk, gate)
    desk.talk.stop()
    desk.wait_shown("Hello", "before the gate ", "And?", "Noted.")
    states = [entry.state for entry in desk.talk.transcript.entries]
    assert states == [State.DONE, State.STOPPED, State.DONE, State.DONE]


def test_a_waiting_message_is_taken_back_and_nobody_reads_it(
    desk: Desk, gate: Path, server: ScriptedServer
) -> None:
    back: list[tuple[str, str, object]] = []
    desk.talk.line.taken_back.connect(lambda *given: back.append(given))
    line_up(desk, gate)
    desk.talk.act(desk.talk.transcript.entries[-1].id, WITHDRAW)
    desk.until(lambda: back == [("window:a", "And?", [])] and len(desk.shown) == 2)
    gate.touch()
    desk.wait_shown("Hello", "before the gate behind the gate")
    desk.talk.send("Then this.")
    desk.wait_shown("Hello", "before the gate behind the gate", "Then this.", "Noted.")
    assert "And?" not in str(server.requests[-1].body["messages"])
    desk.open("window:b")
    desk.open("window:a")
    assert "And?" not in str(desk.shown)
    assert desk.errors == []


def test_a_message_that_is_answered_already_is_not_taken_back(desk: Desk, gate: Path) -> None:
    desk.begin("window:a", "Hello")
    desk.talk.line.take_back(desk.talk.transcript.entries[0].id)
    desk.until(lambda: desk.errors == ["This message is already being answered."])
    gate.touch()
    desk.wait_shown("Hello", "before the gate behind the gate")
