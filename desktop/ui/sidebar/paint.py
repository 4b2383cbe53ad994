"""How a row of the list looks: a title, when it was or what goes on, a menu button under the mouse."""

from datetime import datetime

from PySide6.QtCore import QAbstractItemModel, QEvent, QLocale, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.text import _, language
from desktop.ui.sidebar.rows import ASKS, FOLD, HEADING, MOMENT, SNIPPET, STATE, UNREAD, WORKS, Index
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space

_ROW, _HEADING, _FOUND = 36, 34, 54
_DOT, _ARC = 8, 11


class RowPainter(QStyledItemDelegate):
    """Paints rows; a press on the menu button is told by `menu_wanted`."""

    menu_wanted = Signal(object, QPoint)
    """The row's index, and where the menu should open, in the view's coordinates."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = _HEADING if index.data(HEADING) else _FOUND if index.data(SNIPPET) else _ROW
        return QSize(option.rect.width(), height)

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
        editor.setGeometry(_box(option.rect))

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
    over = bool(state & QStyle.StateFlag.State_MouseOver)
    box = _box(option.rect)
    _ground(painter, option, chosen=bool(state & QStyle.StateFlag.State_Selected))
    unread = bool(index.data(UNREAD))
    inner = box.adjusted(Space.S, 0, -Space.S, 0)
    if snippet := str(index.data(SNIPPET) or ""):
        over = False
        inner = _said(painter, inner, snippet)
    inner.setRight(_trailing(painter, option.rect, inner, index, over, unread) - Space.S)
    font = text_font(Size.TEXT, QFont.Weight.DemiBold if unread else QFont.Weight.Normal)
    painter.setFont(font)
    painter.setPen(QColor(colors.text))
    title = painter.fontMetrics().elidedText(str(index.data()), Qt.TextElideMode.ElideRight, inner.width())
    painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)


def _said(painter: QPainter, inner: QRect, snippet: str) -> QRect:
    """Draw what was found in the lower half of a row; returns the upper one."""
    lower = inner.adjusted(0, inner.height() // 2 - 2, 0, -Space.XS)
    painter.setFont(text_font(Size.SMALL))
    painter.setPen(QColor(theme().colors.muted))
    text = painter.fontMetrics().elidedText(snippet, Qt.TextElideMode.ElideRight, lower.width())
    painter.drawText(lower, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
    return inner.adjusted(0, Space.XS, 0, -inner.height() // 2 + 2)


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
