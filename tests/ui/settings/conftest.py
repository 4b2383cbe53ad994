"""The settings over a real core in an empty home."""

import pytest
from pytestqt.qtbot import QtBot

from desktop.ui.settings.window import SettingsWindow
from tests.ui.program import Running


@pytest.fixture
def window(running: Running, qtbot: QtBot) -> SettingsWindow:
    """The settings, open, with everything read."""
    made = SettingsWindow(running.actions)
    qtbot.addWidget(made)
    made.open_page()
    qtbot.waitExposed(made)
    running.settle()
    return made
