"""A value that is typed is on disk when the field is left; one that cannot be used never is."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from desktop.config.base import Section
from desktop.config.describe import settings_of
from desktop.config.schema import Config
from desktop.ui.settings.pages import ELSEWHERE, PAGES
from desktop.ui.settings.window import SettingsWindow
from desktop.ui.theme.theme import theme
from tests.ui.program import Running
from tests.ui.settings.cards import opened
from tests.ui.settings.reading import enter, field, named, press, row, shown, write

TOKENS = "agents.defaults.max_tokens"
NAME = "agents.defaults.bot_name"


def test_every_setting_has_its_place() -> None:
    on_pages = [s.name for page in PAGES for group in page.groups for s in group.settings()]
    assert len(on_pages) == len(set(on_pages))
    sections = [f"{name}" for name in Config.model_fields if name not in ("agents", "providers")]
    known = {name for path in (*sections, "agents.defaults") for name in fields(path)}
    assert set(on_pages) | ELSEWHERE == known


def fields(path: str) -> Iterator[str]:
    """The fields of a section and of those in it."""
    for found in settings_of(path):
        if isinstance(found.default, Section):
            yield from fields(found.name)
        else:
            yield found.name


def test_what_is_typed_is_saved_and_obeyed(window: SettingsWindow, running: Running, qtbot: QtBot) -> None:
    write(field(window, NAME), "Ada")
    enter(field(window, NAME))
    qtbot.waitUntil(lambda: "Saved. Applies from the next answer." in shown(window))
    assert running.stored["agents"]["defaults"]["botName"] == "Ada"
    assert "Ada" in running.wait(running.core.context.system_prompt())
    write(field(window, "model_host.idle_stop_s"), "42")
    enter(field(window, "model_host.idle_stop_s"))
    running.settle()
    assert running.core.host.idle_stop_seconds == 42
    write(field(window, "local.idle_stop_s"), "43")
    enter(field(window, "local.idle_stop_s"))
    running.settle()
    assert running.core.builtin.idle_seconds == 43


WRONG = (
    (TOKENS, "0", "from 1 to 1,000,000"),
    (TOKENS, "12.5", "a whole number"),
    ("agents.defaults.temperature", "warm", "a number, for example 0.5"),
    ("agents.defaults.temperature", "2.1", "from 0 to 2"),
    ("agents.defaults.temperature", "nan", "a number, for example 0.5"),
    (NAME, " ", "can’t be empty"),
    (NAME, "a" * 61, "at most 60 characters"),
    ("local.server", "localhost:8000", "must start with http:// or https://"),
)


def test_a_wrong_value_is_told_while_it_is_typed_and_not_saved(
    window: SettingsWindow, running: Running
) -> None:
    for name, typed, said in WRONG:
        found = row(window, name)
        edit = field(window, name)
        write(edit, typed)
        assert said in shown(found), typed
        assert edit.property("wrong"), typed
        enter(edit)
        running.settle()
        assert running.stored == {}, typed
        assert said in shown(found), typed


def test_a_value_goes_back_to_its_default(window: SettingsWindow, running: Running, qtbot: QtBot) -> None:
    write(field(window, TOKENS), "4,096")
    enter(field(window, TOKENS))
    running.settle()
    assert running.stored["agents"]["defaults"]["maxTokens"] == 4096
    press(window, "Reset to default: Answer limit")
    running.settle()
    assert "maxTokens" not in running.stored["agents"]["defaults"]
    assert field(window, TOKENS).text() == "8192"
    assert "Reset to default" not in shown(window)


def test_a_choice_is_taken_at_once(window: SettingsWindow, running: Running) -> None:
    box = row(window, "appearance.theme").editor.field
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(box.findText("Dark"))
    box.activated.emit(box.currentIndex())
    running.settle()
    assert running.stored["appearance"]["theme"] == "dark"
    assert theme().dark
    effort = row(window, "agents.defaults.reasoning_effort").editor.field
    assert isinstance(effort, QComboBox)
    effort.setCurrentIndex(effort.findText("High"))
    effort.activated.emit(effort.currentIndex())
    running.settle()
    assert running.core.store.config.agents.defaults.reasoning_effort == "high"


def test_what_the_environment_fixes_is_shown_and_cannot_be_changed(
    home: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("NANOBOT_AGENTS__DEFAULTS__MAX_TOKENS", "77")
    window: SettingsWindow = request.getfixturevalue("window")
    assert field(window, TOKENS).text() == "77"
    assert not field(window, TOKENS).isEnabled()
    assert "Set by the environment variable NANOBOT_AGENTS__DEFAULTS__MAX_TOKENS." in shown(window)


def test_a_change_from_elsewhere_is_seen_when_the_window_is_shown(
    window: SettingsWindow, running: Running
) -> None:
    window.close()
    running.home.config.write_text(json.dumps({"agents": {"defaults": {"maxTokens": 999}}}))
    window.open_page()
    running.settle()
    assert field(window, TOKENS).text() == "999"
    assert running.core.store.config.agents.defaults.max_tokens == 999


@pytest.mark.expected_log("settings")
def test_a_damaged_file_is_told_on_top(home: Path, request: pytest.FixtureRequest) -> None:
    (home / "config.json").write_text('{"agents": {"defaults": {"maxTokens": "many"}}}')
    window: SettingsWindow = request.getfixturevalue("window")
    assert "agents.defaults.maxTokens in config.json is not valid" in shown(window)
    assert field(window, TOKENS).text() == "8192"


def test_what_cannot_be_written_is_told_at_the_field_and_can_be_tried_again(
    window: SettingsWindow, running: Running, qtbot: QtBot
) -> None:
    running.home.config.mkdir()
    write(field(window, NAME), "Ada")
    enter(field(window, NAME))
    running.settle()
    assert "can’t be used: Is a directory" in shown(window)
    running.home.config.rmdir()
    enter(field(window, NAME))
    running.settle()
    assert running.stored["agents"]["defaults"]["botName"] == "Ada"
    assert "Is a directory" not in shown(window)


def test_headers_are_lines_of_name_and_value(
    home: Path, qtbot: QtBot, request: pytest.FixtureRequest
) -> None:
    stored: dict[str, Any] = {
        "agents": {"defaults": {"provider": "custom", "model": "m"}},
        "providers": {"custom": {"apiBase": "http://127.0.0.1:9/v1"}},
    }
    (home / "config.json").write_text(json.dumps(stored))
    window: SettingsWindow = request.getfixturevalue("window")
    running: Running = request.getfixturevalue("running")
    card = opened(window, running, "custom")
    press(card, "More settings for Custom server")
    running.settle()
    headers = row(window, "providers.custom.extra_headers")
    press(headers, "Add line")
    name, value = (named(headers, words) for words in ("Name", "Value"))
    write(name, "X Team")
    write(value, "blue")
    enter(value)
    assert "only letters, digits and hyphens" in shown(headers)
    name.setText("X-Team")
    enter(name)
    running.settle()
    assert running.stored["providers"]["custom"]["extraHeaders"] == {"X-Team": "blue"}
    press(headers, "Remove line")
    running.settle()
    assert running.stored["providers"]["custom"]["extraHeaders"] == {}


def test_escape_closes_and_enter_does_not(window: SettingsWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window, Qt.Key.Key_Return)
    assert window.isVisible()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()
