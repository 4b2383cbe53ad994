"""The language changes while the window is open, and a computer without Chinese characters is told so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.ui.settings.window import SettingsWindow
from tests.ui.program import Running
from tests.ui.settings.reading import choose, press, shown


@pytest.fixture
def _free_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NANOBOT_DESKTOP_LANGUAGE")
    monkeypatch.setenv("LANGUAGE", "en")


@pytest.mark.usefixtures("_free_language")
def test_all_words_change_at_once_and_back(window: SettingsWindow, running: Running) -> None:
    window.open_page("language")
    choose(window, "Language", "简体中文")
    running.settle()
    assert running.stored["appearance"]["language"] == "zh_CN"
    assert window.windowTitle() == "设置"
    for view in window.views:
        window.open_page(view.page.key)
        running.settle()
        notes = [path.read_text() for path in running.home.root.rglob("*.md")]
        mine = {line.strip() for text in notes for line in text.splitlines()}
        lines = set(shown(window).splitlines()) - mine  # notes are the person's: they stay as they are
        left = [line for line in lines if "the " in f" {line} "]
        assert not left, left
    window.open_page("language")
    press(window, "恢复默认值：语言")
    running.settle()
    assert "language" not in running.stored["appearance"]
    assert window.windowTitle() == "Settings"


@pytest.mark.usefixtures("_free_language")
def test_who_answers_has_its_name_in_the_language_of_now(window: SettingsWindow, running: Running) -> None:
    assert running.wait(running.actions.api.models.answering()).line.provider_title == "Built-in model"
    window.open_page("language")
    choose(window, "Language", "简体中文")
    running.settle()
    assert running.wait(running.actions.api.models.answering()).line.provider_title == "内置模型"
    usual = running.wait(running.actions.api.models.choices()).usual
    assert usual.provider_title == "内置模型", "which stands in the menu of models"


def test_the_environment_fixes_the_language(window: SettingsWindow) -> None:
    window.open_page("language")
    assert "Set by the environment variable NANOBOT_DESKTOP_LANGUAGE." in shown(window)


SCRIPT = """
from PySide6.QtWidgets import QApplication
from desktop.text import use
from desktop.ui.settings import look
app = QApplication([])
use("zh_CN")
print(look.font_missing())
use("en")
print(look.font_missing())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="takes the fonts away with fontconfig")
def test_a_computer_without_chinese_characters(tmp_path: Path) -> None:
    (tmp_path / "fonts.conf").write_text(
        f"<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'>"
        f"<fontconfig><dir>{tmp_path}</dir><cachedir>{tmp_path}</cachedir></fontconfig>"
    )
    kept = {name: value for name, value in os.environ.items() if name != "NANOBOT_DESKTOP_LANGUAGE"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**kept, "FONTCONFIG_FILE": str(tmp_path / "fonts.conf"), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout == "True\nFalse\n"
