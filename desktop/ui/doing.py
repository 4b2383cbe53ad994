"""What goes on in which conversation: where an answer is on its way, and where the person is asked."""

from PySide6.QtCore import QObject, Signal

from desktop.bus.events import Event, TurnFailed, TurnFinished, TurnJoined, TurnStarted
from desktop.ui.questions import Questions
from desktop.ui.sidebar.rows import Rows


class Doing(QObject):
    """Keeps the marks of the list true; one for the window."""

    changed = Signal()

    def __init__(self, rows: Rows, questions: Questions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows, self._questions = rows, questions
        self._turns: dict[str, str] = {}
        """Each turn that runs, and its conversation."""
        questions.changed.connect(self._show)

    @property
    def busy(self) -> bool:
        """Whether any answer is on its way."""
        return bool(self._turns)

    def handle(self, event: Event) -> None:
        """Take in one event of the bus."""
        if isinstance(event, TurnStarted):
            self._turns[event.turn] = event.session
        elif isinstance(event, TurnFinished | TurnFailed | TurnJoined):
            self._turns.pop(event.turn, None)
        else:
            return
        self._show()

    def _show(self) -> None:
        asking = {question.session for question in self._questions.all}
        self._rows.mark(working=set(self._turns.values()), asking=asking)
        self.changed.emit()
