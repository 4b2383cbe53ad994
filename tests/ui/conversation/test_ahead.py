"""The cells of the next question and its answer are there before they are needed."""

from pytestqt.qtbot import QtBot

from desktop.ui.conversation.cells.cell import Cell
from desktop.ui.conversation.transcript import State, Transcript
from desktop.ui.conversation.view import ConversationView
from tests.ui.conversation.conftest import chat, said


def test_a_question_and_its_answer_make_no_cell_while_they_are_waited_for(
    view: ConversationView, transcript: Transcript, qtbot: QtBot
) -> None:
    def cells() -> int:
        return len(view.findChildren(Cell))

    def spare() -> int:
        return cells() - len(view.cells)

    qtbot.waitUntil(lambda: spare() >= 2)
    transcript.fill(chat(6))
    qtbot.waitUntil(lambda: spare() >= 2)
    for number in range(6, 12, 2):
        before = cells()
        transcript.add(said("And now?", number))
        answer = said("", number + 1, state=State.WAITING)
        transcript.add(answer)
        assert cells() <= before
        answer.text, answer.state = "This.", State.DONE
        transcript.touch(answer.id)
        qtbot.waitUntil(lambda: spare() >= 2)
