"""Bars over time, painted: pointed at, or gone through with the arrow keys, each tells its figures."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.text import _, titled
from desktop.ui.panels.usage import words
from desktop.ui.panels.usage.bars import Bars
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.words import spoken

_HEIGHT, _HEAD, _FOOT = 220, 44, 26
_NARROW, _SECOND = 380, 16
"""Below this width the figures may take a second line, so high."""
_WIDEST, _SHARE, _LEAST = 30, 0.66, 2.0
"""Of a bar: pixels at the most, its part of the room there is, how high it is at the least."""
_ROUND, _DOT, _APART = 3.0, 4.0, 72
_QUIET = 0.78
"""How much of its colour a bar has that nobody looks at."""


class Chart(QWidget):
    """Shows Bars."""

    def __init__(self) -> None:
        super().__init__()
        self._bars = Bars()
        self._current = -1
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme().changed.connect(self.update)
        spoken(self._words)

    def sizeHint(self) -> QSize:
        return QSize(400, _HEIGHT)

    def show_bars(self, bars: Bars) -> None:
        """Show these; the one that was looked at stays so where it is there still."""
        if len(bars.bars) != len(self._bars.bars):
            self._current = -1
        self._bars = bars
        self._words()

    @property
    def current(self) -> int:
        """The place of the bar that is looked at; -1 for none."""
        return self._current

    @property
    def told(self) -> tuple[str, str]:
        """What stands over the bars: a title, and figures."""
        bars = self._bars
        number = self._current
        if 0 <= number < len(bars.bars):
            return bars.bars[number].name, words.told(bars.bars[number].figures)
        if bars.highest < 0:
            return bars.title, ""
        highest = bars.bars[bars.highest]
        amount = bars.amount(bars.values[bars.highest])
        return bars.title, _("Highest: {amount}, {day}").format(amount=amount, day=highest.name)

    def _words(self) -> None:
        title, figures = self.told
        whole = title if self._current < 0 else titled(self._bars.title, title)
        self.setAccessibleName(f"{whole}. {figures}")
        self.setAccessibleDescription(_("Use Left and Right to move between bars."))
        self.update()

    # ---- looking at one

    def _look_at(self, number: int) -> None:
        if number != self._current:
            self._current = number
            self._words()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        plot, count = self._plot(), len(self._bars.bars)
        x = event.position().x()
        inside = count and plot.left() <= x < plot.right()
        self._look_at(int((x - plot.left()) / plot.width() * count) if inside else -1)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._look_at(-1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._look_at(len(self._bars.bars) - 1)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._look_at(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self._bars.bars) - 1
        before = self._current if self._current >= 0 else last + 1
        to = {
            Qt.Key.Key_Left: max(0, before - 1),
            Qt.Key.Key_Right: min(last, before + 1),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if to is None or last < 0:
            super().keyPressEvent(event)
        else:
            self._look_at(to)

    # ---- painting

    @property
    def _head(self) -> int:
        return _HEAD + (_SECOND if self.width() < _NARROW else 0)

    def _plot(self) -> QRectF:
        """Where bars are; amounts stand at its right."""
        small = QFontMetrics(text_font(Size.SMALL))
        top = self._bars.top
        beside = max(small.horizontalAdvance(self._bars.amount(value)) for value in (top, top / 2))
        room = QRectF(self.rect()).adjusted(Space.XS, self._head + Space.M, -Space.XS, -_FOOT)
        return room.adjusted(0, 0, -(beside + Space.S), 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        plot = self._plot()
        self._paint_head(painter)
        self._paint_lines(painter, plot)
        for number in range(len(self._bars.bars)):
            self._paint_bar(painter, plot, number)
        self._paint_marks(painter, plot)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme().colors.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.end()

    def _paint_head(self, painter: QPainter) -> None:
        title, figures = self.told
        colors, bold, small = theme().colors, text_font(weight=QFont.Weight.Medium), text_font(Size.SMALL)
        high, width = QFontMetrics(bold).height(), self.width() - 2 * Space.XS
        painter.setFont(bold)
        painter.setPen(QColor(colors.text))
        fits = QFontMetrics(bold).elidedText(title, Qt.TextElideMode.ElideRight, width)
        painter.drawText(QPointF(Space.XS, Space.XS + QFontMetrics(bold).ascent()), fits)
        painter.setFont(small)
        painter.setPen(QColor(colors.muted))
        where = QRectF(Space.XS, Space.XS + high + 2, width, self._head - high)
        painter.drawText(where, Qt.TextFlag.TextWordWrap, figures)

    def _paint_lines(self, painter: QPainter, plot: QRectF) -> None:
        colors, font = theme().colors, text_font(Size.SMALL)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        for share in (0.0, 0.5, 1.0):
            y = round(plot.bottom() - share * plot.height()) + 0.5
            painter.setPen(QPen(QColor(colors.border_strong if not share else colors.border), 1))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            if share:
                amount = self._bars.amount(share * self._bars.top)
                x = self.width() - Space.XS - metrics.horizontalAdvance(amount)
                painter.setPen(QColor(colors.muted))
                painter.drawText(QPointF(x, y + metrics.ascent() / 2 - 1), amount)

    def _middle(self, plot: QRectF, number: int) -> float:
        return plot.left() + (number + 0.5) * plot.width() / len(self._bars.bars)

    def _paint_bar(self, painter: QPainter, plot: QRectF, number: int) -> None:
        colors, bar = theme().colors, self._bars.bars[number]
        slot = plot.width() / len(self._bars.bars)
        middle, looked_at = self._middle(plot, number), number == self._current
        if looked_at:
            painter.fillRect(
                QRectF(middle - slot / 2, plot.top(), slot, plot.height()), QColor(colors.hover)
            )
        painter.setPen(Qt.PenStyle.NoPen)
        if self._bars.paid and bar.figures.unpriced:
            painter.setBrush(QColor(colors.warning))
            painter.drawEllipse(QPointF(middle, plot.bottom() + _DOT + 1), _DOT / 2, _DOT / 2)
        value = self._bars.values[number]
        if not value:
            return
        width = min(_WIDEST, max(1.0, slot * _SHARE))
        height = max(_LEAST, plot.height() * value / self._bars.top)
        painter.setBrush(_mixed(colors.link, colors.raised, 1.0 if looked_at else _QUIET))
        painter.drawPath(_pillar(QRectF(middle - width / 2, plot.bottom() - height, width, height)))

    def _paint_marks(self, painter: QPainter, plot: QRectF) -> None:
        bars = self._bars.bars
        if not bars:
            return
        painter.setPen(QColor(theme().colors.muted))
        painter.setFont(text_font(Size.SMALL))
        metrics = QFontMetrics(text_font(Size.SMALL))
        step = max(1, -(-len(bars) * _APART // max(1, int(plot.width()))))
        for number in range(len(bars) - 1, -1, -step):
            mark = bars[number].mark
            half = metrics.horizontalAdvance(mark) / 2
            x = min(max(self._middle(plot, number), plot.left() + half), plot.right() - half)
            painter.drawText(QPointF(x - half, self.height() - metrics.descent() - 2), mark)


def _mixed(over: str, under: str, share: float) -> QColor:
    """A colour on another one, so much of it; lines behind do not shine through."""
    one, other = QColor(over), QColor(under)
    pairs = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return QColor(*(round(share * top + (1 - share) * ground) for top, ground in pairs))


def _pillar(rect: QRectF) -> QPainterPath:
    """A bar whose upper corners are round."""
    radius = min(_ROUND, rect.width() / 2, rect.height())
    path = QPainterPath(rect.bottomLeft())
    path.lineTo(rect.left(), rect.top() + radius)
    path.quadTo(rect.topLeft(), QPointF(rect.left() + radius, rect.top()))
    path.lineTo(rect.right() - radius, rect.top())
    path.quadTo(rect.topRight(), QPointF(rect.right(), rect.top() + radius))
    path.lineTo(rect.bottomRight())
    path.closeSubpath()
    return path
