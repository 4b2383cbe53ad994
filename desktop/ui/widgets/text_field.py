"""A field for a text of some lines, as tall as it is useful, in a page that is scrolled."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from desktop.ui.theme.theme import code_font
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.styled import styled

_LINE, _CODE_LINE = 20, 19
_SHEET = """
QPlainTextEdit {
  background: $raised; border: 1px solid $border_strong; border-radius: 8px; padding: 6px 10px;
}
QPlainTextEdit:focus { border-color: $accent; }
QPlainTextEdit[wrong="true"] { border-color: $danger; }
"""


class TextField(QPlainTextEdit):
    """Tab leaves it; Ctrl+S saves."""

    save_wanted = Signal()
    left = Signal()
    """The keyboard is elsewhere now."""

    def __init__(self, lines: int, *, code: bool = False) -> None:
        """`code`: in the font of code, as a file is shown."""
        super().__init__()
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(0)
        if code:
            self.setObjectName("code")
            self.setFrameShape(QFrame.Shape.NoFrame)
            self.document().setDefaultFont(code_font())
            self.setFixedHeight(lines * _CODE_LINE + 2 * Space.M)
        else:
            styled(self, _SHEET)
            self.setFixedHeight(lines * _LINE + Space.L)

    def show_text(self, text: str) -> None:
        """Show this, from its beginning."""
        if text != self.toPlainText():
            self.setPlainText(text)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus() and self.verticalScrollBar().maximum():
            super().wheelEvent(event)
        else:
            event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Save):
            self.save_wanted.emit()
        else:
            super().keyPressEvent(event)
