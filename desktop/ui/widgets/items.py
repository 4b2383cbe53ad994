"""Items under headings, as of an import. Painted, not built of widgets: there may be thousands."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.calm_list import CalmList
from desktop.ui.widgets.labels import tip

type Index = QModelIndex | QPersistentModelIndex

_ROW, _FLAT, _HEADING, _TALLEST = 46, 30, 36, 420
_NONE = QModelIndex()
_FIRST = ("session", "memory", "job", "skill", "file", "pairing", "key", "setting", "ledger", "other")
"""The kinds in the order in which a person asks for them."""
_ABOUT, _END, _IS_HEADING = (Qt.ItemDataRole.UserRole + n for n in range(1, 4))


class Item(Protocol):
    """One of them."""

    @property
    def kind(self) -> str:
        """What it is."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def title(self) -> str:
        """What it is called in a list; "" for its name."""

    @property
    def action(self) -> str:
        """What becomes of it."""

    @property
    def note(self) -> str:
        """A sentence; "" for none."""

    @property
    def count(self) -> int:
        """How much is in it."""


@dataclass(frozen=True, slots=True)
class Words:
    """What the items of a list are called. Functions, for the language may change."""

    groups: Callable[[bool], Iterable[tuple[str, tuple[str, ...]]]]
    """Headings with the actions under them; whether it is done already is given."""
    kinds: Callable[[], Mapping[str, str]]
    actions: Callable[[], Mapping[str, str]]
    many: Callable[[str, int], str]
    """How much an item of a kind has; empty for nothing to say."""


class _Items(QAbstractListModel):
    """Headings (texts) and items, in the order of reading."""

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words
        self._lines: list[str | Item] = []

    def fill(self, items: Iterable[Item], *, done: bool) -> None:
        found: dict[str, list[Item]] = {}
        for item in items:
            found.setdefault(item.action, []).append(item)
        lines: list[str | Item] = []
        for title, names in self._words.groups(done):
            members = [item for name in names for item in found.get(name, ())]
            members.sort(key=lambda item: _FIRST.index(item.kind))
            lines += [f"{title} ({len(members):,})", *members] if members else []
        self.beginResetModel()
        self._lines = lines
        self.endResetModel()

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._lines)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if isinstance(self._lines[index.row()], str):
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self._lines[index.row()]
        if isinstance(line, str):
            texts = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
            return line if role in texts else role == _IS_HEADING
        name = " ".join((line.title or line.name).split())
        kind = self._words.kinds()[line.kind]
        end = " · ".join(part for part in (kind, self._words.many(line.kind, line.count)) if part)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return name
            case Qt.ItemDataRole.AccessibleTextRole:
                action = self._words.actions()[line.action]
                return ", ".join(part for part in (name, end, action, line.note) if part)
            case Qt.ItemDataRole.ToolTipRole:
                return tip(f"{name}\n{line.note}" if line.note else name)
            case _ if role == _ABOUT:
                return line.note
            case _ if role == _END:
                return end
            case _ if role == _IS_HEADING:
                return False
        return None

    def height(self) -> int:
        return sum(_height(line) for line in self._lines[:20])


def _height(line: str | Item) -> int:
    if isinstance(line, str):
        return _HEADING
    return _ROW if line.note else _FLAT


class ItemList(CalmList):
    """As high as it needs to be, up to a limit."""

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._items = _Items(words)
        self.setModel(self._items)
        self.setItemDelegate(_Painter(self))

    def show_items(self, items: Iterable[Item], *, done: bool) -> None:
        """Show these, as a plan or as what was `done`."""
        self._items.fill(items, done=done)
        self.setFixedHeight(min(_TALLEST, self._items.height() + 4))
        self.scrollToTop()


class _Painter(QStyledItemDelegate):
    """A name and its sentence, the kind at the right; headings in bold."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        if index.data(_IS_HEADING):
            return QSize(120, _HEADING)
        return QSize(120, _ROW if index.data(_ABOUT) else _FLAT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colors, rect = theme().colors, QRect(option.rect)
        text = str(index.data())
        if index.data(_IS_HEADING):
            rect.adjust(Space.M, Space.S, -Space.M, 0)
            _write(painter, rect, text, text_font(Size.SMALL, QFont.Weight.DemiBold), colors.muted)
            return
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(colors.selected))
        rect.adjust(Space.M, 3, -Space.M, -3)
        small, end, about = text_font(Size.SMALL), str(index.data(_END)), index.data(_ABOUT)
        width = QFontMetrics(small).horizontalAdvance(end) + Space.M
        height = rect.height() // 2 if about else rect.height()
        upper = QRect(rect.x(), rect.y(), rect.width() - width, height)
        _write(painter, upper, text, text_font(), colors.text)
        if about:
            lower = QRect(rect.x(), rect.y() + height, rect.width(), height)
            _write(painter, lower, str(about), small, colors.muted)
        painter.setPen(QColor(colors.muted))
        painter.setFont(small)
        right = QRect(rect.x(), rect.y(), rect.width(), height)
        painter.drawText(right, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, end)


def _write(painter: QPainter, rect: QRect, text: str, font: QFont, color: str) -> None:
    painter.setFont(font)
    painter.setPen(QColor(color))
    words = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
