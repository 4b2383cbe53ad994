"""A sentence that floats over the window for a while, with one thing to do about it."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QWidget

from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label

_SHOWN_MS = 8_000


class Toast(QFrame):
    """Stays at the lower edge of its parent; a new sentence takes the place of the one before."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("toast")
        self._below = parent
        self._text = label(wrap=False)
        self._button = button("link")
        self._button.clicked.connect(self.act)
        self._words = ""
        self.undoes = False
        """Whether the action takes back what the sentence tells of."""
        self._action: Callable[[], object] | None = None
        across(self._text, self._button, gap=Space.L, edges=(Space.L, Space.S, Space.L, Space.S), of=self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        self.hide()

    def say(
        self, text: str, action: str = "", act: Callable[[], object] | None = None, *, undoes: bool = False
    ) -> None:
        """Show a sentence; `action` are the words of a button that calls `act`. `undoes`: Ctrl+Z does it
        too."""
        self._action, self.undoes = act, undoes
        self._words = text
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self.setAccessibleName(text)
        self._place()
        self.show()
        self.raise_()
        self._timer.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def act(self) -> None:
        """Do what is offered."""
        self.hide()
        if self._action is not None:
            self._action()

    def _place(self) -> None:
        parent = self._below
        room = parent.width() - self._button.sizeHint().width() - 2 * Space.XL - 3 * Space.L
        self._text.setText(
            self._text.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideMiddle, room)
        )
        self.adjustSize()
        self.move((parent.width() - self.width()) // 2, parent.height() - self.height() - Size.CONTROL * 4)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)
