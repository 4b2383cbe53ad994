"""The ways to answer a question: at its call in the conversation, by key, and in the inbox."""

from PySide6.QtCore import QObject

from desktop.ui.conversation.step_cell import first_card
from desktop.ui.conversation.view import ConversationView
from desktop.ui.library import Library
from desktop.ui.main_window import MainWindow
from desktop.ui.questions import Questions


class Answering(QObject):
    """Brings the questions to where they are seen, and the answers to where they are heard."""

    def __init__(
        self, window: MainWindow, view: ConversationView, questions: Questions, library: Library
    ) -> None:
        super().__init__(window)
        self._window, self._view, self._questions, self._library = window, view, questions, library
        questions.changed.connect(self._show)
        for shown in (view, window.inbox):
            shown.answered.connect(questions.take)
        window.inbox.open_wanted.connect(self._open)
        window.yes_wanted.connect(lambda: self._press(yes=True))
        window.no_wanted.connect(lambda: self._press(yes=False))

    def _show(self) -> None:
        questions = self._questions.all
        self._window.header.show_waiting(len(questions))
        self._window.inbox.show_questions(questions, self._library.title)

    def _open(self, key: str) -> None:
        self._window.inbox.leave()
        self._library.open(key)

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
