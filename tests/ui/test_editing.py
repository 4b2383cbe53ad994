"""Going back in a conversation: a message is written otherwise, an answer made anew, a fork begun."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.cells.cell import Cell
from desktop.ui.conversation.composer.chips import Given
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.program import Running
from tests.ui.settings.reading import shown
from tests.ui.test_library import Desk

Key = Qt.Key


class Table(Desk):
    """The window with the conversation, in which messages can be gone back to."""

    def __init__(self, running: Running, qtbot: QtBot) -> None:
        super().__init__(running, qtbot)
        self.talk.revisions.forked.connect(lambda key: self.library.go_on(key, ""))
        self.begin()

    def cell(self, text: str) -> Cell:
        return next(cell for cell in self.pane.view.cells if cell.entry.text == text)

    def near(self, text: str) -> Cell:
        """A message with the keyboard in it."""
        cell = self.cell(text)
        cell.body.setFocus()
        self.until(lambda: len(cell.actions_row.buttons) == 3)
        return cell

    def say(self, *texts: str) -> None:
        """Say these in a conversation, each once the one before has its answer."""
        self.open("window:a")
        for text in texts:
            wanted = [*self.said, text, "Noted."]
            self.send(text)
            self._wait(wanted)
            self.until(lambda: not self.talk.busy)
            self.settle()

    def _wait(self, wanted: list[str]) -> None:
        self.until(lambda: self.said == wanted)

    @property
    def strip(self) -> bool:
        return "Editing. Messages after this one will be removed." in shown(self.window)


@pytest.fixture
def table(home: Path, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest) -> Table:
    Program(home).use_server(server.url, "say:Noted.")
    return Table(request.getfixturevalue("running"), qtbot)


def press(cell: Cell, name: str) -> None:
    (found,) = [b for b in cell.actions_row.buttons if b.accessibleName() == name]
    QTest.mouseClick(found, Qt.MouseButton.LeftButton)


def test_a_message_is_written_otherwise(table: Table, server: ScriptedServer) -> None:
    table.say("Frist", "Second")
    table.type("half a thought")
    press(table.near("Frist"), "Edit and resend")
    assert table.strip
    assert table.window.composer.text() == "Frist"
    table.window.composer.field.selectAll()
    QTest.keyClicks(table.window.composer.field, "First")
    QTest.keyClick(table.window.composer.field, Key.Key_Return)
    table.until(lambda: table.said == ["First", "Noted."])
    assert not table.strip
    assert table.window.composer.text() == "half a thought", "what was being written is there again"
    shown = [m["content"].split("\n")[0] for m in server.requests[-1].body["messages"][1:]]
    assert shown == ["First"]


def test_escape_leaves_it_as_it_is_and_the_arrow_up_takes_the_last_one(table: Table) -> None:
    table.say("One", "Two")
    field = table.window.composer.field
    QTest.keyClick(field, Key.Key_Up)
    assert table.window.composer.text() == "Two"
    QTest.keyClick(field, Key.Key_Escape)
    assert not table.strip
    assert table.window.composer.text() == ""
    assert table.said == ["One", "Noted.", "Two", "Noted."]
    QTest.keyClick(field, Key.Key_Up)
    table.open("")
    assert not table.strip
    assert table.window.composer.text() == ""
    assert table.file.state.drafts == {}


def test_the_files_of_the_draft_wait_while_a_message_is_written_otherwise(table: Table) -> None:
    table.say("One")
    kept = Given("/nowhere/kept.txt", "kept.txt")
    table.window.composer.add_file(kept)
    press(table.near("One"), "Edit and resend")
    assert table.window.composer.files == []
    table.window.composer.add_file(Given("/nowhere/other.txt", "other.txt"))
    QTest.keyClick(table.window.composer.field, Key.Key_Escape)
    assert table.window.composer.files == [kept]
    table.open("")
    assert table.window.composer.files == []
    table.open("window:a")
    assert table.window.composer.files == [kept]


def test_what_is_being_written_otherwise_stays_where_its_conversation_is_read_anew(table: Table) -> None:
    table.say("One")
    press(table.near("One"), "Edit and resend")
    table.type(" and a half")
    table.talk.open("window:a")
    table.settle()
    assert table.strip
    assert table.window.composer.text() == "One and a half"


def test_an_answer_is_made_anew(table: Table, server: ScriptedServer) -> None:
    table.say("One")
    server.script("say:Otherwise.")
    press(table.near("Noted."), "Regenerate")
    table.until(lambda: table.said == ["One", "Otherwise."])


def test_the_menu_forks_and_opens_earlier_versions(table: Table, server: ScriptedServer) -> None:
    table.ask("window:a", "One")
    server.script("say:Otherwise.")
    press(table.near("Noted."), "Regenerate")
    table.until(lambda: table.said == ["One", "Otherwise."] and not table.talk.busy)
    press(table.near("Otherwise."), "More")
    table.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    (earlier,) = [a.menu() for a in menu.actions() if a.text() == "Earlier versions"]
    assert isinstance(earlier, QMenu)
    assert [action.text() for action in earlier.actions()] == ["One"]
    earlier.actions()[0].trigger()
    menu.close()
    table.until(lambda: table.talk.key != "window:a" and table.said == ["One", "Noted."])
    table.until(lambda: table.window.header.title.accessibleName() == "One (branch)")
    assert len(table.keys) == 2
