"""The meter of the context over a real core: there once the program is at rest, true after each turn."""

import asyncio
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.api.context import ContextUsage
from desktop.bus.events import Event, MemoryChanged
from desktop.ui.conversation.foot.context_reader import ContextReader
from desktop.ui.conversation.foot.meter import Meter, MeterList, percent, thousands
from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.rows import Rows
from desktop.ui.state import WindowState
from desktop.ui.widgets.order import stops
from tests.ui.talking import Desk
from tests.ui.waiting import exposed

FOUND = ContextUsage(
    window=100_000,
    used=12_000,
    answer=8_000,
    parts={
        "system": 1_500,
        "memory": 800,
        "skills": 300,
        "recent": 0,
        "tools": 4_400,
        "history": 5_000,
    },
)


class Shown:
    """The window with its meter, and what the list says."""

    def __init__(self, desk: Desk, qtbot: QtBot) -> None:
        self.desk = desk
        self.window = MainWindow(WindowState(), Rows())
        qtbot.addWidget(self.window)
        self.fullness = ContextReader(desk.door, desk.reporter, self.window, desk.talk)
        self.window.show()
        exposed(qtbot, self.window)

    @property
    def meter(self) -> Meter:
        assert self.fullness.meter is not None
        return self.fullness.meter

    def begin(self) -> None:
        self.fullness.begin()
        self.desk.until(lambda: self.fullness.meter is not None and self.fullness.meter.isVisible())

    def listed(self) -> list[str]:
        """The words of the list, where it is open."""
        found = [made for made in self.window.findChildren(MeterList) if made.isVisible()]
        return [part.text() for made in found for part in made.findChildren(QLabel) if part.isVisible()]


@pytest.fixture
def seen(talking: Desk, qtbot: QtBot) -> Shown:
    return Shown(talking, qtbot)


def test_it_comes_when_the_program_is_at_rest_and_grows_with_the_conversation(seen: Shown) -> None:
    desk = seen.desk
    desk.open("window:a")
    desk.running.tell(MemoryChanged("", 1))
    desk.settle()
    assert seen.fullness.meter is None, "nothing is read before the window is at rest"
    seen.begin()
    assert "Conversation" not in seen.meter.accessibleDescription()
    assert seen.meter.accessibleName().startswith("Context: ")
    desk.talk.send("Tell me of the sea. " * 2000)
    desk.until(lambda: not desk.talk.busy and len(desk.shown) == 2)
    desk.until(lambda: "Conversation" in seen.meter.accessibleDescription())
    desk.open("window:other")
    desk.until(lambda: "Conversation" not in seen.meter.accessibleDescription())


def test_it_is_read_anew_on_what_happened_and_hidden_where_nothing_is_known(seen: Shown) -> None:
    desk = seen.desk
    seen.begin()
    desk.until(lambda: not seen.fullness._latest.busy)
    happened: list[tuple[Event, bool]] = [
        (MemoryChanged("window:x", 1), False),
        (MemoryChanged("", 2), True),
    ]
    for event, reads in happened:
        held = desk.door.before["context.usage"] = asyncio.Event()
        desk.running.tell(event)
        assert seen.fullness._latest.busy is reads, event
        held.set()
        desk.until(lambda: not seen.fullness._latest.busy)
    seen.fullness._show(None)
    assert not seen.meter.isVisible()
    seen.fullness.refresh()
    desk.until(seen.meter.isVisible)


def test_the_list_opens_by_key_and_by_pointer_and_says_what_fills_it(seen: Shown, qtbot: QtBot) -> None:
    seen.begin()
    seen.meter.tell(FOUND)
    assert seen.meter.accessibleName() == "Context: 12% full"
    assert seen.meter in list(stops(seen.window))
    seen.meter.setFocus()
    QTest.keyClick(seen.meter, Qt.Key.Key_Space)
    said = seen.listed()
    assert said[:2] == ["Context: 12% full", "12k of 100k tokens"]
    pairs = dict(zip(said[2:-1:2], said[3:-1:2], strict=True))
    assert pairs == {
        "Instructions": "1.5k",
        "Tools": "4.4k",
        "Memory": "0.8k",
        "Skills": "0.3k",
        "Conversation": "5.0k",
        "Free": "88k",
    }
    QTest.keyClick(seen.meter, Qt.Key.Key_Escape)
    assert not seen.listed()
    QTest.keyClick(seen.meter, Qt.Key.Key_Return)
    assert seen.listed()
    seen.window.composer.setFocus()
    assert not seen.listed(), "it goes with the keyboard"
    QTest.mouseMove(seen.window, QPoint(5, 5))
    QTest.mouseMove(seen.meter)
    qtbot.waitUntil(lambda: bool(seen.listed()))
    QTest.mouseMove(seen.window, QPoint(5, 5))
    qtbot.waitUntil(lambda: not seen.listed())


def test_it_warns_from_four_fifths_on(seen: Shown) -> None:
    seen.begin()
    seen.meter.tell(replace(FOUND, used=79_000))
    assert not seen.meter.full
    seen.meter.tell(replace(FOUND, used=80_000))
    assert seen.meter.full
    assert seen.meter.text() == "80%"


@pytest.mark.parametrize(
    ("used", "window", "shown"),
    [(0, 1000, 0), (1, 1000, 1), (1000, 1000, 100), (5000, 1000, 100), (5, 0, 0)],
)
def test_percent(used: int, window: int, shown: int) -> None:
    assert percent(ContextUsage(window, used, 0, {})) == shown


def test_thousands() -> None:
    assert [thousands(tokens) for tokens in (80, 4_234, 131_072)] == ["0.1k", "4.2k", "131k"]
