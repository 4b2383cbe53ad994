"""Toasts by a daemon on the bus: what is shown and done there, and every way in which it can fail."""

import asyncio
from dataclasses import replace

import pytest

from desktop.inbox.dbus_screen import DBusScreen
from desktop.inbox.screen import Capabilities, Toast
from desktop.tasks import spawn
from tests.desktop.bus import Bus
from tests.desktop.daemon import NAME, PATH, Daemon
from tests.desktop.window import until
from tests.unit.inbox.conftest import Acts, eventually

pytestmark = pytest.mark.machine

REMINDER = Toast(
    "r1", "reminder", "Stand-up", "In <b>room</b> & 2", (("done", "Done"), ("snooze", "Snooze"))
)
RESULT = Toast("s1", "subagent", "Report is done", "Read it.", reply=True, session="s")
QUESTION = Toast("a1", "approval", "Run command?", "ls", (("approve", "Approve"), ("deny", "Deny")))


async def test_a_toast_and_what_is_done_with_it(daemon: Daemon, screen: DBusScreen, acts: Acts) -> None:
    assert screen.capabilities == Capabilities()
    assert await screen.show(REMINDER)
    assert screen.capabilities == Capabilities("Test Daemon", buttons=True)
    shown = daemon.history[0]
    assert (shown.program, shown.title, shown.text) == (
        "Nanobot Desktop",
        "Stand-up",
        "In <b>room</b> & 2",
    )
    assert shown.actions == {"default": "Open", "done": "Done", "snooze": "Snooze"}
    assert (shown.urgency, shown.timeout, shown.hints["desktop-entry"]) == (
        1,
        0,
        "io.github.nanobot_desktop",
    )
    daemon.press("Stand-up", "snooze")
    await eventually(lambda: acts == [("r1", "snooze", "")])

    assert await screen.show(QUESTION)
    assert (daemon.history[1].urgency, daemon.history[1].timeout) == (2, 0)
    daemon.press("Run command?", "default")
    await eventually(lambda: acts[1:] == [("a1", "open", "")])
    assert await screen.show(REMINDER)
    daemon.dismiss("Stand-up")
    await eventually(lambda: acts[2:] == [("r1", "dismissed", "")])
    assert await screen.show(REMINDER)
    daemon.expire("Stand-up")
    assert await screen.show(RESULT)
    assert daemon.history[-1].timeout == -1
    assert daemon.on_screen() == ["Report is done"]
    assert len(acts) == 3


@pytest.mark.daemon("--reply", "--markup")
async def test_a_field_for_the_reply_and_markup(daemon: Daemon, screen: DBusScreen, acts: Acts) -> None:
    assert await screen.show(RESULT)
    assert screen.capabilities.reply
    assert daemon.history[0].actions == {"default": "Open", "inline-reply": "Reply"}
    daemon.reply("Report is done", "thanks 谢谢")
    await eventually(lambda: acts == [("s1", "reply", "thanks 谢谢")])
    assert await screen.show(REMINDER)
    assert daemon.history[1].text == "In &lt;b&gt;room&lt;/b&gt; &amp; 2"


async def test_without_a_field_reply_is_a_button(daemon: Daemon, screen: DBusScreen, acts: Acts) -> None:
    assert await screen.show(RESULT)
    daemon.press("Report is done", "reply")
    await eventually(lambda: acts == [("s1", "reply", "")])


async def test_a_toast_of_the_same_notice_takes_its_place(daemon: Daemon, screen: DBusScreen) -> None:
    assert await screen.show(REMINDER)
    assert await screen.show(replace(REMINDER, title="Stand-up, again"))
    assert daemon.on_screen() == ["Stand-up, again"]
    await screen.clear("r1")
    await screen.clear("never shown")
    assert daemon.on_screen() == []


@pytest.mark.daemon("--press", "done")
async def test_a_button_that_is_quicker_than_the_reply(
    daemon: Daemon, screen: DBusScreen, acts: Acts
) -> None:
    assert await screen.reach()
    showing = spawn(screen.show(REMINDER), name="showing")
    while not screen._asking:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    until(lambda: daemon.on_screen(), "shown and pressed, while the loop reads nothing")
    assert await showing
    await eventually(lambda: acts == [("r1", "done", "")])


@pytest.mark.daemon("--no-actions")
async def test_a_daemon_without_buttons(daemon: Daemon, screen: DBusScreen) -> None:
    assert await screen.show(REMINDER)
    assert daemon.history[0].actions == {}
    assert not screen.capabilities.buttons


@pytest.mark.daemon("--refuse-actions")
async def test_a_daemon_that_refuses_actions(daemon: Daemon, screen: DBusScreen) -> None:
    assert await screen.show(REMINDER)
    assert [(shown.title, shown.actions) for shown in daemon.history] == [("Stand-up", {})]


@pytest.mark.daemon("--refuse")
async def test_a_daemon_that_refuses_everything(daemon: Daemon, screen: DBusScreen) -> None:
    assert not await screen.show(REMINDER)
    assert await screen.reach()


async def test_no_daemon_and_one_that_comes_later(daemon: Daemon, screen: DBusScreen) -> None:
    daemon.die()
    came = asyncio.Event()
    screen.appeared = came.set
    assert not await screen.reach()
    assert not await screen.show(REMINDER)
    assert screen.capabilities == Capabilities()
    daemon.start()
    async with asyncio.timeout(60):
        await came.wait()
    assert await screen.show(REMINDER)


async def test_a_daemon_that_dies_takes_its_toasts_with_it(
    daemon: Daemon, screen: DBusScreen, acts: Acts
) -> None:
    assert await screen.show(REMINDER)
    daemon.die()
    assert not await screen.show(QUESTION)
    daemon.start()
    assert await screen.show(QUESTION)
    daemon.press("Run command?", "deny")
    await eventually(lambda: acts == [("a1", "deny", "")], "and not that of the first with this number")


@pytest.mark.timeout(30)
async def test_a_daemon_that_hangs(daemon: Daemon, screen: DBusScreen, acts: Acts) -> None:
    assert await screen.reach()
    daemon.hang()
    assert not await screen.show(REMINDER)
    assert not await screen.show(REMINDER)
    assert not await screen.show(replace(REMINDER, body="Other words"))
    daemon.go_on()
    await eventually(lambda: daemon.history, "it is shown after all")
    await eventually(lambda: not screen._asking)
    assert await screen.show(REMINDER)
    assert daemon.titles() == ["Stand-up"], "the screen has it, and it is not shown again"
    daemon.press("Stand-up", "done")
    await eventually(lambda: acts == [("r1", "done", "")])


async def test_what_comes_late_and_is_not_wanted_any_more_goes(daemon: Daemon, screen: DBusScreen) -> None:
    assert await screen.reach()
    daemon.hang()
    assert not await screen.show(QUESTION)
    await screen.clear("a1")
    daemon.go_on()
    await eventually(lambda: daemon.history and not daemon.on_screen())


async def test_a_hang_from_the_first_call(daemon: Daemon, screen: DBusScreen) -> None:
    daemon.hang()
    assert not await screen.reach()
    assert not await screen.show(REMINDER)
    await screen.stop()
    daemon.go_on()


async def test_at_the_end_only_questions_go_from_the_screen(daemon: Daemon, screen: DBusScreen) -> None:
    assert await screen.show(REMINDER)
    assert await screen.show(QUESTION)
    await screen.stop()
    assert daemon.on_screen() == ["Stand-up"]


async def test_a_stranger_presses_nothing(daemon: Daemon, screen: DBusScreen, acts: Acts) -> None:
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus

    assert await screen.show(QUESTION)
    assert screen._bus
    stranger = await MessageBus().connect()
    signal = Message.new_signal(PATH, NAME, "ActionInvoked", "us", [daemon.history[0].number, "approve"])
    signal.destination = screen._bus.unique_name
    await stranger.send(signal)
    stranger.disconnect()
    await stranger.wait_for_disconnect()  # type: ignore[no-untyped-call]
    daemon.press("Run command?", "nonsense")
    assert await screen.show(REMINDER)
    daemon.press("Stand-up", "done")
    await eventually(lambda: acts == [("r1", "done", "")])


async def test_without_a_bus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
    screen = DBusScreen()
    assert not await screen.show(REMINDER)
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    monkeypatch.delenv("DISPLAY", raising=False)
    assert not await screen.show(REMINDER)
    await screen.stop()


async def test_a_body_of_100_kb(daemon: Daemon, screen: DBusScreen) -> None:
    assert await screen.show(replace(REMINDER, body="<a href='x'>&\x00\ud800" * 10_000))
    assert len(daemon.history[0].text) < 700
    with Bus() as bus:
        assert bus.call(NAME, PATH, f"{NAME}.GetServerInformation")
