"""A switch: a check box drawn as a knob on a track, so that on and off are seen at a glance."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop.ui.theme.theme import theme

_WIDTH, _HEIGHT, _MARGIN = 36, 20, 3


class Switch(QCheckBox):
    """On or off, by mouse or Space. Its accessible name is set by who uses it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._at = 0.0
        self._slide = QVariantAnimation(self)
        self._slide.valueChanged.connect(self._move)
        self.toggled.connect(self._toggled)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH + 2 * _MARGIN, _HEIGHT + 2 * _MARGIN)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colors = theme().colors
        track = QRectF(_MARGIN, (self.height() - _HEIGHT) / 2, _WIDTH, _HEIGHT)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setOpacity(1.0 if self.isEnabled() else 0.5)
        painter.setBrush(QColor(colors.accent if self.isChecked() else colors.border_strong))
        painter.drawRoundedRect(track, _HEIGHT / 2, _HEIGHT / 2)
        knob = _HEIGHT - 4
        left = track.left() + 2 + self._at * (_WIDTH - knob - 4)
        painter.setBrush(QColor(colors.on_accent))
        painter.drawEllipse(QRectF(left, track.top() + 2, knob, knob))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colors.accent), 2))
            ring = track.adjusted(-2, -2, 2, 2)
            painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)
        painter.end()

    def _toggled(self, on: bool) -> None:
        self._slide.stop()
        self._slide.setStartValue(self._at)
        self._slide.setEndValue(1.0 if on else 0.0)
        self._slide.setDuration(theme().motion_ms if self.isVisible() else 0)
        self._slide.start()

    def _move(self, at: float) -> None:
        self._at = at
        self.update()
