"""What is done with the open conversation besides talking: looking for words in it.

What that takes is loaded when it is first wanted.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.view import ConversationView
from desktop.ui.main_window import MainWindow

if TYPE_CHECKING:
    from desktop.ui.conversation.seeker import Seeker


class Reading(QObject):
    """One for the window."""

    def __init__(self, window: MainWindow, view: ConversationView, talk: Controller) -> None:
        super().__init__(window)
        self._window, self._view, self._talk = window, view, talk
        self._seeker: Seeker | None = None
        window.find_wanted.connect(self.find)

    def find(self) -> None:
        """Look for words in the conversation; where there is none, in all others."""
        if not self._talk.transcript.entries:
            self._window.to_search()
            return
        if self._seeker is None:
            from desktop.ui.conversation.seeker import Seeker

            self._seeker = Seeker(self._view, self._talk.key)
            self._seeker.left.connect(self._window.composer.setFocus)
            self._talk.opened.connect(self._opened)
        self._seeker.begin()

    def _opened(self) -> None:
        if self._seeker is not None:
            self._seeker.opened(self._talk.key)
