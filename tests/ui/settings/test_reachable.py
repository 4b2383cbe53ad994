"""What works on this desktop is said on the pages that it concerns, and told anew when settings change."""

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.settings.reachable import Reachable
from desktop.ui.settings.window import SettingsWindow
from tests.ui.program import InProcess, Running
from tests.ui.settings.reading import shown

type Json = dict[str, Any]

GOOD = {"text": "The tray icon is shown.", "remedy": "", "ok": True}
BAD = {
    "text": "The shortcut is used by another program.",
    "remedy": "Bind nanobot-desktop quick.",
    "ok": False,
}
TOLD = {"text": "Notifications are shown on screen.", "remedy": "", "ok": True, "about": "notifications"}


@pytest.fixture
def opened(running: Running, qtbot: QtBot) -> Callable[[list[Json]], SettingsWindow]:
    """The settings of a front that has these lines to tell."""

    def open_(lines: list[Json]) -> SettingsWindow:
        async def reachable(_arguments: Json) -> Json:
            return {"lines": lines}

        window = SettingsWindow(InProcess(running.core, {"reachable": reachable}))
        qtbot.addWidget(window)
        window.open_page("presence")
        qtbot.waitExposed(window)
        running.settle()
        return window

    return open_


def named(window: SettingsWindow) -> list[str]:
    return [part.accessibleName() for part in window.findChildren(QWidget) if part.isVisible()]


def test_each_line_is_told_with_its_remedy(
    opened: Callable[[list[Json]], SettingsWindow], running: Running
) -> None:
    window = opened([GOOD, BAD, TOLD])
    for line in (GOOD, BAD, TOLD):
        assert f"{line['text']} {line['remedy']}".strip() in named(window)
    window.open_page("notifications")
    running.settle()
    assert "Notifications are shown on screen." in shown(window)
    assert "The tray icon is shown." not in shown(window)


def test_it_is_told_anew_when_settings_change(
    opened: Callable[[list[Json]], SettingsWindow], running: Running
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
