"""The line of a call, what it opens to, and the question at it, as a person sees and presses them."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop.api.reply import Reply
from desktop.ui.conversation.cells.card import ApprovalCard
from desktop.ui.conversation.cells.step_cell import StepCell
from desktop.ui.conversation.question import Question
from desktop.ui.conversation.step import Outcome, Step
from desktop.ui.conversation.transcript import Author, Entry, State, Transcript
from desktop.ui.conversation.view import ConversationView
from desktop.ui.widgets.code_field import CodeField
from desktop.ui.widgets.order import stops
from tests.ui.conversation.conftest import chat, said
from tests.ui.settings import reading

COMMAND = "\n".join(f"echo line {number} && \\" for number in range(60)) + "\ntrue"
CARD = {
    "title": "Run command?",
    "command": "touch made.txt",
    "body": "",
    "lines": ["touch made.txt"],
    "cwd": "/home/me/workspace",
    "environment": {"PATH": "... /opt/bin"},
    "origin": "terminal",
    "why": "It runs a command on this computer.",
    "outside": True,
    "network": True,
    "remember": "Allow: touch made.txt",
}


def step(number: int, outcome: Outcome = Outcome.OK, **more: object) -> Entry:
    made = Step(str(number), "exec", f"make number{number}", outcome, read=True, **more)  # type: ignore[arg-type]
    state = State.STREAMING if outcome is Outcome.RUNNING else State.DONE
    return Entry(f"t/{number}", Author.STEP, state=state, step=made)


def asking(**more: object) -> Entry:
    entry = step(1, Outcome.RUNNING)
    assert entry.step
    entry.step.question = Question("q", "s", "t", "1", CARD | more)
    return entry


def step_cells(view: ConversationView) -> list[StepCell]:
    return [cell for cell in view.slots if isinstance(cell, StepCell)]


def shown(cell: StepCell) -> str:
    labels = [label.text() for label in cell.findChildren(QLabel) if label.isVisible()]
    fields = [field.toPlainText() for field in cell.findChildren(CodeField) if field.isVisible()]
    return "\n".join([*labels, *fields])


def the_card(view: ConversationView) -> ApprovalCard:
    [cell] = step_cells(view)
    assert cell.card
    assert cell.card.isVisible()
    return cell.card


def test_a_line_says_what_was_done_and_how_it_ended(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill([step(n, outcome) for n, outcome in enumerate(Outcome)])
    names = [cell.line.accessibleName() for cell in step_cells(view)]
    assert names == [
        "Ran make number0, done",
        "Ran make number1, failed",
        "Run make number2, denied",
        "Run make number3, postponed",
        "Run make number4, stopped",
        "Running make number5, running",
        "Run make number6, interrupted",
    ]
    assert len({cell.height() for cell in step_cells(view)}) == 1


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_a_key_opens_a_line_and_closes_it(
    view: ConversationView, transcript: Transcript, key: Qt.Key
) -> None:
    arguments = json.dumps({"command": "make number1", "timeout": 5})
    transcript.fill([step(1, arguments=arguments, result="it was made", decision="You allowed it.")])
    [cell] = step_cells(view)
    before = cell.height()
    cell.line.setFocus()
    QTest.keyClick(cell.line, key)
    for text in ("make number1", '"timeout": 5', "it was made", "You allowed it."):
        assert text in shown(cell)
    assert cell.height() > before + 100
    QTest.keyClick(cell.line, key)
    assert cell.height() == before
    assert "it was made" not in shown(cell)


def test_a_line_whose_log_was_not_read_asks_for_it(
    view: ConversationView, transcript: Transcript, qtbot: QtBot
) -> None:
    entry = step(1)
    assert entry.step
    entry.step.read = False
    transcript.fill([entry])
    with qtbot.waitSignal(view.wanted) as wanted:
        step_cells(view)[0].line.click()
    assert wanted.args == ["t/1"]
    entry.step.result, entry.step.read = "from the log", True
    transcript.touch("t/1")
    assert "from the log" in shown(step_cells(view)[0])


def test_a_long_result_is_cut_until_all_of_it_is_wanted(
    view: ConversationView, transcript: Transcript
) -> None:
    transcript.fill([step(1, result="x" * 30_000 + "the end")])
    [cell] = step_cells(view)
    cell.line.click()
    assert "26,007 more characters" in shown(cell)
    assert cell.details
    reading.press(cell, "Show all")
    assert "the end" in shown(cell)
    assert "Show all" not in reading.shown(cell)
    assert cell.height() < 700


def test_a_thousand_lines_cost_what_is_to_be_seen(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill([step(number) for number in range(1_000)])
    for value in range(0, view.verticalScrollBar().maximum(), 3_000):
        view.verticalScrollBar().setValue(value)
    assert len(view.findChildren(StepCell)) < 70
    assert not view.findChildren(CodeField)


def test_lines_come_before_the_answer_and_who_reads_above_is_not_moved(
    view: ConversationView, transcript: Transcript
) -> None:
    answer = Entry("t/answer", Author.NANOBOT, state=State.WAITING)
    transcript.fill([*chat(40), answer])
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    before = [(cell.entry.id, cell.y()) for cell in view.cells]
    for number in range(5):
        transcript.insert(step(number), "t/answer")
    assert [(cell.entry.id, cell.y()) for cell in view.cells] == before
    transcript.remove("t/answer")
    assert [(cell.entry.id, cell.y()) for cell in view.cells] == before
    view.to_end()
    assert [cell.entry.id for cell in view.slots][-5:] == [f"t/{number}" for number in range(5)]


def test_an_entry_taken_away_leaves_the_others_in_their_order(
    view: ConversationView, transcript: Transcript
) -> None:
    transcript.fill([said("one", 0), step(1), said("two", 3), step(2)])
    transcript.remove("t/1")
    assert [cell.entry.id for cell in view.slots] == ["0", "3", "t/2"]
    for above, below in zip(view.slots, view.slots[1:], strict=False):
        assert above.geometry().bottom() + 1 == below.y()


def test_a_question_shows_all_of_it(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill([asking(command=COMMAND, lines=["Runs the contents of /x/y"])])
    card = the_card(view)
    assert card.command.toPlainText() == COMMAND
    assert card.command.verticalScrollBar().maximum() > 0
    text = shown(step_cells(view)[0])
    for part in (
        "Run command?",
        "This conversation contains untrusted content.",
        "Runs the contents of /x/y",
        "In /home/me/workspace",
        "PATH = ... /opt/bin",
        "Requested in: the terminal",
        "It runs a command on this computer.",
        "“Always allow” adds a rule: Allow: touch made.txt",
    ):
        assert part in text
    assert card.accessibleName().startswith("Permission: Run command? echo line 0")


def test_what_a_card_does_not_have_is_not_offered(view: ConversationView, transcript: Transcript) -> None:
    transcript.fill([asking(outside=False, network=False, remember="", environment={}, origin="window")])
    card = the_card(view)
    assert not card.always.isVisible()
    assert not card.network.isVisible()
    assert "outside" not in shown(step_cells(view)[0])
    assert "the window" not in shown(step_cells(view)[0])


def test_each_button_gives_its_answer(view: ConversationView, transcript: Transcript, qtbot: QtBot) -> None:
    answers: list[tuple[str, object]] = []
    view.answered.connect(lambda question, given: answers.append((question, given)))
    transcript.fill([asking()])
    card = the_card(view)
    card.yes.click()
    card.network.click()
    card.always.click()
    card.later.click()
    height = step_cells(view)[0].height()
    card.no.click()
    assert step_cells(view)[0].height() > height
    assert card.reason.hasFocus()
    QTest.keyClicks(card.reason, "not there")
    QTest.keyClick(card.reason, Qt.Key.Key_Return)
    assert answers == [
        ("q", Reply(True)),
        ("q", Reply(True, always=True, network=True)),
        ("q", None),
        ("q", Reply(False, "not there")),
    ]


def test_a_click_leaves_the_keyboard_where_it_was_and_tab_goes_to_the_answers(
    view: ConversationView, transcript: Transcript
) -> None:
    transcript.fill([asking()])
    card = the_card(view)
    view.setFocus()
    QTest.mouseClick(card.later, Qt.MouseButton.LeftButton)
    assert view.hasFocus()
    order = [stop for stop in stops(view) if stop.isVisible()]
    assert order[:5] == [step_cells(view)[0].line, card.command, card.network, card.yes, card.always]


def test_a_question_that_is_answered_gives_the_keyboard_to_its_line(
    view: ConversationView, transcript: Transcript
) -> None:
    entry = asking()
    transcript.fill([entry])
    card = the_card(view)
    card.yes.setFocus()
    assert entry.step
    entry.step.question = None
    transcript.touch(entry.id)
    view.flush()
    assert not card.isVisible()
    assert QApplication.focusWidget() is step_cells(view)[0].line


def test_a_question_is_read_out_once(view: ConversationView, transcript: Transcript) -> None:
    told: list[str] = []
    view.announced.connect(told.append)
    transcript.fill([asking()])
    for _ in range(3):
        transcript.touch("t/1")
    assert told == ["Run make number1, waiting for your answer"]


def test_what_a_call_is_about_cannot_deceive(view: ConversationView, transcript: Transcript) -> None:
    entry = step(1)
    assert entry.step
    entry.step.gist = "<img src='/etc/passwd'> \u202egpj.exe\nnext"
    transcript.fill([entry])
    line = step_cells(view)[0].line
    assert line.accessibleName() == "Ran <img src='/etc/passwd'> [U+202E]gpj.exe next, done"
    assert "<img" not in line.toolTip()
