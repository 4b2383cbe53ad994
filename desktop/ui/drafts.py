"""What is being written, by conversation: kept while it is typed, given back where it was not stored."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.transcript import own_words
from desktop.ui.main_window import MainWindow
from desktop.ui.state import StateFile, Unsent

if TYPE_CHECKING:
    from desktop.ui.conversation.chips import Given

type Json = dict[str, Any]


class Drafts(QObject):
    """Keeps the message field of the window, with its files, and the window's memory in step."""

    def __init__(self, window: MainWindow, file: StateFile, talk: Controller) -> None:
        super().__init__(window)
        self._window, self._file, self._talk = window, file, talk
        self._showing = self._aside = False
        self._last: Unsent | None = None
        """What was settled last: it may have been refused."""
        window.composer.changed.connect(self._draft)
        talk.settled.connect(self._settled)
        talk.refused.connect(self._refused)
        talk.line.taken_back.connect(self._taken_back)
        talk.created.connect(self._created)
        talk.opened.connect(self._opened)

    def send(self, text: str) -> None:
        """Say something in the open conversation; until it is stored it could be a draft again."""
        composer = self._window.composer
        files = list(composer.files)
        self._file.state.unsent.append(Unsent(self._talk.key, text, _lines(files)))
        composer.show_draft("")
        composer.show_files(())
        self._talk.send(text, [given.path for given in files])

    def say(self, text: str) -> None:
        """Say something that was not written in the field."""
        self._file.state.unsent.append(Unsent(self._talk.key, text))
        self._talk.send(text)

    def set_aside(self, text: str, files: Iterable[str]) -> None:
        """Show something else in the field; what was being written is kept until take_up()."""
        self._aside = True
        self._window.composer.show_draft(text)
        self._show_files([{"path": path, "name": PurePath(path).name} for path in files])

    def take_up(self) -> None:
        """Show again what was being written."""
        self.forget_aside()
        state, key = self._file.state, self._talk.key
        self._window.composer.show_draft(state.drafts.get(key, ""))
        self._show_files(state.attached.get(key, []))

    def forget_aside(self) -> None:
        """What is in the field is a draft again."""
        self._aside = False

    def _draft(self, text: str) -> None:
        if self._showing or self._aside:
            return
        state, key = self._file.state, self._talk.key
        if text.strip():
            state.drafts[key] = text
        else:
            state.drafts.pop(key, None)
        if files := self._window.composer.files:
            state.attached[key] = _lines(files)
        else:
            state.attached.pop(key, None)
        self._file.save()

    def _opened(self) -> None:
        """Another conversation: its own files go along. The text is shown by who opened it."""
        lines = self._file.state.attached.get(self._talk.key)
        if lines or self._window.composer.files:
            self._show_files(lines or [])

    def _show_files(self, lines: list[Json]) -> None:
        from desktop.ui.conversation.chips import read

        self._showing = True
        self._window.composer.show_files(read(lines))
        self._showing = False

    def _created(self, key: str, _text: str) -> None:
        """What was attached since, in a conversation that had no key yet."""
        if lines := self._file.state.attached.pop("", None):
            self._file.state.attached[key] = lines

    def _settled(self, key: str, text: str) -> None:
        unsent = self._file.state.unsent
        self._last = next((one for one in unsent if (one.key, one.text) == (key, text)), None)
        if self._last:
            unsent.remove(self._last)
        self._file.save()

    def _refused(self, key: str, text: str) -> None:
        files = self._last.files if self._last and self._last.text == text else []
        self._give_back(key, text, files)

    def _taken_back(self, key: str, text: str, files: list[str]) -> None:
        lines = [{"path": path, "name": PurePath(path).name} for path in files]
        self._give_back(key, own_words(text, files), lines)
        self._window.composer.setFocus()

    def _give_back(self, key: str, text: str, files: list[Json]) -> None:
        self._file.state.give_back(key, text, files)
        if key == self._talk.key:
            self._window.composer.show_draft(self._file.state.drafts[key])
            self._show_files(self._file.state.attached.get(key, []))
        self._file.save()


def _lines(files: "Iterable[Given]") -> list[Json]:
    return [asdict(file) for file in files]
