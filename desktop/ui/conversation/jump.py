"""The round button that leads back to the end, and says when something new has come there."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from desktop.text import _
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme

_SIZE = 36


class JumpButton(QToolButton):
    """Hidden while the end is in sight."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(_SIZE, _SIZE)
        self.setIcon(icon("arrow-down", "text"))
        self.setIconSize(QSize(18, 18))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.news = False
        self.hide()

    def tell(self, *, below: bool, news: bool) -> None:
        """Whether there is more below, and whether it is new."""
        self.news = below and news
        self.say()
        self.setVisible(below)
        self.update()

    def say(self) -> None:
        """Set the words."""
        name = _("Jump to latest: new content") if self.news else _("Jump to latest")
        self.setAccessibleName(name)
        self.setToolTip(name)

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = theme().colors
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(colors.accent if self.hasFocus() else colors.border_strong))
        painter.setBrush(QColor(colors.hover if self.underMouse() else colors.raised))
        painter.drawEllipse(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        self.icon().paint(painter, self.rect().adjusted(9, 9, -9, -9))
        if self.news:
            painter.setPen(QColor(colors.raised))
            painter.setBrush(QColor(colors.accent))
            painter.drawEllipse(QRectF(_SIZE - 12, 1, 10, 10))
        painter.end()
