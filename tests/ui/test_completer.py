"""Completion in the message field: when the list comes, what a choice writes, what the keys do then."""

import asyncio
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.api.turns import CommandLine, Completions, NamedSkill
from desktop.errors import AppError
from desktop.ui.conversation.composer.completer import Completer
from desktop.ui.conversation.composer.completion import Choice, Wanted, choices, matching, wanted
from desktop.ui.conversation.composer.composer import Composer
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.loop import Loop
from desktop.ui.theme.theme import theme
from tests.ui.scripted import Scripted
from tests.ui.waiting import exposed

Key = Qt.Key
REPLY = Completions(
    (
        CommandLine("/help", "/help", "Show the available commands."),
        CommandLine("/history", "/history [number]", "The last messages."),
        CommandLine("/new", "/new", "Begin anew."),
        CommandLine("/status", "/status", "Which model answers."),
    ),
    (NamedSkill("weather", "Today's\nweather."), NamedSkill("new-recipe", "Cooks.")),
)


class Knowing(Scripted):
    """Knows completions and nothing else."""

    def __init__(self) -> None:
        super().__init__(turns_completions=self._completions)
        self.asked = 0
        self.reply: Completions | AppError = REPLY

    def _completions(self) -> Completions | AppError:
        self.asked += 1
        return self.reply


class Writing:
    """A window with a message field, and somebody who types."""

    def __init__(self, qtbot: QtBot) -> None:
        self.actions, self.reporter = Knowing(), ErrorReporter()
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.window.resize(700, 500)
        column = QVBoxLayout(self.window)
        column.addStretch(1)
        outer = QWidget()
        inside = QVBoxLayout(outer)
        self.composer = Composer()
        inside.addWidget(self.composer)
        column.addWidget(outer)
        self.completer = Completer(self.actions, self.reporter, self.composer, lambda: "")
        self.sent: list[str] = []
        self.stops = 0
        self.composer.sent.connect(self.sent.append)
        self.composer.stop_wanted.connect(self._stopped)
        self.until = qtbot.waitUntil
        self.window.show()
        self.window.activateWindow()
        exposed(qtbot, self.window)
        self.composer.setFocus()
        qtbot.waitUntil(self.composer.field.hasFocus)

    def _stopped(self) -> None:
        self.stops += 1

    def type(self, text: str) -> None:
        QTest.keyClicks(self.composer.field, text)

    def key(self, *keys: Qt.Key) -> None:
        for key in keys:
            QTest.keyClick(self.composer.field, key)

    @property
    def names(self) -> list[str]:
        """What the list offers; empty where it is not there."""
        popup = self.completer.popup
        if popup is None or not popup.isVisible():
            return []
        return [str(popup.model.index(n, 0).data()) for n in range(popup.model.rowCount())]

    def wait(self, *names: str) -> None:
        self.until(lambda: self.names == list(names))


@pytest.fixture
def writing(qapp: QApplication, qtbot: QtBot) -> Iterator[Writing]:
    theme()
    loop = Loop(qapp)
    made = Writing(qtbot)
    yield made
    made.window.close()
    qtbot.waitUntil(lambda: not asyncio.all_tasks(loop))
    loop.close()


COMMANDS = ("/help", "/history", "/new", "/status")
SKILLS = ("$weather", "$new-recipe")


def test_a_slash_offers_commands_and_skills_and_typing_narrows_them(writing: Writing) -> None:
    writing.type("/")
    writing.wait(*COMMANDS, *SKILLS)
    writing.type("h")
    writing.wait("/help", "/history", "$weather")  # what begins so comes before what only has it
    writing.type("i")
    writing.wait("/history")
    writing.key(Key.Key_Backspace, Key.Key_Backspace, Key.Key_Backspace)
    writing.wait()
    assert writing.actions.asked == 1


def test_a_choice_is_written_and_sent_by_the_next_enter(writing: Writing) -> None:
    writing.type("/sta")
    writing.wait("/status")
    writing.key(Key.Key_Return)
    assert writing.composer.text() == "/status"
    assert writing.sent == []
    assert writing.names == []
    writing.key(Key.Key_Return)
    assert writing.sent == ["/status"]


def test_one_that_takes_something_is_followed_by_a_space(writing: Writing) -> None:
    writing.type("/")
    writing.wait(*COMMANDS, *SKILLS)
    writing.key(Key.Key_Down, Key.Key_Tab)
    assert writing.composer.text() == "/history "
    writing.type("3")
    writing.key(Key.Key_Return)
    assert writing.sent == ["/history 3"]


def test_a_whole_name_is_sent_at_once(writing: Writing) -> None:
    writing.type("/help")
    writing.wait("/help")
    writing.key(Key.Key_Return)
    assert writing.sent == ["/help"]
    assert writing.names == []


def test_the_arrows_go_round(writing: Writing) -> None:
    writing.type("/")
    writing.wait(*COMMANDS, *SKILLS)
    writing.key(Key.Key_Up)
    assert writing.completer.popup
    assert writing.completer.popup.chosen == 5
    writing.key(Key.Key_Down, Key.Key_Return)
    assert writing.composer.text() == "/help"


def test_a_dollar_at_the_beginning_of_a_word_offers_skills_alone(writing: Writing) -> None:
    writing.type("look with $")
    writing.wait(*SKILLS)
    writing.type("wea")
    writing.wait("$weather")
    writing.key(Key.Key_Return)
    assert writing.composer.text() == "look with $weather "
    writing.type("costs 5$")
    assert writing.names == []


@pytest.mark.parametrize("text", ["/etc/hosts", "a /he", "/help me", "a$wea", "//"])
def test_text_that_is_no_command_has_no_list(writing: Writing, text: str) -> None:
    writing.type(text)
    assert writing.names == []
    writing.until(lambda: writing.actions.asked <= 1)
    assert writing.names == []


def test_escape_closes_the_list_only_and_it_stays_away_from_that_name(writing: Writing) -> None:
    writing.composer.busy(busy=True)
    writing.type("/")
    writing.wait(*COMMANDS, *SKILLS)
    writing.key(Key.Key_Escape)
    assert writing.names == []
    assert writing.stops == 0
    writing.type("he")
    assert writing.names == []
    writing.key(Key.Key_Escape)
    assert writing.stops == 1
    writing.composer.show_draft("")
    writing.type("/")
    writing.wait(*COMMANDS, *SKILLS)


def test_a_click_chooses(writing: Writing) -> None:
    writing.type("/")
    writing.wait(*COMMANDS, *SKILLS)
    assert writing.completer.popup
    popup = writing.completer.popup
    place = popup.list.visualRect(popup.model.index(3, 0)).center()
    QTest.mouseClick(popup.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert writing.composer.text() == "/status"
    assert writing.composer.field.hasFocus()


def test_an_input_method_is_left_alone(writing: Writing) -> None:
    writing.type("/")
    writing.wait(*COMMANDS, *SKILLS)
    QApplication.sendEvent(writing.composer.field, QInputMethodEvent("xin", []))
    writing.key(Key.Key_Return, Key.Key_Down)
    assert writing.composer.text() == "/"
    done = QInputMethodEvent("", [])
    done.setCommitString("新")
    QApplication.sendEvent(writing.composer.field, done)
    assert writing.composer.text() == "/新"
    assert writing.names == []


def test_a_draft_that_is_put_there_opens_nothing(writing: Writing) -> None:
    writing.composer.show_draft("/he")
    assert writing.names == []
    assert writing.actions.asked == 0


def test_the_list_stands_over_the_field_and_moves_with_it(writing: Writing, qtbot: QtBot) -> None:
    writing.type("/")
    writing.wait(*COMMANDS, *SKILLS)
    assert writing.completer.popup
    popup, composer = writing.completer.popup, writing.composer

    def stands() -> bool:
        top = composer.mapTo(writing.window, QPoint(0, 0))
        place = popup.geometry()
        return place.left() == top.x() and place.width() == composer.width() and place.bottom() < top.y()

    assert stands()
    writing.window.resize(560, 400)
    qtbot.waitUntil(stands)


def test_it_is_read_anew_each_time_and_a_failure_is_no_trouble(writing: Writing) -> None:
    told: list[str] = []
    writing.reporter.told.connect(lambda text, _remedy: told.append(text))
    writing.actions.reply = AppError("The disk is gone.", "Unarchive it.")
    writing.type("/")
    writing.until(lambda: writing.actions.asked == 1)
    writing.key(Key.Key_Backspace)
    writing.actions.reply = REPLY
    writing.type("/")
    writing.wait(*COMMANDS, *SKILLS)
    assert writing.actions.asked == 2
    assert told == []


def test_leaving_the_field_closes_it(writing: Writing) -> None:
    writing.type("/")
    writing.wait(*COMMANDS, *SKILLS)
    writing.composer.send.setFocus()
    writing.wait()


CASES: list[tuple[str, bool, Wanted | None]] = [
    ("/", True, Wanted(0, "/")),
    ("/mo", True, Wanted(0, "/mo")),
    ("/mo", False, None),
    ("/etc/ho", True, None),
    (" /mo", True, None),
    ("$", False, Wanted(0, "$")),
    ("a $we", True, Wanted(2, "$we")),
    ("a$we", True, None),
    ("$5 $", True, Wanted(3, "$")),
    ("/" + "x" * 500, True, None),
]


@pytest.mark.parametrize(("before", "first", "found"), CASES)
def test_what_is_looked_for_at_the_cursor(before: str, first: bool, found: Wanted | None) -> None:
    assert wanted(before, first=first) == found


def test_what_fits() -> None:
    every = choices(REPLY)
    assert every[1] == Choice("/history", "The last messages.", "/history ", "[number]")

    def names(typed: str) -> list[str]:
        return [choice.name for choice in matching(every, typed)]

    assert names("/NEW") == ["/new", "$new-recipe"]
    assert names("$e") == ["$weather", "$new-recipe"]
    assert names("/zz") == []
