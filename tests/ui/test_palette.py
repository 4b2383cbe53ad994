"""The palette: what is typed finds conversations, commands, settings, tasks, memory and messages."""

import asyncio
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.cron.wanted import Wanted
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.palette.item import COMMANDS, MESSAGES, Item, fitting
from desktop.ui.palette.palette import Palette
from desktop.ui.palette.sources import Sources
from desktop.ui.palette.view import PaletteView
from desktop.ui.settings.search import Hit
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.program import Running
from tests.ui.settings.reading import shown
from tests.ui.test_library import Desk

Key = Qt.Key


class Table(Desk):
    """The window with its palette, and where it led."""

    def __init__(self, running: Running, qtbot: QtBot) -> None:
        super().__init__(running, qtbot)
        self.led: list[tuple[str, ...]] = []
        reporter = ErrorReporter(self.window)
        self.palette = Palette(reporter, Sources(self.door, self.rows, self, self.commands), self.window)
        self.window.palette_wanted.connect(self.palette.toggle)
        self.begin()

    def commands(self) -> list[Item]:
        names = ("Quick chat", "Theme: same as system", "Light", "Dark")
        return [Item(COMMANDS, name, partial(self.led.append, (name,))) for name in names]

    def show_conversation(self, key: str, turn: str) -> None:
        self.led.append(("conversation", key, turn))

    def show_settings(self, page: str) -> None:
        self.led.append(("settings", page))

    def show_setting(self, hit: Hit) -> None:
        self.led.append(("setting", hit.name))

    def write(self, text: str) -> None:
        self.led.append(("write", text))

    def say(self, text: str) -> None:
        self.led.append(("say", text))

    def come(self, words: str = "") -> None:
        QTest.keyClick(self.window, Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        assert self.view.isVisible()
        QTest.keyClicks(self.view.field, words)
        loop = self.running.loop
        self.until(lambda: not any(t.get_name().startswith("palette") for t in asyncio.all_tasks(loop)))

    @property
    def view(self) -> PaletteView:
        assert self.palette.view is not None
        return self.palette.view

    def titles(self, group: str = "") -> list[str]:
        rows = [row for row in self.view.found.rows if isinstance(row, Item)]
        return [row.title for row in rows if group in ("", row.group)]

    def press(self, *keys: Qt.Key) -> None:
        for key in keys:
            QTest.keyClick(self.view.field, key)


@pytest.fixture
def table(home: Path, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest) -> Table:
    Program(home).use_server(server.url, "say:Noted.")
    return Table(request.getfixturevalue("running"), qtbot)


def test_a_word_finds_what_was_said_and_enter_opens_it_there(table: Table) -> None:
    table.ask("window:a", "Animals\n\nA zebra stands in the garden")
    turn = table.talk.transcript.entries[0].id
    table.ask("window:b", "Something else")
    table.come("zebra")
    table.until(lambda: len(table.titles(MESSAGES)) == 1)
    assert "A zebra stands" in table.titles(MESSAGES)[0]
    table.press(Key.Key_Return)
    assert not table.view.isVisible()
    assert table.led == [("conversation", "window:a", turn)]


def test_commands_settings_and_slash_commands_are_found(table: Table) -> None:
    table.come("quick")
    assert table.titles(COMMANDS) == ["Quick chat"]
    table.press(Key.Key_Return)
    assert table.led == [("Quick chat",)]
    table.come("temperature")
    table.until(lambda: table.titles()[:1] == ["Temperature"])
    table.press(Key.Key_Return)
    assert table.led[-1] == ("setting", "agents.defaults.temperature")
    table.come("appear")
    table.until(lambda: table.titles()[:1] == ["Appearance"])
    table.press(Key.Key_Return)
    assert table.led[-1] == ("settings", "appearance")
    table.come("/comp")
    table.until(lambda: "/compact" in table.titles())
    table.press(Key.Key_Return)
    assert table.led[-1] == ("say", "/compact")


def test_tasks_skills_and_facts_are_found(table: Table) -> None:
    running = table.running
    running.wait(
        running.actions.api.jobs.add(
            Wanted(name="Water the herbs", message="Water them", plain=True, every=3600)
        )
    )
    (running.home.root / "workspace" / "USER.md").write_text("- Likes thyme more than basil\n")
    table.come("herbs")
    table.until(lambda: table.titles("Tasks") == ["Water the herbs"])
    table.press(Key.Key_Escape)
    table.come("thyme")
    table.until(lambda: table.titles("Memory") == ["Likes thyme more than basil"])
    table.press(Key.Key_Escape)
    table.come("$cron")
    table.until(lambda: table.titles("Skills") == ["$cron"])
    table.press(Key.Key_Return)
    assert table.led == [("write", "$cron ")]


def test_escape_gives_the_keyboard_back_and_nothing_found_is_said(table: Table) -> None:
    table.window.composer.setFocus()
    table.come("qqxxyy")
    table.until(lambda: "No results" in shown(table.view))
    table.press(Key.Key_Escape)
    assert not table.view.isVisible()
    table.until(lambda: QApplication.focusWidget() is table.window.composer.field)


def test_the_arrows_go_round_and_leave_out_headings(table: Table) -> None:
    table.ask("window:a", "one")
    table.come()
    table.until(lambda: len(table.titles()) == 5)
    first = table.view.list.currentIndex().data()
    assert first == table.titles()[0]
    table.press(Key.Key_Up)
    assert table.view.list.currentIndex().data() == table.titles()[-1]
    table.press(Key.Key_Down)
    assert table.view.list.currentIndex().data() == first


def test_what_begins_with_the_words_comes_first() -> None:
    items = [Item(COMMANDS, title, print) for title in ("The new sun", "New conversation", "Renewed")]
    assert [item.title for item in fitting(items, "new", 9)] == [
        "New conversation",
        "The new sun",
        "Renewed",
    ]
    assert [item.title for item in fitting(items, "new sun", 9)] == ["The new sun"]


def test_enter_runs_the_best_hit_each_time_anew(table: Table) -> None:
    table.ask("window:a", "Traffic lights at night")
    table.ask("window:b", "Light")
    for words, best in (
        ("dark", ("Dark",)),
        ("light", ("conversation", "window:b", "")),
        ("dark", ("Dark",)),
        ("SAME AS", ("Theme: same as system",)),
        ("compact", ("say", "/compact")),
        ("dark", ("Dark",)),
        ("traffic", ("conversation", "window:a", "")),
    ):
        table.come(words)
        table.press(Key.Key_Return)
        assert table.led[-1] == best, words


def test_a_row_that_the_person_went_to_stays_until_the_next_letter(table: Table) -> None:
    table.come("light")
    assert table.view.list.currentIndex().data() == "Light"
    table.press(Key.Key_Down)
    chosen = table.view.list.currentIndex().data()
    assert chosen != "Light"
    table.palette._show()  # more was found
    assert table.view.list.currentIndex().data() == chosen
    QTest.keyClicks(table.view.field, " ")
    assert table.view.list.currentIndex().data() == "Light"
    table.press(Key.Key_Down, Key.Key_Escape)
    table.come("light")
    assert table.view.list.currentIndex().data() == "Light"


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ("new", ["New", "New sun", "The new sun", "Renewed"]),
        ("new sun", ["New sun", "The new sun"]),
        ("sun new", ["The new sun", "New sun"]),
        ("export", ["Export…", "Export the new"]),
    ],
)
def test_the_exact_name_comes_before_those_that_begin_so(words: str, titles: list[str]) -> None:
    names = ("The new sun", "Renewed", "New sun", "Export the new", "New", "Export…")
    found = [item.title for item in fitting([Item(COMMANDS, name, print) for name in names], words, 9)]
    assert [title for title in found if title in titles] == titles
