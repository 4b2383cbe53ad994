"""The questions of all conversations that wait for the person: a panel over the right of the window."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.conversation.actions import clock
from desktop.ui.conversation.card import ApprovalCard
from desktop.ui.conversation.header import HEIGHT
from desktop.ui.conversation.question import Question
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

_WIDTH = 480
_SHEET = """
QFrame#inbox { background: $sidebar; border-left: 1px solid $border; }
"""


class Item(QWidget):
    """One question, under the name of its conversation."""

    answered = Signal(str, object)
    open_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._key = ""
        self._title, self._when = label("title"), label("small")
        self.open = button("link")
        self.card = ApprovalCard()
        head = QHBoxLayout()
        head.setSpacing(Space.S)
        head.addWidget(self._title, 1)
        head.addWidget(self._when)
        head.addWidget(self.open)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, Space.L)
        column.setSpacing(Space.S)
        column.addLayout(head)
        column.addWidget(self.card)
        self.card.answered.connect(self.answered)
        self.open.clicked.connect(lambda: self.open_wanted.emit(self._key))
        spoken(self._words)

    def _words(self) -> None:
        self.open.setText(_("Open conversation"))
        self.open.setAccessibleName(_("Open conversation: {title}").format(title=self._title.text()))

    def show_question(self, question: Question, title: str) -> None:
        """Show this one."""
        self._key = question.session
        shown = self._title.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, 220)
        self._title.setText(shown)
        self._when.setText(clock(datetime.fromtimestamp(question.at).astimezone()) if question.at else "")
        self.card.show_question(question)
        self._words()


class InboxPanel(QFrame):
    """Stands over its parent at the right; hidden until it is asked for, and when nothing waits."""

    answered = Signal(str, object)
    """A question, and what the verb `permit` takes for its answer; None to leave it for later."""
    open_wanted = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("inbox")
        styled(self, _SHEET)
        self._below = parent
        self.items: dict[str, Item] = {}
        self._title, self.close_button = label("title"), IconButton("x")
        self._inner = QWidget()
        self._column = QVBoxLayout(self._inner)
        self._column.setContentsMargins(Space.L, Space.S, Space.L, Space.L)
        self._column.setSpacing(0)
        self._column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._inner)
        head = QHBoxLayout()
        head.setContentsMargins(Space.L, Space.M, Space.M, Space.XS)
        head.addWidget(self._title, 1)
        head.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(area, 1)
        self.close_button.clicked.connect(self.leave)
        parent.installEventFilter(self)
        self.hide()
        spoken(self._words)

    def _words(self) -> None:
        self.setAccessibleName(_("Waiting for you"))
        self._title.setText(_("Waiting for you"))
        self.close_button.say(_("Close"), "Esc")

    def show_questions(self, questions: Sequence[Question], title: Callable[[str], str]) -> None:
        """Show these, with the titles of their conversations."""
        ids = {question.id for question in questions}
        for gone in [id_ for id_ in self.items if id_ not in ids]:
            self._drop(self.items.pop(gone))
        for place, question in enumerate(questions):
            item = self.items.get(question.id) or self._made(question.id, place)
            item.show_question(question, title(question.session))
        if not questions and not self.isHidden():
            self.leave()

    def _made(self, id_: str, place: int) -> Item:
        item = self.items[id_] = Item()
        item.answered.connect(self.answered)
        item.open_wanted.connect(self.open_wanted)
        self._column.insertWidget(place, item)
        return item

    def _drop(self, item: Item) -> None:
        if item.card.has_keyboard():
            self.close_button.setFocus()
        self._column.removeWidget(item)
        item.hide()
        item.deleteLater()

    def enter(self) -> None:
        """Come, with the keyboard."""
        self._place()
        self.show()
        self.raise_()
        self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Go; who listens to `closed` takes the keyboard, if it was here."""
        focus = QApplication.focusWidget()
        had = focus is not None and self.isAncestorOf(focus)
        self.hide()
        if had:
            self.closed.emit()

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
