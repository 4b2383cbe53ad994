"""What comes to the screen, and when: through the real daemon of the tests, with a clock set by hand."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from desktop.config.presence import Notifications
from desktop.database.database import Database
from desktop.inbox.alarm import LoopAlarm
from desktop.inbox.dbus_screen import DBusScreen
from desktop.inbox.inbox import Inbox, Notice
from desktop.inbox.presenter import Presenter
from desktop.inbox.screen import Acted, Capabilities, Toast
from tests.desktop.daemon import Daemon
from tests.unit.inbox.conftest import eventually

pytestmark = pytest.mark.machine

ZONE = ZoneInfo("Europe/Berlin")


def at(clock: str) -> float:
    return datetime.fromisoformat(f"2026-11-28 {clock}").replace(tzinfo=ZONE).timestamp()


class Watch:
    """A clock and an alarm that a test turns."""

    def __init__(self, now: float) -> None:
        self.now = now
        self.ring: Callable[[], object] | None = None
        self.alarm: float | None = None
        self.set_times = 0

    def start(self, ring: Callable[[], object], _changed: Callable[[], object]) -> None:
        self.ring = ring

    def stop(self) -> None:
        self.ring = None

    def set(self, moment: float | None) -> None:
        self.alarm = moment
        self.set_times += 1

    def __call__(self) -> float:
        return self.now

    def turn(self, moment: float) -> None:
        self.now = moment
        if self.alarm is not None and moment >= self.alarm and self.ring:
            self.ring()


class World:
    """A presenter with all that is around it."""

    def __init__(self, inbox: Inbox, screen: DBusScreen, daemon: Daemon) -> None:
        self.inbox, self.screen, self.daemon = inbox, screen, daemon
        self.watch = Watch(at("12:00"))
        self.settings = Notifications()
        self.said: list[Toast] = []
        self.presenter = self.made()

    def made(self, screen: DBusScreen | None = None) -> Presenter:
        return Presenter(
            self.inbox,
            lambda: self.settings,
            screen or self.screen,
            clock=self.watch,
            alarm=self.watch,
            zone=lambda: ZONE,
        )

    async def add(self, id_: str, kind: str = "reminder", **other: float) -> None:
        body = (
            {"card": {"title": f"Ask {id_}?", "command": "ls"}} if kind == "approval" else {"text": "now"}
        )
        other.setdefault("at", self.watch.now)
        await self.inbox.add(Notice(id_, kind, "s", "t", f"About {id_}", body, **other))  # type: ignore[arg-type]

    async def rest(self) -> None:
        """Until the presenter has done all there is to do."""
        for _round in range(2):  # the first may end a round that began before
            await self._round()

    async def _round(self) -> None:
        times = self.watch.set_times
        self.presenter.look()
        await eventually(lambda: self.watch.set_times > times and not self.presenter._bell.is_set())

    async def shown(self, *titles: str) -> None:
        """These and no others were shown so far."""
        await eventually(lambda: len(self.daemon.titles()) >= len(titles), f"{titles} are shown")
        await self.rest()
        assert self.daemon.titles() == list(titles)


@pytest.fixture
async def world(inbox: Inbox, screen: DBusScreen, daemon: Daemon) -> AsyncIterator[World]:
    world = World(inbox, screen, daemon)
    world.presenter.start()
    yield world
    await world.presenter.stop()


async def test_a_notice_is_shown_once(world: World) -> None:
    await world.add("a")
    await world.shown("About a")
    assert world.presenter.how.way == "daemon"
    assert "doesn’t support replies" in world.presenter.how.missing
    await world.presenter.stop()
    again = world.made(DBusScreen())
    again.start()
    world.presenter = again
    await world.add("b")
    await world.shown("About a", "About b")


async def test_one_that_waits_for_its_time(world: World) -> None:
    await world.add("later", due=at("12:20"))
    await world.add("soon", due=at("12:10"))
    await world.rest()
    assert world.watch.alarm == at("12:10")
    world.watch.turn(at("12:09"))
    world.presenter.look()
    await world.shown()
    world.watch.turn(at("12:10"))
    await world.shown("About soon")
    assert world.watch.alarm == at("12:20")
    await world.inbox.snooze("soon", at("12:30"))
    await world.rest()
    assert world.daemon.on_screen() == [], "a snoozed one goes from the screen"
    world.watch.turn(at("12:40"))  # the clock jumped over both
    await world.shown("About soon", "About later", "About soon")
    assert world.watch.alarm is None


async def test_after_a_kill_only_what_was_in_between_is_shown_again(
    world: World, database: Database
) -> None:
    await world.add("a")
    await world.add("b")
    await world.shown("About a", "About b")
    await database.write("UPDATE inbox SET shown = 1 WHERE id = 'b'")  # a kill before the reply
    world.presenter.look()
    await world.shown("About a", "About b", "About b")
    assert await database.read("SELECT id, handed, shown FROM inbox ORDER BY id") == [
        ("a", 1, 2),
        ("b", 2, 2),
    ]


async def test_what_was_answered_elsewhere_goes_from_the_screen(world: World) -> None:
    await world.add("q", "approval")
    await world.add("a")
    await world.shown("Ask q?", "About a")
    await world.inbox.settle("q", "yes")
    await eventually(lambda: world.daemon.on_screen() == ["About a"])


async def test_a_kind_that_is_switched_off(world: World) -> None:
    world.settings = Notifications(heartbeat=False)
    await world.add("h", "heartbeat")
    await world.add("a")
    await world.shown("About a")
    world.settings = Notifications()
    await world.shown("About a")
    assert await world.inbox.count() == 2


async def test_quiet_hours_hold_all_but_questions(world: World) -> None:
    world.settings = Notifications(quiet=True, quiet_from="12:00", quiet_to="14:00")
    await world.add("r")
    await world.add("h", "heartbeat")
    await world.add("q", "approval")
    await world.shown("Ask q?")
    assert world.watch.alarm == at("14:00")
    await world.add("e", "error", due=at("13:00"))
    world.watch.turn(at("14:00"))
    await world.shown("Ask q?", "3 notices during quiet hours")
    assert world.daemon.history[-1].text == "• About r\n• About h\n• About e"
    world.watch.turn(at("15:00"))
    await world.add("s", "subagent")
    await world.shown("Ask q?", "3 notices during quiet hours", "About s")


async def test_one_that_was_held_alone_is_itself(world: World) -> None:
    world.settings = Notifications(quiet=True, quiet_from="12:00", quiet_to="14:00")
    await world.add("r")
    await world.rest()
    world.watch.turn(at("14:00"))
    await world.shown("About r")
    assert "snooze" in world.daemon.history[0].actions


async def test_quiet_hours_that_are_switched_off_meanwhile(world: World) -> None:
    world.settings = Notifications(quiet=True, quiet_from="12:00", quiet_to="14:00")
    await world.add("r")
    await world.shown()
    world.settings = Notifications()
    world.presenter.look()
    await world.shown("About r")


async def test_many_after_a_start_are_one(world: World) -> None:
    await world.presenter.stop()
    for n in range(20):
        await world.add(f"n{n}", "error")
    for n in range(2):
        await world.add(f"q{n}", "approval")
    world.presenter = world.made(DBusScreen())
    world.presenter.start()
    await world.shown("Ask q0?", "Ask q1?", "20 unread notices")
    for n in range(20):
        await world.inbox.settle(f"n{n}", "seen")
    await eventually(lambda: world.daemon.on_screen() == ["Ask q0?", "Ask q1?"])


async def test_what_the_person_looks_at_is_not_shown_while_they_do_but_reminders_are(world: World) -> None:
    world.presenter.attended = lambda notice: notice.session == "s"
    await world.add("q", "approval")
    await world.add("s", "subagent")
    await world.add("r")
    await world.shown("About r")
    world.presenter.attended = lambda _notice: False
    world.presenter.look()  # they look away and have not answered
    await world.shown("About r", "Ask q?")


async def test_without_a_daemon_the_tray_has_it(world: World) -> None:
    world.daemon.die()
    world.presenter.fallback = lambda toast: not world.said.append(toast)  # type: ignore[func-returns-value]
    await world.add("a")
    await eventually(lambda: [toast.title for toast in world.said] == ["About a"])
    assert world.presenter.how.way == "tray"
    world.daemon.start()
    await world.shown()
    assert (await world.presenter.reach()).way == "daemon"


async def test_with_nobody_it_waits_in_the_inbox(world: World) -> None:
    world.daemon.die()
    world.presenter.fallback = lambda _toast: False
    await world.add("a")
    await world.rest()
    assert world.presenter.how.way == "inbox"
    assert "Notifications are in the inbox." in world.presenter.how.missing
    world.daemon.start()  # as at login, where the desktop comes up beside the program
    await world.shown("About a")


async def test_a_daemon_that_hangs(world: World) -> None:
    await world.add("a")
    await world.shown("About a")
    world.daemon.hang()
    for name in ("b", "c", "d"):
        await world.add(name)
    await eventually(lambda: world.presenter.how.way == "inbox")
    world.daemon.go_on()
    await eventually(lambda: "About b" in world.daemon.titles())
    await world.shown("About a", "About b", "About c", "About d")


class Slow:
    """A screen whose daemon answers when it is told to."""

    acted: Acted | None = None
    appeared: Callable[[], None] | None = None
    capabilities = Capabilities()

    def __init__(self) -> None:
        self.asked, self.answers = asyncio.Event(), asyncio.Event()

    async def reach(self) -> bool:
        return True

    async def show(self, _toast: Toast) -> bool:
        self.asked.set()
        await self.answers.wait()
        return True

    async def clear(self, notice: str) -> None: ...

    async def stop(self) -> None: ...


async def test_the_end_waits_for_what_is_being_handed_over(inbox: Inbox) -> None:
    screen = Slow()
    presenter = Presenter(inbox, Notifications, screen)
    presenter.start()
    await inbox.add(Notice("a", "reminder", "", "", "A"))
    await inbox.add(Notice("b", "reminder", "", "", "B"))
    await screen.asked.wait()
    asyncio.get_running_loop().call_soon(screen.answers.set)
    await presenter.stop()
    assert [notice.id for notice in await inbox.unshown(1e12)] == ["b"]


async def test_a_full_disk_passes(world: World, database: Database) -> None:
    await world.add("a", due=at("12:10"))
    await database.write(
        "CREATE TRIGGER full BEFORE UPDATE ON inbox BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
    )
    world.watch.turn(at("12:10"))
    await world.shown()
    assert world.watch.alarm == at("12:11")
    await database.write("DROP TRIGGER full")
    world.watch.turn(at("12:11"))
    await world.shown("About a")


async def test_a_timer_of_the_loop() -> None:
    rings: list[float] = []
    alarm = LoopAlarm()
    loop = asyncio.get_running_loop()
    alarm.start(lambda: rings.append(loop.time()), lambda: None)
    alarm.set(0)
    await eventually(lambda: rings)
    alarm.set(1e15)
    alarm.set(0)
    alarm.stop()
    alarm.set(0)
    await asyncio.sleep(0)
    assert len(rings) == 1
