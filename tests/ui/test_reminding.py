"""Reminders while somebody writes: a chip tells what was understood, Enter sets it, Esc asks the agent."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.api.jobs import AllJobs, JobLine
from desktop.ui.conversation.composer.composer import Composer
from desktop.ui.conversation.composer.reminder import ReminderChip
from desktop.ui.conversation.composer.reminders import Reminding
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.order import stops
from desktop.ui.words import speak
from tests.ui.program import Running
from tests.ui.waiting import exposed

Key = Qt.Key


class Writing:
    """A window with a message field over a real core, and somebody who types."""

    def __init__(self, running: Running, qtbot: QtBot) -> None:
        theme()
        self.running, self.until = running, qtbot.waitUntil
        self.window = QWidget()
        self.window.setObjectName("writing")
        self.window.resize(760, 200)
        qtbot.addWidget(self.window)
        column = QVBoxLayout(self.window)
        column.addStretch(1)
        self.composer = Composer()
        column.addWidget(self.composer)
        self.asked: list[str] = []
        self.told: list[tuple[str, Callable[[], object]]] = []
        self.reminding = Reminding(
            running.actions,
            ErrorReporter(),
            self.composer,
            lambda: "",
            lambda said, _words, undo: self.told.append((said, undo)),
        )
        self.reminding.for_agent.connect(self._to_agent)
        self.window.show()
        self.window.activateWindow()
        exposed(qtbot, self.window)
        self.composer.setFocus()
        self.until(self.composer.field.hasFocus)

    def _to_agent(self, text: str) -> None:
        self.asked.append(text)
        self.composer.show_draft("")

    @property
    def chip(self) -> ReminderChip | None:
        chip = self.reminding.chip
        return chip if chip is not None and chip.isVisible() else None

    @property
    def says(self) -> str:
        return self.chip.accessibleName() if self.chip else ""

    @property
    def jobs(self) -> list[JobLine]:
        found: AllJobs = self.running.wait(self.running.actions.api.jobs.all())
        return list(found.jobs)

    def write(self, text: str) -> None:
        """Type it, and wait until it was looked at."""
        self.composer.show_draft(text)
        self.running.settle()

    def key(self, key: Key) -> None:
        QTest.keyClick(self.window.focusWidget(), key)
        self.running.settle()

    def shot(self, name: str) -> None:
        if folder := os.environ.get("NANOBOT_TEST_SHOTS"):
            self.window.grab().save(str(Path(folder) / f"{name}.png"))


@pytest.fixture
def writing(running: Running, qtbot: QtBot) -> Iterator[Writing]:
    made = Writing(running, qtbot)
    yield made
    running.settle()


def test_enter_sets_what_the_chip_says_and_it_can_be_taken_back(writing: Writing) -> None:
    writing.write("remind me tomorrow at 3 pm to call Anna")
    assert "tomorrow 15:00" in writing.says.lower()
    assert "call Anna" in writing.says
    assert writing.jobs == []
    writing.key(Key.Key_Return)
    [job] = writing.jobs
    assert (job.message, job.plain, job.kind) == ("call Anna", True, "at")
    assert (writing.composer.text(), writing.chip, writing.asked) == ("", None, [])
    [(said, undo)] = writing.told
    assert "call Anna" in said
    undo()
    writing.running.settle()
    assert writing.jobs == []
    assert writing.composer.text() == "remind me tomorrow at 3 pm to call Anna"


def test_enter_right_after_the_last_letter_sets_the_whole(writing: Writing) -> None:
    writing.composer.show_draft("明天下午三点提醒我开会")
    QTest.keyClick(writing.composer.field, Key.Key_Return)
    QTest.keyClick(writing.composer.field, Key.Key_Return)
    writing.running.settle()
    [job] = writing.jobs
    assert job.message == "开会"
    assert writing.asked == []


def test_esc_sends_it_to_the_agent(writing: Writing) -> None:
    writing.write("every weekday at 9 stand-up")
    assert "every weekday at 09:00" in writing.says.lower()
    writing.key(Key.Key_Escape)
    assert writing.asked == ["every weekday at 9 stand-up"]
    assert (writing.jobs, writing.chip) == ([], None)


def test_what_can_mean_two_things_is_asked_and_never_guessed(writing: Writing) -> None:
    writing.write("remind me tomorrow at 5 to call Anna")
    assert writing.chip
    assert [made.text().split(" · ")[0] for made in writing.chip.buttons] == [
        "Tomorrow 05:00",
        "Tomorrow 17:00",
    ]
    assert set(writing.chip.buttons) <= set(stops(writing.window)), "Tab reaches the choices"
    writing.key(Key.Key_Return)
    assert writing.jobs == []
    assert writing.chip.buttons[0].hasFocus()
    writing.chip.buttons[1].setFocus()
    writing.key(Key.Key_Space)
    [job] = writing.jobs
    assert job.sentence.endswith("17:00")
    assert writing.composer.field.hasFocus()


def test_esc_on_a_choice_asks_the_agent_too(writing: Writing) -> None:
    writing.write("remind me tomorrow at 5 to call Anna")
    writing.key(Key.Key_Return)
    writing.key(Key.Key_Escape)
    assert writing.asked == ["remind me tomorrow at 5 to call Anna"]
    assert writing.jobs == []


def test_a_time_that_never_comes_is_said_and_nothing_is_lost(writing: Writing) -> None:
    writing.write("remind me at 25:00 to call Anna")
    assert "25:00" in writing.says
    writing.key(Key.Key_Return)
    assert (writing.jobs, writing.asked) == ([], [])
    assert writing.composer.text() == "remind me at 25:00 to call Anna"
    writing.write("remind me at 23:00 to call Anna")
    writing.key(Key.Key_Return)
    assert len(writing.jobs) == 1


def test_all_else_goes_to_the_agent_without_a_chip(writing: Writing) -> None:
    for text in ("what did I remind Anna of?", "every day at 9 summarize my mail", "Hello"):
        writing.write(text)
        assert writing.chip is None
        writing.key(Key.Key_Return)
        assert writing.asked.pop() == text
    writing.reminding.off = lambda: True
    writing.write("remind me tomorrow at 3 pm to call Anna")
    assert writing.chip is None


def test_it_speaks_chinese_and_stands_in_the_dark(
    writing: Writing, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        for mode, code in (("light", "en"), ("dark", "zh_CN")):
            theme().choose(mode)
            monkeypatch.setenv("NANOBOT_DESKTOP_LANGUAGE", code)
            speak(code)
            for name, text in (
                (
                    "clear",
                    "remind me in 20 minutes to call Anna and to ask her for the keys of the summer house",
                ),
                ("again", "每个工作日早上九点提醒我站会"),
                ("unclear", "remind me tomorrow at 5 to call Anna"),
                ("autumn", "remind me on 31 October 2027 at 2:30 am to call Anna"),
                ("never", "remind me at 25:00 to call Anna"),
            ):
                writing.write(text)
                assert writing.chip
                writing.shot(f"reminder-{name}-{mode}-{code}")
    finally:
        theme().choose("system")
        speak("")
