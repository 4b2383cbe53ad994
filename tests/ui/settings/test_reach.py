"""All can be reached with the keyboard, in the order it is seen, and says its name to who cannot see it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.first_run.card import FirstRunCard
from desktop.ui.settings.window import SettingsWindow
from tests.ui.program import Running
from tests.ui.settings.cards import opened
from tests.ui.settings.reading import choose, field, press
from tests.ui.waiting import exposed


def name_of(widget: QWidget) -> str:
    return widget.accessibleName() or QAccessible.queryAccessibleInterface(widget).text(
        QAccessible.Text.Name
    )


def nameless(root: QWidget) -> list[str]:
    """What takes the focus and has no name."""
    return [
        f"{type(widget).__name__} in {type(widget.parent()).__name__}"
        for widget in root.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and not isinstance(widget, QScrollArea)
        and not name_of(widget)
    ]


def walked(root: QWidget, steps: int) -> list[str]:
    """The names that Tab goes through."""
    names = []
    for _step in range(steps):
        focus = QApplication.focusWidget()
        names.append(name_of(focus) if focus else "")
        QTest.keyClick(focus or root, Qt.Key.Key_Tab)
    return names


def test_every_page(window: SettingsWindow, running: Running) -> None:
    for view in window.views:
        window.open_page(view.page.key)
        running.settle()
        assert nameless(window) == []


def test_the_card_of_a_provider_is_walked_from_top_to_bottom(
    window: SettingsWindow, running: Running, qtbot: QtBot
) -> None:
    card = opened(window, running, "openrouter")
    assert nameless(window) == []
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    card.open_button.setFocus()
    assert walked(window, 9) == [
        "Details of OpenRouter",
        "Key",
        "Get a key",
        "Address",
        "Model",
        "Show all models",
        "More settings for OpenRouter",
        "Test OpenRouter",
        "Use OpenRouter for answers",
    ]


def test_the_first_run(running: Running, qtbot: QtBot) -> None:
    card = FirstRunCard(running.actions)
    qtbot.addWidget(card)
    card.resize(700, 700)
    card.show()
    exposed(qtbot, card)
    running.settle()
    press(card, "Set up")
    running.settle()
    choose(card, "Provider", "OpenRouter")
    running.settle()
    assert nameless(card) == []


@pytest.mark.parametrize("scale", ["light", "dark"])
def test_the_focus_is_seen(window: SettingsWindow, running: Running, scale: str) -> None:
    """A field with the focus looks different from the same field without."""
    running.wait(running.actions.api.settings.change({"appearance.theme": scale}))
    window.open_page("agent")
    running.settle()
    edit = field(window, "agents.defaults.bot_name")
    without = edit.grab().toImage()
    edit.setFocus()
    assert edit.grab().toImage() != without
