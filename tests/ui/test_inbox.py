"""What waits for the person, of all conversations: counted, shown in a panel, answered there."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.question import Question
from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.rows import Rows
from desktop.ui.state import WindowState


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    made = MainWindow(WindowState(), Rows())
    qtbot.addWidget(made)
    made.close_wanted.connect(made.hide)
    made.resize(1000, 700)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def question(id_: str, command: str = "touch made.txt") -> Question:
    card = {"title": "Run a command?", "command": command, "remember": ""}
    return Question(id_, f"window:{id_}", "t", "c", card, parked=True, at=1.0)


def show(window: MainWindow, *questions: Question) -> None:
    window.header.show_waiting(len(questions))
    window.inbox.show_questions(questions, lambda key: f"About {key}")


def test_the_header_counts_what_waits(window: MainWindow) -> None:
    show(window)
    assert not window.header.inbox.isVisible()
    show(window, question("a"), question("b"))
    assert window.header.inbox.isVisible()
    assert window.header.inbox.accessibleName() == "Waiting for you: 2"


def test_the_panel_comes_with_a_press_and_goes_with_escape(window: MainWindow) -> None:
    show(window, question("a"))
    window.header.inbox.click()
    assert window.inbox.isVisible()
    assert window.inbox.geometry().right() < window.width()
    QTest.keyClick(window.inbox.close_button, Qt.Key.Key_Escape)
    assert not window.inbox.isVisible()
    assert window.composer.field.hasFocus()
    QTest.keyClick(window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert window.inbox.isVisible()


def test_each_question_is_answered_in_the_panel_and_leads_to_its_conversation(window: MainWindow) -> None:
    answers: list[tuple[str, object]] = []
    opened: list[str] = []
    window.inbox.answered.connect(lambda id_, given: answers.append((id_, given)))
    window.inbox.open_wanted.connect(opened.append)
    show(window, question("a"), question("b", "rm old.txt"))
    window.toggle_inbox()
    items = window.inbox.items
    assert items["b"].card.command.toPlainText() == "rm old.txt"
    assert items["b"].open.accessibleName() == "Open conversation: About window:b"
    items["b"].card.yes.click()
    items["a"].open.click()
    assert answers == [("b", {"yes": True, "always": False, "network": False})]
    assert opened == ["window:a"]


def test_what_was_being_written_stays_when_another_question_comes(window: MainWindow) -> None:
    show(window, question("a"))
    window.toggle_inbox()
    card = window.inbox.items["a"].card
    card.no.click()
    QTest.keyClicks(card.reason, "becau")
    show(window, question("b"), question("a"))
    assert window.inbox.items["a"].card is card
    assert card.reason.text() == "becau"
    assert QApplication.focusWidget() is card.reason


def test_the_panel_goes_when_nothing_waits_any_more(window: MainWindow) -> None:
    show(window, question("a"))
    window.toggle_inbox()
    window.inbox.items["a"].card.yes.setFocus()
    show(window)
    assert not window.inbox.isVisible()
    assert window.composer.field.hasFocus()


def test_tab_stays_reachable_over_the_panel(window: MainWindow) -> None:
    show(window, question("a"))
    window.toggle_inbox()
    seen = set()
    for _ in range(40):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        seen.add(QApplication.focusWidget())
    card = window.inbox.items["a"].card
    assert {card.yes, card.no, window.inbox.close_button, window.composer.field} <= seen
