"""The message field: what Enter does, how far it grows, and that an input method is left alone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.composer.composer import Composer
from desktop.ui.theme.theme import theme
from tests.ui.waiting import exposed


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    theme()
    made = Composer()
    qtbot.addWidget(made)
    made.resize(500, 100)
    made.field.limit(200)
    made.show()
    made.activateWindow()
    exposed(qtbot, made)
    made.setFocus()
    return made


def sent(composer: Composer) -> list[str]:
    seen: list[str] = []
    composer.sent.connect(seen.append)
    return seen


def test_enter_sends_and_shift_enter_begins_a_line(composer: Composer, qtbot: QtBot) -> None:
    seen = sent(composer)
    QTest.keyClicks(composer.field, "one")
    QTest.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.field, "two")
    assert seen == []
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert seen == ["one\ntwo"]


@pytest.mark.parametrize("text", ["", "   ", "\n \n"])
def test_nothing_is_not_sent(composer: Composer, qtbot: QtBot, text: str) -> None:
    seen = sent(composer)
    composer.show_draft(text)
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert seen == []
    assert not composer.send.isEnabled()


def test_enter_that_ends_a_composition_sends_nothing(composer: Composer, qtbot: QtBot) -> None:
    """While an input method composes, Enter chooses its word."""
    seen = sent(composer)
    QApplication.sendEvent(composer.field, QInputMethodEvent("nihao", []))
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert seen == []
    chosen = QInputMethodEvent("", [])
    chosen.setCommitString("你好")
    QApplication.sendEvent(composer.field, chosen)
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert seen == ["你好"]


def test_it_grows_with_the_text_up_to_its_limit_and_shrinks_again(composer: Composer) -> None:
    empty = composer.field.height()
    composer.show_draft("line\n" * 3)
    some = composer.field.height()
    composer.show_draft("line\n" * 100)
    assert empty < some < composer.field.height() == 200
    composer.show_draft("")
    assert composer.field.height() == empty


def test_a_long_line_without_spaces_stays_inside(composer: Composer) -> None:
    composer.show_draft("x" * 3_000)
    assert composer.field.horizontalScrollBar().maximum() == 0
    assert composer.field.height() > 32


def test_escape_stops_what_is_answered_and_nothing_else(composer: Composer, qtbot: QtBot) -> None:
    stopped: list[bool] = []
    composer.stop_wanted.connect(lambda: stopped.append(True))
    QTest.keyClick(composer.field, Qt.Key.Key_Escape)
    assert stopped == []
    assert not composer.stop.isVisible()
    composer.busy(busy=True)
    QTest.keyClick(composer.field, Qt.Key.Key_Escape)
    assert stopped == [True]


def test_the_field_has_the_keyboard_again_when_stop_goes(composer: Composer, qtbot: QtBot) -> None:
    composer.busy(busy=True)
    composer.stop.setFocus()
    qtbot.waitUntil(composer.stop.hasFocus)
    composer.busy(busy=False)
    assert composer.field.hasFocus()


def test_the_draft_is_told_with_every_change(composer: Composer, qtbot: QtBot) -> None:
    drafts: list[str] = []
    composer.changed.connect(drafts.append)
    QTest.keyClicks(composer.field, "ab")
    assert drafts == ["a", "ab"]
