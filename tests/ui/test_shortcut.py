"""The key from everywhere: on a real X server, through a small portal, and in words where it cannot be."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.constants import RequestNameReply
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from desktop.tasks import spawn
from desktop.ui.loop import Loop
from desktop.ui.system.portal_keys import PortalKeys, trigger
from desktop.ui.system.shortcut import Shortcut
from desktop.ui.system.shortcut_words import NO_WAY
from tests.desktop.desk import Desk

PORTAL, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"


@pytest.fixture
def shortcut(qapp: QApplication) -> Iterator[Shortcut]:
    made = Shortcut(qapp)
    yield made
    made.close()
    made.deleteLater()


def test_it_is_heard_while_another_window_has_the_keyboard(
    shortcut: Shortcut, qtbot: QtBot, desk: Desk
) -> None:
    other = QLineEdit()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(other.hasFocus)
    pressed: list[int] = []
    shortcut.pressed.connect(lambda: pressed.append(1))
    shortcut.use("Ctrl+Alt+Space")
    assert shortcut.state.held
    desk.key("ctrl+alt+space")
    qtbot.waitUntil(lambda: len(pressed) == 1)
    desk.key("Num_Lock", "ctrl+alt+space", "Num_Lock")
    qtbot.waitUntil(lambda: len(pressed) == 2)
    shortcut.use("Ctrl+F9")
    desk.key("ctrl+alt+space", "ctrl+F9")
    qtbot.waitUntil(lambda: len(pressed) == 3)
    shortcut.use("")
    assert not shortcut.state.held
    assert shortcut.state.text == ""
    desk.key("ctrl+F9", "x")
    qtbot.waitUntil(lambda: other.text().endswith("x"))
    assert len(pressed) == 3


def test_a_key_that_another_program_has_is_said_with_what_to_do(
    shortcut: Shortcut, qapp: QApplication
) -> None:
    other = Shortcut(qapp)
    other.use("Ctrl+Alt+K")
    assert other.state.held
    shortcut.use("Ctrl+Alt+K")
    assert not shortcut.state.held
    assert "Ctrl+Alt+K" in shortcut.state.text
    assert "nanobot-desktop quick" in shortcut.state.remedy
    other.close()
    shortcut.use("Ctrl+Alt+L")
    assert shortcut.state.held
    assert shortcut.state.remedy == ""


@pytest.mark.parametrize("keys", ["nonsense", "Ctrl+Alt+Space, Ctrl+K", "Ctrl+MediaPlay"])
def test_what_is_no_key_is_said(shortcut: Shortcut, keys: str) -> None:
    shortcut.use(keys)
    assert not shortcut.state.held
    assert keys in shortcut.state.text


# ---- the portal


class Portal:
    """A small portal: says yes or no to each wish, and can press the key."""

    def __init__(self, code: int = 0) -> None:
        self.code = code
        self.wishes: list[Any] = []
        self.closed: list[str] = []
        self.session = f"{PATH}/session/one"

    async def start(self) -> None:
        self.bus = await MessageBus().connect()
        assert await self.bus.request_name(PORTAL) is RequestNameReply.PRIMARY_OWNER
        self.bus.add_message_handler(self._message)

    def _message(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        if message.member == "Close":
            self.closed.append(str(message.path))
            return Message.new_method_return(message)
        if message.interface != "org.freedesktop.portal.GlobalShortcuts":
            return None
        options = message.body[-1]
        sender = str(message.sender).removeprefix(":").replace(".", "_")
        handle = f"{PATH}/request/{sender}/{options['handle_token'].value}"
        given = {"session_handle": Variant("s", self.session)} if message.member == "CreateSession" else {}
        if message.member == "BindShortcuts":
            self.wishes.append(message.body[1])
        code = 0 if message.member == "CreateSession" else self.code
        asyncio.get_running_loop().call_soon(self._answer, str(message.sender), handle, code, given)
        return Message.new_method_return(message, "o", [handle])

    def _answer(self, to: str, handle: str, code: int, given: dict[str, Any]) -> None:
        answer = Message.new_signal(
            handle, "org.freedesktop.portal.Request", "Response", "ua{sv}", [code, given]
        )
        answer.destination = to
        self.bus.send(answer)

    def press(self) -> None:
        body = [self.session, "quick", 1, {}]
        signal = Message.new_signal(
            PATH, "org.freedesktop.portal.GlobalShortcuts", "Activated", "osta{sv}", body
        )
        self.bus.send(signal)


class Heard:
    """What the keys told."""

    def __init__(self) -> None:
        self.pressed = 0
        self.said: list[str] = []

    def press(self) -> None:
        self.pressed += 1


@pytest.fixture
def loop(qapp: QApplication) -> Loop:
    return Loop(qapp)


@pytest.mark.parametrize("code", [0, 2])
def test_the_portal_is_asked_and_heard(loop: Loop, qtbot: QtBot, code: int) -> None:
    portal, heard = Portal(code), Heard()
    started = spawn(portal.start(), name="portal:start")
    qtbot.waitUntil(started.done)
    started.result()
    keys = PortalKeys(heard.press, heard.said.append)
    assert keys.hold(QKeySequence("Ctrl+Alt+Space")) is None
    qtbot.waitUntil(lambda: len(heard.said) == 1)
    [[(name, wish)]] = portal.wishes
    assert (name, wish["preferred_trigger"].value) == ("quick", "CTRL+ALT+space")
    if code:
        assert "{keys}" in heard.said[0]
    else:
        assert heard.said == [""]
        portal.press()
        qtbot.waitUntil(lambda: heard.pressed == 1)
        keys.hold(QKeySequence())
        qtbot.waitUntil(lambda: portal.closed == [portal.session])
    keys.close()
    portal.bus.disconnect()


def test_a_desktop_without_a_portal_is_said(loop: Loop, qtbot: QtBot) -> None:
    heard = Heard()
    keys = PortalKeys(heard.press, heard.said.append)
    keys.hold(QKeySequence("Ctrl+Alt+Space"))
    qtbot.waitUntil(lambda: heard.said == [NO_WAY])
    keys.close()


@pytest.mark.parametrize(
    ("keys", "written"),
    [("Ctrl+Alt+Space", "CTRL+ALT+space"), ("Meta+F9", "LOGO+F9"), ("Shift+Meta+K", "LOGO+SHIFT+k")],
)
def test_keys_are_written_as_the_portal_does(keys: str, written: str) -> None:
    assert set(trigger(QKeySequence(keys)).split("+")) == set(written.split("+"))
