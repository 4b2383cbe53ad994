"""Tab goes through the whole window in the order in which it is seen, and Shift+Tab back."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QStackedWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.rows import Rows
from desktop.ui.state import WindowState
from desktop.ui.widgets.buttons import button

FIELD = ["Message", "Attach files"]
FORWARD = ["Search", "New conversation", "Settings", "Model: any", "one", "two", *FIELD, "Send"]


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    """The window with a stack where the conversation is, whose first page has nothing to reach."""
    rows = Rows()
    rows.fill([])
    made = MainWindow(WindowState(), rows)
    qtbot.addWidget(made)
    made.header.show_model("any", "custom")
    made.composer.show_draft("something to send")
    made.pane.stack.addWidget(QWidget())
    made.show()
    made.activateWindow()
    made.composer.setFocus()
    qtbot.waitUntil(made.composer.field.hasFocus)
    return made


def focused() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


def name() -> str:
    found = focused()
    return found.accessibleName() or (found.text() if isinstance(found, QPushButton) else "")


def round_trip(key: Callable[[QWidget], None], steps: int) -> list[str]:
    """The names that a key goes through, from where the keyboard is."""
    names = []
    for _step in range(steps):
        names.append(name())
        key(focused())
    return names


def tab(widget: QWidget) -> None:
    QTest.keyClick(widget, Qt.Key.Key_Tab)


def back(widget: QWidget) -> None:
    QTest.keyClick(widget, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)


def card(window: MainWindow, words: tuple[str, ...]) -> QWidget:
    """A page that comes late, as the card of the first run does."""
    page = QWidget()
    column = QVBoxLayout(page)
    for each in words:
        made = button()
        made.setText(each)
        column.addWidget(made)
    [stack] = window.findChildren(QStackedWidget)
    stack.addWidget(page)
    stack.setCurrentWidget(page)
    return page


def test_what_came_last_is_walked_in_its_place(window: MainWindow) -> None:
    card(window, ("one", "two"))
    window.sidebar.search.setFocus()
    assert round_trip(tab, 10) == [*FORWARD, "Search"]
    window.sidebar.search.setFocus()
    assert round_trip(back, 10) == ["Search", *FORWARD[::-1]]


def test_what_is_shown_later_is_walked_too(window: MainWindow) -> None:
    window.notice.tell("Something is wrong.", actions=(("Dismiss", window.notice.hide),))
    window.composer.busy(busy=True)
    window.sidebar.settings.setFocus()
    assert round_trip(tab, 7) == ["Settings", "Model: any", "Dismiss", *FIELD, "Stop", "Send"]


def test_what_goes_away_gives_the_keyboard_to_the_next(window: MainWindow) -> None:
    page = card(window, ("one", "two"))
    first, second = page.findChildren(QPushButton)
    first.setFocus()
    first.hide()
    assert name() == "two"
    page.hide()
    assert not second.isVisible()
    assert name() == "Message"
