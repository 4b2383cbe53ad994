"""The versions of the memory as a list, the newest first."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from desktop.text import _, listed
from desktop.ui.panels.memory import words
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.calm_list import CalmList
from desktop.ui.widgets.plain import shown
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.memory import VersionLine

_ROW, _ROWS = 44, 6
_WHAT, _CAUSE = Qt.ItemDataRole.UserRole + 1, Qt.ItemDataRole.UserRole + 2
_DOT = 9
_COLOURS = {"dream": "link", "person": "success", "agent": "warning", "restore": "muted"}


class Timeline(CalmList):
    """One version is chosen, by press or by arrow."""

    chosen = Signal(int)
    """Its place in the list."""

    def __init__(self) -> None:
        super().__init__()
        self._versions: Sequence[VersionLine] = ()
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self.setItemDelegate(_Painter(self))
        self.setUniformItemSizes(True)
        self.setTabKeyNavigation(False)
        self.selectionModel().currentChanged.connect(lambda index: self.chosen.emit(index.row()))
        self.selectionModel().selectionChanged.connect(self._selected)
        spoken(self._words)

    def _words(self) -> None:
        self.setAccessibleName(_("Memory versions"))
        for number, version in enumerate(self._versions):
            self._say(self._items.item(number), version)

    def show_versions(self, versions: Sequence["VersionLine"]) -> None:
        """Show these; the one that was chosen stays it, or the newest is."""
        before = self._versions[self.row].id if 0 <= self.row < len(self._versions) else ""
        self._versions = versions
        ids = [version.id for version in versions]
        self.selectionModel().blockSignals(True)
        self._items.clear()
        for version in versions:
            item = QStandardItem()
            self._say(item, version)
            self._items.appendRow(item)
        self.selectionModel().blockSignals(False)
        self.setFixedHeight(min(_ROWS, max(1, len(versions))) * _ROW + 2)
        if versions:
            self.setCurrentIndex(self._items.index(ids.index(before) if before in ids else 0, 0))

    @property
    def row(self) -> int:
        """The place of the one that is chosen; -1 for none."""
        return self.currentIndex().row()

    def _selected(self) -> None:
        """Assistive technologies select; they do not make current."""
        for index in self.selectedIndexes():
            self.setCurrentIndex(index)

    def _say(self, item: QStandardItem, version: "VersionLine") -> None:
        item.setText(words.when(version.at))
        item.setData(what(version), _WHAT)
        item.setData(version.cause, _CAUSE)
        item.setData(f"{name(version)}, {what(version)}", Qt.ItemDataRole.AccessibleTextRole)


def name(version: "VersionLine") -> str:
    """When and by whom."""
    return f"{words.when(version.at)} · {words.who(version.cause)}"


def what(version: "VersionLine") -> str:
    """What was changed, in one line."""
    files = listed(words.file_title(file) for file in version.files)
    message = " ".join(shown(version.message).split())
    if version.cause == "restore":  # its message is for who reads the repository
        return files
    return " · ".join(filter(None, (message, files)))


class _Painter(QStyledItemDelegate):
    """A dot in the colour of who, the time, who, and under it what."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, _ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colors, rect = theme().colors, QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(
                QColor(colors.accent)
                if option.state & QStyle.StateFlag.State_HasFocus
                else Qt.PenStyle.NoPen
            )
            painter.setBrush(QColor(colors.selected))
            painter.drawRoundedRect(QRectF(rect).adjusted(2.5, 1.5, -2.5, -1.5), 6, 6)
        cause = str(index.data(_CAUSE))
        middle = rect.left() + Space.L + _DOT / 2
        painter.setPen(QColor(colors.border_strong))
        painter.drawLine(int(middle), rect.top(), int(middle), rect.bottom())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(colors, _COLOURS.get(cause, "muted"))))
        painter.drawEllipse(QRectF(middle - _DOT / 2, rect.top() + 10, _DOT, _DOT))
        rect.adjust(Space.L + _DOT + Space.M, 5, -Space.M, -5)
        upper = QRect(rect.left(), rect.top(), rect.width(), rect.height() // 2)
        used = _write(painter, upper, words.who(cause), text_font(weight=QFont.Weight.Medium), colors.text)
        upper.setLeft(upper.left() + used + Space.S)
        _write(painter, upper, str(index.data()), text_font(Size.SMALL), colors.muted)
        lower = QRect(rect.left(), rect.top() + rect.height() // 2, rect.width(), rect.height() // 2)
        _write(painter, lower, str(index.data(_WHAT)), text_font(Size.SMALL), colors.muted)
        painter.restore()


def _write(painter: QPainter, rect: QRect, text: str, font: QFont, color: str) -> int:
    """Write a text that ends in an ellipsis where it does not fit; returns how wide it is."""
    metrics = QFontMetrics(font)
    fits = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, rect.width()))
    painter.setFont(font)
    painter.setPen(QColor(color))
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, fits)
    return metrics.horizontalAdvance(fits)
