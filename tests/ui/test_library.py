"""The window's conversations, over a real core: no text is lost, no row is a ghost, marks are true."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.agent.turn import Inbound
from desktop.ui.conversation.temporary import Temporary
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.library import Library
from desktop.ui.sidebar.row_actions import RowActions
from desktop.ui.sidebar.rows import Rows
from desktop.ui.state import StateFile
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.held import Held
from tests.ui.program import Running


class Desk:
    """The window with its list, before the core is up; begin() as the conductor does."""

    def __init__(self, running: Running, qtbot: QtBot, session: str = "") -> None:
        self.running, self.until = running, qtbot.waitUntil
        self.door = Held(running.actions)
        self.file = StateFile(running.home.root / "window.json")
        self.file.state.session = session
        self.rows = Rows()
        self.window = MainWindow(self.file.state, self.rows)
        qtbot.addWidget(self.window)
        for owned in (self.file, self.rows):
            owned.setParent(self.window)
        reporter = ErrorReporter(self.window)
        self.errors: list[str] = []
        reporter.told.connect(lambda text, _remedy: self.errors.append(text))
        self.pane = self.window.pane
        self.pane.begin(self.door, reporter, self.file, lambda *_told: None)
        self.talk = self.pane.talk
        self.library = Library(self.door, reporter, self.window, self.rows, self.file, self.talk)
        self.row_actions = RowActions(self.door, reporter, self.window, self.rows, self.library)
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(self.window.isActiveWindow)

    @property
    def keys(self) -> list[str]:
        return [conversation.key for conversation in self.rows.conversations]

    @property
    def said(self) -> list[str]:
        return [entry.text for entry in self.talk.transcript.entries]

    def begin(self) -> None:
        self.library.begin()
        self.settle()

    def open(self, key: str) -> None:
        self.library.open(key)
        self.settle()

    def type(self, text: str) -> None:
        self.window.composer.field.insertPlainText(text)

    def send(self, text: str) -> None:
        self.type(text)
        self.window.composer.field.sent.emit()

    def ask(self, key: str, text: str) -> None:
        """Say something in a conversation, and wait for the answer."""
        self.open(key)
        self.send(text)
        self.until(lambda: self.talk._live.answers == {} and self.said[-1:] == ["Noted."])
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is under way but what is held."""

        def under_way() -> int:
            names = [task.get_name() for task in asyncio.all_tasks(self.running.loop)]
            return sum(name.startswith(("conversation:", "library:", "temporary:")) for name in names)

        self.until(lambda: under_way() <= self.door.waiting)

    def stored(self, key: str) -> list[str]:
        found = self.running.wait(self.running.actions.api.conversations.read(key))
        return [message["content"] for message in found.messages]


@pytest.fixture
def configured(home: Path, server: ScriptedServer) -> None:
    Program(home).use_server(server.url, "say:Noted.")


@pytest.fixture
def desk(configured: None, running: Running, qtbot: QtBot) -> Desk:
    return Desk(running, qtbot, "window:a")


def hold(desk: Desk, verb: str) -> asyncio.Event:
    event = desk.door.before[verb] = asyncio.Event()
    desk.door.asked.clear()
    return event


def told(desk: Desk, verb: str) -> None:
    desk.until(lambda: verb in desk.door.asked)


def test_what_is_typed_and_sent_before_the_core_is_up_belongs_to_the_conversation_shown(desk: Desk) -> None:
    session = desk.running.wait(desk.running.core.sessions.open("window:a"))
    desk.running.wait(session.append({"role": "user", "content": "before"}))
    up = hold(desk, "turns.submit")
    desk.send("first")
    desk.type("second")
    assert desk.file.state.drafts == {"window:a": "second"}
    desk.library.begin()
    told(desk, "turns.submit")
    up.set()
    desk.until(lambda: desk.said[-2:] == ["first", "Noted."] and not desk.talk.busy)
    desk.settle()
    assert desk.talk.key == "window:a"
    assert desk.stored("window:a") == ["before", "first", "Noted."]
    assert desk.window.composer.text() == "second"
    assert desk.keys == ["window:a"]


def test_a_draft_of_a_conversation_that_is_gone_is_kept_for_a_new_one(desk: Desk) -> None:
    desk.type("half a thought")
    desk.begin()
    assert desk.talk.key == ""
    assert desk.window.composer.text() == "half a thought"
    assert desk.file.state.drafts == {"": "half a thought"}


def test_a_message_on_its_way_is_a_draft_again_after_a_crash_until_it_is_stored(desk: Desk) -> None:
    desk.begin()
    stored = hold(desk, "turns.submit")
    desk.send("Hello")
    told(desk, "turns.submit")
    desk.type("and more")
    desk.file.write()
    after_a_crash = StateFile(desk.running.home.root / "window.json").state
    assert after_a_crash.drafts == {"": "Hello\n\nand more"}
    assert after_a_crash.unsent == []
    stored.set()
    desk.until(lambda: desk.said == ["Hello", "Noted."])
    desk.file.write()
    after_a_crash = StateFile(desk.running.home.root / "window.json").state
    assert after_a_crash.drafts == {desk.talk.key: "and more"}


def test_what_is_written_while_a_conversation_begins_is_its_draft(desk: Desk) -> None:
    desk.begin()
    stored = hold(desk, "turns.submit")
    desk.send("Hello")
    told(desk, "turns.submit")
    desk.type("and more")
    stored.set()
    desk.until(lambda: desk.said == ["Hello", "Noted."])
    begun = desk.talk.key
    desk.open("")
    assert desk.window.composer.text() == ""
    desk.open(begun)
    assert desk.window.composer.text() == "and more"


def test_a_refused_message_goes_back_to_its_own_field_before_what_was_written_since(desk: Desk) -> None:
    desk.ask("window:a", "Hello")
    desk.ask("window:b", "Hello")
    desk.door.refused.add("turns.submit")
    desk.type("to b")
    desk.open("window:a")
    desk.send("not stored")
    desk.type("typed since")
    desk.open("window:b")
    assert desk.errors == ["The disk is full."]
    assert desk.window.composer.text() == "to b"
    desk.open("window:a")
    assert desk.window.composer.text() == "not stored\n\ntyped since"
    assert desk.file.state.unsent == []


def test_deleting_the_one_that_answers_leaves_no_ghost_and_can_be_undone(
    desk: Desk, server: ScriptedServer, tmp_path: Path
) -> None:
    desk.ask("window:b", "Other")
    server.script(f"gate:{tmp_path / 'never'}")
    desk.open("window:a")
    desk.send("Hello")
    desk.until(lambda: desk.said[-1:] == ["before the gate "])
    deletion = hold(desk, "conversations.delete")
    desk.row_actions.delete("window:a")
    told(desk, "conversations.delete")
    assert desk.talk.key == "window:b"
    desk.row_actions.undo()
    desk.row_actions.undo()
    deletion.set()
    desk.settle()
    desk.until(lambda: not desk.talk.busy)
    assert sorted(desk.keys) == ["window:a", "window:b"]
    assert desk.stored("window:a")[:2] == ["Hello", "before the gate "]
    assert desk.talk.key == "window:a"
    desk.row_actions.delete("window:a")
    desk.settle()
    assert desk.keys == ["window:b"]
    assert desk.errors == []


def test_the_list_read_in_the_middle_of_a_deletion_does_not_bring_the_row_back(desk: Desk) -> None:
    desk.ask("window:a", "Hello")
    read = desk.door.after["conversations.list"] = asyncio.Event()
    desk.library.settings_changed()
    told(desk, "conversations.list")
    desk.row_actions.delete("window:a")
    read.set()
    desk.settle()
    assert desk.keys == []
    assert desk.file.state.conversations == []


def test_a_conversation_that_could_not_be_deleted_is_listed_again(desk: Desk) -> None:
    desk.ask("window:a", "Hello")
    desk.door.refused.add("conversations.delete")
    desk.row_actions.delete("window:a")
    assert desk.keys == []
    desk.settle()
    assert desk.keys == ["window:a"]
    assert desk.errors == ["The disk is full."]


def test_after_the_last_one_is_deleted_a_new_one_is_open(desk: Desk) -> None:
    desk.ask("window:a", "Hello")
    desk.row_actions.delete("window:a")
    desk.settle()
    assert (desk.talk.key, desk.keys, desk.said) == ("", [], [])


def test_an_answer_behind_the_back_is_marked_until_it_is_looked_at(desk: Desk, qapp: QApplication) -> None:
    desk.ask("window:a", "Hello")
    desk.ask("window:b", "Hello")
    submit = desk.running.core.loop.submit
    desk.running.wait(submit(Inbound("window:a", "From the terminal")))
    desk.until(lambda: desk.file.state.unread == ["window:a"])
    desk.library.settings_changed()
    desk.settle()
    assert [c.key for c in desk.rows.conversations if c.unread] == ["window:a"]
    desk.open("window:a")
    assert desk.file.state.unread == []
    assert not any(c.unread for c in desk.rows.conversations)


def test_an_answer_in_the_open_conversation_is_unread_while_the_window_is_away(desk: Desk) -> None:
    desk.ask("window:a", "Hello")
    desk.window.hide()
    desk.until(lambda: not desk.window.isActiveWindow())
    desk.send("Again")
    desk.until(lambda: desk.file.state.unread == ["window:a"])
    desk.library.seen()
    assert desk.file.state.unread == ["window:a"]


def test_an_answer_that_came_before_the_person_left_is_not_unread(desk: Desk) -> None:
    desk.ask("window:b", "Hello")
    desk.ask("window:a", "Hello")
    marks: list[bool] = []

    def leave(_key: str, at_rest: bool) -> None:
        if at_rest:
            desk.library.open("window:b")
            QTimer.singleShot(0, desk.window, lambda: marks.append(desk.rows.get("window:a").unread))  # type: ignore[union-attr]

    desk.talk.spoken_in.connect(leave)
    desk.send("Again")
    desk.until(lambda: bool(marks))
    assert marks == [False]
    desk.settle()


def test_the_model_is_told_when_the_first_message_is_sent_before_it_is_known(desk: Desk) -> None:
    providers: list[str] = []
    desk.talk.model_known.connect(lambda found: providers.append(found.line.provider))
    answering = hold(desk, "models.answering")
    desk.begin()
    told(desk, "models.answering")
    desk.send("Hello")
    desk.until(lambda: desk.talk.key != "")
    assert providers == []
    answering.set()
    desk.until(lambda: providers == ["custom"])
    desk.until(lambda: desk.said == ["Hello", "Noted."])
    desk.settle()


def test_a_new_name_is_in_the_header_and_on_disk(desk: Desk) -> None:
    desk.ask("window:a", "Hello")
    index = desk.rows.index_of("window:a")
    desk.rows.setData(index, "  My   name ")
    desk.settle()
    assert desk.window.header.title.accessibleName() == "My name"
    found = desk.running.wait(desk.running.actions.api.conversations.list())
    assert found[0].title == "My name"


def kept(desk: Desk, key: str) -> tuple[bool, bool]:
    found = desk.rows.get(key)
    assert found is not None
    return found.pinned, found.archived


def test_an_archived_conversation_makes_room_and_comes_back_on_undo(desk: Desk) -> None:
    for key in ("window:a", "window:b"):
        desk.ask(key, f"say {key}")
    desk.row_actions.archive()
    desk.settle()
    assert desk.talk.key == "window:a", "the next one is shown"
    assert desk.window.toast.isVisible()
    assert kept(desk, "window:b") == (False, True)
    desk.row_actions.undo()
    desk.settle()
    assert (desk.talk.key, kept(desk, "window:b")) == ("window:b", (False, False))
    desk.library.settings_changed()
    desk.settle()
    assert kept(desk, "window:b") == (False, False), "it is so on disk"


def test_writing_in_an_archived_conversation_brings_it_back(desk: Desk) -> None:
    desk.ask("window:a", "first")
    desk.row_actions.archive()
    desk.settle()
    desk.open("window:a")
    assert desk.rows.index_of("window:a").isValid(), "it is open, so it is to be seen"
    desk.ask("window:a", "second")
    desk.until(lambda: kept(desk, "window:a") == (False, False))
    desk.library.settings_changed()
    desk.settle()
    assert kept(desk, "window:a") == (False, False)


def test_pinned_and_archived_are_known_before_the_core_is_up(desk: Desk) -> None:
    desk.ask("window:a", "first")
    desk.ask("window:b", "second")
    desk.row_actions.pin("window:a")
    desk.row_actions.archive("window:b")
    desk.settle()
    desk.file.write()
    again = StateFile(desk.running.home.root / "window.json", desk.window).state.conversations
    assert [(line.key, line.pinned, line.archived) for line in again] == [
        ("window:a", True, False),
        ("window:b", False, True),
    ]


def test_what_the_command_line_pins_and_names_is_shown(desk: Desk) -> None:
    desk.ask("window:a", "first")
    desk.running.wait(desk.running.actions.api.conversations.pin("window:a"))
    desk.running.wait(desk.running.actions.api.conversations.rename("window:a", "From there"))
    desk.until(lambda: kept(desk, "window:a") == (True, False))
    desk.until(lambda: desk.window.header.title.accessibleName() == "From there")


def test_a_temporary_conversation_is_in_no_list_and_no_file(desk: Desk) -> None:
    temporary = Temporary(
        desk.door, ErrorReporter(desk.window), desk.window, desk.library, desk.talk, desk.file
    )
    desk.ask("window:a", "first")
    desk.window.temporary_wanted.emit()
    desk.settle()
    key = desk.talk.key
    assert desk.window.header.title.accessibleName() == "Temporary conversation"
    desk.send("The blue pelican")
    desk.until(lambda: desk.said[-1:] == ["Noted."])
    desk.type("and a draft")
    assert desk.keys == ["window:a"]
    desk.file.write()
    assert key not in (written := desk.running.home.root / "window.json").read_text("utf-8")
    assert "and a draft" not in written.read_text("utf-8")

    desk.open("window:a")
    assert "stays until you quit" in desk.window.toast.accessibleName()
    desk.window.temporary_wanted.emit()
    desk.settle()
    assert (desk.talk.key, desk.said[-1]) == (key, "Noted.")
    assert desk.window.composer.field.toPlainText() == "and a draft"
    temporary.discard()
    desk.settle()
    assert (desk.talk.key, desk.stored(key)) == ("", [])
    desk.window.temporary_wanted.emit()
    desk.settle()
    assert desk.talk.key not in ("", key), "the next one is another one"


def test_a_temporary_conversation_is_kept_with_its_draft(desk: Desk) -> None:
    temporary = Temporary(
        desk.door, ErrorReporter(desk.window), desk.window, desk.library, desk.talk, desk.file
    )
    desk.begin()
    desk.window.temporary_wanted.emit()
    desk.settle()
    desk.send("Keep this")
    desk.until(lambda: desk.said[-1:] == ["Noted."] and not desk.talk.busy)
    desk.type("more")
    temporary.keep()
    desk.until(lambda: desk.talk.key.startswith("window:"))
    desk.settle()
    assert desk.keys == [desk.talk.key]
    assert desk.said == ["Keep this", "Noted."]
    assert desk.window.composer.field.toPlainText() == "more"
    assert desk.errors == []


def test_an_answer_that_was_read_elsewhere_is_not_unread(desk: Desk) -> None:
    desk.begin()
    desk.ask("window:a", "one")
    desk.open("window:b")
    desk.library.elsewhere = lambda: "window:a"
    drawn: list[bool] = []
    desk.talk.spoken_in.connect(
        lambda _key, at_rest: QTimer.singleShot(0, desk.window, lambda: drawn.append(at_rest))
    )
    desk.running.wait(desk.running.core.loop.submit(Inbound("window:a", "two", "window")))
    desk.until(lambda: True in drawn)
    assert not desk.rows.get("window:a").unread  # type: ignore[union-attr]
    desk.library.elsewhere = str
    desk.running.wait(desk.running.core.loop.submit(Inbound("window:a", "three", "window")))
    desk.until(lambda: desk.rows.get("window:a").unread)  # type: ignore[union-attr]
    desk.library.elsewhere = lambda: "window:a"
    desk.library.seen()
    assert not desk.rows.get("window:a").unread  # type: ignore[union-attr]
    desk.settle()
