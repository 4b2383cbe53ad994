"""What stands where a list would be that has nothing in it: a sign, and what one can do about it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.sign import Sign

_SIGN = 32


class EmptyState(QWidget):
    """Say what it is with say()."""

    def __init__(self, sign: str) -> None:
        super().__init__()
        self._title, self._words = label("title"), label("muted", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.XL, Space.XL, Space.XL, Space.XL)
        column.setSpacing(Space.S)
        column.addWidget(Sign(sign, "link", _SIGN), 0, Qt.AlignmentFlag.AlignHCenter)
        for words in (self._title, self._words):
            words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(words)

    def say(self, title: str, words: str) -> None:
        """Set the words; an empty title has no line."""
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._words.setText(words)
