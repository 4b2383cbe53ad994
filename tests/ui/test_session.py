"""The machinery that drives the window, proven with a window of its own: all senses and hands work."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from PySide6.QtCore import qWarning
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from tests.desktop.desk import Area, Desk
from tests.desktop.session import nested_session
from tests.desktop.window import Window, running_window, until
from tests.stories.program import Program
from tests.ui.waiting import exposed

SAMPLE = Path(__file__).parent / "sample.py"


class SampleProgram(Program):
    """The sample in the place of the program."""

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-P", str(SAMPLE)]


@pytest.fixture
def sample(tmp_path: Path) -> Program:
    return SampleProgram(tmp_path / "home")


@pytest.fixture
def window(sample: Program) -> Iterator[Window]:
    with running_window(sample) as window:
        yield window


def test_a_window_is_found_read_and_operated(window: Window, desk: Desk) -> None:
    assert window.names("list item", within="Conversations") == ["First", "Second"]
    window.set_text("Message", "good mörning 你好")
    window.press("Send")
    assert window.wait_text("Nanobot", "你好") == "GOOD MÖRNING 你好"
    assert window.text("Message") == ""
    window.press("Loud", "check box")
    window.wait("Done: loud", "label")
    window.wait("Loud", states="checked")
    window.select("Second", within="Conversations")
    window.wait("Second", states="selected")
    assert window.wait("Kind", "combo box").name == "small"
    window.gone("Third")
    shot = desk.screenshot("window", Area(*window.extents("Nanobot Desktop", "frame")))
    assert shot.stat().st_size > 2000
    assert desk.colours() > 20
    with pytest.raises(AssertionError, match="'Nothing of the kind'") as failed:
        window.wait("Nothing of the kind", seconds=0.1)
    assert "list item 'First'" in failed.value.__notes__[0]


def test_keyboard_mouse_and_clipboard(window: Window, desk: Desk) -> None:
    desk.wait_active("Nanobot Desktop")
    window.focus("Message")
    desk.type("hello")
    window.wait_text("Message", "hello")
    desk.key("ctrl+a", "ctrl+c")
    assert desk.clipboard() == "hello"
    desk.copy("pasted 字")
    desk.key("ctrl+v")
    window.wait_text("Message", "pasted 字")
    desk.click_on(window.extents("Send"))
    window.wait_text("Nanobot", "PASTED 字")
    desk.close_active("Nanobot Desktop")
    assert window.process.wait(60) == 0


def test_the_tray_icon_is_clicked_and_its_menu_used(sample: Program, desk: Desk) -> None:
    with running_window(sample) as window:
        icon = desk.tray(window.pid)
        assert icon.tooltip == "A sample"
        icon.click()
        window.wait("Done: Trigger")
        assert [entry["label"] for entry in icon.menu()] == ["Asleep", "", "Status", "Quit"]
        icon.choose("Status", "Busy")
        window.wait("Done: busy")
        icon.choose("Quit")
        assert window.process.wait(60) == 0


@pytest.mark.parametrize("told", ["deny", "default"])
def test_a_notification_is_shown_and_its_action_comes_back(desk: Desk, told: str) -> None:
    desk.dismiss_notifications()
    until(lambda: not desk.windows("--class", "^Dunst$"), "nothing else is on the screen")
    command = ["dunstify", "--action", "default,Open", "--action", "deny,Deny", f"May I? {told}", "Body"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as asking:
        assert desk.wait_notification(f"May I? {told}").text == "Body"
        if told == "deny":
            desk.press_notification("Deny")
        else:
            desk.click_notification()
        assert asking.communicate(timeout=10)[0].strip() == told


def test_a_secret_is_kept() -> None:
    keyring.set_password("nanobot-desktop-test", "session", "sesame")
    assert keyring.get_password("nanobot-desktop-test", "session") == "sesame"
    keyring.delete_password("nanobot-desktop-test", "session")


def test_a_session_without_a_tray_and_a_keychain(sample: Program, tmp_path: Path) -> None:
    with nested_session("--tray", "none", "--secrets", "missing", "--screen", "800x600") as environment:
        sample.environment |= environment
        with running_window(sample) as window:
            window.wait("Place: no tray")
            assert not Desk(tmp_path, environment).in_tray(window.pid)
    assert not Path(environment["DESKTOP_SESSION_FOLDER"]).exists()


def test_a_monitor_is_plugged_and_taken_away(sample: Program, tmp_path: Path) -> None:
    with nested_session("--tray", "none", "--notify", "none", "--secrets", "none") as environment:
        sample.environment |= environment
        desk = Desk(tmp_path, environment)
        left, right = Area(0, 0, 720, 900), Area(720, 0, 720, 900)
        desk.set_monitors(left, right)
        with running_window(sample) as window:
            window.wait("Screens: 2")
            desk.set_monitors(left)
            window.wait("Screens: 1")


def test_the_system_turns_dark(sample: Program, tmp_path: Path) -> None:
    options = ("--portal", "gtk", "--tray", "none", "--notify", "none", "--secrets", "none")
    with nested_session(*options) as environment:
        sample.environment |= environment
        with running_window(sample) as window:
            Desk(tmp_path, environment).prefer_dark()
            window.wait("Scheme: Dark")


def test_a_program_that_dies_or_complains_fails_its_test(sample: Program) -> None:
    def die() -> None:
        with running_window(sample) as window:
            window.process.kill()
            window.process.wait()

    def complain() -> None:
        sample.environment["QT_LOGGING_RULES"] = "qt.accessibility*=true"
        with running_window(sample):
            pass

    with pytest.raises(AssertionError, match="not by itself"):
        die()
    with pytest.raises(AssertionError, match="unexpected on stderr"):
        complain()


@pytest.mark.expected_qt("it is cold")
def test_a_widget_test(qtbot: QtBot) -> None:
    button = QPushButton("Press")
    qtbot.addWidget(button)
    button.show()
    exposed(qtbot, button)
    with qtbot.waitSignal(button.clicked):
        button.click()
    qWarning("it is cold")
