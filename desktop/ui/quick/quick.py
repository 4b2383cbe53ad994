"""What the quick chat does: the agent of the main window, in a conversation of its own, from anywhere.

The window is made when it is first wanted. Its conversation is gone on with for a while; then a new one
begins. Hiding it ends nothing.
"""

import time
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QClipboard, QGuiApplication

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.transcript import own_words
from desktop.ui.funnel import Funnel
from desktop.ui.state import StateFile

if TYPE_CHECKING:
    from desktop.ui.conversation.chips import Given
    from desktop.ui.quick.window import QuickWindow

type Json = dict[str, Any]

_ANEW_S = 900.0
"""After so long a new conversation begins."""
_LONGEST = 20_000
"""Characters taken over from the clipboard or a selection."""


class Quick(QObject):
    """One for the program."""

    onward = Signal(str, str)
    """Key and draft: to be gone on with in the main window."""
    came = Signal()
    """It is in front now."""
    went = Signal()
    first_key = Signal()
    settings_wanted = Signal()

    def __init__(self, actions: Actions, funnel: Funnel, file: StateFile, parent: QObject) -> None:
        super().__init__(parent)
        self._actions, self._funnel, self._file = actions, funnel, file
        self.talk: Controller | None = None
        self.window: QuickWindow | None = None
        self._used = 0.0
        self._turn = ""
        """Of the message that is being written otherwise."""
        self._aside: list[Given] = []
        """Files that were to go along with what was being written before that."""
        self.assistant = ""

    # ---- coming and going

    def toggle(self) -> None:
        """Come, or go where it is in front."""
        if self.window is not None and self.window.isVisible() and self.window.isActiveWindow():
            self.hide()
        else:
            self.open()

    def open(self, text: str = "", session: str = "") -> None:
        """Come. `text` goes along as a quotation; `session`: a conversation to go on with."""
        window, talk = self._made()
        if session:
            if session != talk.key:
                talk.open(session)
        elif not talk.busy and talk.key and time.monotonic() - self._used > _ANEW_S:
            talk.open("")
        if text.strip():
            self._quote(text.strip()[:_LONGEST])
        window.present()

    def open_with(self, source: str) -> None:
        """Come with what is on the clipboard ("clipboard"), or selected in some window ("selection")."""
        clipboard = QGuiApplication.clipboard()
        mode = QClipboard.Mode.Clipboard
        if source == "selection" and clipboard.supportsSelection():
            mode = QClipboard.Mode.Selection
        self.open(clipboard.text(mode) if source else "")

    def hide(self) -> None:
        """Go; what is under way goes on."""
        self._used = time.monotonic()
        if self.window is not None:
            self.window.hide()
            self.went.emit()

    @property
    def in_front(self) -> str:
        """The conversation that the person has before their eyes here; empty for none."""
        shown = self.window is not None and self.window.isActiveWindow()
        return self.talk.key if shown and self.talk is not None else ""

    # ---- how

    def _made(self) -> tuple["QuickWindow", Controller]:
        if self.window is not None and self.talk is not None:
            return self.window, self.talk
        from desktop.ui.attaching import Attaching
        from desktop.ui.conversation.completer import Completer
        from desktop.ui.quick.window import QuickWindow
        from desktop.ui.reminding import Reminding

        talk = self.talk = Controller(self._actions, self._funnel, self)
        window = self.window = QuickWindow(talk.transcript)
        self._reminding = Reminding(
            self._actions, self._funnel, window.composer, lambda: talk.key, self._undoable
        )
        self._reminding.off = lambda: bool(self._turn)
        self._completer = Completer(self._actions, self._funnel, window.composer, lambda: talk.key)
        self._attaching = Attaching(self._actions, self._funnel, window.composer, window, lambda: talk.key)
        window.composer.show_draft(self._file.state.quick_draft)
        if self.assistant:
            window.call(self.assistant)
        window.hidden_wanted.connect(self.hide)
        window.came.connect(self.came)
        window.onward_wanted.connect(self._onward)
        window.new_wanted.connect(self._anew)
        self._reminding.for_agent.connect(self._send)
        window.composer.stop_wanted.connect(talk.stop)
        window.composer.changed.connect(self._draft)
        window.composer.first_key.connect(self.first_key)
        window.view.acted.connect(talk.act)
        window.view.wanted.connect(talk.calls.look_into)
        window.view.wanted.connect(talk.files.look_into)
        window.view.work_wanted.connect(talk.files.act)
        window.view.work_wanted.connect(talk.revisions.act)
        talk.revisions.edit_wanted.connect(self._edit)
        talk.opened.connect(self._cancel)
        talk.revisions.forked.connect(talk.open)
        window.view.answered.connect(talk.questions.take)
        talk.busy_changed.connect(lambda: window.composer.busy(busy=talk.stoppable))
        talk.model_known.connect(lambda line: window.tell_model(str(line["title"])))
        talk.settings_wanted.connect(self.settings_wanted)
        talk.refused.connect(self._refused)
        talk.line.taken_back.connect(self._taken_back)
        self._funnel.told.connect(self._told)
        talk.questions.refresh()
        talk.open("")
        return window, talk

    def _send(self, text: str) -> None:
        assert self.window is not None
        assert self.talk is not None
        self._used = time.monotonic()
        self.window.notice.hide()
        files, turn = [given.path for given in self.window.composer.files], self._turn
        self.window.composer.show_draft("")
        self.window.composer.show_files(())
        self.window.view.to_end()
        if turn:
            self._cancel()
            self.talk.revisions.edit(turn, text, files)
        else:
            self.talk.send(text, files)

    def _undoable(self, text: str, words: str, undo: Callable[[], object]) -> None:
        assert self.window is not None
        notice = self.window.notice

        def take_back() -> None:
            notice.hide()
            undo()

        notice.tell(text, tone="info", actions=((words, take_back), (_("Dismiss"), notice.hide)))

    def _edit(self, turn: str, text: str, files: list[str]) -> None:
        """A message is to be written otherwise: what is sent next takes its place."""
        from desktop.ui.conversation.chips import Given

        assert self.window is not None
        if not self._turn:
            self._aside = list(self.window.composer.files)
        self._turn = turn
        words = _("Write it otherwise: what was said after it leaves the conversation.")
        self.window.notice.tell(words, "", tone="info", actions=((_("Cancel"), self._cancel),))
        self.window.composer.show_draft(text)
        self.window.composer.show_files([Given(path, PurePath(path).name) for path in files])
        self.window.composer.setFocus()

    def _cancel(self) -> None:
        """No message is written otherwise any more: show again what was being written before."""
        if not self._turn or self.window is None:
            return
        self._turn = ""
        self.window.notice.hide()
        self.window.composer.show_draft(self._file.state.quick_draft)
        self.window.composer.show_files(self._aside)

    def _refused(self, _key: str, text: str) -> None:
        if self.window is not None:
            kept = "\n\n".join(part for part in (text, self.window.composer.text()) if part)
            self.window.composer.show_draft(kept)

    def _taken_back(self, key: str, text: str, files: list[str]) -> None:
        from desktop.ui.conversation.chips import Given

        self._refused(key, own_words(text, files))
        if self.window is not None:
            for path in files:
                self.window.composer.add_file(Given(path, PurePath(path).name))

    def _quote(self, text: str) -> None:
        assert self.window is not None
        quoted = "\n".join(f"> {line}" for line in text.splitlines())
        draft = self.window.composer.text().rstrip()
        self.window.composer.show_draft(f"{draft}\n\n{quoted}\n\n".lstrip("\n"))

    def _anew(self) -> None:
        assert self.window is not None
        assert self.talk is not None
        self.talk.open("")
        self.window.composer.setFocus()

    def _onward(self) -> None:
        assert self.window is not None
        assert self.talk is not None
        draft = self.window.composer.text()
        self.window.composer.show_draft("")
        self.hide()
        self.onward.emit(self.talk.key, draft)

    def _draft(self, text: str) -> None:
        if self._turn:
            return
        self._file.state.quick_draft = text
        self._file.save()

    def _told(self, text: str, remedy: str) -> None:
        if self.window is not None and self.window.isVisible():
            dismiss = (_("Dismiss"), self.window.notice.hide)
            self.window.notice.tell(text, remedy, actions=(dismiss,))
