"""An icon that stands by itself, drawn anew in each palette: a picture made once would keep the old one."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size


class Sign(QWidget):
    """Says nothing by itself: words stand beside it."""

    def __init__(self, name: str, role: str = "muted", size: int = Size.ICON) -> None:
        super().__init__()
        self._icon = icon(name, role)
        self._side = size
        self.setFixedSize(size, size)

    def level(self, words: QLabel) -> None:
        """Stand in the middle of the first line of words: letters of another font make it taller."""
        line = words.fontMetrics().size(Qt.TextFlag.TextSingleLine, words.text()).height()
        self.setFixedHeight(max(self._side, line + (line - self._side) % 2))

    def show_icon(self, name: str, role: str) -> None:
        """Be another one."""
        self._icon = icon(name, role)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        place = QRect(0, 0, self._side, self._side)
        place.moveCenter(self.rect().center())
        self._icon.paint(painter, place)
        painter.end()
