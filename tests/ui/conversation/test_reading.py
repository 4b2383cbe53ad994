"""Selecting, copying, links, the menu, the keyboard, and what a screen reader is told."""

from collections.abc import Iterable, Iterator

import pytest
from PySide6.QtCore import QDeadlineTimer, QObject, QPoint, QRect, Qt, QUrl, Slot
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QDesktopServices,
    QTextCursor,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui import words
from desktop.ui.conversation.text.body import Body
from desktop.ui.conversation.transcript import Entry, State, Transcript
from desktop.ui.conversation.view import ConversationView
from tests.ui.conversation.conftest import armed, chat, said

TEXT = (
    "Some **bold** text.\n\n1. one\n2. two\n\n```py\nx = 1\ny = 2\n```\n\n[a link](https://example.org/x)"
)


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def clipboard() -> str:
    return QApplication.clipboard().text()


def link_place(body: Body, text: str) -> QPoint:
    cursor = body.document().find(text)
    return body.cursorRect(cursor).center() - QPoint(6, 0)


def fill(view: ConversationView, entries: Iterable[Entry]) -> None:
    """Show them, and wait until all that is to be seen is there."""
    view.transcript.fill(entries)
    deadline = QDeadlineTimer(5_000)
    while armed(view) or not all(cell.exact for cell in view.cells):
        assert not deadline.hasExpired()
        QTest.qWait(1)


class Opener(QObject):
    """What would open a link."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toString())


@pytest.fixture
def opener(qapp: QApplication) -> Iterator[Opener]:
    made = Opener()
    schemes = ("http", "https", "mailto", "file", "ftp", "tel", "custom")
    for scheme in schemes:
        QDesktopServices.setUrlHandler(scheme, made, "open")  # type: ignore[arg-type]
    yield made
    for scheme in schemes:
        QDesktopServices.unsetUrlHandler(scheme)


def test_a_selection_is_copied_as_it_reads(view: ConversationView, transcript: Transcript) -> None:
    fill(view, [said(TEXT, 1)])
    body = view.cells[0].body
    body.setFocus()
    QTest.keyClick(body, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(body, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard().split("\n") == ["Some bold text.", "1. one", "2. two", "x = 1", "y = 2", "a link"]


def test_the_mouse_selects(view: ConversationView, transcript: Transcript) -> None:
    fill(view, [said("alpha beta gamma", 1)])
    body = view.cells[0].body
    QTest.mouseDClick(body.viewport(), Qt.MouseButton.LeftButton, pos=link_place(body, "beta"))
    assert body.textCursor().selectedText() == "beta"


def test_shift_and_arrows_select(view: ConversationView, transcript: Transcript) -> None:
    fill(view, [said("alpha beta", 1)])
    body = view.cells[0].body
    body.setFocus()
    body.moveCursor(QTextCursor.MoveOperation.Start)
    for _ in range(5):
        QTest.keyClick(body, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert body.textCursor().selectedText() == "alpha"


def test_a_selection_by_keyboard_stays_in_sight(view: ConversationView, transcript: Transcript) -> None:
    fill(view, [said("\n\n".join(f"Line {n}" for n in range(100)), 1)])
    view.verticalScrollBar().setValue(0)
    body = view.cells[0].body
    body.setFocus()
    body.moveCursor(QTextCursor.MoveOperation.Start)
    for _ in range(60):
        QTest.keyClick(body, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert "Line 55" in body.textCursor().selectedText()
    end = body.mapTo(view.viewport(), body.cursorRect().center())
    assert view.viewport().rect().contains(end)


def test_copy_message_copies_its_markdown(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    fill(view, [said(TEXT, 1), said("x" * 200_000, 3)])
    for cell in view.cells:
        button = cell.actions_row.copy
        assert button.accessibleName() == "Copy message"
        button.click()
        assert clipboard() == cell.entry.text


def test_copy_code_copies_all_of_it(view: ConversationView, transcript: Transcript) -> None:
    long = "\n".join(f"value_{n} = {n}" for n in range(300))
    fill(view, [said(f"```py\nfirst()\n```\n\ntext\n\n```\n{long}\n```", 1)])
    first, second = view.cells[0].body.copies.buttons
    assert first.accessibleName() == "Copy code"
    first.click()
    assert clipboard() == "first()"
    second.click()
    assert clipboard() == long


def test_copy_conversation_has_all_entries_and_authors(
    view: ConversationView, transcript: Transcript
) -> None:
    fill(view, [*chat(300), said("**end**", 301)])
    view.copy_conversation()
    assert clipboard().count("## You\n\n") == 150
    assert clipboard().count("## Nanobot\n\n") == 151
    assert clipboard().endswith("## Nanobot\n\n**end**\n")


@pytest.mark.parametrize(
    ("address", "opens"),
    [
        ("https://example.org/x", True),
        ("http://example.org/", True),
        ("mailto:a@example.org", True),
        ("file:///etc/passwd", False),
        ("ftp://example.org/x", False),
        ("custom:do", False),
        ("relative.md", False),
        ("#here", False),
    ],
)
def test_only_web_and_mail_links_open(
    qtbot: QtBot, view: ConversationView, transcript: Transcript, opener: Opener, address: str, opens: bool
) -> None:
    fill(view, [said(f"go [somewhere]({address}) now", 1)])
    body = view.cells[0].body
    QTest.mouseClick(body.viewport(), Qt.MouseButton.LeftButton, pos=link_place(body, "somewhere"))
    assert opener.opened == ([address] if opens else [])
    assert body.toPlainText() == "go somewhere now"


def test_the_real_address_is_told_when_the_pointer_is_on_a_link(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    fill(view, [said("[https://good.example](https://bad.example/)", 1)])
    body = view.cells[0].body
    with qtbot.waitSignal(view.hovered) as hovered:
        QTest.mouseMove(body.viewport(), link_place(body, "good"))
    assert hovered.args == ["https://bad.example/"]
    assert body.viewport().toolTip() == "<p>https://bad.example/</p>"


@pytest.mark.parametrize(
    ("address", "seen"),
    [
        ("https://аpple.com/login", "https://xn--pple-43d.com/login (аpple.com)"),
        ("https://bad.example/%E2%80%AEgpj.exe", "https://bad.example/%E2%80%AEgpj.exe"),
    ],
)
def test_a_link_cannot_look_like_another_when_the_pointer_is_on_it(
    qtbot: QtBot, view: ConversationView, transcript: Transcript, address: str, seen: str
) -> None:
    fill(view, [said(f"[good]({address})", 1)])
    body = view.cells[0].body
    QTest.mouseMove(body.viewport(), QPoint(300, 2))
    with qtbot.waitSignal(view.hovered) as hovered:
        QTest.mouseMove(body.viewport(), link_place(body, "good"))
    assert hovered.args == [seen]
    assert body.viewport().toolTip() == f"<p>{seen}</p>"


def menu_at(view: ConversationView, place: QPoint) -> dict[str, QMenu]:
    body = view.cells[0].body
    position = body.viewport().mapToGlobal(place)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, position)
    QApplication.sendEvent(body.viewport(), event)
    menu = view.findChildren(QMenu)[-1]
    return {action.text(): action for action in menu.actions() if action.text()}  # type: ignore[misc]


def test_the_menu_is_ours(view: ConversationView, transcript: Transcript) -> None:
    fill(view, [said("plain and [link](https://example.org/there)", 1)])
    body = view.cells[0].body
    actions = menu_at(view, QPoint(5, 5))
    assert list(actions) == ["Copy", "Copy message", "Select messages", "Copy conversation"]
    assert not actions["Copy"].isEnabled()
    body.selectAll()
    actions = menu_at(view, link_place(body, "link"))
    assert actions["Copy"].isEnabled()
    actions["Copy link address"].trigger()  # type: ignore[attr-defined]
    assert clipboard() == "https://example.org/there"
    actions["Copy"].trigger()  # type: ignore[attr-defined]
    assert clipboard() == "plain and link"
    for menu in view.findChildren(QMenu):
        menu.close()


def test_tab_goes_through_messages_and_their_buttons_from_top_to_bottom(
    view: ConversationView, transcript: Transcript
) -> None:
    fill(view, [said("one", 0), said(f"{TEXT}", 1, reasoning="because"), said("two", 2), said("three", 3)])
    view.setFocus()
    names = []
    for _ in range(15):
        QTest.keyClick(focused(), Qt.Key.Key_Tab)
        focus = focused()
        names.append(focus.accessibleName() or focus.__class__.__name__)
    of_you = ["You", "Copy message", "Edit and resend", "More"]
    expected = [*of_you, "Thought", "Nanobot", "Nanobot", "Copy code", "Copy message", *of_you, "Nanobot"]
    assert names[: len(expected)] == expected


def test_tab_finds_a_button_that_came_later_in_its_place(
    view: ConversationView, transcript: Transcript
) -> None:
    answer = said("one", 1)
    fill(view, [answer, said("two", 2)])
    answer.text = "```py\nx = 1\n```"
    transcript.touch("1")
    view.cells[0].body.setFocus()
    names = []
    for _ in range(3):
        QTest.keyClick(focused(), Qt.Key.Key_Tab)
        names.append(focused().accessibleName())
    assert names == ["Copy code", "Copy message", "You"]


def test_what_the_keyboard_reaches_comes_into_sight(view: ConversationView, transcript: Transcript) -> None:
    fill(view, chat(40))
    view.verticalScrollBar().setValue(0)
    view.setFocus()
    for _ in range(25):
        QTest.keyClick(focused(), Qt.Key.Key_Tab)
        focus = focused()
        if not view.viewport().isAncestorOf(focus):
            break
        rect = QRect(focus.mapTo(view.viewport(), QPoint(0, 0)), focus.size())
        assert rect.intersects(view.viewport().rect())
    assert view.verticalScrollBar().value() > 2_000


def test_keys_in_a_message_scroll_the_conversation(view: ConversationView, transcript: Transcript) -> None:
    fill(view, chat(40))
    view.cells[-1].body.setFocus()
    QTest.keyClick(focused(), Qt.Key.Key_PageUp)
    assert view.verticalScrollBar().value() < view.verticalScrollBar().maximum() - 300
    QTest.keyClick(focused(), Qt.Key.Key_End)
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_another_language_is_spoken_at_once(
    monkeypatch: pytest.MonkeyPatch, view: ConversationView, transcript: Transcript
) -> None:
    fill(view, [said("Hello", 0)])
    transcript.assistant = "Bot"
    assert view.cells[0].body.accessibleName() == "You"
    spoken_again = []
    view.cells[0].body.document().contentsChanged.connect(lambda: spoken_again.append(1))
    words._language.changed.emit()
    assert spoken_again
    assert view.accessibleName() == "Conversation"


def test_a_screen_reader_gets_author_and_text(view: ConversationView, transcript: Transcript) -> None:
    fill(view, [said("Hello", 0), said("Hi **there**", 1)])
    told = []
    for cell in view.cells:
        interface = QAccessible.queryAccessibleInterface(cell.body)
        text = interface.textInterface()
        told.append((interface.text(QAccessible.Text.Name), text.text(0, text.characterCount())))
    assert told == [("You", "Hello"), ("Nanobot", "Hi there")]
    assert QAccessible.queryAccessibleInterface(view).text(QAccessible.Text.Name) == "Conversation"


def test_a_screen_reader_gets_a_transcript_of_all_the_rest(
    view: ConversationView, transcript: Transcript
) -> None:
    QAccessible.setActive(True)
    try:
        fill(view, chat(200))
        answer = said("so far", 201, state=State.STREAMING)
        transcript.add(answer)
        written = view.speech.written
        assert written is not None
        assert written.accessibleName() == "Transcript"
        assert written.toPlainText().startswith("You: Message 0:")
        assert "Nanobot: Message 199:" in written.toPlainText()
        assert "so far" not in written.toPlainText()
        answer.text, answer.state = "all of it", State.DONE
        transcript.touch("201")
        assert written.toPlainText().endswith("Nanobot: all of it")
    finally:
        QAccessible.setActive(False)


def test_a_finished_answer_is_announced_once(view: ConversationView, transcript: Transcript) -> None:
    answer = Entry("a", said("", 1).author, state=State.WAITING)
    transcript.fill([answer])
    said_aloud: list[str] = []
    view.announced.connect(said_aloud.append)
    for text in ("One", "One two"):
        answer.text, answer.state = text, State.STREAMING
        transcript.touch("a")
    assert said_aloud == []
    answer.state = State.DONE
    transcript.touch("a")
    transcript.touch("a")
    assert said_aloud == ["Nanobot: One two"]


@pytest.mark.parametrize(
    "text", ["word " * 20_000, "x" * 60_000, "line\n" * 9_000, "\n\n\n" + "end\n" * 900]
)
def test_a_long_message_is_in_the_transcript_bit_by_bit(
    qtbot: QtBot, view: ConversationView, transcript: Transcript, text: str
) -> None:
    QAccessible.setActive(True)
    try:
        transcript.fill([said(text, 1), said("after", 2)])
        written = view.speech.written
        assert written is not None
        qtbot.waitUntil(lambda: written.toPlainText().endswith("You: after"))
        found = written.toPlainText().removesuffix("\nYou: after").removeprefix("Nanobot: ")
        assert found.replace("\n", "") == text[:50_000].replace("\n", "")
        assert found.count("\n") >= text[:50_000].rstrip("\n").count("\n")
        assert max(map(len, found.split("\n"))) <= 1_000
    finally:
        QAccessible.setActive(False)
