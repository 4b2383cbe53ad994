"""The rows of the list: conversations under today, yesterday and earlier, narrowed by a search."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from desktop.text import _

type Index = QModelIndex | QPersistentModelIndex

HEADING: Final = Qt.ItemDataRole.UserRole + 1
"""Whether the row is a heading."""
KEY: Final = Qt.ItemDataRole.UserRole + 2
MOMENT: Final = Qt.ItemDataRole.UserRole + 3
UNREAD: Final = Qt.ItemDataRole.UserRole + 4


@dataclass(slots=True)
class Conversation:
    """One conversation of the list."""

    key: str
    title: str
    updated: datetime
    unread: bool = False

    @property
    def shown(self) -> str:
        return self.title or _("New conversation")


class Rows(QAbstractListModel):
    """Conversations, newest first, with headings between them."""

    renamed = Signal(str, str)
    """Key and new title, when the person has edited one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.conversations: list[Conversation] = []
        self._search = ""
        self._rows: list[Conversation | str] = []
        self._told: list[tuple[object, ...]] = []
        """Of each row what it is, and what of it was last told to the views."""

    def fill(self, conversations: Iterable[Conversation]) -> None:
        """Show these."""
        self.conversations = sorted(conversations, key=lambda c: c.updated, reverse=True)
        self._arrange()

    def search(self, text: str) -> None:
        """Show those with these words in their title; all for an empty text."""
        self._search = text.casefold().strip()
        self._arrange()

    def get(self, key: str) -> Conversation | None:
        """The conversation with this key."""
        return next((c for c in self.conversations if c.key == key), None)

    def index_of(self, key: str) -> QModelIndex:
        """The row of a conversation; an invalid index if it is not shown."""
        for row, item in enumerate(self._rows):
            if isinstance(item, Conversation) and item.key == key:
                return self.index(row)
        return QModelIndex()

    def refresh(self) -> None:
        """Say the rows anew: the day, a title or the language has changed."""
        self._arrange()

    def _arrange(self) -> None:
        words = self._search.split()
        found = [c for c in self.conversations if all(w in c.shown.casefold() for w in words)]
        rows: list[Conversation | str] = []
        heading = ""
        today = datetime.now().astimezone().date()
        for conversation in found:
            group = _group(conversation.updated.astimezone().date(), today)
            if group != heading:
                rows.append(group)
                heading = group
            rows.append(conversation)
        before, self._told = self._told, [_told(row) for row in rows]
        if rows and [told[0] for told in before] == [told[0] for told in self._told]:
            self._rows = rows  # each in its place: a title that is being edited stays open
            for number, told in enumerate(self._told):
                if told != before[number]:
                    self.dataChanged.emit(self.index(number), self.index(number))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    # ---- what Qt asks

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item = self._rows[index.row()]
        if isinstance(item, str):
            return {
                Qt.ItemDataRole.DisplayRole: item,
                Qt.ItemDataRole.AccessibleTextRole: item,
                HEADING: True,
            }.get(role)
        return {
            Qt.ItemDataRole.DisplayRole: item.shown,
            Qt.ItemDataRole.EditRole: item.shown,
            Qt.ItemDataRole.ToolTipRole: item.shown,
            Qt.ItemDataRole.AccessibleTextRole: item.shown,
            Qt.ItemDataRole.AccessibleDescriptionRole: _("unread") if item.unread else "",
            HEADING: False,
            KEY: item.key,
            MOMENT: item.updated,
            UNREAD: item.unread,
        }.get(role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        item = self._rows[index.row()]
        if role != Qt.ItemDataRole.EditRole or isinstance(item, str):
            return False
        title = " ".join(str(value).split())
        if title and title != item.title:
            item.title = title
            self.dataChanged.emit(index, index)
            self.renamed.emit(item.key, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if isinstance(self._rows[index.row()], str):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable


def _told(row: Conversation | str) -> tuple[object, ...]:
    if isinstance(row, str):
        return ((row, ""),)
    return (("", row.key), row.shown, row.updated, row.unread)


def _group(day: date, today: date) -> str:
    if day >= today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    return _("Earlier")
