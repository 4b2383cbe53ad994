"""How far the agent may go in a conversation: shown under the field, chosen there, and at its end again."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.foot.mode import ModeBar
from desktop.ui.conversation.foot.permission_mode import PermissionMode
from tests.ui.talking import Desk


@pytest.fixture
def desk(talking: Desk) -> Desk:
    return talking


@pytest.fixture
def bar(desk: Desk, qtbot: QtBot) -> ModeBar:
    made = ModeBar()
    qtbot.addWidget(made)
    made.show()
    PermissionMode(desk.door, desk.reporter, desk.talk, made)
    return made


def choose(bar: ModeBar, words: str) -> None:
    """Open the menu of the mode, once it is shown, and take the entry with these words."""
    while not bar.mode.isVisible():
        QTest.qWait(1)
    bar.mode.click()
    [menu] = [menu for menu in bar.findChildren(QMenu) if menu.isVisible()]
    [action] = [action for action in menu.actions() if words in action.text()]
    assert isinstance(action, QAction)
    action.trigger()
    menu.close()


def metadata(desk: Desk, key: str) -> dict[str, Any]:
    session = desk.running.wait(desk.running.core.sessions.open(key))
    return dict(session.metadata)


def test_the_mode_of_a_conversation_is_shown_and_changed(desk: Desk, bar: ModeBar) -> None:
    desk.open("window:a")
    desk.until(lambda: bar.mode.text().strip() == "Ask when risky")
    choose(bar, "Always ask")
    desk.until(lambda: bar.mode.text().strip() == "Always ask")
    assert metadata(desk, "window:a")["mode"] == "ask"
    desk.open("window:b")
    desk.until(lambda: bar.mode.text().strip() == "Ask when risky")
    desk.open("window:a")
    desk.until(lambda: bar.mode.accessibleName() == "Permissions: Always ask")


def test_autonomous_says_until_when_and_ends_by_itself(desk: Desk, bar: ModeBar) -> None:
    desk.open("window:a")
    choose(bar, "Autonomous for 60 minutes")
    desk.until(lambda: bar.mode.text().strip().startswith("Autonomous until "))
    assert bar.mode.property("tone") == "warning"
    session = desk.running.wait(desk.running.core.sessions.open("window:a"))
    desk.running.wait(session.set_metadata(mode="autonomous", mode_until=time.time() + 1))
    desk.open("window:a")
    desk.until(lambda: bar.mode.text().strip() == "Ask when risky")
    assert bar.mode.property("tone") == ""


def test_autonomous_is_not_offered_without_a_sandbox(desk: Desk, bar: ModeBar) -> None:
    found = desk.running.wait(desk.door.api.permissions.read())
    bar.tell(replace(found, mode="risky", autonomous=False))
    bar.mode.click()
    [menu] = [menu for menu in bar.findChildren(QMenu) if menu.isVisible()]
    titles = [action.text() for action in menu.actions()]
    menu.close()
    assert "Always ask" in titles
    assert not any("Autonomous" in title for title in titles)


def test_what_is_chosen_for_a_new_conversation_holds_from_its_first_message(
    desk: Desk, bar: ModeBar, tmp_path: Path
) -> None:
    desk.talk.open("")
    desk.until(lambda: bar.mode.text().strip() != "")
    choose(bar, "Always ask")
    bar.folder_chosen.emit(str(tmp_path))
    desk.until(
        lambda: bar.mode.text().strip() == "Always ask" and bar.folder.text().strip() == tmp_path.name
    )
    desk.talk.send("Hello")
    desk.wait_shown("Hello", "Noted.")
    found = metadata(desk, desk.talk.key)
    assert (found["mode"], found["folder"]) == ("ask", str(tmp_path))
    desk.talk.open("")
    desk.until(
        lambda: bar.mode.text().strip() == "Ask when risky" and bar.folder.text().strip() == "Workspace"
    )


def test_a_folder_is_chosen_and_given_back(desk: Desk, bar: ModeBar, tmp_path: Path) -> None:
    desk.open("window:a")
    desk.until(lambda: bar.folder.text().strip() == "Workspace")
    bar.folder.click()
    [dialog] = bar.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path))
    dialog.close()
    desk.until(lambda: bar.folder.accessibleName() == f"Working folder: {tmp_path}")
    assert metadata(desk, "window:a")["folder"] == str(tmp_path)
    bar.folder_chosen.emit("")
    desk.until(lambda: bar.folder.text().strip() == "Workspace")


def test_the_menu_marks_the_mode_of_now_and_each_entry_has_an_icon(desk: Desk, bar: ModeBar) -> None:
    desk.open("window:a")
    choose(bar, "Always ask")
    desk.until(lambda: bar.mode.text().strip() == "Always ask")
    bar.mode.click()
    [menu] = [menu for menu in bar.findChildren(QMenu) if menu.isVisible()]
    entries = [action for action in menu.actions() if not action.isSeparator()]
    assert [action.text() for action in entries if "✓" in action.text()] == ["Always ask\t✓"]
    assert not any(action.icon().isNull() for action in entries)
    menu.close()
