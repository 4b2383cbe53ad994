"""A login by a code, in a dialog of ours: the code, the wait, its end, a new one, and signing out."""

from collections.abc import Iterator
from contextlib import suppress

import keyring
import pytest
from keyring.errors import PasswordDeleteError
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.ui.settings.providers.login import Login, LoginDialog
from desktop.ui.settings.window import SettingsWindow
from tests.servers.device import GITHUB_TOKEN, DeviceServer
from tests.ui.program import Running
from tests.ui.settings.cards import nowhere, opened
from tests.ui.settings.reading import named, press, shown


class Browser(QObject):
    """Looks at pages."""

    def __init__(self) -> None:
        super().__init__()
        self.looked: list[str] = []

    @Slot(QUrl)
    def look(self, url: QUrl) -> None:
        self.looked.append(url.toString())


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[DeviceServer]:
    with DeviceServer() as cloud:
        for variable, value in cloud.environment.items():
            monkeypatch.setenv(variable, value)
        yield cloud
    with suppress(PasswordDeleteError):
        keyring.delete_password("nanobot-desktop", "github_copilot")


@pytest.fixture
def row(cloud: DeviceServer, window: SettingsWindow, running: Running) -> Login:
    card = opened(window, running, "github_copilot")
    assert card.details is not None
    assert isinstance(card.details.key, Login)
    return card.details.key


def begun(row: Login, qtbot: QtBot) -> LoginDialog:
    """The dialog, with its code."""
    press(row, "Sign in: GitHub Copilot")
    dialog = row.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: named(dialog, "Code").text() != "")
    return dialog


def test_signing_in_and_out(
    row: Login, cloud: DeviceServer, running: Running, qtbot: QtBot, window: SettingsWindow
) -> None:
    dialog = begun(row, qtbot)
    assert named(dialog, "Code").text() == "WXYZ-0001"
    assert "The code is valid for 15 min." in shown(dialog)
    press(dialog, "Copy code")
    assert QGuiApplication.clipboard().text() == "WXYZ-0001"
    browser = Browser()
    QDesktopServices.setUrlHandler("http", browser, "look")  # type: ignore[arg-type]  # not as it says
    press(dialog, "Open page")
    QDesktopServices.unsetUrlHandler("http")
    assert browser.looked == [f"{cloud.url}/login/device"]
    cloud.allow()
    qtbot.waitUntil(lambda: row.dialog is None)
    running.settle()
    assert GITHUB_TOKEN in (keyring.get_password("nanobot-desktop", "github_copilot") or "")
    assert "The login is stored in this computer’s keychain." in shown(row)
    nowhere(window, running.home.root, GITHUB_TOKEN)
    press(row, "Sign out: GitHub Copilot")
    running.settle()
    assert keyring.get_password("nanobot-desktop", "github_copilot") is None
    assert "You are signed out." in shown(row)


def test_a_code_that_expires_is_said_and_another_is_to_be_had(
    row: Login, cloud: DeviceServer, running: Running, qtbot: QtBot
) -> None:
    cloud.seconds = 0.2
    dialog = begun(row, qtbot)
    qtbot.waitUntil(lambda: "The code has expired." in shown(dialog))
    assert " Open page" not in shown(dialog).splitlines(), "it is of no use any more"
    cloud.seconds = 900
    press(dialog, "Get a new code")
    qtbot.waitUntil(lambda: named(dialog, "Code").text() == "WXYZ-0002")
    cloud.allow()
    qtbot.waitUntil(lambda: row.dialog is None)
    running.settle()
    assert "You are signed in." in shown(row)


def test_leaving_ends_the_wait(row: Login, cloud: DeviceServer, running: Running, qtbot: QtBot) -> None:
    dialog = begun(row, qtbot)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    running.settle()
    assert row.dialog is None
    asked = len(cloud.asked)
    cloud.allow()
    qtbot.wait(200)
    assert len(cloud.asked) == asked
    assert keyring.get_password("nanobot-desktop", "github_copilot") is None
