"""Icons of one family (Lucide, resources/icons), drawn sharp at any scale in the colour of their role."""

from functools import lru_cache

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop.paths import resource
from desktop.ui.theme.theme import theme


def icon(name: str, role: str = "muted") -> QIcon:
    """The icon of that file name in the colour of that role of Colors; follows light and dark."""
    return QIcon(_Engine(name, role))


def app_icon() -> QIcon:
    """The program's own icon."""
    return QIcon(str(resource("icons", "nanobot.svg")))


class _Engine(QIconEngine):
    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name, self._role = name, role

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        role = "faint" if mode is QIcon.Mode.Disabled else self._role
        _renderer(self._name, getattr(theme().colors, role)).render(painter, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _Engine(self._name, self._role)


@lru_cache(256)
def _renderer(name: str, color: str) -> QSvgRenderer:
    text = resource("icons", f"{name}.svg").read_text("utf-8")
    return QSvgRenderer(text.replace("currentColor", color).encode())
