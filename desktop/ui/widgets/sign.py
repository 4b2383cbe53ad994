"""An icon that stands by itself, drawn anew in each palette: a picture made once would keep the old one."""

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size


class Sign(QWidget):
    """Says nothing by itself: words stand beside it."""

    def __init__(self, name: str, role: str = "muted", size: int = Size.ICON) -> None:
        super().__init__()
        self._icon = icon(name, role)
        self.setFixedSize(size, size)

    def show_icon(self, name: str, role: str) -> None:
        """Be another one."""
        self._icon = icon(name, role)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._icon.paint(painter, self.rect())
        painter.end()
