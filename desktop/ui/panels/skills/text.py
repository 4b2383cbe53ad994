"""A field for the text of a skill: plain text in the font of code, as tall as it is useful."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from desktop.ui.theme.theme import code_font
from desktop.ui.theme.tokens import Space

_LINE = 19


class SkillText(QPlainTextEdit):
    """Tab leaves it; Ctrl+S saves."""

    save_wanted = Signal()

    def __init__(self, lines: int) -> None:
        super().__init__()
        self.setObjectName("code")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.document().setDefaultFont(code_font())
        self.document().setDocumentMargin(0)
        self.setFixedHeight(lines * _LINE + 2 * Space.M)

    def show_text(self, text: str) -> None:
        """Show this, from its beginning."""
        if text != self.toPlainText():
            self.setPlainText(text)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus() and self.verticalScrollBar().maximum():
            super().wheelEvent(event)
        else:
            event.ignore()  # the page around it is scrolled

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Save):
            self.save_wanted.emit()
        else:
            super().keyPressEvent(event)
