"""The pictures of the tray: a shape for each state, and a badge with how much waits.

A panel may be dark on a light desktop and the other way round: every colour stands out from both.
"""

from functools import lru_cache
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop.paths import resource
from desktop.ui.theme.theme import text_font

IDLE, WORKING, NEEDS_YOU, TROUBLE = "idle", "working", "needs", "trouble"

_SIZES: Final = (16, 18, 20, 22, 24, 32, 44, 48, 64)
"""In pixels; panels take the one that fits, and none is scaled."""
_MOST = 9
_COLOURS: Final = {
    IDLE: ("#0b7a82", "#2b9fa7"),
    WORKING: ("#0b7a82", "#2b9fa7"),
    NEEDS_YOU: ("#b06a00", "#c9821a"),
    TROUBLE: ("#c2372e", "#e0554b"),
}
_BADGE: Final = ("#c2372e", "#ffffff")
_BADGE_ON_RED: Final = ("#f3c26b", "#1d2123")
_SHARE, _LEAST = 0.52, 10
"""Of the icon's height that the badge has, and what it needs to be read."""


@lru_cache(64)
def tray_icon(state: str, waiting: str, dark: bool) -> QIcon:
    """The icon of a state; `waiting`: what badge() gave; `dark`: for a dark desktop."""
    icon = QIcon()
    renderer = QSvgRenderer(_source(state, _COLOURS[state][dark]))
    for size in _SIZES:
        icon.addPixmap(_picture(renderer, size, state, waiting))
    return icon


def badge(waiting: int) -> str:
    """The number on the badge; empty where there is none."""
    if waiting <= 0:
        return ""
    return str(waiting) if waiting <= _MOST else f"{_MOST}+"


def _source(state: str, colour: str) -> bytes:
    text = resource("icons", f"tray-{state}.svg").read_text("utf-8")
    return text.replace("currentColor", colour).encode()


def _picture(renderer: QSvgRenderer, size: int, state: str, waiting: str) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, size, size))
    if waiting:
        _paint_badge(painter, size, waiting, *(_BADGE_ON_RED if state == TROUBLE else _BADGE))
    painter.end()
    return pixmap


def _paint_badge(painter: QPainter, size: int, waiting: str, back: str, front: str) -> None:
    """A pill in the lower right corner, on whole pixels, cut free from the shape behind it."""
    height = max(_LEAST, round(size * _SHARE))
    figures = _figures(waiting, round(height * 0.8))
    width = max(height, round(figures.boundingRect().width()) + round(height * 0.36))
    pill = QRectF(size - width, size - height, width, height)
    gap = max(1.0, size / 20)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("black"))
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    _paint_pill(painter, pill.adjusted(-gap, -gap, gap, gap))
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
    painter.setBrush(QColor(back))
    _paint_pill(painter, pill)
    painter.setBrush(QColor(front))
    middle = pill.center() - figures.boundingRect().center()
    painter.drawPath(figures.translated(QPointF(middle.x(), round(middle.y()))))


def _paint_pill(painter: QPainter, pill: QRectF) -> None:
    radius = pill.height() / 2
    painter.drawRoundedRect(pill, radius, radius)


def _figures(text: str, pixels: int) -> QPainterPath:
    font = text_font()
    font.setPixelSize(pixels)
    font.setBold(True)
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    path.addText(0, 0, font, text)
    return path
