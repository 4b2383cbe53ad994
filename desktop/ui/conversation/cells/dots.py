"""Three dots that move while an answer is on its way; still where the system asks for no motion."""

from PySide6.QtCore import QBasicTimer, QSize, Qt, QTimerEvent
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from desktop.ui.theme.theme import theme

_STEP_MS = 300


class Dots(QWidget):
    """Moves only while it is to be seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timer = QBasicTimer()
        self._lit = 0
        self.setFixedSize(QSize(26, 22))

    def showEvent(self, event: QShowEvent) -> None:
        if theme().motion_ms:
            self._timer.start(_STEP_MS, self)

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()

    def timerEvent(self, event: QTimerEvent) -> None:
        self._lit = (self._lit + 1) % 3
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for number in range(3):
            lit = not self._timer.isActive() or number == self._lit
            painter.setBrush(QColor(theme().colors.muted if lit else theme().colors.border_strong))
            painter.drawEllipse(2 + number * 9, 8, 5, 5)
        painter.end()
