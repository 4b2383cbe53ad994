"""The subagents of the open conversation, over the message field: there when the first of them is."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.pane import ConversationPane
from desktop.ui.conversation.strip import Strip


class Activity(QObject):
    """Makes the strip when it is first wanted, and keeps it true."""

    def __init__(self, pane: ConversationPane, talk: Controller) -> None:
        super().__init__(pane)
        self._pane, self._talk = pane, talk
        self.strip: Strip | None = None
        talk.subagents.changed.connect(self._show)

    def _show(self) -> None:
        here = self._talk.subagents.here
        if self.strip is None:
            if not here:
                return
            self.strip = Strip()
            self.strip.stop_wanted.connect(self._talk.subagents.stop)
            self._around = self._pane.place_strip(self.strip)
        focus = QApplication.focusWidget()
        had = focus is not None and self.strip.isAncestorOf(focus)
        self.strip.show_subagents(here)
        self._around.setVisible(bool(here))
        if had and focus is not None and not focus.isVisible():
            self._pane.composer.setFocus()
