"""The settings over a real core in an empty home."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop import text
from desktop.ui.settings.window import SettingsWindow
from desktop.ui.theme.theme import theme
from desktop.ui.words import speak
from tests.servers.scripted import ScriptedServer
from tests.ui.settings.program import Running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the program's files will be; a test may write them before it asks for `running`."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def running(qapp: QApplication, qtbot: QtBot, home: Path) -> Iterator[Running]:
    running = Running(qapp, home, qtbot.waitUntil)
    yield running
    running.stop()
    theme().choose("system")
    speak("")
    text.use("")


@pytest.fixture
def window(running: Running, qtbot: QtBot) -> SettingsWindow:
    """The settings, open, with everything read."""
    made = SettingsWindow(running.actions)
    qtbot.addWidget(made)
    made.open_page()
    qtbot.waitExposed(made)
    running.settle()
    return made


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
