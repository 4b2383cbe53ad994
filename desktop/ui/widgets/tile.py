"""The sign at the head of a row: a square in the accent's tint with an icon or an emoji on it."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size

_EDGE, _SIGN = 36, 18


class Tile(QWidget):
    """Says nothing by itself: words stand beside it."""

    def __init__(self, name: str, role: str = "muted") -> None:
        super().__init__()
        self._name, self._role, self._letters = name, role, ""
        self.setFixedSize(_EDGE, _EDGE)

    def show_icon(self, name: str) -> None:
        """Be another one."""
        self._name = name
        self.update()

    def show_letters(self, letters: str) -> None:
        """Show these, or an emoji; "" for the icon."""
        self._letters = letters
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().colors.accent_soft))
        painter.drawRoundedRect(QRectF(self.rect()), Size.RADIUS, Size.RADIUS)
        if self._letters:
            font = text_font()
            font.setPixelSize(_SIGN)
            painter.setFont(font)
            painter.setPen(QColor(theme().colors.text))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._letters)
        else:
            edge = (_EDGE - _SIGN) // 2
            icon(self._name, self._role).paint(painter, QRect(edge, edge, _SIGN, _SIGN))
        painter.end()
