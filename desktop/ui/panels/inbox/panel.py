"""The place of the inbox: over the right of the window, empty until it is first asked for."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.conversation.header.header import HEIGHT
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.ui.actions import Actions
    from desktop.ui.conversation.question import Question
    from desktop.ui.panels.inbox.drawer import Drawer

_WIDTH = 480
_SHEET = """
QFrame#inbox { background: $sidebar; border-left: 1px solid $border; }
"""


class InboxPanel(QFrame):
    """Stands over its parent at the right; hidden until it is asked for, and when the last thing that
    waited is dealt with."""

    answered = Signal(str, object)
    """A question, and a Reply; None to leave it for later."""
    open_wanted = Signal(str)
    """A conversation."""
    replied = Signal(str)
    """In this conversation."""
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("inbox")
        styled(self, _SHEET)
        self._below = parent
        self._actions: Actions | None = None
        self._questions: Sequence[Question] = ()
        self._title: Callable[[str], str] = str
        self.drawer: Drawer | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 0, 0, 0)
        parent.installEventFilter(self)
        self.hide()
        spoken(self._words)

    def _words(self) -> None:
        self.setAccessibleName(_("Inbox"))

    def serve(self, actions: "Actions", title: Callable[[str], str]) -> None:
        """What it shows is asked of these; `title` names conversations."""
        self._actions, self._title = actions, title

    def show_questions(self, questions: "Sequence[Question]") -> None:
        """The questions of permission that are open."""
        self._questions = questions
        if self.drawer is not None:
            self.drawer.show_questions(questions)

    def changed(self) -> None:
        """The inbox has other entries."""
        if self.drawer is not None and not self.isHidden():
            self.drawer.refresh()

    def enter(self) -> None:
        """Come, with the keyboard."""
        if self._actions is None:
            return
        if self.drawer is None:
            self.drawer = self._made(self._actions)
        self._place()
        self.show()
        self.raise_()
        self.drawer.begin()

    def leave(self) -> None:
        """Go; who listens to `closed` takes the keyboard, if it was here."""
        focus = QApplication.focusWidget()
        had = focus is not None and self.isAncestorOf(focus)
        self.hide()
        if had:
            self.closed.emit()

    def _made(self, actions: "Actions") -> "Drawer":
        from desktop.ui.panels.inbox.drawer import Drawer

        drawer = Drawer(actions, self._title)
        drawer.answered.connect(self.answered)
        drawer.open_wanted.connect(self.open_wanted)
        drawer.replied.connect(self.replied)
        for gone in (drawer.emptied, drawer.close_button.clicked):
            gone.connect(self.leave)
        self._column.addWidget(drawer)
        drawer.show_questions(self._questions)
        return drawer

    def _place(self) -> None:
        room = self._below.size()
        width = min(_WIDTH, room.width())
        self.setGeometry(room.width() - width, HEIGHT, width, room.height() - HEIGHT)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)
