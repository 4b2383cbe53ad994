"""Windows stand on the screens there are, whatever is remembered and whatever happens to the screens."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.main_window import MainWindow
from desktop.ui.settings.window import SettingsWindow
from desktop.ui.sidebar.rows import Rows
from desktop.ui.state import WindowState
from desktop.ui.widgets.window_geometry import WindowGeometry, within
from tests.desktop.desk import Area, Desk
from tests.ui.program import Running

LEFT, RIGHT = Area(0, 0, 720, 900), Area(720, 0, 720, 900)


@pytest.fixture
def two(desk: Desk, qtbot: QtBot) -> Iterator[Desk]:
    """Two monitors side by side."""
    desk.set_monitors(LEFT, RIGHT)
    qtbot.waitUntil(lambda: len(QGuiApplication.screens()) == 2)
    yield desk
    desk.set_monitors()
    qtbot.waitUntil(lambda: len(QGuiApplication.screens()) == 1)


def whole(window: QWidget) -> bool:
    """Whether the window with its frame is on one screen, or across several without a part missing."""
    frame = window.frameGeometry()
    parts = (screen.availableGeometry().intersected(frame) for screen in QGuiApplication.screens())
    return sum(part.width() * part.height() for part in parts) == frame.width() * frame.height()


def main_window(qtbot: QtBot, geometry: list[int], *, maximized: bool = False) -> MainWindow:
    rows = Rows()
    window = MainWindow(WindowState(geometry=geometry, maximized=maximized), rows)
    rows.setParent(window)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


@pytest.mark.parametrize(
    "geometry",
    [
        [],
        [100, 100, 5000, 4000],
        [1300, 800, 700, 500],
        [-600, -300, 700, 500],
        [90_000, -90_000, 700, 500],
        [0, 0, 1440, 900],
        [10, 10, 0, 0],
        [10, 10, -700, -500],
    ],
)
def test_a_remembered_place_is_cut_to_the_screen(qtbot: QtBot, geometry: list[int]) -> None:
    window = main_window(qtbot, geometry)
    qtbot.waitUntil(lambda: whole(window))
    assert window.width() >= 560
    assert window.height() >= 420


def test_a_place_that_fits_is_kept(qtbot: QtBot) -> None:
    window = main_window(qtbot, [200, 150, 700, 500])
    qtbot.waitUntil(lambda: window.geometry() == QRect(200, 150, 700, 500))


def test_a_window_across_two_monitors_stays_so_and_comes_back_when_one_goes(
    two: Desk, qtbot: QtBot
) -> None:
    window = main_window(qtbot, [400, 100, 800, 600])
    assert whole(window)
    assert window.geometry().left() == 400
    two.set_monitors(LEFT)
    qtbot.waitUntil(lambda: len(QGuiApplication.screens()) == 1 and whole(window), timeout=10_000)
    assert window.width() <= 720


def test_it_is_given_no_more_than_a_small_screen_has(desk: Desk, qtbot: QtBot) -> None:
    desk.set_monitors(Area(0, 0, 500, 380))
    try:
        qtbot.waitUntil(lambda: QGuiApplication.primaryScreen().size() == QSize(500, 380))
        window = main_window(qtbot, [])
        qtbot.waitUntil(lambda: whole(window))
    finally:
        desk.set_monitors()
    qtbot.waitUntil(lambda: QGuiApplication.primaryScreen().size() == QSize(1440, 900))
    qtbot.waitUntil(lambda: window.minimumSize() == QSize(560, 420))


def test_settings_open_over_the_window_on_its_monitor(two: Desk, qtbot: QtBot, running: Running) -> None:
    window = main_window(qtbot, [760, 60, 600, 700])
    settings = SettingsWindow(running.actions, window)
    settings.open_page()
    qtbot.waitUntil(settings.isActiveWindow)
    qtbot.waitUntil(lambda: whole(settings))
    assert settings.geometry().left() >= 720
    assert settings.width() <= 720
    running.settle()


def test_settings_stay_in_front_of_the_window(desk: Desk, qtbot: QtBot, running: Running) -> None:
    window = main_window(qtbot, [])
    settings = SettingsWindow(running.actions, window)
    settings.open_page()
    qtbot.waitUntil(settings.isActiveWindow)
    x, y = window.geometry().left() + 20, window.geometry().bottom() - 20
    desk.click(x, y)
    qtbot.waitUntil(window.isActiveWindow)

    def in_order() -> list[int]:
        told = desk.run("xprop", "-root", "_NET_CLIENT_LIST_STACKING").rpartition("#")[2]
        return [int(number, 16) for number in told.split(",")]

    order = in_order()
    assert order.index(int(window.winId())) < order.index(int(settings.winId()))
    running.settle()


def test_a_window_that_a_person_moved_to_the_edge_stays_there(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    WindowGeometry(window, QSize(300, 200), QSize(100, 100))
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.waitUntil(lambda: whole(window))
    QGuiApplication.processEvents()  # its last look at where it stands, once it is active
    window.move(1300, 400)
    qtbot.waitUntil(lambda: window.x() == 1300)
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(other.isActiveWindow)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert window.x() == 1300


def test_a_place_is_cut_before_it_is_moved() -> None:
    room = QRect(10, 20, 100, 80)
    assert within(QRect(50, 60, 200, 300), room) == room
    assert within(QRect(90, 90, 40, 30), room) == QRect(70, 70, 40, 30)
    assert within(QRect(-5, 0, 40, 30), room) == QRect(10, 20, 40, 30)
