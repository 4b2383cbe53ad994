"""The alarm and what it hears: real timers of the kernel, a real bus with mocks of systemd's services."""

import asyncio
import ctypes
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.cron.clock import Alarm, KernelAlarm, LoopAlarm, SystemClock, alarm
from desktop.cron.wake import Wake
from desktop.cron.wake_windows import Subscription, WindowsWake
from tests.servers.system_bus import VARIABLE, emit, gdbus, mocks, private_bus

linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's timers are Linux's")
LOGIND = "org.freedesktop.login1"
NEVER = "unix:path=/nowhere/at/all"


class Heard:
    """What an alarm called, in order."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self._more = asyncio.Event()

    def add(self, name: str) -> None:
        self.calls.append(name)
        self._more.set()

    async def wait(self, *names: str) -> None:
        async with asyncio.timeout(60):
            while self.calls != list(names):
                self._more.clear()
                await self._more.wait()


class Wound:
    """A clock that somebody sets."""

    def __init__(self) -> None:
        self.shift = 0.0

    def now(self) -> float:
        return time.time() + self.shift


@pytest.fixture(params=["kernel", "loop"])
async def rings(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Alarm, Heard]]:
    if request.param == "kernel" and sys.platform != "linux":
        pytest.skip("the kernel's timers are Linux's")
    bell: Alarm = KernelAlarm() if request.param == "kernel" else LoopAlarm(SystemClock())
    heard = Heard()
    bell.start(lambda: heard.add("ring"), lambda: heard.add("changed"))
    yield bell, heard
    bell.stop()


async def test_it_rings_once_at_its_moment(rings: tuple[Alarm, Heard]) -> None:
    bell, heard = rings
    moment = time.time() + 0.2
    bell.set(moment)
    await heard.wait("ring")
    assert 0 <= time.time() - moment < 0.5


async def test_a_moment_that_is_past_rings_at_once(rings: tuple[Alarm, Heard]) -> None:
    bell, heard = rings
    bell.set(0.0)
    await heard.wait("ring")
    bell.set(time.time() - 1e6)
    await heard.wait("ring", "ring")


async def test_the_last_setting_counts(rings: tuple[Alarm, Heard]) -> None:
    bell, heard = rings
    bell.set(time.time() + 0.1)
    bell.set(time.time() + 1e9)
    bell.set(None)
    bell.set(time.time() + 0.15)
    await heard.wait("ring")


async def test_a_clock_that_is_set_is_noticed_by_its_drift() -> None:
    clock, heard = Wound(), Heard()
    bell = LoopAlarm(clock, stretch=0.05)
    bell.start(lambda: heard.add("ring"), lambda: heard.add("changed"))
    bell.set(time.time() + 1000)
    clock.shift = -3600
    await heard.wait("changed")
    clock.shift = 5000
    await heard.wait("changed", "changed", "ring")
    bell.stop()


@linux
async def test_linux_has_the_kernels() -> None:
    bell = alarm()
    assert isinstance(bell, KernelAlarm)
    bell.start(lambda: None, lambda: None)
    bell.stop()


@linux
@pytest.mark.machine
async def test_a_clock_that_is_set_is_told_by_the_kernel() -> None:
    """Setting the clock to what it shows tells the kernel's timers as well, and harms nobody."""
    heard = Heard()
    bell = KernelAlarm()
    bell.start(lambda: heard.add("ring"), lambda: heard.add("changed"))
    bell.set(time.time() + 1000)
    try:
        time.clock_settime_ns(time.CLOCK_REALTIME, time.time_ns())
    except PermissionError:
        bell.stop()
        pytest.skip("only root may set the clock")
    await heard.wait("changed")
    bell.set(time.time())
    await heard.wait("changed", "ring")
    bell.stop()


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A private bus in the place of the system's."""
    with private_bus(tmp_path) as address:
        monkeypatch.setenv(VARIABLE, address)
        yield address


@pytest.fixture
def systemd(bus: str) -> Iterator[None]:
    with mocks(bus, logind=LOGIND, timedated="org.freedesktop.timedate1"):
        yield


def sleeps(going: bool) -> None:
    manager = f"{LOGIND}.Manager"
    emit(LOGIND, "/org/freedesktop/login1", manager, "PrepareForSleep", "b", str(going).lower())


@linux
@pytest.mark.machine
async def test_wake_up_and_a_new_zone_are_heard(systemd: None) -> None:
    heard = Heard()
    wake = Wake(lambda: heard.add("woke"))
    await wake.start()
    await asyncio.to_thread(sleeps, True)
    await asyncio.to_thread(sleeps, False)
    await heard.wait("woke")
    await asyncio.to_thread(
        gdbus,
        *("call", "--dest", "org.freedesktop.timedate1", "--object-path", "/org/freedesktop/timedate1"),
        *("--method", "org.freedesktop.timedate1.SetTimezone", "Asia/Tokyo", "false"),
    )
    await heard.wait("woke", "woke")
    await wake.stop()


@linux
@pytest.mark.machine
async def test_a_bus_that_is_absent_or_goes_away_is_no_trouble(
    bus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wake = Wake(lambda: None)
    await wake.start()
    await wake.stop()
    monkeypatch.setenv(VARIABLE, NEVER)
    wake = Wake(lambda: None)
    await wake.start()
    await wake.stop()


class Powrprof:
    """The library of Windows, which calls from a thread of its own."""

    def __init__(self, error: int = 0) -> None:
        self.error, self.freed = error, 0
        self._asked: Subscription | None = None

    def PowerRegisterSuspendResumeNotification(self, flags: int, asked: Any, handle: Any) -> int:
        assert flags == 2, "a function to call, not a window"
        ctypes.cast(handle, ctypes.POINTER(ctypes.c_void_p))[0] = 0xDEADBEEF
        self._asked = ctypes.cast(asked, ctypes.POINTER(Subscription))[0]
        return self.error

    def PowerUnregisterSuspendResumeNotification(self, handle: ctypes.c_void_p) -> int:
        assert handle.value == 0xDEADBEEF
        self.freed += 1
        return 0

    async def tell(self, *events: int) -> None:
        asked = self._asked
        assert asked is not None

        def call() -> None:
            for event in events:
                assert asked.callback(None, event, None) == 0

        caller = threading.Thread(target=call)
        caller.start()
        await asyncio.to_thread(caller.join)


SUSPEND, RESUMED_BY_A_PERSON, RESUMED = 4, 7, 18


async def test_windows_tells_of_wake_up_once() -> None:
    heard, library = Heard(), Powrprof()
    wake = WindowsWake(lambda: heard.add("woke"), lambda name: {"powrprof": library}[name])
    await wake.start()
    await library.tell(SUSPEND, RESUMED, RESUMED_BY_A_PERSON)
    await heard.wait("woke")
    await library.tell(SUSPEND, RESUMED)
    await heard.wait("woke", "woke")
    await wake.stop()
    await library.tell(RESUMED)
    await asyncio.sleep(0)
    assert heard.calls == ["woke", "woke"]
    assert library.freed == 1
    await wake.stop()
    assert library.freed == 1


def _without(_name: str) -> Any:
    raise OSError("no such library")


@pytest.mark.parametrize("load", [_without, lambda _name: object(), lambda _name: Powrprof(error=5)])
async def test_a_windows_that_does_not_tell_is_no_trouble(load: Any) -> None:
    wake = WindowsWake(lambda: None, load)
    await wake.start()
    await wake.stop()
