"""Commands in the open conversation, over a real core: answered without a model, whatever comes first."""

import asyncio

import pytest

from desktop.ui.conversation.copying import as_markdown
from desktop.ui.conversation.transcript import Author, State
from tests.servers.scripted import ScriptedServer
from tests.ui.talking import Desk


@pytest.fixture
def desk(talking: Desk) -> Desk:
    return talking


def authors(desk: Desk) -> list[Author]:
    return [author for author, _text in desk.shown]


def rest(desk: Desk, count: int) -> None:
    """Wait until so many entries are shown and nothing is on its way."""
    desk.until(lambda: len(desk.shown) == count and not desk.talk.busy)
    desk.settle()


def test_a_command_is_answered_without_a_model(desk: Desk, server: ScriptedServer) -> None:
    desk.talk.send("/help")
    rest(desk, 2)
    asked, answer = desk.talk.transcript.entries
    assert (asked.author, asked.text) == (Author.YOU, "/help")
    assert answer.author is Author.NANOBOT
    assert "/status" in answer.text
    assert answer.state is State.DONE
    assert server.requests == []
    before, key = desk.shown, desk.talk.key
    desk.open("window:b")
    desk.open(key)
    assert desk.shown == before


def test_the_reply_may_come_before_its_turn_has_a_name(desk: Desk) -> None:
    held = desk.door.after["turns.submit"] = asyncio.Event()
    desk.open("window:a")
    desk.talk.send("/help")
    desk.until(lambda: desk.door.asked == ["turns.submit"])
    desk.until(lambda: bool(desk.talk._early._ends))
    assert desk.shown == []
    held.set()
    rest(desk, 2)
    assert authors(desk) == [Author.YOU, Author.NANOBOT]
    assert "/status" in desk.shown[1][1]
    assert len(desk.talk._turns) == 0


def test_what_ends_elsewhere_while_a_message_is_sent_is_shown_too(desk: Desk) -> None:
    held = desk.door.after["turns.submit"] = asyncio.Event()
    desk.open("window:a")
    desk.talk.send("/help")
    desk.until(lambda: desk.door.asked == ["turns.submit"])
    desk.running.wait(desk.running.actions.api.turns.submit("window:a", "/nonsense"))
    desk.until(lambda: len(desk.talk._early._ends) == 2)
    held.set()
    rest(desk, 4)
    assert [text for author, text in desk.shown if author is Author.YOU] == ["/help", "/nonsense"]


def test_after_new_a_line_says_that_all_begins_anew(desk: Desk) -> None:
    desk.open("window:a")
    desk.talk.send("Hello")
    rest(desk, 2)
    desk.talk.send("/new")
    rest(desk, 5)
    expected = [Author.YOU, Author.NANOBOT, Author.YOU, Author.NANOBOT, Author.BREAK]
    assert authors(desk) == expected
    ids = [entry.id for entry in desk.talk.transcript.entries]
    desk.open("window:b")
    desk.open("window:a")
    assert authors(desk) == expected
    assert [entry.id for entry in desk.talk.transcript.entries] == ids
    assert as_markdown(desk.talk.transcript.entries, lambda e: e.author.value).endswith("\n\n---\n")


def test_stop_can_be_typed(desk: Desk, server: ScriptedServer) -> None:
    held = server.hold("A long story")
    desk.begin("window:a", "A long story")
    desk.talk.send("/stop")
    rest(desk, 4)
    entries = desk.talk.transcript.entries
    assert [entry.state for entry in entries if entry.author is Author.NANOBOT] == [
        State.STOPPED,
        State.DONE,
    ]
    held.set()


def test_a_message_keeps_waiting_for_its_answer_when_a_command_was_answered(desk: Desk) -> None:
    async def write() -> None:
        session = await desk.running.core.sessions.open("window:a")
        await session.append({"role": "user", "content": "Hello", "_turn": "t"})
        await session.append({"role": "user", "content": "/status", "_turn": "c", "_command": True})
        reply = {"role": "assistant", "content": "All well.", "_turn": "c", "_command": True}
        await session.append(reply)

    desk.running.wait(write())
    desk.open("window:a")
    assert [entry.text for entry in desk.talk.transcript.entries[:3]] == ["Hello", "/status", "All well."]
    assert desk.talk.transcript.entries[-1].action == "Ask again"
