"""Toasts by a daemon that people have: what is seen on a real screen, clicked with a real pointer."""

import os
from collections.abc import AsyncIterator

import pytest

from desktop.inbox.dbus_screen import DBusScreen
from desktop.inbox.screen import Toast
from desktop.tasks import in_thread
from tests.desktop.desk import Desk
from tests.unit.inbox.conftest import Acts, eventually

pytestmark = pytest.mark.machine

BUTTONS = (("done", "Done"), ("snooze", "Snooze"))


@pytest.fixture
async def screen(desk: Desk) -> AsyncIterator[DBusScreen]:
    """The program's own, on the session's bus."""
    if "DISPLAY" not in os.environ:
        pytest.skip("needs a screen: bash tests/desktop-session.sh -- pytest ...")
    screen = DBusScreen()
    yield screen
    await screen.stop()
    await in_thread(desk.dismiss_notifications)


async def test_it_is_seen_and_its_button_works(desk: Desk, screen: DBusScreen, acts: Acts) -> None:
    before = len(desk.notifications())
    toast = Toast("r1", "reminder", "Stand-up & <more>", "In <b>room</b> & 2\n谢谢", BUTTONS)
    assert await screen.show(toast)
    shown = await in_thread(desk.wait_notification, "Stand-up", before)
    assert (shown.program, shown.urgency) == ("Nanobot Desktop", "NORMAL")
    assert "&lt;b&gt;room&lt;/b&gt; &amp; 2" in shown.text
    await in_thread(desk.press_notification, "Snooze")
    await eventually(lambda: acts == [("r1", "snooze", "")])
    await eventually(lambda: not desk.windows("--class", "^Dunst$"), "a pressed toast goes")
    assert await screen.show(toast)
    await in_thread(desk.wait_notification, "Stand-up", before + 1)
    desk.screenshot("reminder")
    await in_thread(desk.click_notification)
    await eventually(lambda: acts[1:] == [("r1", "open", "")])
    assert len(desk.notifications()) == before + 2


async def test_a_question_stays_until_it_is_answered(desk: Desk, screen: DBusScreen, acts: Acts) -> None:
    before = len(desk.notifications())
    ask = Toast("a1", "approval", "Run command?", "ls -l\nIn /home/ada", (("approve", "Approve"),))
    assert await screen.show(ask)
    shown = await in_thread(desk.wait_notification, "Run command?", before)
    assert shown.urgency == "CRITICAL"
    desk.screenshot("question")
    await screen.clear("a1")
    await eventually(lambda: not desk.windows("--class", "^Dunst$"))
    assert acts == []
