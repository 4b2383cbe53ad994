"""The palette as it looks: a field, and under it what was found, painted; the window behind is dimmed."""

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QFont,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from shiboken6 import isValid

from desktop.text import _, language
from desktop.ui.palette.item import Item
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.calm_list import CalmList
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.steady_rows import Index
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

_WIDTH, _ROW, _HEADING, _ROWS_HEIGHT = 640, 38, 30, 400
_ITEM, _HEAD = Qt.ItemDataRole.UserRole + 1, Qt.ItemDataRole.UserRole + 2
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}
_PAGES = {Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
_SHEET = """
QFrame#palette { background: $raised; border: 1px solid $border_strong; border-radius: 14px; }
QFrame#palette QLineEdit { background: transparent; border: none; font-size: 16px; min-height: 40px; }
QFrame#palette QListView { background: transparent; border: none; }
QFrame#palette QFrame#across { background: $border; border: none; }
"""

type Row = Item | str


class Found(QAbstractListModel):
    """Items under the names of their groups."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[Row] = []

    def fill(self, items: Iterable[Item]) -> None:
        """Show these, which come by groups."""
        rows: list[Row] = []
        group = ""
        for item in items:
            if item.group != group:
                group = item.group
                rows.append(_(group))
            rows.append(item)
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def step(self, row: int, by: int) -> int:
        """The item so many items away from a row, going round at the ends; -1 where there is none."""
        items = [at for at, one in enumerate(self.rows) if isinstance(one, Item)]
        if not items:
            return -1
        place = items.index(row) if row in items else -1 if by > 0 else 0
        if abs(by) > 1:
            return items[min(max(place + by, 0), len(items) - 1)]
        return items[(place + by) % len(items)]

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if isinstance(row, str):
            texts = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
            return row if role in texts else True if role == _HEAD else None
        return {
            Qt.ItemDataRole.DisplayRole: row.title,
            Qt.ItemDataRole.AccessibleTextRole: ", ".join(
                part for part in (row.title, row.about, _(row.group)) if part
            ),
            _ITEM: row,
        }.get(role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if isinstance(self.rows[index.row()], str):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class PaletteView(QWidget):
    """Covers its window; chosen() is told which item, and it goes by itself."""

    chosen = Signal(object)
    typed = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._before: QWidget | None = None
        """Who had the keyboard."""
        window.installEventFilter(self)
        self._frame = QFrame(self)
        self._frame.setObjectName("palette")
        styled(self._frame, _SHEET)
        self.field, self.list, self.found = QLineEdit(), CalmList(), Found(self)
        self._moved = False
        """Whether the person chose a row since the last letter: only then it stays when more is found."""
        self._nothing = label("muted")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setFixedHeight(72)
        self.field.textChanged.connect(self._typed)
        self.field.installEventFilter(self)
        self._lay_out()
        self.hide()
        spoken(self._words)

    def _lay_out(self) -> None:
        self.list.setModel(self.found)
        self.list.setItemDelegate(_Painter(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.clicked.connect(self._clicked)
        across = QFrame()
        across.setObjectName("across")
        across.setFixedHeight(1)
        down(
            self.field,
            across,
            self.list,
            self._nothing,
            gap=Space.XS,
            edges=(Space.S, Space.S, Space.S, Space.S),
            of=self._frame,
        )

    def _words(self) -> None:
        self._frame.setAccessibleName(_("Command palette"))
        self.field.setAccessibleName(_("Search everything"))
        self.field.setPlaceholderText(_("Search everything, or run a command"))
        self.list.setAccessibleName(_("Results"))
        self._nothing.setText(_("No results"))

    def present(self) -> None:
        """Come, empty, with the keyboard."""
        self._before = self._window.focusWidget()
        self.field.clear()
        self._forget()
        self._fit()
        self.show()
        self.raise_()
        self.field.setFocus()

    def show_items(self, items: Sequence[Item], *, searching: bool) -> None:
        """Show these, the best of them chosen; the one that the person went to stays so where it is still
        there."""
        before = self.list.currentIndex().data(_ITEM) if self._moved else None
        self.found.fill(items)
        same = (
            at for at, row in enumerate(self.found.rows) if isinstance(row, Item) and _same(row, before)
        )
        self._choose(next(same, -1) if before is not None else -1)
        self.list.setVisible(bool(items))
        self._nothing.setVisible(not items and not searching)
        self._fit()

    def _typed(self, text: str) -> None:
        self._forget()
        self.typed.emit(text)

    def _forget(self) -> None:
        """Nothing is chosen yet of what will be found."""
        self._moved = False
        self.list.setCurrentIndex(QModelIndex())

    def _choose(self, row: int) -> None:
        if row < 0:
            row = self.found.step(-1, 1)
        index = self.found.index(row, 0) if row >= 0 else QModelIndex()
        self.list.setCurrentIndex(index)
        if not index.isValid():
            return
        self.list.scrollTo(self.found.index(0, 0) if row <= 1 else index)
        words = str(index.data(Qt.ItemDataRole.AccessibleTextRole))
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.list, words))

    def _clicked(self, index: QModelIndex) -> None:
        self._take(index.data(_ITEM))

    def _take(self, item: Item | None) -> None:
        if item is not None:
            self.hide()
            self.chosen.emit(item)

    def _fit(self) -> None:
        self.setGeometry(self._window.rect())
        rows = sum(_HEADING if isinstance(row, str) else _ROW for row in self.found.rows)
        room = min(_ROWS_HEIGHT, max(_ROW, self.height() - 200))
        self.list.setFixedHeight(min(rows + 2, room))
        width = min(_WIDTH, self.width() - 2 * Space.L)
        layout = self._frame.layout()
        height = layout.totalMinimumSize().height() if layout else 0
        top = max(Space.L, min(110, (self.height() - height) // 3))
        self._frame.setGeometry(QRect((self.width() - width) // 2, top, width, height))

    # ---- the keyboard, which the field has

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window:
            if event.type() == QEvent.Type.Resize and self.isVisible():
                self._fit()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(Qt.Key(event.key()))
        elif event.type() == QEvent.Type.FocusOut and self.isVisible() and self.isActiveWindow():
            self.hide()
        return super().eventFilter(watched, event)

    def _key(self, key: Qt.Key) -> bool:
        row = self.list.currentIndex().row()
        if key in _STEPS or key in _PAGES:
            self._moved = True
            self._choose(self.found.step(row, _STEPS.get(key) or _PAGES[key]))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take(self.list.currentIndex().data(_ITEM))
        elif key == Qt.Key.Key_Escape:
            self.hide()
        else:
            return False
        return True

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._before is not None and isValid(self._before):
            self._before.setFocus()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._frame.geometry().contains(event.position().toPoint()):
            self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(0, 0, 0, 70))
        painter.end()


class _Painter(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, _HEADING if index.data(_HEAD) else _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.data(_HEAD):
            _heading(painter, option.rect, str(index.data()))
        else:
            _item(painter, option, index.data(_ITEM))
        painter.restore()


def _heading(painter: QPainter, rect: QRect, text: str) -> None:
    painter.setFont(text_font(Size.SMALL, QFont.Weight.DemiBold))
    painter.setPen(QColor(theme().colors.muted))
    place = rect.adjusted(Space.M, 0, -Space.M, -4)
    words = text.upper() if language() == "en" else text
    painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, words)


def _item(painter: QPainter, option: QStyleOptionViewItem, item: Item) -> None:
    colors = theme().colors
    state, rect = option.state, QRect(option.rect)
    if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.selected if chosen else colors.hover))
        painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), Size.RADIUS, Size.RADIUS)
    rect.adjust(Space.M, 0, -Space.M, 0)
    if item.icon:
        top = rect.center().y() - Size.ICON // 2
        icon(item.icon).paint(painter, QRect(rect.left(), top, Size.ICON, Size.ICON))
    rect.setLeft(rect.left() + Size.ICON + Space.M)
    if item.keys:
        rect.setRight(rect.right() - _write(painter, rect, item.keys, Size.SMALL, colors.muted, right=True))
    title = " ".join(shown(item.title).split())
    about = " ".join(shown(item.about).split())
    least = min(painter.fontMetrics().horizontalAdvance(about), rect.width() // 3) if about else 0
    used = _write(painter, rect.adjusted(0, 0, -least - Space.M, 0), title, Size.TEXT, colors.text)
    if about:
        rect.setLeft(rect.left() + used + Space.M)
        _write(painter, rect, about, Size.SMALL, colors.muted, right=True)


def _write(painter: QPainter, rect: QRect, text: str, size: int, color: str, *, right: bool = False) -> int:
    """Write a text that ends in an ellipsis where it does not fit; returns how wide it is."""
    painter.setFont(text_font(size))
    metrics = painter.fontMetrics()
    words = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, rect.width()))
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    painter.setPen(QColor(color))
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | side, words)
    return metrics.horizontalAdvance(words)


def _same(item: Item, other: Item | None) -> bool:
    return other is not None and (item.group, item.title, item.about) == (
        other.group,
        other.title,
        other.about,
    )
