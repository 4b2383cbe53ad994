"""The questions that wait for the person, of all conversations: what there is, and the way to answer one.

Those of the inbox are the truth; what the bus tells in between is shown at once.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from desktop.bus.events import InboxChanged, PageWanted, PermissionAsked, PermissionSettled
from desktop.inbox.inbox import APPROVAL, Notice
from desktop.ui.actions import Actions
from desktop.ui.conversation.question import Question
from desktop.ui.error_reporter import ErrorReporter

if TYPE_CHECKING:
    from desktop.api.reply import Reply

_MOST = 1000


class Questions(QObject):
    """One for the window."""

    changed = Signal()
    answered_late = Signal(str)
    """The conversation in which the answer began a turn of its own."""

    def __init__(self, actions: Actions, reporter: ErrorReporter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions, self._reporter = actions, reporter
        self._open: dict[str, Question] = {}
        self._answering: set[str] = set()
        self._faults: dict[str, dict[str, str]] = {}
        self._waiting: set[str] = set()
        """Those that a call waits for at this moment."""
        actions.bus.on(PermissionAsked, self._asked)
        actions.bus.on(PermissionSettled, self._settled)
        actions.bus.on(InboxChanged, lambda _event: self.refresh())
        actions.bus.on(PageWanted, _show_page)

    @property
    def all(self) -> list[Question]:
        """Every open question, the oldest first."""
        return sorted(self._open.values(), key=lambda question: question.at)

    def refresh(self) -> None:
        """Read the inbox."""
        self._reporter.run(self._refresh(), name="questions:read")

    def answer(self, question: str, reply: "Reply") -> None:
        """Say yes or no."""
        self._reporter.run(self._answer(question, reply), name="questions:answer")

    def take(self, question: str, reply: "Reply | None") -> None:
        """What the person chose at a question; None to leave it for later."""
        if reply is None:
            self.later(question)
        else:
            self.answer(question, reply)

    def later(self, question: str) -> None:
        """Have the turn go on without an answer; the inbox keeps the question."""
        self._reporter.run(self._actions.api.questions.park(question), name="questions:later")

    def _asked(self, event: PermissionAsked) -> None:
        self._waiting.add(event.question)
        asked = Question(event.question, event.session, event.turn, event.call, event.card)
        self._open.setdefault(event.question, asked)
        self.changed.emit()
        self.refresh()

    def _settled(self, event: PermissionSettled) -> None:
        self._waiting.discard(event.question)
        self._faults.pop(event.question, None)
        if event.answer != "parked":
            self._open.pop(event.question, None)
            self.changed.emit()
        self.refresh()

    async def _refresh(self) -> None:
        found = (await self._actions.api.inbox.list(kind=APPROVAL, limit=_MOST)).notices
        questions = [self._question(notice) for notice in found]
        before, self._open = self._open, {question.id: question for question in questions}
        if before != self._open:
            self.changed.emit()

    def _question(self, notice: Notice) -> Question:
        body = notice.body
        return Question(
            notice.id,
            notice.session,
            notice.turn,
            str(body.get("call")),
            body.get("card") or {},
            notice.id not in self._waiting,
            notice.at,
            self._faults.get(notice.id, {}),
        )

    async def _answer(self, question: str, reply: "Reply") -> None:
        asked = self._open.get(question)
        if question in self._answering:
            return
        self._answering.add(question)
        try:
            done = await self._actions.api.questions.answer(question, reply)
            self._faults[question] = dict(done.faults)
        finally:
            self._answering.discard(question)
            await self._refresh()
        if done.late and asked is not None:
            self.answered_late.emit(asked.session)


def _show_page(event: PageWanted) -> None:
    if event.front == "window":
        QDesktopServices.openUrl(QUrl(event.url))
