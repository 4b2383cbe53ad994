"""What models, conversations or causes came to, as a list: a soft bar behind each, as long as its part."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QStandardItem,
    QStandardItemModel,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from desktop.api.usage import UsageLine
from desktop.text import _, titled
from desktop.ui.panels.usage import words
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.calm_list import CalmList
from desktop.ui.widgets.plain import shown
from desktop.ui.words import spoken

_ROW, _GAP, _ROUND = 52, 2, 8
_LINE, _PART = Qt.ItemDataRole.UserRole + 1, Qt.ItemDataRole.UserRole + 2
_TITLE = 300
"""Characters of a title that are shown at the most."""


class Lines(CalmList):
    """As high as it is long: the page around it scrolls."""

    open_wanted = Signal(str)
    """The conversation."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: Sequence[UsageLine] = ()
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self.setItemDelegate(_Painter(self))
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.clicked.connect(self._open)
        self.activated.connect(self._open)
        spoken(self._words)

    def _words(self) -> None:
        self.setAccessibleName(_("Breakdown"))
        for number, line in enumerate(self._lines):
            self._items.item(number).setData(said(line), Qt.ItemDataRole.AccessibleTextRole)
        self.viewport().update()

    @property
    def said(self) -> list[str]:
        """Each line in words."""
        return [said(line) for line in self._lines]

    def show_lines(self, lines: Sequence[UsageLine], *, paid: bool) -> None:
        """Show these. `paid`: their parts are those of the money, else of the tokens."""
        self._lines = lines
        most = max((_amount(line, paid=paid) for line in lines), default=0) or 1
        for number, line in enumerate(lines):
            item = self._items.item(number)
            if item is None:
                item = QStandardItem()
                self._items.appendRow(item)
            item.setData(line, _LINE)
            item.setData(_amount(line, paid=paid) / most, _PART)
        self._items.setRowCount(len(lines))
        self.setFixedHeight(max(1, len(lines)) * _ROW + 2)
        self._words()

    def _open(self, index: QModelIndex | QPersistentModelIndex) -> None:
        line = self._lines[index.row()]
        if line.there:
            self.open_wanted.emit(line.name[0])

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls


def _amount(line: UsageLine, *, paid: bool) -> float:
    return line.usd if paid else line.tokens


def said(line: UsageLine) -> str:
    """A line in words."""
    title = ", ".join(filter(None, (shown(line.title)[:_TITLE], line.about)))
    return titled(title, words.told(line))


class _Painter(QStyledItemDelegate):
    """Two lines at the left, what and how much; two at the right, what it cost and what is not known."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, _ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        line: UsageLine = index.data(_LINE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, float(index.data(_PART)), line)
        inner = option.rect.adjusted(Space.M, 7, -Space.M, -7)
        upper = QRect(inner.left(), inner.top(), inner.width(), inner.height() // 2)
        self._paint_upper(painter, upper, line)
        self._paint_lower(painter, upper.translated(0, upper.height()), line)
        painter.restore()

    def _paint_upper(self, painter: QPainter, room: QRect, line: UsageLine) -> None:
        colors, small = theme().colors, text_font(Size.SMALL)
        color = colors.text if line.priced else colors.muted
        medium = text_font(weight=QFont.Weight.Medium)
        used = _write(painter, room, words.cost(line), medium, color, right=True)
        room = room.adjusted(0, 0, -used - Space.L, 0)
        used = _write(painter, room, shown(line.title)[:_TITLE], text_font(), colors.text)
        _write(painter, room.adjusted(used + Space.S, 0, 0, 0), line.about, small, colors.muted)

    def _paint_lower(self, painter: QPainter, room: QRect, line: UsageLine) -> None:
        """What is not known comes before the number of calls where there is no room for both."""
        colors, small = theme().colors, text_font(Size.SMALL)
        unknown = words.unknown(line)
        tokens = words.tokens(line.tokens)
        figures = f"{tokens} · {words.calls(line.calls)}"
        needed = sum(QFontMetrics(small).horizontalAdvance(text) for text in (unknown, figures))
        if unknown and needed + Space.L > room.width():
            figures = tokens
        used = _write(painter, room, figures, small, colors.muted)
        rest = room.adjusted(used + Space.M, 0, 0, 0)
        _write(painter, rest, unknown, small, colors.warning, right=True)

    def _paint_ground(
        self, painter: QPainter, option: QStyleOptionViewItem, part: float, line: UsageLine
    ) -> None:
        colors, state = theme().colors, option.state
        whole = QRectF(option.rect).adjusted(1, _GAP, -1, -_GAP)
        painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_MouseOver and line.there:
            painter.setBrush(QColor(colors.hover))
            painter.drawRoundedRect(whole, _ROUND, _ROUND)
        if part:
            painter.setBrush(QColor(colors.accent_soft))
            width = max(2.0 * _ROUND, whole.width() * part)
            painter.drawRoundedRect(
                QRectF(whole.left(), whole.top(), width, whole.height()), _ROUND, _ROUND
            )
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(colors.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(whole.adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)


def _write(
    painter: QPainter, where: QRect, text: str, font: QFont, color: str, *, right: bool = False
) -> int:
    """Write a text in one line, cut where it does not fit; how wide it is."""
    if not text or where.width() <= 0:
        return 0
    metrics = QFontMetrics(font)
    fits = metrics.elidedText(text, Qt.TextElideMode.ElideRight, where.width())
    painter.setFont(font)
    painter.setPen(QColor(color))
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | side, fits)
    return metrics.horizontalAdvance(fits)
