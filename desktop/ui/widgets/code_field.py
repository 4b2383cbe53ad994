"""Text that is read as it stands, such as a command: whole, wrapped, scrolled inside where it is long."""

from math import ceil

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextOption, QWheelEvent
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
        self._lines = lines
        self._heights: dict[int, int] = {}
        """Of the whole text, by the width that it is wrapped at."""
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_text(self, text: str) -> None:
        """Show this; the place that the reader scrolled to stays where it is the same."""
        if text != self.toPlainText():
            self._heights.clear()
            self.setPlainText(text)
            self.updateGeometry()

    def heightForWidth(self, width: int) -> int:
        room = _room(width)
        if room not in self._heights:
            self._wrap(room)
            self._heights[room] = ceil(self.document().size().height())
            QTimer.singleShot(0, self, self._wrap_as_shown)  # a layout asks for other widths, too
        return min(self._heights[room], self._lines * _line_height(self)) + _AROUND

    def _wrap(self, room: int) -> None:
        if self.lineWrapColumnOrWidth() != room:
            self.setLineWrapColumnOrWidth(room)

    def _wrap_as_shown(self) -> None:
        self._wrap(_room(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._wrap_as_shown()
        super().resizeEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(240, _AROUND + _line_height(self))

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


def _room(width: int) -> int:
    """How wide the text of a field may be; the scroll bar has its place beside it."""
    return max(40, width - _SIDES - Space.S)


def _line_height(field: CodeField) -> int:
    layout = field.document().firstBlock().layout()
    return ceil(layout.lineAt(0).height()) if layout.lineCount() else 18
