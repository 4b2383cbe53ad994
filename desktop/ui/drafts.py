"""What is being written, by conversation: kept while it is typed, given back where it was not stored."""

from PySide6.QtCore import QObject

from desktop.ui.conversation.controller import Controller
from desktop.ui.main_window import MainWindow
from desktop.ui.state import StateFile


class Drafts(QObject):
    """Keeps the message field of the window and the file in step."""

    def __init__(self, window: MainWindow, file: StateFile, talk: Controller) -> None:
        super().__init__(window)
        self._window, self._file, self._talk = window, file, talk
        window.composer.changed.connect(self._draft)
        talk.settled.connect(self._settled)
        talk.refused.connect(self._refused)

    def send(self, text: str) -> None:
        """Say something in the open conversation; until it is stored it could be a draft again."""
        self._file.state.unsent.append((self._talk.key, text))
        self._window.composer.show_draft("")
        self._talk.send(text)

    def _draft(self, text: str) -> None:
        drafts = self._file.state.drafts
        if text.strip():
            drafts[self._talk.key] = text
        else:
            drafts.pop(self._talk.key, None)
        self._file.save()

    def _settled(self, key: str, text: str) -> None:
        self._file.state.unsent.remove((key, text))
        self._file.save()

    def _refused(self, key: str, text: str) -> None:
        self._file.state.give_back(key, text)
        if key == self._talk.key:
            self._window.composer.show_draft(self._file.state.drafts[key])
        self._file.save()
