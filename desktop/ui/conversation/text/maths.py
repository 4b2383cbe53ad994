"""Formulas as pictures: set by ziamath in a thread, a batch at a time, and kept for all messages.

What cannot be set is shown as it was typed.
"""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from math import ceil

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QImage, QPainter, QTextCharFormat
from PySide6.QtSvg import QSvgRenderer

from desktop.ui.conversation.text.maths_rules import DISPLAY, tex
from desktop.ui.theme.theme import text_font, theme

_SIZE, _DISPLAY_SIZE = 16.5, 18.5
"""Of the letters, in pixels: those of a formula look smaller than those of a text."""
_KEPT = 400
_MOST = 4_000
"""Pixels of a side; what is larger is shown as it was typed."""

type _Wish = tuple[str, str]
"""The address of a formula, and the colour of its letters."""


@dataclass(frozen=True, slots=True)
class Set:
    """A formula that is set."""

    image: QImage
    size: QSize
    """In device-independent pixels."""
    middle: bool
    """Whether its line of writing is in the middle of the picture, and not at the font's depth."""


class Maths(QObject):
    """Sets formulas; `arrived` tells of those that are there since the last time."""

    arrived = Signal(object)
    """Addresses, in a list."""
    _set = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._known: OrderedDict[_Wish, Set | None] = OrderedDict()
        self._wanted: list[_Wish] = []
        self._working = False
        self._set.connect(self._keep)

    def get(self, source: str) -> Set | None:
        """A formula in the colour of the text; None where it is not there yet, or cannot be set."""
        wish = (source, theme().colors.text)
        if wish in self._known:
            self._known.move_to_end(wish)
            return self._known[wish]
        if wish not in self._wanted:
            self._wanted.append(wish)
            self._begin()
        return None

    def vertical(self, source: str) -> QTextCharFormat.VerticalAlignment:
        """How its picture stands in a line."""
        found = self.get(source)
        middle = found is not None and found.middle
        kinds = QTextCharFormat.VerticalAlignment
        return kinds.AlignMiddle if middle else kinds.AlignBaseline

    def _begin(self) -> None:
        if self._working or not self._wanted:
            return
        self._working = True
        batch = list(self._wanted)  # they are wanted until they are there, once
        scale = QGuiApplication.primaryScreen().devicePixelRatio() if QGuiApplication.screens() else 1.0
        descent = QFontMetricsF(text_font()).descent()
        QThreadPool.globalInstance().start(lambda: self._work(batch, max(scale, 1.0), descent))

    def _work(self, batch: list[_Wish], scale: float, descent: float) -> None:
        made = [(wish, _made(*wish, scale, descent)) for wish in batch]
        try:
            self._set.emit(made)
        except RuntimeError:  # the program has ended
            return

    def _keep(self, made: list[tuple[_Wish, Set | None]]) -> None:
        self._working = False
        del self._wanted[: len(made)]
        for wish, found in made:
            self._known[wish] = found
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        self.arrived.emit([source for (source, _color), _found in made])
        self._begin()


@cache
def maths() -> Maths:
    """The one of the program."""
    return Maths()


def _made(source: str, color: str, scale: float, descent: float) -> Set | None:
    try:
        from ziamath.config import config
        from ziamath.zmath import Latex

        config.svg2 = False  # Qt knows no symbols
        display = source.startswith(DISPLAY)
        size = _DISPLAY_SIZE if display else _SIZE
        svg = Latex(tex(source), size=size, color=color, inline=not display).svg()
    except Exception:  # whatever a model wrote there: it is shown as typed
        return None
    renderer = QSvgRenderer(svg.encode())
    box = renderer.viewBoxF()
    if not renderer.isValid() or box.isEmpty() or max(box.width(), box.height()) > _MOST:
        return None
    over, under = -box.top(), max(0.0, box.bottom())
    middle = under > descent
    top = max(over, under) if middle else over
    size_px = QSize(ceil(box.width()), ceil(top + (top if middle else descent)))
    image = QImage(size_px * scale, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.scale(scale, scale)
    renderer.render(painter, QRectF(QPointF(0, top - over), box.size()))
    painter.end()
    return Set(image, size_px, middle)
