"""Labels in the kinds of the style sheet."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget


def label(kind: str = "", text: str = "", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A label of plain text; `kind` is "title", "section", "muted", "small", "error" or plain."""
    made = QLabel(text, parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("kind", kind)
    made.setWordWrap(wrap)
    return made


class Elided(QLabel):
    """A muted label of one line that takes what room there is, and ends in an ellipsis where it is less."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("kind", "muted")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        words = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        painter.end()


def tip(text: str) -> str:
    """A hint that shows a text as it stands: Qt takes for HTML what looks like it, pictures included."""
    return f"<p>{escape(text)}</p>" if text else ""


def line() -> QFrame:
    """A thin line across."""
    made = QFrame()
    made.setProperty("kind", "line")
    made.setFixedHeight(1)
    return made
