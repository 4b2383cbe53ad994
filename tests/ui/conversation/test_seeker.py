"""Looking for words in a conversation, wherever they stand in it."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.matches import matches, pattern, places
from desktop.ui.conversation.seeker import Seeker
from desktop.ui.conversation.transcript import Author, Entry, State, Transcript
from desktop.ui.conversation.view import ConversationView
from desktop.ui.theme.theme import theme
from tests.ui.conversation.conftest import chat, said

Key, Shift = Qt.Key, Qt.KeyboardModifier.ShiftModifier
type Until = Callable[[Callable[[], bool]], None]


def count(entry: Entry, words: str) -> int:
    return sum(matches(entry, pattern(words)))


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("A bold **wo**rd, a WORD", "word", 2),
        ("one\ntwo", "one two", 1),
        ("see [the page](https://example.org/hidden)", "hidden", 0),
        ("see [the page](https://example.org/hidden)", "the page", 1),
        ("```python\nprint('needle')\n```", "print('", 1),
        ("| a | b |\n|---|---|\n| needle | x |", "needle", 1),
        ("a.b", "a.b", 1),
        ("axb", "a.b", 0),
        ("今天天气很好", "天气", 1),
        ("x" * 200_000 + " needle " + "y" * 200_000, "needle", 1),
    ],
)
def test_what_is_read_is_found(text: str, words: str, found: int) -> None:
    assert count(Entry("1", Author.NANOBOT, text), words) == found


def test_what_was_typed_is_found_as_it_was_typed() -> None:
    assert count(Entry("1", Author.YOU, "**bold**"), "**b") == 1


def test_places_are_counted_as_qt_counts() -> None:
    assert places("😀 a 😀 a", pattern("a")) == [(3, 4), (8, 9)]


@pytest.fixture
def seeker(view: ConversationView) -> Seeker:
    return Seeker(view)


def look(seeker: Seeker, words: str, qtbot: QtBot) -> None:
    seeker.begin()
    QTest.keyClicks(seeker.bar.field, words)
    qtbot.waitUntil(lambda: "+" not in told(seeker) and told(seeker) != "Searching…")


def told(seeker: Seeker) -> str:
    return seeker.bar.count.text()


def strong(view: ConversationView) -> list[str]:
    """The words marked as the match that was gone to, where they are in sight."""
    found = []
    for slot in view.slots:
        for selection in slot.reader.extraSelections() if slot.reader else ():
            if selection.format.foreground().color().name() == theme().colors.on_accent:
                place = slot.reader.cursorRect(selection.cursor).center()  # type: ignore[union-attr]
                at = slot.reader.viewport().mapTo(view.viewport(), place)  # type: ignore[union-attr]
                assert view.viewport().rect().contains(at), at
                assert view.floating is not None
                assert at.y() > view.floating.geometry().bottom(), "the bar covers it"
                found.append(f"{slot.entry.id}:{selection.cursor.selectedText()}")
    return found


def test_matches_are_counted_marked_and_gone_through(
    view: ConversationView, transcript: Transcript, seeker: Seeker, qtbot: QtBot
) -> None:
    transcript.fill([said("A needle here", 0), said("and **need**le twice: needle", 1), said("nothing", 2)])
    look(seeker, "needle", qtbot)
    field = seeker.bar.field
    assert told(seeker) == "1 of 3"
    assert strong(view) == ["0:needle"]
    QTest.keyClick(field, Key.Key_Return)
    assert told(seeker) == "2 of 3"
    assert strong(view) == ["1:needle"]
    QTest.keyClick(field, Key.Key_Return)
    QTest.keyClick(field, Key.Key_Return)
    assert told(seeker) == "1 of 3", "round and round"
    QTest.keyClick(field, Key.Key_Return, Shift)
    assert told(seeker) == "3 of 3"
    QTest.keyClicks(field, "x")
    qtbot.waitUntil(lambda: told(seeker) == "No matches")
    QTest.keyClick(field, Key.Key_Escape)
    assert not seeker.bar.isVisible()
    assert not any(slot.reader.extraSelections() for slot in view.slots if slot.reader)


@pytest.mark.soak
def test_a_match_far_from_what_is_laid_out_comes_into_sight(
    view: ConversationView, transcript: Transcript, seeker: Seeker, qtbot: QtBot
) -> None:
    entries = chat(10_000)
    entries[37].text += " the Needle"
    entries[9_990].text += " a needle"
    transcript.fill(entries)
    look(seeker, "needle", qtbot)
    assert told(seeker) == "2 of 2", "the nearest from what is in sight comes first"
    assert strong(view) == ["9990:needle"]
    QTest.keyClick(seeker.bar.field, Key.Key_Return)
    qtbot.waitUntil(lambda: strong(view) == ["37:Needle"])
    assert told(seeker) == "1 of 2"


@pytest.mark.soak
def test_a_match_deep_in_a_long_message_comes_into_sight(
    view: ConversationView, transcript: Transcript, seeker: Seeker, qtbot: QtBot
) -> None:
    text = "".join(f"Line {n} of many words in a row.\n\n" for n in range(3_000)) + "The needle.\n\nEnd"
    transcript.fill([said("Go on", 0), said(text, 1), *chat(20)[2:]])
    look(seeker, "needle", qtbot)
    qtbot.waitUntil(lambda: strong(view) == ["1:needle"])


def test_what_comes_is_counted_and_the_place_stays(
    view: ConversationView, transcript: Transcript, seeker: Seeker, qtbot: QtBot
) -> None:
    transcript.fill([said("needle one", 0), said("needle two", 1)])
    look(seeker, "needle", qtbot)
    QTest.keyClick(seeker.bar.field, Key.Key_Return)
    transcript.add(Entry("9", Author.NANOBOT, "a needle", state=State.STREAMING))
    transcript.entries[-1].state = State.DONE
    transcript.touch("9")
    qtbot.waitUntil(lambda: told(seeker) == "2 of 3")


def test_another_conversation_closes_the_bar(
    view: ConversationView, transcript: Transcript, seeker: Seeker, qtbot: QtBot
) -> None:
    transcript.fill([said("needle", 0)])
    look(seeker, "needle", qtbot)
    seeker.opened("")
    assert seeker.bar.isVisible(), "the same one, read anew"
    seeker.opened("window:b")
    assert not seeker.bar.isVisible()


def test_a_search_of_a_long_conversation_leaves_the_window_its_turns(
    view: ConversationView, transcript: Transcript, seeker: Seeker, qtbot: QtBot
) -> None:
    transcript.fill([said(f"Message {n} with **bold** words", n) for n in range(10_000)])
    seeker.begin()
    turns: list[str] = []
    timer = QTimer(interval=0)
    timer.timeout.connect(lambda: turns.append(told(seeker)))
    timer.start()
    seeker.bar.field.setText("w")
    qtbot.waitUntil(lambda: told(seeker).replace(",", "").endswith("20000"))
    timer.stop()
    assert len(turns) > 50, "what else is due comes in between"
    assert any(words.endswith("+") for words in turns), "it is counted while it goes on"


def test_tab_goes_from_the_bar_into_the_conversation(
    view: ConversationView, transcript: Transcript, seeker: Seeker, qtbot: QtBot
) -> None:
    transcript.fill([said("needle", 0)])
    look(seeker, "needle", qtbot)
    names = []
    for _step in range(3):
        focus = QApplication.focusWidget()
        assert focus is not None
        QTest.keyClick(focus, Key.Key_Tab)
        after = QApplication.focusWidget()
        names.append(after.accessibleName() if after else "")
    assert names == ["Previous match", "Next match", "Close"]
    assert view.childAt(QPoint(seeker.bar.x() + 5, seeker.bar.y() + 5)) is not None


def test_f3_goes_on_from_the_conversation_too(
    view: ConversationView, transcript: Transcript, seeker: Seeker, qtbot: QtBot
) -> None:
    transcript.fill([said("A needle here", 0), said("needle and needle", 1)])
    look(seeker, "needle", qtbot)
    for widget in (seeker.bar.field, view):
        widget.setFocus()
        QTest.keyClick(widget, Key.Key_F3)
        assert told(seeker) == "2 of 3"
        QTest.keyClick(widget, Key.Key_F3, Shift)
        assert told(seeker) == "1 of 3"
