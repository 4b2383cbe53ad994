"""The list over the message field from which a command, a skill or a file is chosen.

It is a part of the window, not a window of its own, and never takes the keyboard: the field keeps it.
"""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.text import _
from desktop.ui.conversation.composer.completion import Choice
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.calm_list import CalmList
from desktop.ui.widgets.labels import tip
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

_ROW, _ROWS = 34, 8
_ABOUT, _TAKES = Qt.ItemDataRole.UserRole + 1, Qt.ItemDataRole.UserRole + 2
_NAMES = 150
"""Room for the names, at least; a longer one pushes its description aside."""
_SHEET = """
QFrame#completions { background: $raised; border: 1px solid $border_strong; border-radius: 10px; }
QListView { background: transparent; border: none; }
"""


class Popup(QFrame):
    """Shows choices, and says which was pressed."""

    pressed = Signal(int)
    """Its place in the list."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._around = parent
        self.setObjectName("completions")
        styled(self, _SHEET)
        self.model = QStandardItemModel(self)
        self.list = CalmList()
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Painter(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.entered.connect(self.list.setCurrentIndex)
        self.list.clicked.connect(lambda index: self.pressed.emit(index.row()))
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.XS, Space.XS, Space.XS, Space.XS)
        column.addWidget(self.list)
        self.hide()
        spoken(self._words)

    def _words(self) -> None:
        self.setAccessibleName(_("Completions"))
        self.list.setAccessibleName(_("Suggestions"))

    def show_choices(self, found: Sequence[Choice]) -> None:
        """Show these; the first one is chosen, or the same as before where it is still there."""
        before = self.list.currentIndex().data()
        self.model.clear()
        for choice in found:
            about = " ".join(shown(choice.about).split())
            item = QStandardItem(choice.name)
            item.setData(about, _ABOUT)
            item.setData(choice.takes, _TAKES)
            item.setData(f"{choice.name}, {about}", Qt.ItemDataRole.AccessibleTextRole)
            item.setToolTip(tip(about))
            self.model.appendRow(item)
        names = [choice.name for choice in found]
        self._choose(names.index(before) if before in names and self.isVisible() else 0)

    @property
    def chosen(self) -> int:
        """The place of the one that is chosen."""
        return self.list.currentIndex().row()

    def step(self, by: int) -> None:
        """Choose another one; after the last comes the first."""
        self._choose((self.chosen + by) % self.model.rowCount())

    def _choose(self, row: int) -> None:
        index = self.model.index(row, 0)
        self.list.setCurrentIndex(index)
        self.list.scrollTo(index)
        words = str(index.data(Qt.ItemDataRole.AccessibleTextRole))
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def stand_over(self, below: QWidget) -> None:
        """Take the place right over a widget of the same window, as tall as the choices."""
        corner = below.mapTo(self._around, QPoint(0, 0))
        rows = min(self.model.rowCount(), _ROWS, max(1, (corner.y() - 3 * Space.S) // _ROW))
        height = rows * _ROW + 2 * Space.XS + 2
        self.setGeometry(corner.x(), corner.y() - height - Space.XS, below.width(), height)
        self.show()
        self.raise_()


class _Painter(QStyledItemDelegate):
    """Name at the left, what it is about behind it."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, _ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colors = theme().colors
        rect = QRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.selected))
            painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), 6, 6)
        rect.adjust(Space.M, 0, -Space.M, 0)
        font = text_font(weight=QFont.Weight.Medium)
        used = _write(painter, rect, str(index.data()), font, colors.text)
        if takes := str(index.data(_TAKES)):
            behind = rect.adjusted(used + Space.XS, 0, 0, 0)
            used += Space.XS + _write(painter, behind, takes, text_font(Size.SMALL), colors.muted)
        rect.setLeft(rect.left() + max(used, min(_NAMES, rect.width() // 3)) + Space.M)
        _write(painter, rect, str(index.data(_ABOUT)), text_font(Size.TEXT - 1), colors.muted)


def _write(painter: QPainter, rect: QRect, text: str, font: QFont, color: str) -> int:
    """Write a text that ends in an ellipsis where it does not fit; returns how wide it is."""
    metrics = QFontMetrics(font)
    words = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, rect.width()))
    painter.setFont(font)
    painter.setPen(QColor(color))
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
    return metrics.horizontalAdvance(words)
