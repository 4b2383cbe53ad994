"""The subagents of the open conversation, over the message field: there when the first of them is."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.foot.strip import Strip


class Activity(QObject):
    """Makes the strip when it is first wanted, and keeps it true."""

    def __init__(self, talk: Controller, place: Callable[[QWidget], QWidget], composer: QWidget) -> None:
        """`place` puts the strip over the message field; what is to be hidden when it is."""
        super().__init__(composer)
        self._place, self._talk, self._composer = place, talk, composer
        self.strip: Strip | None = None
        talk.subagents.changed.connect(self._show)

    def _show(self) -> None:
        here = self._talk.subagents.here
        if self.strip is None:
            if not here:
                return
            self.strip = Strip()
            self.strip.stop_wanted.connect(self._talk.subagents.stop)
            self._around = self._place(self.strip)
        focus = QApplication.focusWidget()
        had = focus is not None and self.strip.isAncestorOf(focus)
        self.strip.show_subagents(here)
        self._around.setVisible(bool(here))
        if had and focus is not None and not focus.isVisible():
            self._composer.setFocus()
