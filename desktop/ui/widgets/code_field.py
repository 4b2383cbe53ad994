"""Text that is read as it stands, such as a command: whole, wrapped, scrolled inside where it is long."""

from math import ceil

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from desktop.ui.theme.theme import code_font
from desktop.ui.theme.tokens import Space

_AROUND = 2 * Space.S + 2
_SIDES = 2 * Space.M + 2


class CodeField(QTextEdit):
    """As tall as its text, up to so many lines."""

    def __init__(self, lines: int = 12, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("code")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self.document().setDefaultFont(code_font())
        self.setViewportMargins(0, 0, 0, 0)
        self._lines = lines
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_text(self, text: str) -> None:
        """Show this; the place that the reader scrolled to stays where it is the same."""
        if text != self.toPlainText():
            self.setPlainText(text)
            self.updateGeometry()

    def heightForWidth(self, width: int) -> int:
        room = max(40, width - _SIDES - Space.S)
        if self.lineWrapColumnOrWidth() != room:
            self.setLineWrapColumnOrWidth(room)
        line = ceil(self.fontMetrics().lineSpacing()) if self._lines else 0
        most = self._lines * max(line, _line_height(self))
        return min(ceil(self.document().size().height()), most) + _AROUND

    def sizeHint(self) -> QSize:
        return QSize(240, self.heightForWidth(max(240, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, _AROUND + _line_height(self))

    def wheelEvent(self, event: QWheelEvent) -> None:
        bar = self.verticalScrollBar()
        if self.hasFocus() and bar.maximum():
            super().wheelEvent(event)
        else:
            event.ignore()  # the conversation around it is scrolled

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)


def _line_height(field: CodeField) -> int:
    layout = field.document().firstBlock().layout()
    return ceil(layout.lineAt(0).height()) if layout.lineCount() else 18
