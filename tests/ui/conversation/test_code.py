"""Blocks of code: copied whole, coloured wherever they stand; and selections that go on past the edge."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QMouseEvent,
    QTextLayout,
)
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.text import highlight
from desktop.ui.conversation.text.body import Body
from desktop.ui.conversation.transcript import Transcript
from desktop.ui.conversation.view import ConversationView
from tests.ui.conversation.conftest import armed, said
from tests.ui.conversation.test_reading import clipboard, fill

FILLER = "Some words of a paragraph that fills the message.\n\n" * 440
LONG = "\n".join(f"value_{n} = {n}" for n in range(2_000))
SHORT = [f"value_{n} = {n}  # with some more words" for n in range(90)]
CUT_OFF = {
    "fence": (f"```sh\nls\n```\n\n{FILLER}```py\n{LONG}\n```\n\nend", LONG),
    "never closed": (f"{FILLER}~~~~\n{LONG}", LONG),
    "in a list": (
        f"{FILLER}- item\n\n  ```py\n" + "".join(f"  {line}\n" for line in SHORT) + "  ```\n",
        "\n".join(SHORT),
    ),
    "in a quotation": (
        f"{FILLER}> ```py\n" + "".join(f"> {line}\n" for line in SHORT) + "> ```\n",
        "\n".join(SHORT),
    ),
}


@pytest.mark.parametrize("what", CUT_OFF)
def test_copy_code_copies_also_what_show_more_would_show(view: ConversationView, what: str) -> None:
    text, source = CUT_OFF[what]
    fill(view, [said(text, 1)])
    body = view.cells[0].body
    assert view.cells[0].more.isVisible()
    assert source.split("\n")[0] in body.toPlainText()
    assert source.split("\n")[-1] not in body.toPlainText()
    body.copies.buttons[-1].click()
    assert clipboard() == source


def mouse(kind: QEvent.Type, body: Body, there: QPoint) -> None:
    """What the left button does, at a place of the screen."""
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
    place = QPointF(body.viewport().mapFromGlobal(there))
    event = QMouseEvent(kind, place, QPointF(there), button, held, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(body.viewport(), event)


@pytest.mark.parametrize("down", [False, True])
def test_a_selection_drawn_past_the_edge_scrolls(
    qtbot: QtBot, view: ConversationView, transcript: Transcript, down: bool
) -> None:
    fill(view, [said("\n\n".join(f"Line {n}" for n in range(100)), 1)])
    bar, room = view.verticalScrollBar(), view.viewport().height()
    bar.setValue(bar.maximum() // 2)
    body = view.cells[0].body
    middle = view.viewport().mapToGlobal(QPoint(300, room // 2))
    mouse(QEvent.Type.MouseButtonPress, body, middle)
    mouse(QEvent.Type.MouseMove, body, middle + QPoint(0, 50))
    assert not armed(view)
    mouse(QEvent.Type.MouseMove, body, middle + QPoint(0, 500 if down else -500))
    end = "Line 99" if down else "Line 0"
    qtbot.waitUntil(lambda: end in body.textCursor().selection().toPlainText().split("\n"))
    qtbot.waitUntil(lambda: bar.value() == (bar.maximum() if down else 0))
    qtbot.waitUntil(lambda: not armed(view))
    mouse(QEvent.Type.MouseButtonRelease, body, middle)


def test_a_released_mouse_scrolls_no_more(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    fill(view, [said("\n\n".join(f"Line {n}" for n in range(100)), 1)])
    body = view.cells[0].body
    value = view.verticalScrollBar().value()
    middle = view.viewport().mapToGlobal(QPoint(300, 300))
    mouse(QEvent.Type.MouseButtonPress, body, middle)
    mouse(QEvent.Type.MouseMove, body, middle - QPoint(0, 500))
    assert armed(view)
    mouse(QEvent.Type.MouseButtonRelease, body, middle)
    qtbot.waitUntil(lambda: not armed(view))
    assert view.verticalScrollBar().value() == value


def colours(body: Body) -> set[str]:
    """The colours that lie over the text."""
    block, found = body.document().begin(), set()
    while block.isValid():
        found |= {made.format.foreground().color().name() for made in block.layout().formats()}
        block = block.next()
    return found


@pytest.mark.parametrize("mark", ["", "> ", "> > "])
def test_code_is_coloured_wherever_it_stands(qtbot: QtBot, view: ConversationView, mark: str) -> None:
    code = [
        "```py",
        "def f(x):  # why",
        "    return 'text' + 1",
        "```",
        "",
        "```rust",
        'let x = "y";',
        "```",
    ]
    fill(view, [said("".join(f"{mark}{line}\n" for line in code), 1)])
    body = view.cells[0].body
    wanted = {highlight.LIGHT[kind] for kind in ("keyword", "comment", "string", "number", "name")}
    qtbot.waitUntil(lambda: colours(body) >= wanted)
    first = next(f for f in formats_of(body, "def f") if f.start == 0)
    assert first.length == len("def")


def formats_of(body: Body, text: str) -> list[QTextLayout.FormatRange]:
    return body.document().find(text).block().layout().formats()


def test_an_unknown_language_is_no_trouble(qtbot: QtBot, view: ConversationView) -> None:
    fill(view, [said("```no-such-language\nx = 1\n```\n\n```json\n[1]\n```", 1)])
    qtbot.waitUntil(lambda: highlight.LIGHT["number"] in colours(view.cells[0].body))
