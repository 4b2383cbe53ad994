"""How a row of the list looks: a title, when it was or what goes on, a menu button under the mouse."""

from datetime import datetime

from PySide6.QtCore import QAbstractItemModel, QEvent, QLocale, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.text import _, language
from desktop.ui.sidebar.channels import SIGNS
from desktop.ui.sidebar.rows import (
    ASKS,
    CHANNEL,
    FOLD,
    HEADING,
    LINES,
    MOMENT,
    SENDER,
    SNIPPET,
    STATE,
    UNREAD,
    WORKS,
)
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.steady_rows import Index

_ROW = 36
_HEIGHTS = (34, _ROW, 54)
"""Of a heading, and of rows of one line and of two."""
_DOT, _ARC = 8, 11


class RowPainter(QStyledItemDelegate):
    """Paints rows; a press on the menu button is told by `menu_wanted`."""

    menu_wanted = Signal(object, QPoint)
    """The row's index, and where the menu should open, in the view's coordinates."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(option.rect.width(), _HEIGHTS[index.data(LINES)])

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.data(HEADING):
            _heading(painter, option.rect, index)
        elif index.data(FOLD) is not None:
            _fold(painter, option, index)
        else:
            _row(painter, option, index)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        made = super().createEditor(parent, option, index)
        made.setAccessibleName(_("Rename"))
        return made

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if not (isinstance(editor, QLineEdit) and editor.isModified()):  # a title may come from elsewhere
            super().setEditorData(editor, index)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        box = _box(option.rect)
        editor.setGeometry(box.adjusted(0, 0, 0, min(0, _ROW - option.rect.height())))

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.LeftButton
            and not index.data(HEADING)
            and index.data(FOLD) is None
            and not index.data(SNIPPET)
            and _menu_place(option.rect).contains(event.position().toPoint())
        ):
            self.menu_wanted.emit(index, _menu_place(option.rect).bottomLeft())
            return True
        return super().editorEvent(event, model, option, index)


def _box(rect: QRect) -> QRect:
    """The rounded rectangle of a row."""
    return rect.adjusted(Space.S, 1, -Space.S, -1)


def _heading(painter: QPainter, rect: QRect, index: Index) -> None:
    painter.setFont(text_font(Size.SMALL, QFont.Weight.DemiBold))
    painter.setPen(QColor(theme().colors.muted))
    place = rect.adjusted(Space.L, 0, -Space.M, -6)
    painter.drawText(
        place,
        Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom,
        str(index.data()).upper() if language() == "en" else str(index.data()),
    )


def _fold(painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
    """A quiet row: what it opens, and which way it stands."""
    _ground(painter, option, chosen=False)
    inner = _box(option.rect).adjusted(Space.S, 0, -Space.S, 0)
    side = Size.ICON
    sign = QRect(inner.left(), inner.center().y() - side // 2, side, side)
    icon("chevron-down" if index.data(FOLD) else "chevron-right").paint(painter, sign)
    painter.setFont(text_font(Size.SMALL))
    painter.setPen(QColor(theme().colors.muted))
    place = inner.adjusted(side + Space.S, 0, 0, 0)
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, str(index.data()))


def _ground(painter: QPainter, option: QStyleOptionViewItem, *, chosen: bool) -> None:
    """What lies under a row: whether it is chosen, under the mouse, or has the keyboard."""
    colors, state, box = theme().colors, option.state, _box(option.rect)
    if chosen or state & QStyle.StateFlag.State_MouseOver:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.selected if chosen else colors.hover))
        painter.drawRoundedRect(box, Size.RADIUS, Size.RADIUS)
    if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
        painter.setPen(QColor(colors.accent))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, Size.RADIUS, Size.RADIUS)


def _row(painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
    colors = theme().colors
    state = option.state
    over = bool(state & QStyle.StateFlag.State_MouseOver) and not index.data(SNIPPET)
    box = _box(option.rect)
    _ground(painter, option, chosen=bool(state & QStyle.StateFlag.State_Selected))
    unread = bool(index.data(UNREAD))
    inner, lower = box.adjusted(Space.S, 0, -Space.S, 0), QRect()
    if second := _second_line(index):
        inner, lower = _halves(inner)
    if channel := index.data(CHANNEL):
        side = Size.SMALL + 2
        sign = QRect(inner.left(), inner.center().y() - side // 2 + 1, side, side)
        icon(SIGNS[channel]).paint(painter, sign)
        inner.setLeft(sign.right() + Space.S)
        lower.setLeft(inner.left())
    inner.setRight(_trailing(painter, option.rect, inner, index, over, unread) - Space.S)
    if over:
        lower.setRight(inner.right())
    font = text_font(Size.TEXT, QFont.Weight.DemiBold if unread else QFont.Weight.Normal)
    _line(painter, inner, str(index.data()), font, colors.text)
    if second:
        _line(painter, lower, second, text_font(Size.SMALL), colors.muted)


def _second_line(index: Index) -> str:
    """What stands below the title: the words that were found, or who writes."""
    return str(index.data(SNIPPET) or index.data(SENDER) or "")


def _halves(inner: QRect) -> tuple[QRect, QRect]:
    """The places of a title and of what stands below it."""
    half = inner.height() // 2 - 2
    return inner.adjusted(0, Space.XS, 0, -half), inner.adjusted(0, half, 0, -Space.XS)


def _line(painter: QPainter, place: QRect, text: str, font: QFont, color: str) -> None:
    """One line of text, as much as there is room for."""
    painter.setFont(font)
    painter.setPen(QColor(color))
    cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, cut)


def _trailing(painter: QPainter, rect: QRect, inner: QRect, index: Index, over: bool, unread: bool) -> int:
    """Draw what stands at the right; returns where it begins."""
    colors = theme().colors
    if over:
        place = _menu_place(rect)
        side = (place.width() - Size.ICON) // 2
        icon("ellipsis").paint(painter, place.adjusted(side, side, -side, -side))
        return place.left()
    right, state = inner.right(), index.data(STATE)
    if state == WORKS:
        arc = QRect(right - _ARC, inner.center().y() - _ARC // 2 + 1, _ARC, _ARC)
        for color, start, span in ((colors.border_strong, 0, 360), (colors.accent, 90, -100)):
            painter.setPen(QPen(QColor(color), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawArc(arc, start * 16, span * 16)
        return arc.left()
    if unread or state == ASKS:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.warning if state == ASKS else colors.accent))
        painter.drawEllipse(right - _DOT, inner.center().y() - _DOT // 2 + 1, _DOT, _DOT)
        return right - _DOT
    painter.setFont(text_font(Size.SMALL))
    painter.setPen(QColor(colors.muted))
    moment = _moment(index.data(MOMENT))
    painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, moment)
    return right - painter.fontMetrics().horizontalAdvance(moment)


def _menu_place(rect: QRect) -> QRect:
    side = 26
    return QRect(rect.right() - Space.S - side - 3, rect.center().y() - side // 2, side, side)


def _moment(moment: datetime) -> str:
    """The time of today, the day of this week, else the date."""
    local = moment.astimezone()
    locale = QLocale(language())
    days = (datetime.now().astimezone().date() - local.date()).days
    if days <= 0:
        return f"{local:%H:%M}"
    if days < 7:
        return locale.dayName(local.isoweekday(), QLocale.FormatType.ShortFormat)
    same_year = local.year == datetime.now().astimezone().year
    if language() == "zh_CN":
        return f"{local.month}月{local.day}日" if same_year else f"{local.year}/{local.month}"
    month = locale.monthName(local.month, QLocale.FormatType.ShortFormat)
    return f"{month} {local.day}" if same_year else f"{month} {local.year}"
