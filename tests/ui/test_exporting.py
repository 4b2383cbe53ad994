"""The open conversation as a file, and what it has cost over it."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.conversation_actions import ConversationActions, file_name, kind_of
from desktop.ui.conversation.header.cost_reader import CostReader
from desktop.ui.error_reporter import ErrorReporter
from desktop.usage import Call
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.program import Running
from tests.ui.test_library import Desk


class Shelf(Desk):
    """The window with the conversation and what can be done with it."""

    def __init__(self, running: Running, qtbot: QtBot) -> None:
        super().__init__(running, qtbot)
        reporter = ErrorReporter(self.window)
        reporter.told.connect(lambda text, _remedy: self.errors.append(text))
        self.reading = ConversationActions(
            self.door,
            reporter,
            self.window,
            self.pane.view,
            self.library,
            self.row_actions,
            self.talk,
        )
        self.costing = CostReader(self.door, reporter, self.window.header, self.talk)
        self.begin()
        self.costing.begin()

    def dialog(self) -> QFileDialog:
        self.until(lambda: bool(self.window.findChildren(QFileDialog)))
        return self.window.findChildren(QFileDialog)[-1]

    def write_to(self, path: Path) -> None:
        """Choose a file in the system's dialog, which is none of ours."""
        dialog = self.dialog()
        dialog.fileSelected.emit(str(path))
        dialog.close()
        self.until(lambda: not self.window.findChildren(QFileDialog))

    @property
    def toast(self) -> str:
        return self.window.toast.accessibleName() if self.window.toast.isVisible() else ""


@pytest.fixture
def shelf(home: Path, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest) -> Shelf:
    Program(home).use_server(server.url, "say:Noted.")
    return Shelf(request.getfixturevalue("running"), qtbot)


def key(shelf: Shelf, keys: Qt.Key) -> None:
    QTest.keyClick(shelf.window, keys, Qt.KeyboardModifier.ControlModifier)


def test_the_name_of_the_file_says_the_kind(shelf: Shelf, tmp_path: Path) -> None:
    shelf.ask("window:a", "What is **new**?")
    for name, begins in (("talk.md", "# What is"), ("talk.html", "<!DOCTYPE html>"), ("talk.json", "{")):
        key(shelf, Qt.Key.Key_S)
        shelf.write_to(tmp_path / name)
        shelf.until(lambda name=name: shelf.toast == f"Exported to {name}")  # type: ignore[misc]
        text = (tmp_path / name).read_text("utf-8")
        assert text.startswith(begins)
        assert "Noted." in text
    assert json.loads((tmp_path / "talk.json").read_text("utf-8"))["title"] == "What is new?"


def test_the_menu_exports_as_what_it_says(shelf: Shelf, tmp_path: Path) -> None:
    shelf.ask("window:a", "Hello")
    header = shelf.window.header
    QTest.mouseClick(header.menu, Qt.MouseButton.LeftButton)
    shelf.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    (web,) = [action for action in menu.actions() if action.text() == "Export as a web page…"]
    web.trigger()
    menu.close()
    shelf.write_to(tmp_path / "plain")
    shelf.until(lambda: shelf.toast == "Exported to plain")
    assert (tmp_path / "plain").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_file_that_cannot_be_written_is_said(shelf: Shelf, tmp_path: Path) -> None:
    shelf.ask("window:a", "Hello")
    shelf.reading._reporter.run(
        shelf.reading._export("window:a", "t", "json", "/proc/nothing/t.json"), name="test:export"
    )
    shelf.until(lambda: bool(shelf.errors))
    assert "/proc/nothing" in shelf.errors[-1]
    assert not shelf.toast


def test_nothing_is_offered_where_there_is_no_conversation(shelf: Shelf) -> None:
    shelf.open("")
    assert not shelf.window.header.menu.isVisible()
    key(shelf, Qt.Key.Key_S)
    assert not shelf.window.findChildren(QFileDialog)


def test_titles_become_names_of_files() -> None:
    assert file_name('a/b\\c: "d" *?') == "a b c d"
    assert file_name("...") == "Conversation"
    assert kind_of("x.HTM") == "html"
    assert kind_of("x.txt") is None


async def _spend(shelf: Shelf, cost: float | None, tokens: int, session: str = "window:a") -> None:
    call = Call("openai", "gpt-5", session=session, input_tokens=tokens, cost=cost)
    await shelf.running.core.usage.record(call)


def test_the_cost_of_the_conversation_stands_over_it(shelf: Shelf) -> None:
    label = shelf.window.header.cost
    shelf.open("window:a")
    assert not label.isVisible()
    for cost, tokens, shown in (
        (None, 4_000, "4k tokens · price unknown"),
        (0.5, 1_000, "5k tokens · $0.50 +"),
    ):
        shelf.running.wait(_spend(shelf, cost, tokens))
        shelf.until(lambda shown=shown: label.text() == shown)  # type: ignore[misc]
    assert "4k tokens of unknown price" in label.accessibleName()
    assert "\nInput 5k, output 0 tokens\ngpt-5: 5k tokens · $0.50" in label.toolTip()
    shelf.running.wait(_spend(shelf, 9.0, 10, "window:b"))
    shelf.open("window:b")
    shelf.until(lambda: label.text() == "10 tokens · $9.00")
    shelf.open("")
    assert not label.isVisible()


def test_a_model_on_this_computer_is_free(shelf: Shelf) -> None:
    call = Call("ollama", "qwen", session="window:a", input_tokens=900, output_tokens=100)
    shelf.running.wait(shelf.running.core.usage.record(call))
    shelf.open("window:a")
    shelf.until(lambda: shelf.window.header.cost.text() == "1k tokens · free")
    assert shelf.window.header.cost.toolTip().endswith("qwen: 1k tokens · free")
