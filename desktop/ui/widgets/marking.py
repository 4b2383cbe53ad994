"""Marking a part of a page for a while, so that the eye finds it."""

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size, Space

_MS = 2500


class _Frame(QWidget):
    """A frame around another widget, upon its page; it takes no press."""

    def __init__(self, target: QWidget, page: QWidget) -> None:
        super().__init__(page)
        self._target = target
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        around = Space.S
        place = target.mapTo(page, target.rect().topLeft())
        self.setGeometry(place.x() - around, place.y(), target.width() + 2 * around, target.height())
        self.show()
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = QColor(theme().colors.accent)
        painter.setPen(QPen(color, 2))
        color.setAlpha(24)
        painter.setBrush(color)
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), Size.RADIUS, Size.RADIUS)
        painter.end()


def mark_for_a_while(target: QWidget) -> None:
    """Draw a frame around a widget of a page that scrolls; it goes after a moment."""
    page = target
    while (outer := page.parentWidget()) and outer.objectName() != "qt_scrollarea_viewport":
        page = outer
    for old in page.findChildren(QObject, "marking"):
        old.deleteLater()

    def put() -> None:
        frame = _Frame(target, page)
        frame.setObjectName("marking")
        QTimer.singleShot(_MS, frame, frame.deleteLater)

    QTimer.singleShot(50, target, put)  # once the page is laid out
