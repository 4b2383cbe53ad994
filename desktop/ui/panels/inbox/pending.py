"""What waits for the person: the questions at their calls, by key and in the inbox; and how much it is."""

from PySide6.QtCore import QObject

from desktop.bus.events import InboxChanged
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.cells.step_cell import first_card
from desktop.ui.conversation.questions import Questions
from desktop.ui.conversation.view import ConversationView
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.library import Library


class PendingQuestions(QObject):
    """Brings the questions to where they are seen, and the answers to where they are heard."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        window: MainWindow,
        view: ConversationView,
        questions: Questions,
        library: Library,
    ) -> None:
        super().__init__(window)
        self._actions, self._reporter = actions, reporter
        self._window, self._view, self._questions, self._library = window, view, questions, library
        actions.bus.on(InboxChanged, self._changed)
        window.inbox.serve(actions, library.title)
        questions.changed.connect(self._show)
        window.inbox.answered.connect(questions.take)
        window.inbox.open_wanted.connect(self._open)
        window.inbox.replied.connect(self._replied)
        window.yes_wanted.connect(lambda: self._press(yes=True))
        window.no_wanted.connect(lambda: self._press(yes=False))

    def begin(self) -> None:
        """The core is up: see what waits."""
        self._questions.refresh()
        self._reporter.run(self._count(), name="inbox:count")

    def _changed(self, event: InboxChanged) -> None:
        self._window.header.show_waiting(event.open)
        self._window.inbox.changed()

    async def _count(self) -> None:
        self._window.header.show_waiting((await self._actions.api.inbox.list(limit=1)).open)

    def _show(self) -> None:
        self._window.inbox.show_questions(self._questions.all)

    def _open(self, key: str) -> None:
        self._window.inbox.leave()
        self._library.open(key)

    def _replied(self, key: str) -> None:
        self._window.toast.say(_("Reply sent."), _("Open"), lambda: self._open(key))

    def _press(self, *, yes: bool) -> None:
        """Answer the question that is to be seen; one that is not comes into sight instead."""
        card, place = first_card(self._view.slots, self._view.viewport())
        if card is None:
            return
        if not self._view.viewport().rect().contains(place.bottomLeft()):
            self._view.into_sight(place)
        elif yes:
            card.allow()
        else:
            card.ask_why()
