"""What holds for good, what was done, and what there is: read over a real core, and taken back."""

import json
import sys
from pathlib import Path

import keyring
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from desktop.config.tools import search_entry
from desktop.tools.audit import Entry
from desktop.ui.settings.activity import Activity
from desktop.ui.settings.tools import SearchKey
from desktop.ui.settings.window import SettingsWindow
from tests.ui.program import Running
from tests.ui.settings.reading import choose, enter, field, named, press, row, shown, write


def open_page(window: SettingsWindow, running: Running, key: str) -> None:
    window.open_page(key)
    running.settle()


def part[P](window: SettingsWindow, kind: type[P]) -> P:
    [found] = [part for view in window.views for part in view.parts if isinstance(part, kind)]
    return found


def entry(**more: object) -> Entry:
    given: dict[str, object] = {
        "session": "window:a",
        "turn": "t",
        "call": "c",
        "tool": "exec",
        "effect": "run",
    }
    given |= {"gist": "wc -l notes.txt", "arguments": "", "outcome": "ok"}
    given |= {"verdict": "allowed", "reason": "person", "outside": False, **more}
    return Entry(**given)  # type: ignore[arg-type]


def test_the_page_has_the_settings_and_says_whether_there_is_a_sandbox(
    window: SettingsWindow, running: Running
) -> None:
    open_page(window, running, "permissions")
    text = shown(window)
    assert "sandbox" in text
    assert "None. Choose “Always allow” when the agent asks to add one." in text
    assert "Nothing yet." in text
    box = row(window, "permissions.mode").editor.field
    choose(window, "Ask before acting", "Always")
    running.settle()
    assert running.stored["permissions"]["mode"] == "ask"
    assert box.isVisible()


def test_a_standing_answer_is_listed_and_taken_back(home: Path, request: pytest.FixtureRequest) -> None:
    rules = [{"tool": "exec", "program": "wc", "arguments": ["-l"]}, {"tool": "grep", "answer": "deny"}]
    (home / "config.json").write_text(json.dumps({"permissions": {"rules": rules}}))
    window: SettingsWindow = request.getfixturevalue("window")
    running: Running = request.getfixturevalue("running")
    open_page(window, running, "permissions")
    assert "Allow: wc -l" in shown(window)
    press(window, "Remove: Deny: grep")
    running.settle()
    assert [rule["tool"] for rule in running.stored["permissions"]["rules"]] == ["exec"]
    assert "Deny: grep" not in shown(window)


def test_a_folder_is_granted_and_taken_back(
    window: SettingsWindow, running: Running, tmp_path: Path
) -> None:
    open_page(window, running, "permissions")
    for button, about in (
        ("Add a folder to read…", "Read only"),
        ("Add a folder to read and write…", "Read and write"),
    ):
        press(window, button)
        [dialog] = [d for d in window.findChildren(QFileDialog) if d.isVisible()]
        dialog.fileSelected.emit(str(tmp_path))
        dialog.close()
        running.settle()
        assert str(tmp_path) in shown(window)
        assert about in shown(window)
    assert running.stored["permissions"]["folders"] == [{"path": str(tmp_path), "write": True}]
    press(window, f"Remove: {tmp_path}")
    running.settle()
    assert running.stored["permissions"]["folders"] == []
    press(window, "Add a folder to read…")
    [dialog] = [d for d in window.findChildren(QFileDialog) if d.isVisible()]
    dialog.fileSelected.emit("/no/such/folder")
    dialog.close()
    running.settle()
    assert "There is no folder /no/such/folder." in shown(window)


def test_what_was_done_is_listed_with_who_allowed_it(window: SettingsWindow, running: Running) -> None:
    for made in (
        entry(),
        entry(reason="mode", outcome="failed", tool="grep"),
        entry(verdict="denied", reason="fence", outcome="denied"),
        entry(verdict="parked", reason="parked", outcome="parked", gist="line\nbreak"),
    ):
        running.wait(running.core.audit.add(made))
    open_page(window, running, "permissions")
    model = part(window, Activity).model
    role = Qt.ItemDataRole.AccessibleTextRole
    lines = [str(model.index(n, 0).data(role)) for n in range(model.rowCount())]
    assert lines[0].startswith("Run line break, not answered yet, ")
    assert "denied" in lines[1]
    assert "denied by the safety limits · window:a" in lines[1]
    assert lines[2].startswith("Searched files for wc -l notes.txt, failed, ")
    assert "allowed by the permission mode" in lines[2]
    assert lines[3].startswith("Ran wc -l notes.txt, done, ")
    assert "allowed by you" in lines[3]


def test_tools_are_listed_in_plain_words(window: SettingsWindow, running: Running) -> None:
    open_page(window, running, "tools")
    text = shown(window)
    for words in ("Run commands", "Search the web", "Send messages", "runs", "read-only"):
        assert words in text
    switch = row(window, "tools.exec.enable").editor.field
    switch.click()  # type: ignore[attr-defined]
    running.settle()
    assert running.stored["tools"]["exec"]["enable"] is False
    assert "off" in shown(window).splitlines()


def test_a_nested_setting_is_saved(window: SettingsWindow, running: Running) -> None:
    write(field(window, "tools.exec.timeout"), "90")
    enter(field(window, "tools.exec.timeout"))
    running.settle()
    assert running.stored["tools"]["exec"]["timeout"] == 90
    assert running.core.store.config.tools.commands.timeout == 90


@pytest.mark.skipif(sys.platform != "linux", reason="the keychain of the test session")
def test_the_key_of_a_search_engine_goes_to_the_keychain(
    window: SettingsWindow, running: Running, qtbot: QtBot
) -> None:
    open_page(window, running, "tools")
    assert not part(window, SearchKey).isVisible()
    choose(window, "Search engine", "Brave")
    running.settle()
    edit = named(window, "Key for Brave")
    write(edit, "secret-brave-key")
    enter(edit)
    running.settle()
    assert "Key saved." in shown(window)
    assert edit.text() == ""
    assert keyring.get_password("nanobot-desktop", search_entry("brave")) == "secret-brave-key"
    assert "secret-brave-key" not in json.dumps(running.stored)
    press(window, "Remove the key for Brave")
    running.settle()
    assert keyring.get_password("nanobot-desktop", search_entry("brave")) is None
