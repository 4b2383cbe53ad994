"""Labels in the kinds of the style sheet."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QWidget


def label(kind: str = "", text: str = "", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A label of plain text; `kind` is "title", "section", "muted", "small", "error" or plain."""
    made = QLabel(text, parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("kind", kind)
    made.setWordWrap(wrap)
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
