"""Searching the settings leads to the very field; About tells versions and licences."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop import __version__
from desktop.config.describe import setting
from desktop.ui.settings.about import Licences
from desktop.ui.settings.pages import PAGES
from desktop.ui.settings.search import _PARTS, find
from desktop.ui.settings.window import SettingsWindow
from tests.ui.program import Running
from tests.ui.settings.reading import named, row, shown, write

FIELD = "Search settings"


def hits(window: SettingsWindow) -> list[str]:
    [view] = [
        v for v in window.findChildren(QListWidget) if v.isVisible() and v.accessibleName() == "Results"
    ]
    return [view.item(n).text() for n in range(view.count())]


def test_every_setting_and_every_part_can_be_found() -> None:
    for page in PAGES:
        for group in page.groups:
            assert group.part == "" or group.part in _PARTS, group.part
            for one in group.settings():
                assert one.name in {hit.name for hit in find(one.title)}, one.title
                assert one.name in {hit.name for hit in find(one.name)}, one.name


def test_what_is_found_is_shown_marked_and_has_the_keyboard(
    window: SettingsWindow, running: Running, qtbot: QtBot
) -> None:
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = named(window, FIELD)
    assert field.hasFocus()
    write(field, "tempera")
    assert hits(window)[0] == "Temperature"
    QTest.keyClick(field, Qt.Key.Key_Return)
    view = next(view for view in window.views if view.page.key == "model")
    qtbot.waitUntil(lambda: view.findChild(QWidget, "marking") is not None)  # it goes after a moment
    running.settle()
    found = row(window, "agents.defaults.temperature")
    assert found.isVisible()
    assert QApplication.focusWidget() is found.editor.field
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    write(named(window, FIELD), "daily tokens")
    QTest.keyClick(named(window, FIELD), Qt.Key.Key_Down)
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.accessibleName() == "Results"


def test_pages_come_back_when_the_field_is_empty(window: SettingsWindow) -> None:
    write(named(window, FIELD), "zzzz no such thing")
    assert "No results" in shown(window)
    QTest.keyClick(named(window, FIELD), Qt.Key.Key_Escape)
    assert named(window, FIELD).text() == ""
    assert window.isVisible()
    assert [v.accessibleName() for v in window.findChildren(QListWidget) if v.isVisible()] == ["Pages"]


def test_parts_made_by_hand_are_found(window: SettingsWindow, running: Running) -> None:
    write(named(window, FIELD), "delete everything")
    QTest.keyClick(named(window, FIELD), Qt.Key.Key_Return)
    running.settle()
    assert "Delete everything…" in shown(window)


def test_limits_stand_beside_the_help(window: SettingsWindow) -> None:
    found = row(window, "agents.defaults.temperature")
    assert found.help.text().endswith("0 to 2.")
    assert setting("agents.defaults.bot_name").limits() == ""


def test_words_beside_a_switch_have_its_room(window: SettingsWindow, running: Running) -> None:
    switches = [s for page in PAGES for g in page.groups for s in g.settings() if s.kind == "switch"]
    found = row(window, next(s.name for s in switches if s.help))
    running.settle()
    assert found.help.width() > 0.75 * found.width()


@pytest.fixture
def about(window: SettingsWindow, running: Running) -> SettingsWindow:
    window.open_page("about")
    running.settle()
    return window


def test_about_tells_versions_and_licences(about: SettingsWindow, running: Running) -> None:
    text = shown(about)
    for words in (__version__, "Python", "Qt", "free software under the MIT"):
        assert words in text
    [part] = about.findChildren(Licences)
    lines = [part.list.item(n).text() for n in range(part.list.count())]
    assert any(line.startswith("PySide6_Essentials · ") and "LGPL" in line for line in lines)
    assert any(line.startswith("Inter · SIL Open Font") for line in lines)
    write(part.search, "httpx bsd")
    assert all("httpx" in part.list.item(n).text() for n in range(part.list.count()))
    write(part.search, "lucide")
    part.list.setCurrentRow(0)
    running.settle()
    [view] = [v for v in part.findChildren(QPlainTextEdit) if v.isVisible()]
    assert "ISC" in view.toPlainText()
