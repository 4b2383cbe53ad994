"""The rows of the list: the pinned conversations, the others under today, yesterday and earlier, those put
aside behind a row that opens them; narrowed by a search, and then those in which the words were said."""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from desktop.config.channels.section import NAMES
from desktop.text import _, listed
from desktop.ui.sidebar.channels import ALL, belongs, channel_of, title
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.steady_rows import Index, SteadyRows

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
CHANNEL: Final = Qt.ItemDataRole.UserRole + 8
"""The chat app that a conversation belongs to, empty for none."""
SENDER: Final = Qt.ItemDataRole.UserRole + 9
"""Who writes in a chat, else its app; empty for a conversation of the window."""
LINES: Final = Qt.ItemDataRole.UserRole + 10
"""How many lines a row has; none for a heading."""
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
    sender: str = ""
    """Who writes there, where it is a chat's."""

    @property
    def shown(self) -> str:
        return self.title or _("New conversation")

    @property
    def named(self) -> str:
        """The title, and who writes there."""
        return listed([self.shown, self.who]) if self.sender and self.who else self.shown

    @property
    def who(self) -> str:
        """Who writes in a chat, else the app's name; empty for a conversation of the window."""
        channel = channel_of(self.key)
        return shown(self.sender) or title(channel) if channel else ""


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


class Rows(SteadyRows[Row]):
    """Conversations, newest first, with headings between them."""

    renamed = Signal(str, str)
    """Key and new title, when the person has edited one."""
    arranged = Signal()
    """What is shown was worked out anew, and stands."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.conversations: list[Conversation] = []
        self.known = False
        """Whether it was told yet which conversations there are."""
        self._search, self._channel = "", ALL
        self._unfolded = False
        self._found: tuple[Found, ...] = ()
        self._working: set[str] = set()
        self._asking: set[str] = set()

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
        self.known = True
        self._arrange()

    def search(self, text: str) -> None:
        """Show those with these words in their title or of this sender; all for an empty text."""
        self._search = text.casefold().strip()
        self._arrange()

    def narrow_to(self, channel: str) -> None:
        """Show those of a chat app, of none (channels.HERE), or ALL."""
        self._channel = channel
        self._arrange()

    @property
    def channels(self) -> list[str]:
        """The chat apps of which there are conversations."""
        there = {channel_of(one.key) for one in self.conversations}
        return [name for name in NAMES if name in there]

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
        those = [c for c in self.conversations if belongs(c.key, self._channel)]
        found = [c for c in those if all(w in f"{c.shown}\n{c.who}".casefold() for w in words)]
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
        if said := [one for one in self._found if belongs(one.key, self._channel)]:
            rows += [_("In messages"), *said]
        self.become(rows, _names(rows), [(*_told(row), self.state(_key(row))) for row in rows])
        self.arranged.emit()

    # ---- what Qt asks

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        item = self._rows[index.row()]
        if role == LINES:  # of each row, whenever one of them changes
            return _lines(item)
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
            Qt.ItemDataRole.ToolTipRole: f"{item.shown}\n{item.who}".strip(),
            Qt.ItemDataRole.AccessibleTextRole: item.named,
            Qt.ItemDataRole.AccessibleDescriptionRole: self._said(item),
            HEADING: False,
            KEY: item.key,
            MOMENT: item.updated,
            UNREAD: item.unread,
            STATE: self.state(item.key),
            CHANNEL: channel_of(item.key),
            SENDER: item.who,
        }.get(role)

    def _said(self, item: Conversation) -> str:
        """In words what the marks of a row say."""
        state = {ASKS: _("needs your answer"), WORKS: _("answering")}.get(self.state(item.key), "")
        channel = channel_of(item.key)
        parts = (title(channel) if channel else "", state, _("unread") if item.unread else "")
        return ", ".join(part for part in parts if part)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self._rows[index.row()]
        item = self.get(row.key) if isinstance(row, Conversation) else None
        if role != Qt.ItemDataRole.EditRole or item is None:  # it may be about to leave the list
            return False
        title = " ".join(str(value).split())
        if title and title != item.title:
            item.title = title
            self.dataChanged.emit(index, index)
            self.renamed.emit(item.key, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self._rows[index.row()] if index.isValid() else ""
        if isinstance(row, str):
            return Qt.ItemFlag.NoItemFlags
        if isinstance(row, Fold):
            return Qt.ItemFlag.ItemIsEnabled  # it can be walked to, and is never the open conversation
        if isinstance(row, Found):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable


def _lines(row: Row) -> int:
    if isinstance(row, Conversation):
        return 2 if channel_of(row.key) else 1
    return 0 if isinstance(row, str) else 2 if isinstance(row, Found) and row.snippet else 1


def _key(row: Row) -> str:
    return row.key if isinstance(row, Conversation | Found) else ""


def _names(rows: list[Row]) -> list[Hashable]:
    """What each row is, and the how many-th of them: a message may be found twice."""
    times: Counter[tuple[str, str]] = Counter()
    names: list[Hashable] = []
    for row in rows:
        name = (type(row).__name__, row if isinstance(row, str) else _key(row))
        names.append((*name, times[name]))
        times[name] += 1
    return names


def _told(row: Row) -> tuple[object, ...]:
    if isinstance(row, str):
        return ()
    if isinstance(row, Fold):
        return (row.count, row.opened)
    if isinstance(row, Found):
        return (row.title, row.snippet, row.updated)
    return (row.shown, row.updated, row.unread, row.sender)


def _group(conversation: Conversation, today: date) -> str:
    day = conversation.updated.astimezone().date()
    if day >= today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    return _("Earlier")
