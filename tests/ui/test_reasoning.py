"""How much a model thinks is chosen in the header, and kept with the conversation."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.header.effort import ReasoningChoice
from desktop.ui.conversation.header.header import Header
from tests.servers.scripted import ScriptedServer
from tests.ui.talking import Desk


@pytest.fixture
def header(talking: Desk, qtbot: QtBot) -> Header:
    header = Header()
    qtbot.addWidget(header)
    ReasoningChoice(talking.door, talking.reporter, header.reasoning, talking.talk)
    header.resize(900, header.height())
    header.show()
    return header


def levels(header: Header, qtbot: QtBot) -> QMenu:
    """The menu, opened from the keyboard."""
    header.reasoning.setFocus()
    QTest.keyClick(header.reasoning, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def choose(header: Header, qtbot: QtBot, words: str) -> None:
    menu = levels(header, qtbot)
    [action] = [action for action in menu.actions() if action.text() == words]
    menu.setActiveAction(action)
    QTest.keyClick(menu, Qt.Key.Key_Return)


def test_a_level_is_chosen_and_stays_with_its_conversation(
    talking: Desk, header: Header, server: ScriptedServer, qtbot: QtBot
) -> None:
    talking.talk.open("")
    talking.settle()
    assert header.reasoning.isVisible()
    assert header.reasoning.accessibleName() == "Reasoning"
    menu = levels(header, qtbot)
    words = [action.text() for action in menu.actions() if action.text()]
    assert words == ["Model default", "Off", "Low", "Medium", "High"]
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    choose(header, qtbot, "High")
    talking.settle()
    assert header.reasoning.accessibleName() == "Reasoning: High"
    talking.talk.send("Hello")
    talking.until(lambda: bool(talking.shown) and not talking.talk.busy)
    assert server.requests[-1].body["reasoning_effort"] == "high"
    begun = talking.talk.key
    talking.open("window:other")
    assert header.reasoning.accessibleName() == "Reasoning"
    talking.open(begun)
    assert header.reasoning.accessibleName() == "Reasoning: High"
    talking.talk.send("/reasoning low")
    talking.until(lambda: header.reasoning.accessibleName() == "Reasoning: Low")
    choose(header, qtbot, "Model default")
    talking.settle()
    assert header.reasoning.accessibleName() == "Reasoning"


def test_a_model_that_cannot_be_asked_for_it_has_no_button(talking: Desk, header: Header) -> None:
    talking.open("window:a")
    assert header.reasoning.isVisible()
    talking.talk.choose_model("gpt-4.1", "custom")
    talking.settle()
    assert not header.reasoning.isVisible()
