"""The slim bar over a conversation in which words are typed that are looked for in it (Ctrl+F)."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from desktop.text import _
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

_WIDTH, _COUNT = 440, 88
_SHEET = """
QFrame#find { background: $raised; border: 1px solid $border_strong; border-radius: 10px; }
QFrame#find QLineEdit { background: transparent; border: none; }
"""


class SearchBar(QFrame):
    """Floats in the upper right corner of its parent; says what is wanted."""

    typed = Signal(str)
    step = Signal(int)
    """One match on (1) or back (-1)."""
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("find")
        styled(self, _SHEET)
        self._over = parent
        self.field = QLineEdit()
        self.field.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.field.textChanged.connect(self.typed)
        self.field.installEventFilter(self)
        self.count = label("small")
        self.count.setFixedWidth(_COUNT)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.back, self.on, self.close_button = (
            IconButton("arrow-up"),
            IconButton("arrow-down"),
            IconButton("x"),
        )
        self.back.clicked.connect(lambda: self.step.emit(-1))
        self.on.clicked.connect(lambda: self.step.emit(1))
        self.close_button.clicked.connect(self.left)
        across(
            (self.field, 1),
            self.count,
            self.back,
            self.on,
            self.close_button,
            gap=Space.XS,
            edges=(Space.XS, Space.XS, Space.XS, Space.XS),
            of=self,
        )
        parent.installEventFilter(self)
        spoken(self._words)
        self.hide()

    def _words(self) -> None:
        self.setAccessibleName(_("Find in conversation"))
        self.field.setAccessibleName(_("Find in conversation"))
        self.field.setPlaceholderText(_("Find in conversation"))
        self.back.say(_("Previous match"), "Shift+Enter")
        self.on.say(_("Next match"), "Enter")
        self.close_button.say(_("Close"), "Esc")

    def tell(self, text: str, *, some: bool) -> None:
        """How many were found, in words, and whether there are any to go to."""
        self.count.setText(text)
        self.count.setAccessibleName(text)
        self.back.setEnabled(some)
        self.on.setEnabled(some)

    def come(self, words: str = "") -> None:
        """Be there with the keyboard; with these words where there are some."""
        if words:
            self.field.setText(words)
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus()
        self.field.selectAll()

    def _place(self) -> None:
        room = self._over.width() - 2 * Space.L
        self.setFixedWidth(max(240, min(_WIDTH, room)))
        self.setFixedHeight(Size.CONTROL + 2 * Space.XS + 2)
        self.move(self._over.width() - self.width() - Space.L, Space.S)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over:
            if event.type() == QEvent.Type.Resize and self.isVisible():
                self._place()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.step.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
                return True
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                self.step.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
