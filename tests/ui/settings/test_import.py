"""The page of an import: what would be taken is shown first, then it is taken, stopped, gone on with."""

import json
from pathlib import Path

import keyring
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from desktop.ui.importing.panel import ImportPanel
from desktop.ui.settings.window import SettingsWindow
from tests.ui.program import Running
from tests.ui.settings.reading import enter, named, press, shown, write
from tests.unit.importer.homes import KEY, conversation, newer, older

FIELD = "Old home folder"


class Page:
    """The import page of the settings."""

    def __init__(self, window: SettingsWindow, running: Running) -> None:
        self.window, self._running = window, running
        window.open_page("import")
        running.settle()
        [self.panel] = window.findChildren(ImportPanel)

    def look(self, path: Path) -> None:
        write(named(self.window, FIELD), str(path))
        enter(named(self.window, FIELD))
        self._running.settle()

    def press(self, words: str) -> None:
        press(self.panel, words)
        self._running.settle()

    @property
    def text(self) -> str:
        return shown(self.panel)

    def listed(self) -> list[str]:
        """The lines of the list as a screen reader tells them."""
        views = [view for view in self.panel.findChildren(QListView) if view.isVisible()]
        models = [view.model() for view in views]
        role = Qt.ItemDataRole.AccessibleTextRole
        return [model.index(n, 0).data(role) for model in models for n in range(model.rowCount())]


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    return older(tmp_path / "old")


@pytest.fixture
def page(old: Path, window: SettingsWindow, running: Running) -> Page:
    return Page(window, running)


def test_what_would_be_taken_is_shown_and_only_then_taken(page: Page, old: Path, running: Running) -> None:
    assert named(page.window, FIELD).text() == ""
    page.look(old)
    lines = page.listed()
    assert "To be imported" in lines[0]
    assert any(
        line.startswith("providers.openrouter.apiKey, Key, changed, It will be stored") for line in lines
    )
    assert "telegram:1001" in "\n".join(lines)
    assert KEY not in "\n".join(lines) + page.text
    assert "Remove keys from the old file" in page.text
    assert "run twice" in page.text
    assert not running.wait(running.actions.api.conversations.list())
    page.press("Import")
    assert "Imported: " in page.text
    keys = {line.key for line in running.wait(running.actions.api.conversations.list())}
    assert keys == {"cli:direct", "telegram:1001"}
    assert keyring.get_password("nanobot-desktop", "openrouter") == KEY
    assert "Imported" in page.listed()[0]
    assert KEY in (old / ".nanobot/config.json").read_text("utf-8")
    page.look(old)
    assert "Everything is already here." in page.text


def test_keys_are_taken_out_of_the_old_file_where_that_is_wanted(page: Page, old: Path) -> None:
    page.look(old)
    page.press("Remove keys from the old file")
    page.press("Import")
    kept = json.loads((old / ".nanobot/config.json").read_text("utf-8"))
    assert kept["providers"]["openrouter"]["apiKey"] == ""
    assert keyring.get_password("nanobot-desktop", "openrouter") == KEY


def test_a_home_in_its_usual_place_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: SettingsWindow, running: Running
) -> None:
    monkeypatch.setenv("HOME", str(newer(tmp_path / "person")))
    page = Page(window, running)
    assert named(window, FIELD).text() == str(tmp_path / "person/.nanobot")
    assert "unified:default" in "\n".join(page.listed())


def test_what_is_no_home_or_half_of_one_is_said(page: Page, tmp_path: Path) -> None:
    page.look(tmp_path / "nowhere")
    assert f"There is nothing at {tmp_path / 'nowhere'}." in page.text
    (tmp_path / "half").mkdir()
    page.look(tmp_path / "half")
    assert "is not a nanobot home" in page.text
    assert page.listed() == []
    conversation(tmp_path / "half/sessions/cli_direct.jsonl", "cli:direct", ["one", "two"])
    (tmp_path / "half/config.json").write_text("{oh", "utf-8")
    page.look(tmp_path / "half")
    assert any(line.startswith("config.json") for line in page.listed())
    page.press("Import")
    assert any(line.startswith("cli:direct") for line in page.listed())


def test_it_can_be_stopped_and_gone_on_with(
    page: Page, tmp_path: Path, running: Running, qtbot: QtBot
) -> None:
    for number in range(300):
        path = tmp_path / f"many/.nanobot/workspace/sessions/telegram_{number}.jsonl"
        conversation(path, f"telegram:{number}", [f"{number} {part}" for part in range(40)])
    page.look(tmp_path / "many")
    folder = running.home.workspace / "sessions"
    press(page.panel, "Import")
    qtbot.waitUntil(lambda: folder.exists() and any(folder.glob("*.jsonl")))
    page.press("Cancel")
    assert "Stopped. Everything imported so far is kept." in page.text
    assert 0 < len(list(folder.glob("*.jsonl"))) < 300
    page.press("Resume")
    page.press("Import")
    assert "Imported: " in page.text
    assert len(list(folder.glob("*.jsonl"))) == 300
