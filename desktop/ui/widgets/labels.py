"""Labels in the kinds of the style sheet."""

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop.ui.widgets.styled import styled

_LEAST = 24
_TAG = """QLabel { background: transparent; color: $muted; border: 1px solid $border_strong;
  border-radius: 8px; padding: 0 7px; }"""


def label(kind: str = "", text: str = "", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A label of plain text; `kind` is "title", "section", "muted", "small", "error" or plain."""
    made = QLabel(text, parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("kind", kind)
    made.setWordWrap(wrap)
    return made


class Elided(QLabel):
    """One line that ends in dots where it does not fit."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("kind", kind)

    def minimumSizeHint(self) -> QSize:
        whole = super().minimumSizeHint()
        return QSize(min(_LEAST, whole.width()), whole.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.width() >= self.sizeHint().width():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        fits = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.setPen(self.palette().windowText().color())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, fits)
        painter.end()


def tag() -> Elided:
    """A word with a line around it."""
    made = Elided("small")
    styled(made, _TAG)
    return made


def tip(text: str) -> str:
    """A hint that shows a text as it stands: Qt takes for HTML what looks like it, pictures included."""
    return f"<p>{escape(text)}</p>" if text else ""


def line() -> QFrame:
    """A thin line across."""
    made = QFrame()
    made.setProperty("kind", "line")
    made.setFixedHeight(1)
    return made
