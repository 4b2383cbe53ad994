"""The rows of the list: the pinned conversations, the others under today, yesterday and earlier, those put
aside behind a row that opens them; narrowed by a search, and then those in which the words were said."""

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
SNIPPET: Final = Qt.ItemDataRole.UserRole + 5
"""The words of a message that were looked for, with some around them; only where that was found."""
STATE: Final = Qt.ItemDataRole.UserRole + 7
"""What goes on in a conversation: ASKS, WORKS, or empty."""
ASKS, WORKS = "asks", "works"
FOLD: Final = Qt.ItemDataRole.UserRole + 6
"""Of the row that opens and closes the conversations put aside: whether they are shown."""


@dataclass(slots=True)
class Conversation:
    """One conversation of the list."""

    key: str
    title: str
    updated: datetime
    unread: bool = False
    pinned: bool = False
    archived: bool = False

    @property
    def shown(self) -> str:
        return self.title or _("New conversation")


@dataclass(frozen=True, slots=True)
class Found:
    """A message that was found."""

    key: str
    """Of its conversation."""
    title: str
    snippet: str
    updated: datetime
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """Stands over the conversations put aside, as many as `count`."""

    count: int
    opened: bool

    @property
    def shown(self) -> str:
        return _("Archived ({count})").format(count=self.count)


type Row = Conversation | Found | Fold | str


class Rows(QAbstractListModel):
    """Conversations, newest first, with headings between them."""

    renamed = Signal(str, str)
    """Key and new title, when the person has edited one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.conversations: list[Conversation] = []
        self._search = ""
        self._unfolded = False
        self._found: tuple[Found, ...] = ()
        self._rows: list[Row] = []
        self._working: set[str] = set()
        self._asking: set[str] = set()
        self._told: list[tuple[object, ...]] = []
        """Of each row what it is, and what of it was last told to the views."""

    def mark(self, *, working: set[str], asking: set[str]) -> None:
        """In which conversations an answer is on its way, and in which a question waits for the person."""
        if (working, asking) != (self._working, self._asking):
            self._working, self._asking = set(working), set(asking)
            self._arrange()

    def state(self, key: str) -> str:
        """What goes on in a conversation: ASKS before WORKS, or empty."""
        return ASKS if key in self._asking else WORKS if key in self._working else ""

    def fill(self, conversations: Iterable[Conversation]) -> None:
        """Show these."""
        self.conversations = sorted(conversations, key=lambda c: c.updated, reverse=True)
        self._arrange()

    def search(self, text: str) -> None:
        """Show those with these words in their title; all for an empty text."""
        self._search = text.casefold().strip()
        self._arrange()

    def find(self, found: Iterable[Found]) -> None:
        """Show these messages below the titles."""
        before, self._found = self._found, tuple(found)
        if before != self._found:
            self._arrange()

    def found_turn(self, key: str) -> str:
        """The turn in which something was found in a conversation; empty where nothing was looked for."""
        return next((found.turn for found in self._found if found.key == key), "")

    def get(self, key: str) -> Conversation | None:
        """The conversation with this key."""
        return next((c for c in self.conversations if c.key == key), None)

    def index_of(self, key: str) -> QModelIndex:
        """The row of a conversation, else of a message found in it; an invalid index where neither is."""
        for kind in (Conversation, Found):
            for row, item in enumerate(self._rows):
                if isinstance(item, kind) and item.key == key:
                    return self.index(row)
        return QModelIndex()

    def fold(self, *, opened: bool) -> None:
        """Show the conversations put aside, or hide them again."""
        self._unfolded = opened
        self._arrange()

    def fold_index(self) -> QModelIndex:
        """The row that opens the conversations put aside; an invalid index where there are none."""
        row = next((row for row, item in enumerate(self._rows) if isinstance(item, Fold)), -1)
        return self.index(row) if row >= 0 else QModelIndex()

    def refresh(self) -> None:
        """Say the rows anew: the day, a title or the language has changed."""
        self._arrange()

    def _arrange(self) -> None:
        words = self._search.split()
        found = [c for c in self.conversations if all(w in c.shown.casefold() for w in words)]
        rows: list[Row] = []
        heading = ""
        today = datetime.now().astimezone().date()
        for conversation in sorted(found, key=lambda c: not c.pinned):
            if conversation.archived:
                continue
            group = _("Pinned") if conversation.pinned else _group(conversation, today)
            if group != heading:
                rows.append(group)
                heading = group
            rows.append(conversation)
        if aside := [c for c in found if c.archived]:
            opened = self._unfolded or bool(words)
            rows += [Fold(len(aside), opened), *(aside if opened else ())]
        if self._found:
            rows += [_("In messages"), *self._found]
        before, self._told = self._told, [(*_told(row), self.state(_key(row))) for row in rows]
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
        if isinstance(item, Fold):
            return {
                Qt.ItemDataRole.DisplayRole: item.shown,
                Qt.ItemDataRole.AccessibleTextRole: item.shown,
                Qt.ItemDataRole.AccessibleDescriptionRole: _("expanded") if item.opened else _("collapsed"),
                HEADING: False,
                FOLD: item.opened,
            }.get(role)
        if isinstance(item, Found):
            return {
                Qt.ItemDataRole.DisplayRole: item.title or _("New conversation"),
                Qt.ItemDataRole.ToolTipRole: item.snippet,
                Qt.ItemDataRole.AccessibleTextRole: item.title or _("New conversation"),
                Qt.ItemDataRole.AccessibleDescriptionRole: item.snippet,
                HEADING: False,
                KEY: item.key,
                MOMENT: item.updated,
                UNREAD: False,
                STATE: self.state(item.key),
                SNIPPET: item.snippet,
            }.get(role)
        return {
            Qt.ItemDataRole.DisplayRole: item.shown,
            Qt.ItemDataRole.EditRole: item.shown,
            Qt.ItemDataRole.ToolTipRole: item.shown,
            Qt.ItemDataRole.AccessibleTextRole: item.shown,
            Qt.ItemDataRole.AccessibleDescriptionRole: self._said(item),
            HEADING: False,
            KEY: item.key,
            MOMENT: item.updated,
            UNREAD: item.unread,
            STATE: self.state(item.key),
        }.get(role)

    def _said(self, item: Conversation) -> str:
        """In words what the marks of a row say."""
        state = {ASKS: _("needs your answer"), WORKS: _("answering")}.get(self.state(item.key), "")
        return ", ".join(part for part in (state, _("unread") if item.unread else "") if part)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        item = self._rows[index.row()]
        if role != Qt.ItemDataRole.EditRole or not isinstance(item, Conversation):
            return False
        title = " ".join(str(value).split())
        if title and title != item.title:
            item.title = title
            self.dataChanged.emit(index, index)
            self.renamed.emit(item.key, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self._rows[index.row()]
        if isinstance(row, str):
            return Qt.ItemFlag.NoItemFlags
        if isinstance(row, Fold):
            return Qt.ItemFlag.ItemIsEnabled  # it can be walked to, and is never the open conversation
        if isinstance(row, Found):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable


def _key(row: Row) -> str:
    return row.key if isinstance(row, Conversation | Found) else ""


def _told(row: Row) -> tuple[object, ...]:
    if isinstance(row, str):
        return ((row, ""),)
    if isinstance(row, Fold):
        return (("fold", ""), row.count, row.opened)
    if isinstance(row, Found):
        return (("found", row.key), row.title, row.snippet, row.updated)
    return (("", row.key), row.shown, row.updated, row.unread)


def _group(conversation: Conversation, today: date) -> str:
    day = conversation.updated.astimezone().date()
    if day >= today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    return _("Earlier")
