"""Whole messages chosen together, by mouse and by keyboard, and copied as Markdown."""

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.transcript import Transcript
from desktop.ui.conversation.view import ConversationView
from desktop.ui.theme.theme import theme
from tests.ui.conversation.conftest import chat, said

Key, Shift, Ctrl = Qt.Key, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
TALK = ["First **question**", "First `answer`", "Second question", "Second answer"]


def fill(transcript: Transcript, *texts: str) -> None:
    transcript.fill([said(text, number) for number, text in enumerate(texts)])


def clipboard() -> str:
    return QApplication.clipboard().text()


def mouse(kind: QEvent.Type, on: QWidget, at: QPoint) -> None:
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    place = QPointF(on.mapFromGlobal(at))
    QApplication.sendEvent(
        on, QMouseEvent(kind, place, QPointF(at), button, held, Qt.KeyboardModifier.NoModifier)
    )


def drag(view: ConversationView, first: int, *to: int) -> None:
    """Draw with the mouse from the text of one message over others, and let go."""
    body = view.cells[first].body
    on = body.viewport()
    on.setFocus()
    start = body.mapToGlobal(QPoint(3, 8))
    mouse(QEvent.Type.MouseButtonPress, on, start)
    mouse(QEvent.Type.MouseMove, on, start + QPoint(60, 0))
    for number in to:
        mouse(QEvent.Type.MouseMove, on, view.cells[number].body.mapToGlobal(QPoint(40, 8)))
    mouse(QEvent.Type.MouseButtonRelease, on, view.cells[to[-1]].body.mapToGlobal(QPoint(40, 8)))


def picked(view: ConversationView) -> list[str]:
    return [entry.text for entry in view.picked.entries]


def test_a_selection_drawn_over_messages_takes_them_whole(
    view: ConversationView, transcript: Transcript
) -> None:
    fill(transcript, *TALK)
    told: list[int] = []
    view.picked.copied.connect(told.append)
    drag(view, 0, 1, 2)
    assert picked(view) == TALK[:3]
    assert view.cells[0].body.textCursor().selectedText() == ""
    QTest.keyClick(view, Key.Key_C, Ctrl)
    assert clipboard() == (
        "## You\n\nFirst **question**\n\n## Nanobot\n\nFirst `answer`\n\n## You\n\nSecond question\n"
    )
    assert told == [3]


def test_it_is_drawn_upward_and_back_into_its_own_text(
    view: ConversationView, transcript: Transcript
) -> None:
    fill(transcript, *TALK)
    drag(view, 2, 1)
    assert picked(view) == TALK[1:3]
    drag(view, 1, 2, 1)
    assert picked(view) == []
    assert view.cells[1].body.textCursor().hasSelection()


def test_what_is_chosen_is_seen(view: ConversationView, transcript: Transcript) -> None:
    fill(transcript, *TALK)
    drag(view, 0, 1)
    image, cells = view.viewport().grab().toImage(), view.cells
    soft = QColor(theme().colors.accent_soft)

    def behind(number: int) -> QColor:
        return image.pixelColor(cells[number].geometry().topLeft() + QPoint(20, 2))

    assert behind(1) == soft
    assert behind(2) != soft


def test_shift_and_arrows_go_on_into_the_next_messages(
    view: ConversationView, transcript: Transcript
) -> None:
    fill(transcript, *TALK)
    body = view.cells[0].body
    body.setFocus()
    body.moveCursor(QTextCursor.MoveOperation.Start)
    QTest.keyClick(body, Key.Key_End, Shift)
    QTest.keyClick(body, Key.Key_Down, Shift)
    assert picked(view) == TALK[:2]
    QTest.keyClick(view, Key.Key_Down, Shift)
    assert picked(view) == TALK[:3]
    QTest.keyClick(view, Key.Key_Up, Shift)
    assert picked(view) == TALK[:2]
    QTest.keyClick(view, Key.Key_Escape)
    assert picked(view) == []


def test_all_messages_are_chosen_beyond_what_is_laid_out(
    view: ConversationView, transcript: Transcript, qtbot: QtBot
) -> None:
    transcript.fill(chat(300))
    view.setFocus()
    QTest.keyClick(view, Key.Key_A, Ctrl)
    QTest.keyClick(view, Key.Key_C, Ctrl)
    assert clipboard().count("## ") == 300


def test_what_is_chosen_by_keyboard_comes_into_sight(
    view: ConversationView, transcript: Transcript
) -> None:
    transcript.fill(chat(60))
    view.picked.pick("59", "59")
    for _step in range(20):
        QTest.keyClick(view, Key.Key_Up, Shift)
    assert len(view.picked.entries) == 21
    assert "39" in {slot.entry.id for slot in view.slots if slot.geometry().bottom() > 0}


def test_a_click_into_a_message_ends_it(view: ConversationView, transcript: Transcript) -> None:
    fill(transcript, *TALK)
    drag(view, 0, 1)
    on = view.cells[2].body.viewport()
    QTest.mousePress(on, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert picked(view) == []
    mouse(QEvent.Type.MouseButtonRelease, on, on.mapToGlobal(QPoint(5, 5)))


def test_a_click_with_shift_chooses_from_the_message_that_was_clicked_before(
    view: ConversationView, transcript: Transcript
) -> None:
    fill(transcript, *TALK)

    def click(number: int, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier, x: int = 20) -> None:
        on = view.cells[number].body.viewport()
        QTest.mousePress(on, Qt.MouseButton.LeftButton, held, QPoint(x, 8))
        mouse(QEvent.Type.MouseButtonRelease, on, on.mapToGlobal(QPoint(x, 8)))

    click(1)
    click(3, Shift)
    assert picked(view) == TALK[1:]
    click(0, Shift)
    assert picked(view) == TALK[:2], "from the same message, the other way"
    QTest.keyClick(view, Key.Key_C, Ctrl)
    assert clipboard() == "## You\n\nFirst **question**\n\n## Nanobot\n\nFirst `answer`\n"
    click(2)
    assert picked(view) == []
    click(2, Shift, x=60)
    assert picked(view) == []
    assert view.cells[2].body.textCursor().hasSelection(), (
        "within one message it selects letters, as before"
    )
