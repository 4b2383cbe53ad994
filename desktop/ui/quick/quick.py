"""What the quick chat does: the agent of the main window, in a conversation of its own, from anywhere.

The window is made when it is first wanted. Its conversation is gone on with for a while; then a new one
begins. Hiding it ends nothing.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QClipboard, QGuiApplication

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.state import QUICK, StateFile

if TYPE_CHECKING:
    from desktop.ui.conversation.controller import Controller
    from desktop.ui.quick.window import QuickWindow

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

    def __init__(self, actions: Actions, reporter: ErrorReporter, file: StateFile, parent: QObject) -> None:
        super().__init__(parent)
        self._actions, self._reporter, self._file = actions, reporter, file
        self.talk: Controller | None = None
        self.window: QuickWindow | None = None
        self._used = 0.0
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

    def offer(self, text: str) -> None:
        """Come with a text that somebody else wrote, in a conversation of its own where none is under way.
        The keyboard is where no key sends it: whoever was typing elsewhere has not read it yet."""
        window, talk = self._made()
        if talk.key and not talk.busy:
            talk.open("")
        self._quote(text)
        window.present()
        window.away.setFocus()
        window.pane.tell(
            _("This text comes from a link."), _("Read it before you send it."), tone="warning"
        )

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

    def _made(self) -> tuple["QuickWindow", "Controller"]:
        if self.window is not None and self.talk is not None:
            return self.window, self.talk
        from desktop.ui.quick.window import QuickWindow

        window = self.window = QuickWindow()
        pane = window.pane
        pane.begin(self._actions, self._reporter, self._file, self._undoable, slot=lambda _key: QUICK)
        pane.dictation.look()
        talk = self.talk = pane.talk
        window.watch(talk.transcript)
        if self.assistant:
            window.call(self.assistant)
        window.hidden_wanted.connect(self.hide)
        window.came.connect(self.came)
        window.onward_wanted.connect(self._onward)
        window.new_wanted.connect(self._anew)
        pane.reminding.for_agent.connect(self._sent)
        pane.composer.first_key.connect(self.first_key)
        talk.revisions.forked.connect(talk.open)
        talk.model_known.connect(lambda found: window.tell_model(found.line.title))
        talk.settings_wanted.connect(self.settings_wanted)
        self._reporter.told.connect(self._told)
        talk.questions.refresh()
        talk.open("")
        return window, talk

    def _sent(self, _text: str) -> None:
        self._used = time.monotonic()

    def _undoable(self, text: str, words: str, undo: Callable[[], object]) -> None:
        assert self.window is not None
        notice = self.window.notice

        def take_back() -> None:
            notice.hide()
            undo()

        notice.tell(text, tone="info", actions=((words, take_back), (_("Dismiss"), notice.hide)))

    def _quote(self, text: str) -> None:
        assert self.window is not None
        quoted = "\n".join(f"> {line}" for line in text.splitlines())
        draft = self.window.composer.text().rstrip()
        if not draft.endswith(quoted):  # the same link again
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

    def _told(self, text: str, remedy: str) -> None:
        if self.window is not None and self.window.isVisible():
            self.window.pane.tell(text, remedy)
