"""What works on this desktop is said on the pages that it concerns, and told anew when settings change."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.actions import Reach
from desktop.ui.settings.reachable import Reachable
from desktop.ui.settings.window import SettingsWindow
from tests.ui.program import Running
from tests.ui.settings.reading import shown
from tests.ui.waiting import exposed

GOOD = Reach("The tray icon is shown.", True)
BAD = Reach("The shortcut is used by another program.", False, "Bind nanobot-desktop quick.")
TOLD = Reach("Notifications are shown on screen.", True, notifies=True)


@pytest.fixture
def opened(running: Running, qtbot: QtBot) -> Callable[[list[Reach]], SettingsWindow]:
    """The settings of a front that has these lines to tell."""

    def open_(lines: list[Reach]) -> SettingsWindow:
        running.actions.reached = lines
        window = SettingsWindow(running.actions)
        qtbot.addWidget(window)
        window.open_page("presence")
        exposed(qtbot, window)
        running.settle()
        return window

    return open_


def named(window: SettingsWindow) -> list[str]:
    return [part.accessibleName() for part in window.findChildren(QWidget) if part.isVisible()]


def test_each_line_is_told_with_its_remedy(
    opened: Callable[[list[Reach]], SettingsWindow], running: Running
) -> None:
    window = opened([GOOD, BAD, TOLD])
    for line in (GOOD, BAD, TOLD):
        assert f"{line.text} {line.remedy}".strip() in named(window)
    window.open_page("notifications")
    running.settle()
    assert "Notifications are shown on screen." in shown(window)
    assert "The tray icon is shown." not in shown(window)


def test_it_is_told_anew_when_settings_change(
    opened: Callable[[list[Reach]], SettingsWindow], running: Running
) -> None:
    lines = [BAD, TOLD]
    window = opened(lines)
    assert "The shortcut is used by another program." in shown(window)
    lines.remove(BAD)
    window.refresh()
    running.settle()
    assert "The shortcut is used by another program." not in shown(window)
    assert "Notifications are shown on screen." in shown(window)


def test_a_front_without_a_desktop_tells_nothing(running: Running, window: SettingsWindow) -> None:
    window.open_page("presence")
    running.settle()
    assert "Start at login" in shown(window)
    parts = [part for view in window.views for part in view.parts if isinstance(part, Reachable)]
    assert [shown(part) for part in parts] == [""]
