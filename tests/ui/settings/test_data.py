"""Backups, what is stored where, repair, diagnostics and deleting everything, as pages of the settings."""

import os
import zipfile
from pathlib import Path

import keyring
import pytest
from PySide6.QtWidgets import QListView, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from desktop import logs
from desktop.api.privacy import MARK, finish_wipe
from desktop.api.providers import Draft
from desktop.ui.recovery.backups import Backups
from desktop.ui.recovery.diagnostics import Diagnostics
from desktop.ui.recovery.panel import RecoveryPanel
from desktop.ui.recovery.wipe import Wipe
from desktop.ui.settings.part import Part
from desktop.ui.settings.window import SettingsWindow
from tests.stories.program import texts
from tests.ui.program import Running
from tests.ui.settings.reading import choose, named, press, shown, write
from tests.unit.importer.homes import conversation

CANARY = "sk-canary-0123456789abcdef"


class Page[P: Part]:
    """A part of the settings, in front."""

    def __init__(self, window: SettingsWindow, running: Running, key: str, kind: type[P]) -> None:
        self._running = running
        window.open_page(key)
        running.settle()
        [self.part] = window.findChildren(kind)

    def press(self, words: str) -> None:
        press(self.part, words)
        self._running.settle()

    @property
    def text(self) -> str:
        return shown(self.part)


def talk(running: Running, key: str, *said: str) -> Path:
    name = key.replace(":", "%3A")
    path = conversation(running.home.workspace / f"sessions/{name}.jsonl", key, said)
    running.core.sessions.forget(key)
    return path


def test_a_backup_is_made_and_restored(window: SettingsWindow, running: Running) -> None:
    path = talk(running, "window:a", "one", "two")
    page = Page(window, running, "data", Backups)
    assert "No backups yet." in page.text
    page.press("Back up now")
    assert "manual" in page.text
    [made] = (running.home.root / "backups").glob("*.zip")
    assert made.name in page.text
    path.unlink()
    running.core.sessions.forget("window:a")
    buttons = page.part.findChildren(QPushButton)
    [restore] = [b for b in buttons if b.accessibleName().startswith("Restore: ")]
    restore.click()
    running.settle()
    assert "Restore this backup?" in page.text
    assert not path.exists()
    page.press("Cancel")
    assert "Restore this backup?" not in page.text
    restore.click()
    running.settle()
    page.press("Restore")
    assert path.exists()
    assert "Added: 1." in page.text
    assert "before a restore" in page.text
    [view] = [v for v in page.part.findChildren(QListView) if v.isVisible() and v.accessibleName()]
    assert view.model().index(1, 0).data() == "one"


def test_a_file_that_is_no_backup_is_said(window: SettingsWindow, running: Running, tmp_path: Path) -> None:
    page = Page(window, running, "data", Backups)
    (tmp_path / "x.zip").write_text("hello")
    page.part.ask(str(tmp_path / "x.zip"))
    running.settle()
    assert "This file is not a backup of this program." in page.text
    assert "Restore this backup?" not in page.text


def test_what_is_stored_where_is_told(window: SettingsWindow, running: Running) -> None:
    talk(running, "window:a", "x" * 50_000)
    window.open_page("data")
    running.settle()
    text = shown(window)
    assert str(running.home.workspace / "sessions") in text
    assert "50." in text
    assert "this computer’s keychain" in text


def test_everything_is_deleted_only_after_the_word(
    window: SettingsWindow, running: Running, qtbot: QtBot
) -> None:
    keyring.set_password("nanobot-desktop", "openrouter", CANARY)
    talk(running, "window:a", "one")
    page = Page(window, running, "data", Wipe)
    page.press("Delete everything…")
    field = named(page.part, "Type delete to confirm")
    [yes] = [b for b in page.part.findChildren(QPushButton) if b.text() == "Delete everything"]
    assert not yes.isEnabled()
    write(field, "del")
    assert not yes.isEnabled()
    assert not (running.home.root / MARK).exists()
    write(field, "delete")
    with qtbot.waitSignal(window.wiped):
        yes.click()
    running.settle()
    assert keyring.get_password("nanobot-desktop", "openrouter") is None
    assert (running.home.root / MARK).exists()
    assert (running.home.workspace / "sessions/window%3Aa.jsonl").exists()
    running.wait(running.core.stop())
    assert finish_wipe(running.home)
    assert not running.home.root.exists()
    running.home.root.mkdir()


def test_damage_is_mended_one_by_one(window: SettingsWindow, running: Running) -> None:
    path = talk(running, "window:a", "one", "two")
    page = Page(window, running, "repair", RecoveryPanel)
    assert "Nothing is damaged." in page.text
    assert "1 conversation is intact." in page.text
    path.write_bytes(path.read_bytes() + b'{"role": "user", "cut\n')
    page.press("Check everything")
    assert "1 record can’t be read. 2 messages are intact." in page.text
    page.press("Set unreadable parts aside: one")
    assert "Nothing is damaged." in page.text
    assert "the original file is kept as .damaged/" in page.text
    assert b"cut" not in path.read_bytes()


def test_the_bundle_is_seen_before_it_is_saved(
    window: SettingsWindow, running: Running, tmp_path: Path
) -> None:
    logs.mask(CANARY)
    talk(running, "window:a", "The secret of the garden", "It is basil.")
    running.home.logs.mkdir(exist_ok=True)
    (running.home.logs / "nanobot.log").write_text(f"INFO a line with {CANARY}\n")
    running.wait(running.actions.api.settings.change({"agents.defaults.max_tool_iterations": 9}))
    page = Page(window, running, "repair", Diagnostics)
    page.press("Preview")
    [view] = [v for v in page.part.findChildren(QPlainTextEdit) if v.isVisible()]
    assert "Nanobot Desktop" in view.toPlainText()
    choose(page.part, "File in the bundle", "settings.json")
    assert '"maxToolIterations": 9' in view.toPlainText()
    choose(page.part, "File in the bundle", "log.txt")
    assert "a line with [hidden]" in view.toPlainText()
    page.part.save(str(tmp_path / "d.zip"))
    running.settle()
    assert f"Saved as {tmp_path / 'd.zip'}." in page.text
    with zipfile.ZipFile(tmp_path / "d.zip") as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist())
    assert CANARY.encode() not in whole
    assert b"garden" not in whole
    assert b"basil" not in whole


@pytest.mark.skipif(os.name == "nt", reason="folders are opened otherwise there")
def test_no_secret_is_in_a_backup_made_here(window: SettingsWindow, running: Running) -> None:
    running.wait(running.actions.api.providers.use(Draft("openrouter", "x/y", CANARY)))
    page = Page(window, running, "data", Backups)
    page.press("Back up now")
    assert not [path for path, content in texts(running.home.root) if CANARY.encode() in content]
