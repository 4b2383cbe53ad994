"""The open conversation, over a real core: whatever comes first, what is shown is what is in the log."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.agent.turn import Inbound
from desktop.tasks import cancel, spawn
from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.transcript import Author, State
from desktop.ui.funnel import Funnel
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.held import Held
from tests.ui.program import Running


class Desk:
    """A controller that hears the bus, and what it told."""

    def __init__(self, running: Running, qtbot: QtBot) -> None:
        self.running, self.until = running, qtbot.waitUntil
        self.door = Held(running.actions)
        self.funnel = Funnel()
        self.talk = Controller(self.door, self.funnel)
        self.errors: list[str] = []
        self.models: list[str] = []
        self.refused: list[tuple[str, str]] = []
        self.funnel.told.connect(lambda text, _remedy: self.errors.append(text))
        self.talk.model_known.connect(lambda line: self.models.append(line["title"]))
        self.talk.refused.connect(lambda key, text: self.refused.append((key, text)))
        self._hearing = spawn(self._hear(), name="test:events")

    async def _hear(self) -> None:
        with self.running.core.bus.subscribe() as events:
            async for event in events:
                self.talk.handle(event)

    @property
    def shown(self) -> list[tuple[Author, str]]:
        return [(entry.author, entry.text) for entry in self.talk.transcript.entries]

    def wait_shown(self, *texts: str) -> None:
        """Wait until these messages are shown, and nothing is on its way."""
        self.until(lambda: [text for _, text in self.shown] == list(texts) and not self.talk.busy)

    def begin(self, key: str, text: str) -> None:
        """Have a question under way in a conversation that is open."""
        self.open(key)
        self.talk.send(text)
        self.until(lambda: self.talk.busy and len(self.shown) == 2, timeout=20_000)

    def open(self, key: str) -> None:
        self.talk.open(key)
        self.settle()

    def settle(self) -> None:
        """Wait until no verb of the conversation is under way but those that are held."""

        def under_way() -> int:
            names = [task.get_name() for task in asyncio.all_tasks(self.running.loop)]
            return sum(name.startswith("conversation:") for name in names)

        self.until(lambda: under_way() <= self.door.waiting)

    def stop(self) -> None:
        self.running.wait(cancel(self._hearing))


@pytest.fixture
def desk(
    home: Path, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest
) -> Iterator[Desk]:
    Program(home).use_server(server.url, "say:Noted.")
    made = Desk(request.getfixturevalue("running"), qtbot)
    yield made
    made.stop()


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
    assert desk.talk._live == {}
    assert desk.talk._turns == {}


def test_two_messages_sent_at_once_begin_one_conversation(desk: Desk) -> None:
    begun: list[str] = []
    desk.talk.created.connect(lambda key, _text: begun.append(key))
    desk.talk.send("one")
    desk.talk.send("two")
    desk.until(lambda: len(desk.shown) == 4 and not desk.talk.busy, timeout=20_000)
    assert {text for _, text in desk.shown} == {"one", "two", "Noted."}
    assert begun == [desk.talk.key]
    found = desk.running.wait(desk.running.actions.call("conversations"))
    assert [line["key"] for line in found["conversations"]] == begun


def test_a_conversation_begun_while_another_was_opened_does_not_come_to_the_front(desk: Desk) -> None:
    desk.door.before["submit"] = asyncio.Event()
    desk.talk.send("one")
    desk.until(lambda: desk.door.asked == ["submit"])
    desk.open("window:other")
    desk.door.before["submit"].set()
    desk.until(
        lambda: len(desk.running.wait(desk.running.actions.call("conversations"))["conversations"]) == 1
    )
    desk.settle()
    assert desk.talk.key == "window:other"
    assert desk.shown == []
    desk.talk.open("")
    desk.talk.send("two")
    desk.wait_shown("two", "Noted.")


def test_an_answer_that_ends_while_its_conversation_is_read_is_shown_whole(desk: Desk, gate: Path) -> None:
    desk.begin("window:a", "Hello")
    desk.open("window:b")
    held = desk.door.after["conversation"] = asyncio.Event()
    desk.talk.open("window:a")
    desk.until(lambda: desk.door.asked == ["conversation"])
    gate.touch()
    desk.until(lambda: desk.talk._live == {}, timeout=20_000)
    held.set()
    desk.wait_shown("Hello", "before the gate behind the gate")
    assert desk.talk.transcript.entries[-1].state is State.DONE


def test_a_message_sent_while_its_conversation_is_read_is_shown(desk: Desk) -> None:
    desk.open("window:a")
    held = desk.door.after["conversation"] = asyncio.Event()
    desk.talk.open("window:a")
    desk.until(lambda: desk.door.asked == ["conversation"])
    desk.talk.send("Hello")
    desk.until(lambda: desk.talk.busy)
    held.set()
    desk.wait_shown("Hello", "Noted.")


def test_of_two_conversations_opened_the_last_is_shown(desk: Desk) -> None:
    for key, text in (("window:a", "first"), ("window:b", "second")):
        desk.open(key)
        desk.talk.send(text)
        desk.wait_shown(text, "Noted.")
    held = desk.door.after["conversation"] = asyncio.Event()
    desk.talk.open("window:a")
    desk.until(lambda: desk.door.asked == ["conversation"])
    del desk.door.after["conversation"]
    desk.open("window:b")
    held.set()
    desk.settle()
    assert desk.shown[0] == (Author.YOU, "second")


def test_a_conversation_that_cannot_be_read_does_not_show_another(desk: Desk) -> None:
    desk.open("window:a")
    desk.talk.send("Hello")
    desk.wait_shown("Hello", "Noted.")
    desk.door.refused.add("conversation")
    desk.open("window:b")
    assert desk.errors == ["The disk is full."]
    assert desk.shown == []


def test_a_message_that_is_not_stored_comes_back_with_its_conversation(desk: Desk) -> None:
    desk.open("window:a")
    desk.door.before["submit"] = asyncio.Event()
    desk.talk.send("Hello")
    desk.until(lambda: desk.door.asked == ["submit"])
    desk.open("window:b")
    desk.running.core.sessions.folder.rmdir()
    desk.running.core.sessions.folder.write_text("not a folder", "utf-8")
    desk.door.before["submit"].set()
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
    desk.until(lambda: desk.shown[-1][1] == "before the gate ", timeout=20_000)
    desk.talk.stop()
    desk.wait_shown("Hello", "before the gate ")
    assert desk.talk.transcript.entries[-1].state is State.STOPPED
    assert not gate.exists()


def test_a_failed_answer_is_asked_for_again_in_its_place(desk: Desk, server: ScriptedServer) -> None:
    server.script("status:400")
    desk.open("window:a")
    desk.talk.send("Hello")
    desk.until(lambda: bool(desk.shown) and desk.talk.transcript.entries[-1].state is State.FAILED)
    desk.talk.act(desk.talk.transcript.entries[-1].id)
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
    held = desk.door.after["choose_model"] = asyncio.Event()
    desk.talk.choose_model("say:Chosen.", "custom")
    desk.until(lambda: desk.door.asked == ["choose_model"])
    desk.talk.open("window:b")
    desk.until(lambda: len(desk.models) == 2)
    held.set()
    desk.settle()
    assert desk.models[-1] == "say:Noted."
