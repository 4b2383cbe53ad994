"""A turning arc: something is under way. It moves only while it is seen."""

from PySide6.QtCore import QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size

_TURN_MS = 900


class Spinner(QWidget):
    """As large as an icon."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(QSize(Size.ICON, Size.ICON))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._angle = 0
        self._turn = QVariantAnimation(self)
        self._turn.setStartValue(0)
        self._turn.setEndValue(360)
        self._turn.setDuration(_TURN_MS)
        self._turn.setLoopCount(-1)
        self._turn.valueChanged.connect(self._move)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if theme().motion_ms:
            self._turn.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._turn.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        circle = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        for color, start, span in (
            (theme().colors.border_strong, 0, 360),
            (theme().colors.accent, 90 - self._angle, -100),
        ):
            painter.setPen(QPen(QColor(color), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawArc(circle, start * 16, span * 16)
        painter.end()

    def _move(self, angle: int) -> None:
        self._angle = angle
        self.update()
