"""An inbox in a file of its own, a notification daemon on a bus of its own, a screen that speaks to it."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.database.database import Database
from desktop.inbox.dbus_screen import DBusScreen
from desktop.inbox.inbox import Inbox
from tests.desktop.daemon import Daemon
from tests.desktop.session import private_bus

type Acts = list[tuple[str, str, str]]


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(tmp_path / "state.db")
    await database.open()
    yield database
    await database.close()


@pytest.fixture
def inbox(database: Database) -> Inbox:
    return Inbox(database, Bus())


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a bus for the test alone; the session's has a real daemon perhaps."""
    if "DESKTOP_SESSION_FOLDER" not in os.environ:
        pytest.skip("needs a desktop session: bash tests/desktop-session.sh -- pytest ...")
    with private_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address


@pytest.fixture
def daemon(bus: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Daemon]:
    """Started with the options of the test's mark `daemon(...)`."""
    mark = request.node.get_closest_marker("daemon")
    with Daemon(tmp_path, *(mark.args if mark else ())) as daemon:
        yield daemon


@pytest.fixture
async def screen(bus: str) -> AsyncIterator[DBusScreen]:
    """Less patient than the program's."""
    screen = DBusScreen(patience=1.0)
    yield screen
    await screen.stop()


@pytest.fixture
def acts(screen: DBusScreen) -> Acts:
    """What the person did with toasts."""
    acts: Acts = []
    screen.acted = lambda *act: acts.append(act)
    return acts


async def eventually(check: Callable[[], object], what: str = "", seconds: float = 60) -> None:
    """Wait, with the loop at work, until this holds."""
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s: {what or check}"
        await asyncio.sleep(0.01)
