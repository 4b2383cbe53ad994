"""Who used nanobot before clicks twice and has everything here."""

import json
from pathlib import Path

import keyring
import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import running_window
from tests.stories.program import Program, texts
from tests.stories.window.talk import listed, open_conversation
from tests.unit.importer.homes import KEY, newer, older


def test_an_older_home_is_found_in_the_first_run_and_taken(
    program: Program, desk: Desk, tmp_path: Path
) -> None:
    old = older(tmp_path / "person")
    program.environment["HOME"] = str(old)
    with running_window(program) as window:
        window.wait("I already use nanobot")
        window.press("Import…: I already use nanobot")
        assert window.wait("Old home folder").text == str(old / ".nanobot")
        lines = window.until(
            lambda: window.names("list item", within="To be imported"), "the plan is shown"
        )
        assert lines[0].startswith("To be imported")
        assert any(line.startswith("telegram:1001, Conversation") for line in lines)
        desk.screenshot("import-plan")
        window.press("Remove keys from the old file", "check box")
        window.press("Import", "push button")
        window.wait("Imported")
        desk.screenshot("import-done")
        desk.key("Escape")
        window.gone("Pages")
        window.until(lambda: "telegram:1001" in str(listed(window)) or len(listed(window)) > 2, "the list")
        titles = listed(window)
        open_conversation(window, next(title for title in titles if title.startswith("List the files")))
        window.wait_text("Transcript", "List the files, please")
        desk.screenshot("import-conversation")
    assert keyring.get_password("nanobot-desktop", "openrouter") == KEY
    kept = json.loads((old / ".nanobot/config.json").read_text("utf-8"))
    assert kept["providers"]["openrouter"]["apiKey"] == ""
    assert not [path for path, content in texts(program.home) if KEY.encode() in content]


@pytest.mark.soak
def test_a_newer_home_is_given_in_the_settings(program: Program, desk: Desk, tmp_path: Path) -> None:
    old = newer(tmp_path / "elsewhere")
    program.environment["HOME"] = str(tmp_path / "nobody")
    with running_window(program) as window:
        desk.key("ctrl+comma")
        window.select("Import", within="Pages")
        window.set_text("Old home folder", str(tmp_path / "nowhere"))
        window.press("Check")
        window.wait(f"There is nothing at {tmp_path / 'nowhere'}.", "label")
        window.set_text("Old home folder", str(old))
        window.press("Check")
        window.wait("To be imported")
        window.press("Import", "push button")
        window.wait("Imported")
    keys = {line["key"] for line in program.events("sessions", "list")}
    assert keys == {"cli:direct", "telegram:1001", "unified:default"}
