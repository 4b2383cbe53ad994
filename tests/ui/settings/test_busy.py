"""A button that is at work keeps the keyboard, and takes no second press until it is done."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.providers import catalogue
from desktop.ui.first_run.card import FirstRunCard
from desktop.ui.settings.window import SettingsWindow
from tests.servers.scripted import ScriptedServer
from tests.ui.program import Running
from tests.ui.settings.cards import opened
from tests.ui.settings.peers import Hub, Ollama
from tests.ui.settings.reading import shown
from tests.ui.waiting import exposed

SPACE, RETURN = Qt.Key.Key_Space, Qt.Key.Key_Return


def focused() -> str:
    """The words on the button that has the keyboard."""
    found = QApplication.focusWidget()
    return found.text() if isinstance(found, QAbstractButton) else type(found).__name__


def give_keyboard(root: QWidget, words: str, qtbot: QtBot) -> QAbstractButton:
    """Go to a button, as Tab does."""
    [found] = [
        b
        for b in root.findChildren(QAbstractButton)
        if b.isVisible() and words in (b.text(), b.accessibleName())
    ]
    root.window().activateWindow()
    found.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(found.hasFocus)
    return found


@pytest.fixture
def configured(home: Path, server: ScriptedServer, request: pytest.FixtureRequest) -> SettingsWindow:
    """The settings, where a provider is chosen already."""
    stored = {
        "agents": {"defaults": {"provider": "custom", "model": "some-model"}},
        "providers": {"custom": {"apiBase": server.url}},
    }
    (home / "config.json").write_text(json.dumps(stored))
    window: SettingsWindow = request.getfixturevalue("window")
    opened(window, request.getfixturevalue("running"), "custom")
    return window


def test_a_test_begun_by_keyboard_keeps_it_to_the_end(
    configured: SettingsWindow, running: Running, server: ScriptedServer, tmp_path: Path, qtbot: QtBot
) -> None:
    server.script(f"gate:{tmp_path / 'gate'}")
    test = give_keyboard(configured, "Test", qtbot)
    QTest.keyClick(test, SPACE)
    qtbot.waitUntil(lambda: len(server.requests) == 1)
    assert focused() == "Test"
    QTest.keyClick(test, SPACE)
    QTest.keyClick(test, RETURN)
    QTest.mouseClick(test, Qt.MouseButton.LeftButton)
    test.click()  # as a screen reader does it
    assert focused() == "Test"
    (tmp_path / "gate").touch()
    running.settle()
    assert len(server.requests) == 1, "a busy button takes no press"
    assert focused() == "Test"
    server.script("say:again")
    QTest.keyClick(test, SPACE)
    running.settle()
    assert len(server.requests) == 2, "and one that is done does"
    assert "Works: “again”" in shown(configured)


def test_saving_keeps_the_keyboard(
    configured: SettingsWindow, running: Running, server: ScriptedServer, qtbot: QtBot
) -> None:
    use = give_keyboard(configured, "Use", qtbot)
    QTest.keyClick(use, SPACE)
    assert focused() == "Use"
    running.settle()
    assert "Saved. Applies from the next answer." in shown(configured)
    assert focused() == "Use"


def card_of(running: Running, qtbot: QtBot) -> FirstRunCard:
    card = FirstRunCard(running.actions)
    card.resize(700, 700)
    qtbot.addWidget(card)
    card.show()
    exposed(qtbot, card)
    running.settle()
    return card


def test_a_server_that_fails_leaves_the_keyboard_where_it_was_asked(
    running: Running, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    with Ollama() as ollama:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{ollama.port}")
        card = card_of(running, qtbot)
        ollama.fails = True
        use = give_keyboard(card, "Use", qtbot)
        QTest.keyClick(use, SPACE)
        QTest.keyClick(use, SPACE)
        assert focused() == "Use"
        running.settle()
        assert len(ollama.asked) == 1
        assert "had an error (500)" in shown(card)
        assert focused() == "Use"


@pytest.mark.expected_log("download of")
def test_a_download_keeps_the_keyboard_through_a_break_and_a_pause(
    home: Path,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.json").write_text(json.dumps({"local": {"model": catalogue.SMALL.id}}))
    running: Running = request.getfixturevalue("running")
    with Hub(tmp_path, 491_400_064, 3_000_000) as hub:
        for name, value in hub.environment.items():
            monkeypatch.setenv(name, value)
        card = card_of(running, qtbot)
        hub.closed = True
        button = give_keyboard(card, f"Download: {catalogue.SMALL.name}", qtbot)
        QTest.keyClick(button, SPACE)
        qtbot.waitUntil(lambda: "Retrying." in shown(card))
        assert focused() == "Pause"
        hub.closed = False
        qtbot.waitUntil(lambda: "3 of 491 MB" in shown(card), timeout=30_000)
        assert focused() == "Pause"
        QTest.keyClick(give_keyboard(card, "Pause", qtbot), SPACE)
        running.settle()
        assert focused() == "Resume", "the keyboard stays where it goes on"


def test_what_is_pressed_in_a_notice_keeps_the_keyboard(
    window: SettingsWindow, running: Running, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    window.close()
    window.open_page("model")
    running.settle()
    again = give_keyboard(window, "Check again", qtbot)
    QTest.keyClick(again, SPACE)
    running.settle()
    assert focused() == "Check again"
