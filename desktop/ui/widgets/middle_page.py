"""A page that scrolls, with one column in its middle: what stands in place of a conversation."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down


class MiddlePage(QScrollArea):
    """Put things into `column`: it is so many pixels wide at most, and a little above the middle."""

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inner, middle, self.column = QWidget(), QWidget(), QVBoxLayout()
        middle.setMaximumWidth(width)
        self.column.setSpacing(Space.M)
        around = down(None, self.column, gap=Space.M, of=middle)
        around.addStretch(2)
        row = QHBoxLayout(inner)
        row.setContentsMargins(Space.L, Space.L, Space.L, Space.L)
        row.addStretch(1)
        row.addWidget(middle, 100)
        row.addStretch(1)
        self.setWidget(inner)
