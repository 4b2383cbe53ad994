"""The window of the help: F1 opens it, its pages are found and read, in both languages and themes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.help import TOPICS, HelpPage
from desktop.ui.help.opener import HelpOpener
from desktop.ui.help.window import HelpWindow
from desktop.ui.settings.window import SettingsWindow
from desktop.ui.theme.theme import theme
from desktop.ui.words import speak
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.program import Running
from tests.ui.settings.reading import press, shown
from tests.ui.test_library import Desk

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


class Shelf:
    """The help over the main window, and what is to be seen of it."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.until = desk, desk.until
        opener = HelpOpener(desk.window)
        desk.window.help_wanted.connect(opener.open)
        QTest.keyClick(desk.window, Key.Key_F1)
        assert opener.window is not None
        self.window: HelpWindow = opener.window
        self.until(lambda: self.titles != [] and self.window.isActiveWindow())

    @property
    def titles(self) -> list[str]:
        return [self.window.list.item(row).text() for row in range(self.window.list.count())]

    @property
    def page(self) -> str:
        """The title of the page that can be read."""
        return self.window.reader.body.toPlainText().partition("\n")[0]

    @property
    def marked(self) -> list[str]:
        """What is marked on the page, from top to bottom."""
        body = self.window.reader.body
        every = body.extraSelections()
        return [one.cursor.selectedText().casefold() for one in every]

    def place(self, words: str) -> int:
        """Where these words are first on the page."""
        return self.window.reader.body.toPlainText().casefold().index(words)

    def search(self, words: str) -> None:
        QTest.keyClick(self.window, Key.Key_F, CONTROL)
        assert self.window.search.hasFocus()
        QTest.keyClicks(self.window.search, words)

    def press_link(self, words: str) -> None:
        """Click a link of the page."""
        body = self.window.reader.body
        QTest.mouseClick(body.viewport(), Qt.MouseButton.LeftButton, pos=self.link(words))

    def link(self, words: str) -> QPoint:
        """Where a link is on the page."""
        body = self.window.reader.body
        cursor = body.document().find(words)
        assert not cursor.isNull()
        assert cursor.charFormat().isAnchor()
        place = body.cursorRect(cursor).center()
        return place - QPoint(6, 0)


class Browser(QObject):
    """What would open a page of the web."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toString())


@pytest.fixture
def browser(qapp: QApplication) -> Iterator[Browser]:
    made = Browser()
    QDesktopServices.setUrlHandler("https", made, "open")  # type: ignore[arg-type]  # not as it says
    yield made
    QDesktopServices.unsetUrlHandler("https")


@pytest.fixture
def desk(home: Path, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest) -> Desk:
    Program(home).use_server(server.url, "say:Noted.")
    made = Desk(request.getfixturevalue("running"), qtbot)
    made.begin()
    return made


@pytest.fixture
def shelf(desk: Desk) -> Shelf:
    return Shelf(desk)


def test_f1_opens_it_and_up_and_down_turn_the_pages(shelf: Shelf) -> None:
    assert len(shelf.titles) == len(TOPICS)
    assert shelf.page == "Start"
    QTest.keyClick(shelf.window.list, Key.Key_Down)
    assert shelf.page == "Conversations"
    QTest.keyClick(shelf.window.list, Key.Key_Up)
    assert shelf.page == "Start"
    QTest.keyClick(shelf.window.list, Key.Key_Escape)
    assert not shelf.window.isVisible()
    shelf.until(shelf.desk.window.isActiveWindow)
    QTest.keyClick(shelf.desk.window, Key.Key_F1)
    assert shelf.window.isVisible()


def test_a_search_leaves_the_pages_with_all_words_and_shows_the_place(shelf: Shelf) -> None:
    shelf.search("bubblewrap sandbox")
    assert shelf.titles == ["Permissions"]
    assert shelf.page == "Permissions"
    reader = shelf.window.reader
    shelf.until(lambda: set(shelf.marked) == {"bubblewrap", "sandbox"})
    place = reader.body.y_of(shelf.place("sandbox")) - reader.verticalScrollBar().value()
    assert 0 <= place <= reader.viewport().height()
    QTest.keyClick(shelf.window.search, Key.Key_Escape)
    assert len(shelf.titles) == len(TOPICS)
    assert shelf.page == "Permissions"
    assert shelf.marked == []


def test_no_result_is_said(shelf: Shelf) -> None:
    shelf.search("xylophone")
    assert shelf.titles == []
    assert "No results" in shown(shelf.window)


def test_a_link_leads_to_its_page_also_past_a_search(shelf: Shelf, browser: Browser) -> None:
    shelf.search("lm studio start")
    assert shelf.titles == ["Start"]
    QTest.mouseMove(shelf.window.reader.body.viewport(), shelf.link("Models and keys"))
    assert shelf.window.reader.body.viewport().toolTip() == ""
    shelf.press_link("Models and keys")
    assert shelf.page == "Models and keys"
    assert len(shelf.titles) == len(TOPICS)
    assert shelf.window.list.currentItem().text() == "Models and keys"
    assert browser.opened == []


def test_a_link_to_the_web_opens_in_the_browser(shelf: Shelf, browser: Browser) -> None:
    text = "# Elsewhere\n\nSee [the site](https://example.com/page) for more.\n"
    shelf.window.reader.show_page(HelpPage("elsewhere", "Elsewhere", text), [])
    shelf.press_link("the site")
    assert browser.opened == ["https://example.com/page"]
    assert shelf.page == "Elsewhere"


def test_tab_reaches_the_page_and_its_links(shelf: Shelf) -> None:
    reader = shelf.window.reader
    QTest.keyClick(shelf.window.list, Key.Key_Tab)
    assert reader.body.hasFocus()
    for _ in range(10):
        QTest.keyClick(reader.body, Key.Key_Tab)
        if reader.body.textCursor().selectedText() == "Models and keys":
            break
    QTest.keyClick(reader.body, Key.Key_Return)
    assert shelf.page == "Models and keys"


def test_it_speaks_the_language_and_wears_the_theme(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_DESKTOP_LANGUAGE", "zh_CN")
    QTest.keyClick(shelf.window.list, Key.Key_Down)
    speak("zh_CN")
    shelf.until(lambda: shelf.page == "对话")
    assert shelf.window.windowTitle() == "帮助"
    colours = set()
    for name in ("light", "dark"):
        theme().choose(name)
        shelf.until(lambda: shelf.page == "对话")
        colours.add(
            shelf.window.reader.body.document()
            .firstBlock()
            .begin()
            .fragment()
            .charFormat()
            .foreground()
            .color()
            .name()
        )
    assert len(colours) == 2


def test_every_part_has_a_name(shelf: Shelf) -> None:
    window = shelf.window
    names = [part.accessibleName() for part in (window.search, window.list, window.reader.body)]
    assert names == ["Search help", "Help topics", "Start"]


def test_a_narrow_window_shows_the_whole_page(shelf: Shelf) -> None:
    shelf.window.open_topic("command-line")
    shelf.window.resize(520, 400)
    reader = shelf.window.reader
    shelf.until(lambda: reader.body.width() <= reader.viewport().width())
    bar = reader.verticalScrollBar()
    shelf.until(lambda: 0 < reader.body.geometry().bottom() - reader.viewport().height() <= bar.maximum())
    reader.body.setFocus()
    QTest.keyClick(reader.body, Key.Key_End)
    assert bar.value() == bar.maximum() > 0


def test_the_settings_lead_to_it(running: Running, qtbot: QtBot) -> None:
    window = SettingsWindow(running.actions)
    qtbot.addWidget(window)
    wanted: list[None] = []
    window.help_wanted.connect(lambda: wanted.append(None))
    window.open_page("about")
    qtbot.waitUntil(window.isActiveWindow)
    running.settle()
    press(window, "Help")
    QTest.keyClick(window, Key.Key_F1)
    assert len(wanted) == 2
