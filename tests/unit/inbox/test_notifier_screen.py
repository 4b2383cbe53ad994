"""The screen of Windows and macOS, as far as its library can be run here: by its backend for Linux."""

from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from desktop.inbox.notifier_screen import NotifierScreen
from desktop.inbox.screen import Toast
from tests.desktop.daemon import Daemon
from tests.unit.inbox.conftest import Acts, eventually

pytestmark = pytest.mark.machine

REMINDER = Toast("r1", "reminder", "Stand-up", "Room 2", (("done", "Done"), ("snooze", "Snooze")))
RESULT = Toast("s1", "subagent", "Report is done", "Read it.", reply=True)
QUESTION = Toast("a1", "approval", "Run command?", "ls", (("approve", "Approve"), ("deny", "Deny")))


@pytest.fixture
async def notifier(bus: str) -> AsyncIterator[NotifierScreen]:
    screen = NotifierScreen()
    yield screen
    await screen.stop()
    if screen._notifier is not None:  # the library does not hang up
        connection = getattr(screen._notifier._backend, "bus", None)
        if connection is not None:
            connection.disconnect()
            with suppress(Exception):
                await connection.wait_for_disconnect()


@pytest.mark.daemon("--reply")
async def test_toasts_and_what_is_done_with_them(daemon: Daemon, notifier: NotifierScreen) -> None:
    acts: Acts = []
    notifier.acted = lambda *act: acts.append(act)
    for toast in (REMINDER, RESULT, QUESTION):
        assert await notifier.show(toast)
    assert [shown.urgency for shown in daemon.history] == [1, 1, 2]
    assert notifier.capabilities.buttons
    assert notifier.capabilities.reply
    daemon.press("Stand-up", "snooze")
    daemon.reply("Report is done", "thanks")
    await eventually(lambda: acts == [("r1", "snooze", ""), ("s1", "reply", "thanks")])
    assert await notifier.show(REMINDER)
    daemon.press("Stand-up", "default")
    await eventually(lambda: acts[2:] == [("r1", "open", "")])
    assert await notifier.show(REMINDER)
    await notifier.stop()
    assert daemon.on_screen() == ["Stand-up"]


@pytest.mark.expected_log("Notification failed")
async def test_what_goes_wrong_is_seen(daemon: Daemon, notifier: NotifierScreen) -> None:
    assert await notifier.reach()
    daemon.die()
    assert not await notifier.show(REMINDER)
    daemon.start()
    assert await notifier.show(REMINDER)
