"""What goes on in which conversation: where an answer is on its way, and where the person is asked."""

from PySide6.QtCore import QObject, Signal

from desktop.bus.bus import Bus
from desktop.bus.events import TurnFailed, TurnFinished, TurnJoined, TurnStarted
from desktop.ui.conversation.questions import Questions
from desktop.ui.sidebar.rows import Rows


class ActivityMarks(QObject):
    """Keeps the marks of the list true; one for the window."""

    changed = Signal()

    def __init__(self, bus: Bus, rows: Rows, questions: Questions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows, self._questions = rows, questions
        self._turns: dict[str, str] = {}
        """Each turn that runs, and its conversation."""
        questions.changed.connect(self._show)
        bus.on(TurnStarted, self._started)
        bus.on(TurnFinished, self._ended)
        bus.on(TurnFailed, self._ended)
        bus.on(TurnJoined, self._ended)

    @property
    def busy(self) -> bool:
        """Whether any answer is on its way."""
        return bool(self._turns)

    def _started(self, event: TurnStarted) -> None:
        self._turns[event.turn] = event.session
        self._show()

    def _ended(self, event: TurnFinished | TurnFailed | TurnJoined) -> None:
        self._turns.pop(event.turn, None)
        self._show()

    def _show(self) -> None:
        asking = {question.session for question in self._questions.all}
        self._rows.mark(working=set(self._turns.values()), asking=asking)
        self.changed.emit()
