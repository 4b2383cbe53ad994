"""Toasts on the loop that the window has: shown, acted on, and nothing of them holds the window up."""

from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.inbox.dbus_screen import DBusScreen
from desktop.inbox.screen import Toast
from desktop.tasks import spawn
from desktop.ui.loop import Loop
from tests.desktop.daemon import Daemon
from tests.desktop.session import private_bus

type Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def run(qapp: QApplication, qtbot: QtBot) -> Iterator[Run]:
    loop = Loop(qapp)

    def run(work: Coroutine[Any, Any, Any]) -> Any:
        task = spawn(work, name="test")
        qtbot.waitUntil(task.done)
        return task.result()

    yield run
    loop.close()


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    with private_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        with Daemon(tmp_path, "--reply") as daemon:
            yield daemon


def test_shown_answered_and_cleared(run: Run, daemon: Daemon, qtbot: QtBot) -> None:
    acts: list[tuple[str, str, str]] = []
    screen = DBusScreen(patience=1)
    screen.acted = lambda *act: acts.append(act)
    assert run(screen.show(Toast("s1", "subagent", "Report", "Read it.", reply=True)))
    daemon.reply("Report", "thanks")
    qtbot.waitUntil(lambda: acts == [("s1", "reply", "thanks")])
    assert run(screen.show(Toast("a1", "approval", "Run?", "ls", (("approve", "Approve"),))))
    ticks: list[int] = []
    ticker = QTimer(interval=10)
    ticker.timeout.connect(lambda: ticks.append(1))
    ticker.start()
    daemon.hang()
    assert not run(screen.show(Toast("r1", "reminder", "Stand-up", "")))
    daemon.go_on()
    ticker.stop()
    assert len(ticks) > 50, "the window went on while the daemon hung"
    qtbot.waitUntil(lambda: daemon.titles()[-1] == "Stand-up")
    run(screen.stop())
    assert daemon.on_screen() == ["Stand-up"]
