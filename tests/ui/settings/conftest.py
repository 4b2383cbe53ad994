"""The settings over a real core in an empty home."""

import pytest
from pytestqt.qtbot import QtBot

from desktop.ui.settings.window import SettingsWindow
from tests.ui.program import Running
from tests.ui.waiting import active


@pytest.fixture
def window(running: Running, qtbot: QtBot) -> SettingsWindow:
    """The settings, open with a small page, with everything read: a test opens the page that it is about.
    To make and draw the first one, with all providers, takes most of a second."""
    made = SettingsWindow(running.actions)
    qtbot.addWidget(made)
    made.open_page("appearance")
    active(qtbot, made)
    running.settle()
    return made
