"""The icon in a real panel: what it shows, what its menu offers, and that it comes and goes as wanted."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QIcon, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.rows import Rows
from desktop.ui.state import StateFile
from desktop.ui.system.tray_icon import badge, tray_icon
from desktop.ui.theme.theme import theme
from desktop.ui.tray.tray import IDLE, NEEDS_YOU, TROUBLE, WORKING, Tray
from desktop.ui.tray.window_presence import WindowPresence
from desktop.ui.words import speak
from tests.desktop.desk import MIDDLE, PANEL, RIGHT, Area, Desk, TrayIcon
from tests.desktop.window import until

STATES = (IDLE, WORKING, NEEDS_YOU, TROUBLE)
SIZES = (16, 22, 24, 32, 44, 48)


class Panel:
    """The desktop around an icon of this very process, which must go on while it is asked."""

    def __init__(self, desk: Desk, tray: Tray, qtbot: QtBot, pool: ThreadPoolExecutor) -> None:
        self.desk, self.tray, self._qtbot, self._pool = desk, tray, qtbot, pool
        self.icon = self.meanwhile(lambda: desk.tray(os.getpid()))

    def meanwhile[T](self, work: Callable[[], T]) -> T:
        done = self._pool.submit(work)
        self._qtbot.waitUntil(done.done)
        return done.result()

    def until(self, check: Callable[[TrayIcon], object], what: str) -> None:
        self.meanwhile(lambda: until(lambda: check(self.icon) or None, what))

    @property
    def labels(self) -> list[str]:
        entries = self.meanwhile(self.icon.menu)
        return [entry["label"] for entry in entries if entry["label"] and entry.get("visible", True)]

    def around(self, label: str) -> list[str]:
        """What is seen in the menu from before an entry to behind it, and what its part ends with."""
        entries = self.meanwhile(self.icon.menu)
        seen = [
            "separator" if entry.get("type") == "separator" else entry["label"]
            for entry in entries
            if entry.get("visible", True)
        ]
        at = seen.index(label)
        return seen[at - 1 : at + 3]

    def shot(self, name: str) -> None:
        x, y = self.meanwhile(lambda: self.icon._area().middle)
        self.meanwhile(lambda: self.desk.screenshot(name, Area(max(0, x - 300), max(0, y - 400), 600, 440)))


@pytest.fixture
def panel(desk: Desk, qtbot: QtBot) -> Iterator[Panel]:
    window = QWidget()
    qtbot.addWidget(window)
    tray = Tray(window)
    with ThreadPoolExecutor(1) as pool:
        yield Panel(desk, tray, qtbot, pool)
        tray.use(False)
        qtbot.waitUntil(pool.submit(lambda: until(lambda: not desk.in_tray(os.getpid()), "gone")).done)
    theme().choose("system")
    speak("")


def picture(icon: QIcon, size: int) -> QImage:
    pixmap = icon.pixmap(size, size)
    assert (pixmap.width(), pixmap.height()) == (size, size), "nothing is scaled"
    return pixmap.toImage()


def outline(image: QImage) -> bytes:
    """Where something is drawn, in whatever colour."""
    return bytes(
        image.pixelColor(x, y).alpha() > 127 for y in range(image.height()) for x in range(image.width())
    )


@pytest.mark.parametrize("size", SIZES)
def test_each_state_has_a_shape_of_its_own(qtbot: QtBot, size: int) -> None:
    theme()
    for waiting in ("", "1", "9+"):
        shapes = {outline(picture(tray_icon(state, waiting, False), size)) for state in STATES}
        assert len(shapes) == len(STATES)
    numbers = [picture(tray_icon(IDLE, badge(n), True), size) for n in (0, 1, 2, 8, 9, 10)]
    assert len({bytes(image.constBits()) for image in numbers}) == 6
    assert [badge(n) for n in (-1, 0, 9, 10, 500)] == ["", "", "9", "9+", "9+"]


@pytest.mark.parametrize("panel_colour", ["#ffffff", "#000000"])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("state", STATES)
def test_it_stands_out_from_any_panel(qtbot: QtBot, state: str, dark: bool, panel_colour: str) -> None:
    theme()
    image = picture(tray_icon(state, "", dark), 48)
    colours = [image.pixelColor(x, y) for x in range(48) for y in range(48)]
    solid = next(colour for colour in colours if colour.alpha() == 255)
    assert contrast(solid, QColor(panel_colour)) >= 2.95


def contrast(one: QColor, other: QColor) -> float:
    def light(colour: QColor) -> float:
        parts = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in (colour.redF(), colour.greenF(), colour.blueF())
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_it_tells_what_goes_on(panel: Panel) -> None:
    tray = panel.tray
    panel.until(lambda icon: icon.tooltip == "Nanobot Desktop", "nothing is to be told")
    pictures = {panel.meanwhile(lambda: panel.icon.picture)}
    for state, waiting, told in (
        (WORKING, 0, "Working"),
        (NEEDS_YOU, 1, "Needs your answer\n1 unread notice"),
        (NEEDS_YOU, 12, "Needs your answer\n12 unread notices"),
        (TROUBLE, 0, "Something isn’t working"),
    ):
        for look in ("dark", "light"):
            theme().choose(look)
            tray.show_state(state, waiting)
            panel.until(
                lambda icon, told=told: icon.tooltip == f"Nanobot Desktop\n{told}",  # type: ignore[misc]
                told,
            )
            pictures.add(panel.meanwhile(lambda: panel.icon.picture))
            panel.shot(f"tray-{state}-{waiting}-{look}")
    assert len(pictures) == 9
    tray.show_state(IDLE, 0)
    tray.show_paused(True)
    panel.until(lambda icon: icon.tooltip == "Nanobot Desktop\nPaused", "it says that it is paused")


def test_the_menu(panel: Panel, qtbot: QtBot) -> None:
    tray = panel.tray
    assert panel.labels == [
        "Show",
        "Quick chat",
        "New conversation",
        "Inbox",
        "Pause everything",
        "Settings",
        "Help",
        "Quit",
    ]
    told: list[object] = []
    tray.conversation_wanted.connect(told.append)
    tray.pause_wanted.connect(told.append)
    for signal, name in (
        (tray.toggle_wanted, "toggle"),
        (tray.quick_wanted, "quick"),
        (tray.inbox_wanted, "inbox"),
        (tray.new_wanted, "new"),
        (tray.settings_wanted, "settings"),
        (tray.help_wanted, "help"),
        (tray.quit_wanted, "quit"),
    ):
        signal.connect(lambda name=name: told.append(name))
    tray.show_recent([("a", "Tea & cake"), ("b", "word " * 40), ("c", "A\nB"), ("d", "The fourth")])
    tray.show_spend("Today: $0.12")
    tray.show_state(NEEDS_YOU, 3)
    labels = panel.labels
    assert labels[:5] == ["Show", "Quick chat", "New conversation", "Inbox (3)", "Tea & cake"]
    assert labels[5].startswith("word word")
    assert len(labels[5]) <= 40
    assert labels[6:] == ["A B", "Today: $0.12", "Pause everything", "Settings", "Help", "Quit"]

    chosen: tuple[tuple[str, object], ...] = (
        ("Show", "toggle"),
        ("Quick chat", "quick"),
        ("Inbox (3)", "inbox"),
        ("Tea & cake", "a"),
        ("A B", "c"),
        ("Pause everything", True),
        ("Settings", "settings"),
        ("Help", "help"),
    )
    for label, meant in chosen:
        panel.meanwhile(partial(panel.icon.choose, label))
        qtbot.waitUntil(partial(_ends_with, told, meant))
    tray.show_paused(True)
    panel.meanwhile(lambda: panel.icon.choose("Resume"))
    qtbot.waitUntil(lambda: told[-1] is False)
    panel.meanwhile(panel.icon.click)
    qtbot.waitUntil(lambda: told[-1] == "toggle")
    panel.meanwhile(lambda: panel.icon.click(MIDDLE))
    qtbot.waitUntil(lambda: told[-1] == "quick")


def test_chat_apps_are_switched_in_the_menu(panel: Panel, qtbot: QtBot) -> None:
    told: list[tuple[str, bool]] = []
    panel.tray.channel_wanted.connect(lambda name, on: told.append((name, on)))
    panel.tray.show_channels([("telegram", "Telegram", True)])
    assert panel.around("Telegram") == ["separator", "Telegram", "separator", "Pause everything"]
    panel.meanwhile(lambda: panel.icon.choose("Telegram"))
    qtbot.waitUntil(lambda: told == [("telegram", False)])
    panel.tray.show_channels([])
    assert "Telegram" not in panel.labels
    assert panel.around("Pause everything") == ["separator", "Pause everything", "separator", "Settings"]


def _ends_with(told: list[object], meant: object) -> bool:
    return told[-1:] == [meant]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_how_the_open_menu_looks(panel: Panel, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.setenv("NANOBOT_DESKTOP_LANGUAGE", language)
    speak(language)
    panel.tray.show_recent([("a", "Tea & cake for the team"), ("b", "周报"), ("c", "Trip to Lisbon")])
    panel.tray.show_spend("Today: $0.12")
    panel.tray.show_state(NEEDS_YOU, 3)
    before = set(panel.desk.windows("--class", PANEL))
    panel.meanwhile(lambda: panel.icon.click(RIGHT))

    def drawn(_icon: TrayIcon) -> bool:
        windows = set(panel.desk.windows("--class", PANEL)) - before
        return any(panel.desk.colours(panel.desk.geometry(window)) > 20 for window in windows)

    panel.until(drawn, "the menu is drawn")
    panel.shot(f"tray-menu-{language}")
    panel.desk.key("Escape")


def test_one_that_is_not_wanted_goes_and_comes_back(panel: Panel, qtbot: QtBot, desk: Desk) -> None:
    lost: list[int] = []
    panel.tray.lost.connect(lambda: lost.append(1))
    panel.tray.use(False)
    assert not panel.tray.present
    assert lost == [1]
    panel.until(lambda _icon: not desk.in_tray(os.getpid()), "it is gone")
    panel.tray.use(True)
    assert panel.tray.present
    panel.until(lambda icon: icon.tooltip == "Nanobot Desktop", "it is back")
    assert not panel.tray.show_notice("n1", "Stand-up", "now"), "the daemon is asked directly"


def test_without_an_icon_a_closed_window_is_minimised(qtbot: QtBot, desk: Desk, tmp_path: Path) -> None:
    file = StateFile(tmp_path / "window.json")
    window = MainWindow(file.state, Rows())
    qtbot.addWidget(window)
    presence = WindowPresence(window, file)
    window.show()
    qtbot.waitUntil(lambda: presence.tray.present)
    window.close()
    qtbot.waitUntil(window.isHidden)
    presence.use_tray(False)
    qtbot.waitUntil(window.isMinimized)
    window.present()
    window.close()
    qtbot.waitUntil(window.isMinimized)
    file.write()
    window.removeEventFilter(presence)  # the program's window lives as long as the program

    file = StateFile(tmp_path / "window.json")
    window = MainWindow(file.state, Rows())
    qtbot.addWidget(window)
    presence = WindowPresence(window, file)
    assert not presence.tray.present
    presence.begin_hidden()
    assert window.isMinimized()
    presence.use_tray(True)
    assert presence.tray.present
    presence.use_tray(False)
    window.removeEventFilter(presence)
