"""Where the reader is: followed at the end, kept everywhere else, whatever arrives or changes."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.cells.cell import Cell
from desktop.ui.conversation.jump import JumpButton
from desktop.ui.conversation.transcript import AGAIN, TO_SETTINGS, Author, Entry, State, Transcript
from desktop.ui.conversation.view import ConversationView
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.order import stops
from tests.ui.conversation.conftest import armed, chat, said


def jump(view: ConversationView) -> JumpButton:
    return view.findChildren(JumpButton)[0]


def at_end(view: ConversationView) -> bool:
    bar = view.verticalScrollBar()
    last = view.cells[-1]
    return bar.value() == bar.maximum() and last.geometry().bottom() < view.viewport().height()


def place(view: ConversationView) -> tuple[str, int]:
    """The first entry in sight that begins below the top, and where it stands."""
    cell = next(cell for cell in view.cells if cell.y() >= 0)
    return cell.entry.id, cell.y()


def cell_of(view: ConversationView, entry_id: str) -> Cell:
    return next(cell for cell in view.cells if cell.entry.id == entry_id)


def wheel(view: ConversationView, steps: int) -> None:
    middle = view.viewport().rect().center()
    event = QWheelEvent(
        QPointF(middle),
        QPointF(view.viewport().mapToGlobal(middle)),
        QPoint(),
        QPoint(0, steps * 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_it_opens_at_the_end(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill(chat(200))
    assert at_end(view)
    assert view.cells[-1].entry.id == "199"


@pytest.mark.parametrize("wanted", ["0", "57", "180"])
def test_what_is_sought_comes_to_the_top_and_stays(
    view: ConversationView, transcript: Transcript, wanted: str
) -> None:
    transcript.fill(chat(200))
    transcript.seek(wanted)
    found = place(view)
    assert found[0] == wanted
    transcript.add(said("new", 200))
    assert place(view) == found
    transcript.seek("nobody")
    assert place(view) == found


def test_only_what_is_visible_has_a_cell(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill(chat(2_000))
    for _ in range(60):
        wheel(view, 5)
    assert len(view.findChildren(Cell)) < 40


def test_all_that_is_shown_is_in_order_and_without_gaps(
    view: ConversationView, transcript: Transcript
) -> None:
    transcript.fill(chat(300))
    for value in (0, 5_000, 20_000, 333, 12_345):
        view.verticalScrollBar().setValue(value)
        numbers = [int(cell.entry.id) for cell in view.cells]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        for above, below in zip(view.cells, view.cells[1:], strict=False):
            assert above.geometry().bottom() + 1 == below.y()
        assert view.cells[-1].geometry().bottom() >= view.viewport().height() or numbers[-1] == 299


def test_a_short_conversation_begins_at_the_top(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill(chat(2, words=3))
    assert 0 < view.cells[0].y() < 60
    assert view.verticalScrollBar().maximum() == 0
    assert not jump(view).isVisible()


def test_the_end_is_followed_while_an_answer_grows(view: ConversationView, transcript: Transcript) -> None:
    answer = said("", 51, state=State.STREAMING)
    transcript.fill([*chat(51), answer])
    for number in range(30):
        answer.text += f"Paragraph {number} of the answer.\n\n"
        transcript.touch(answer.id)
        view.flush()
        assert at_end(view)


def test_who_reads_above_is_not_moved_by_a_growing_answer(
    view: ConversationView, transcript: Transcript
) -> None:
    answer = said("Begun", 51, state=State.STREAMING)
    transcript.fill([*chat(51), answer])
    wheel(view, 8)
    before = place(view)
    for number in range(30):
        answer.text += f"\n\nParagraph {number}."
        transcript.touch(answer.id)
        view.flush()
        assert place(view) == before
    answer.state = State.DONE
    transcript.touch(answer.id)
    transcript.add(said("another", 52))
    assert place(view) == before


def test_scrolling_moves_by_what_was_asked_though_heights_were_guessed(
    view: ConversationView, transcript: Transcript
) -> None:
    rich = ["# Title\n\n```py\nx = 1\n" + "y = 2\n" * (n % 9) + "```\n\n- a\n- b\n" for n in range(300)]
    transcript.fill(said(text, 2 * number + 1) for number, text in enumerate(rich))
    for _ in range(80):
        cell = view.cells[len(view.cells) // 2]
        identity, y = cell.entry.id, cell.y()
        view.verticalScrollBar().setValue(view.verticalScrollBar().value() - 50)
        assert cell_of(view, identity).y() == y + 50


def test_a_step_up_and_down_comes_back_to_the_same_place(
    view: ConversationView, transcript: Transcript
) -> None:
    transcript.fill(chat(100))
    wheel(view, 30)
    before = place(view)
    wheel(view, 3)
    assert place(view) != before
    wheel(view, -3)
    assert place(view) == before


def test_the_scroll_bar_does_not_change_under_the_hand(
    view: ConversationView, transcript: Transcript
) -> None:
    rich = ["# Title\n\n```py\n" + "y = 2\n" * (n % 40) + "```\n\n- a\n- b\n" for n in range(300)]
    transcript.fill(said(text, 2 * number + 1) for number, text in enumerate(rich))
    bar = view.verticalScrollBar()
    bar.setSliderDown(True)
    most = bar.maximum()
    for position in (most // 2, most // 2 - 400, 700, most // 3):
        bar.setSliderPosition(position)
        assert (bar.maximum(), bar.value()) == (most, position)
    before = place(view)
    bar.setSliderDown(False)
    assert place(view) == before
    bar.setValue(bar.value() + 10)
    assert place(view) == (before[0], before[1] - 10)


def test_another_width_keeps_the_line_that_is_read(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    lines = "\n\n".join(f"Line {n} " + "with words " * 30 for n in range(60))
    transcript.fill([said("question", 0), said(lines, 1), said("thanks", 2)])
    qtbot.waitUntil(lambda: cell_of(view, "1").exact)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    body = cell_of(view, "1").body

    def top_line() -> str:
        y = -cell_of(view, "1").y()
        return body.document().findBlock(body.position_at(y)).text()[:9]

    before = top_line()
    assert "Line 2" in before or "Line 3" in before
    for width in (500, 420, 700):
        view.resize(width, 600)
        assert top_line() == before


def test_another_height_keeps_the_end(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill(chat(50))
    for size in ((700, 300), (400, 500), (900, 900)):
        view.resize(*size)
        assert at_end(view)


def test_the_jump_button_comes_and_leads_to_the_end(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill(chat(100))
    assert not jump(view).isVisible()
    wheel(view, 10)
    assert jump(view).isVisible()
    assert not jump(view).news
    transcript.add(said("something new", 101))
    assert jump(view).news
    assert "new" in jump(view).accessibleName()
    QTest.mouseClick(jump(view), Qt.MouseButton.LeftButton)
    assert at_end(view)
    assert not jump(view).isVisible()
    transcript.add(said("followed " * 200, 103))
    assert at_end(view)


def test_end_goes_to_the_end_and_follows_again(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill(chat(100))
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert view.cells[0].entry.id == "0"
    assert view.cells[0].y() > 0
    QTest.keyClick(view, Qt.Key.Key_PageDown)
    assert view.verticalScrollBar().value() > 300
    QTest.keyClick(view, Qt.Key.Key_Up)
    QTest.keyClick(view, Qt.Key.Key_End)
    transcript.add(said("more " * 300, 101))
    assert at_end(view)


def test_the_colours_change_in_place(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill(chat(60))
    wheel(view, 10)
    before = place(view)
    light = view.grab().toImage()
    theme().choose("dark")
    assert place(view) == before
    assert view.grab().toImage() != light
    html = view.cells[0].body.toHtml()
    assert theme().colors.text in html


def test_an_empty_transcript_shows_what_the_owner_gave(
    view: ConversationView, transcript: Transcript
) -> None:
    empty = QLabel("Say something")
    view.set_empty_widget(empty)
    assert empty.isVisible()
    transcript.add(said("Hello", 0))
    assert not empty.isVisible()
    transcript.fill([])
    assert empty.isVisible()
    assert not view.cells


def test_an_answer_waits_streams_and_is_done(view: ConversationView, transcript: Transcript) -> None:
    answer = said("", 1, state=State.WAITING, detail="Starting the model…")
    transcript.fill([said("Hello", 0), answer])
    cell = cell_of(view, "1")
    assert cell.dots.isVisible()
    assert cell.status.text() == "Starting the model…"
    answer.state, answer.text = State.STREAMING, "Hello *you*"
    transcript.touch("1")
    view.flush()
    assert cell.body.toPlainText() == "Hello you"
    assert cell.status.isHidden()
    answer.state = State.DONE
    transcript.touch("1")
    assert cell.dots.isHidden()
    assert cell.actions_row.isVisible()


def test_deltas_are_drawn_together(qtbot: QtBot, view: ConversationView, transcript: Transcript) -> None:
    answer = said("", 1, state=State.STREAMING)
    transcript.fill([answer])
    for _ in range(100):
        answer.text += "x"
        transcript.touch("1")
    assert view.cells[0].body.toPlainText() == ""
    qtbot.waitUntil(lambda: view.cells[0].body.toPlainText() == "x" * 100)


def test_a_failure_says_what_and_offers_the_remedy(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    failed = said(
        "",
        1,
        state=State.FAILED,
        detail="The key was refused.",
        remedy="Put in another.",
        action="Try again",
        to_settings=True,
    )
    transcript.fill([said("Hello", 0), failed])
    notice = cell_of(view, "1").notice
    assert notice is not None
    assert notice.isVisible()
    assert notice.accessibleName() == "The key was refused. Put in another."
    for words, what in (("Open settings", TO_SETTINGS), ("Try again", AGAIN)):
        button = next(w for w in stops(cell_of(view, "1")) if w.property("text") == words)
        with qtbot.waitSignal(view.acted) as acted:
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert acted.args == ["1", what]


def test_a_cell_that_showed_a_failure_shows_none_for_another_entry(
    view: ConversationView, transcript: Transcript
) -> None:
    transcript.fill([said("", 1, state=State.FAILED, detail="Failed.")])
    transcript.fill([said("fine", 1)])
    assert view.cells[0].notice is None or view.cells[0].notice.isHidden()
    transcript.fill([said("so far", 1, state=State.STOPPED, detail="Stopped.")])
    assert view.cells[0].status.text() == "Stopped."


def test_thoughts_are_folded_until_asked_for(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill([said("Answer", 1, reasoning="Because of *this*"), *chat(4, words=2)[2:]])
    cell = view.cells[0]
    assert cell.fold.text() == "Thought"
    height = cell.height()
    cell.fold.setFocus()
    QTest.keyClick(cell.fold, Qt.Key.Key_Space)
    assert cell.height() > height
    assert cell.thoughts is not None
    assert cell.thoughts.toPlainText() == "Because of *this*"
    QTest.keyClick(cell.fold, Qt.Key.Key_Space)
    assert cell.height() == height


def test_what_the_person_wrote_is_not_read_as_markdown(
    view: ConversationView, transcript: Transcript
) -> None:
    transcript.fill([said("# not a *title*\n  two\n\nlines", 0)])
    assert view.cells[0].body.toPlainText() == "# not a *title*\n  two\n\nlines"


def test_nothing_is_armed_when_nothing_moves(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    answer = said("Done soon", 1, state=State.STREAMING)
    transcript.fill([answer])
    answer.state = State.DONE
    transcript.touch("1")
    qtbot.waitUntil(lambda: not armed(view))


@pytest.mark.parametrize("count", [1, 3])
def test_an_entry_that_comes_again_replaces_the_first(
    view: ConversationView, transcript: Transcript, count: int
) -> None:
    for number in range(count):
        transcript.add(Entry("same", Author.NANOBOT, f"version {number}"))
    assert [cell.body.toPlainText() for cell in view.cells] == [f"version {count - 1}"]


def test_what_is_read_stays_while_a_long_message_above_is_laid_out(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    long = "".join(f"# Title {n}\n\n- item\n\n" for n in range(900))
    transcript.fill([said(long, 1), said("This is read. " * 60, 3), said("the end " * 900, 5)])
    bar = view.verticalScrollBar()
    while len(view.cells) < 3:
        qtbot.waitUntil(lambda: all(cell.exact for cell in view.cells))
        bar.setValue(bar.value() - 100)
    above, read = cell_of(view, "1"), cell_of(view, "3")
    bar.setValue(bar.value() + read.y() - 80)
    assert read.y() == 80
    assert not above.exact
    before, heights = read.y(), {above.height()}
    while not above.exact:
        QTest.qWait(1)
        heights.add(above.height())
        assert read.y() == before
    assert len(heights) > 1


def test_the_first_cells_are_made_ahead(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    qtbot.waitUntil(lambda: len(view.findChildren(Cell)) == 4 and not armed(view))
    made = set(view.findChildren(Cell))
    assert not any(cell.isVisible() for cell in made)
    assert view.cells == []
    transcript.add(said("Hello", 0))
    transcript.add(said("", 1, state=State.WAITING, detail="Asking…"))
    assert set(view.cells) < made
    assert view.cells[0].body.toPlainText() == "Hello"


def test_a_cell_is_used_again_unless_emptying_it_takes_long(
    qtbot: QtBot, view: ConversationView, transcript: Transcript
) -> None:
    transcript.fill([said("short", 1)])
    light = view.cells[0]
    transcript.fill([said("# a\n" * 2_000, 1)])
    heavy = view.cells[0]
    assert heavy is light
    qtbot.waitUntil(lambda: heavy.exact)
    transcript.fill([said("short", 1)])
    assert view.cells[0] is not heavy
