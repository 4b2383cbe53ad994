"""Widget tests run on a real screen, and fail over anything that Qt complains about.

`qtbot` makes exceptions in slots fail. What Qt prints from WARNING up, from the first fixture to the end of
the last, must be announced: @pytest.mark.expected_qt("a pattern").
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop import text
from desktop.ui.garbage import Garbage
from desktop.ui.theme.theme import theme
from desktop.ui.words import speak
from tests.desktop.noise import harmless
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.program import Running
from tests.ui.talking import Desk
from tests.warm import warm

__all__ = ["warm"]

HERE = Path(__file__).parent
BAD = (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not item.path.is_relative_to(HERE):
            continue
        item.add_marker("no_qt_log")  # pytest-qt's own capture ends before the fixtures do
        if sys.platform == "linux" and "DESKTOP_SESSION_FOLDER" not in os.environ:
            reason = "needs a desktop session: bash tests/desktop-session.sh -- pytest ..."
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def _nothing_unexpected_from_qt(request: pytest.FixtureRequest) -> Iterator[None]:
    lines: list[str] = []

    def note(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        if kind in BAD:
            lines.append(f"{context.category}: {message}")

    before = qInstallMessageHandler(note)
    yield
    qInstallMessageHandler(before)
    expected = [re.compile(mark.args[0]) for mark in request.node.iter_markers("expected_qt")]
    surprises = [line for line in lines if not harmless(line) and not any(e.search(line) for e in expected)]
    assert not surprises, "unexpected from Qt:\n" + "\n".join(surprises)


@pytest.fixture(scope="session")
def garbage() -> Garbage:
    return Garbage()


@pytest.fixture(autouse=True)
def _garbage_is_collected_here(garbage: Garbage) -> Iterator[None]:
    """As in the window: servers of the tests are threads, and must not take widgets apart."""
    yield
    garbage.look()


class Patient(QtBot):
    """Waits as long as a busy computer takes; a wait that is over early costs next to nothing."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = 60_000) -> None:
        # Milliseconds: pytest-qt looks each 10 ms, and most waits are shorter.
        for pause in (0, 1, 1, 2, 4):
            if callback():
                return
            self.wait(pause)
        super().waitUntil(callback, timeout=timeout)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return Patient(request)


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
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def talking(home: Path, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest) -> Desk:
    Program(home).use_server(server.url, "say:Noted.")
    return Desk(request.getfixturevalue("running"), qtbot)
