"""A list that fills a page: what it is about, a button for a new one, a search, and cards of rows.

Rows are made a few at a time and used again for other items; the keyboard stays with the item that had it.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.text import ngettext
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.list_row import ListRow, PlainRow
from desktop.ui.widgets.search_field import SearchField
from desktop.ui.widgets.stock import Stock

_FEW, _PAUSE_MS = 8, 120
"""So many items are found without a search."""


class Section[Row: ListRow | PlainRow, Item](QWidget):
    """A card of rows, under a heading where there are several."""

    def __init__(self, make: Callable[[], Row], show: Callable[[Row, Item], None], empty: str = "") -> None:
        """`empty`: the sign of what stands there while there is none; "" to show nothing then."""
        super().__init__()
        self.title, card, inner = label("section"), QFrame(), QVBoxLayout()
        self.empty = EmptyState(empty) if empty else None
        card.setProperty("kind", "card")
        inner.setSpacing(0)
        around = QVBoxLayout(card)
        around.setContentsMargins(1, Space.XS, 1, Space.XS)
        around.setSpacing(0)
        around.addLayout(inner)
        if self.empty is not None:
            around.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.S)
        column.addWidget(self.title)
        column.addWidget(card)
        self.title.hide()
        self.hide()
        self.stock = Stock[Row, Item](inner, make, show)

    def call(self, title: str) -> None:
        """Have a heading."""
        self.title.setText(title)
        self.title.setContentsMargins(0, Space.M, 0, 0)
        self.title.show()

    def show_items(self, items: Sequence[Item], *, empty: bool) -> None:
        """Show these; `empty`: there are none at all."""
        self.stock.show_items(items)
        if self.empty is not None:
            self.empty.setVisible(empty)
        self.setVisible(bool(items) or (empty and self.empty is not None))


class ListPage[Row: ListRow | PlainRow, Item](QWidget):
    """Who derives from it makes and fills the rows, and says how an item is found."""

    acted = Signal(str, str)
    """What is wanted (see list_row), and of which item."""
    new_wanted = Signal()

    def __init__(
        self, *empty: str, page: int = 1_000_000, acts: Sequence[QWidget] = (), far: bool = False
    ) -> None:
        """A section for each of `empty` (see Section). `page`: so many rows are shown at first, and more by
        each press of a button. `acts`: buttons beside the one for a new item. `far`: who derives from it
        looks for the items elsewhere, and fetches more of them."""
        super().__init__()
        self._page = self._most = page
        self._far = far
        self._groups: Sequence[Sequence[Item]] = ()
        self._focus = "", 0
        """The item whose row is to have the keyboard once it is made, and which of its parts."""
        self._about, self._nothing = label("muted", wrap=True), label("muted", wrap=True)
        self.new, self.search, self.more = button("", "plus"), SearchField(_PAUSE_MS), button("link")
        self.sections = [Section[Row, Item](self._made, self.show_row, sign) for sign in empty]
        self._lay_out(acts)
        self.new.clicked.connect(self.new_wanted)
        self.search.searched.connect(self.look_for)
        self.more.clicked.connect(self.show_more)
        for section in self.sections:
            section.stock.whole.connect(self._whole)

    def _lay_out(self, acts: Sequence[QWidget]) -> None:
        head = QHBoxLayout()
        head.setSpacing(Space.L)
        head.addWidget(self._about, 1)
        head.addLayout(across(*((act, Qt.AlignmentFlag.AlignTop) for act in (self.new, *acts))))
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(Space.S)
        self.column.addLayout(head)
        for part in (self.search, *self.sections, self._nothing):
            self.column.addWidget(part)
        self.column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        for part in (self.search, self._nothing, self.more):
            part.hide()

    # ---- what a kind of list has of its own

    @abstractmethod
    def make_row(self) -> Row:
        """A row that shows nothing yet."""

    @abstractmethod
    def show_row(self, row: Row, item: Item) -> None:
        """Show an item in a row."""

    @abstractmethod
    def found_by(self, item: Item) -> str:
        """The text in which one looks for an item."""

    def look_for(self) -> None:
        """Something else is searched for."""
        self._show()

    def show_more(self) -> None:
        """More of the items are wanted."""
        self._most += self._page
        self._show()

    # ---- what it shows

    def say(self, about: str, new: tuple[str, str], search: str, nothing: str) -> None:
        """Set the words. `new`: of the button, and its whole name; `nothing`: no item has what was looked
        for."""
        self._about.setText(about)
        self._about.setVisible(bool(about))
        self.new.say(*new)
        self.search.say(search)
        self._nothing.setText(nothing)
        for row in self.rows:
            row.say()
        self._say_more()

    def show_items(self, *groups: Sequence[Item]) -> None:
        """Show these, those of each section."""
        self._groups = groups
        self.search.setVisible(self._far or sum(map(len, groups)) > _FEW)
        self._show()

    @property
    def rows(self) -> list[Row]:
        """The rows that stand for an item, from top to bottom."""
        return [row for section in self.sections for row in section.stock.seen]

    @property
    def waiting(self) -> bool:
        """Whether there is more to come."""
        return self.search.typing or any(section.stock.waiting for section in self.sections)

    def focus_on(self, key: str) -> None:
        """Give the keyboard to an item, or to the button where it is gone."""
        self._focus = key, 0
        if not self._to_row() and not self.waiting:
            self._focus = "", 0
            self.new.setFocus()

    def _made(self) -> Row:
        row = self.make_row()
        row.acted.connect(self.acted)
        return row

    def _show(self) -> None:
        wanted, room, shown, self._left = self.search.wanted, self._most, 0, 0
        self._keep_keyboard()
        for section, items in zip(self.sections, self._groups, strict=False):
            hits = [item for item in items if self._far or wanted in self.found_by(item).casefold()]
            section.show_items(hits[:room], empty=not items and not wanted)
            shown += len(hits)
            self._left += max(0, len(hits) - room)
            room = max(0, room - len(hits))
        self._nothing.setVisible(bool(wanted) and not shown)
        self._say_more()
        self._to_row()

    _left = 0

    def _say_more(self) -> None:
        if self._far:
            return
        n = min(self._left, self._page)
        self.more.setVisible(n > 0)
        self.more.setText(ngettext("Show {n} more", "Show {n} more", n).format(n=n))

    # ---- the keyboard

    def _keep_keyboard(self) -> None:
        """Rows are used again for other items: the keyboard stays with the item."""
        focus = QApplication.focusWidget()
        for row in self.rows if focus is not None and self.isAncestorOf(focus) else ():
            if focus in row.parts():
                self._focus = row.key, row.parts().index(focus)

    def _to_row(self) -> bool:
        key, part = self._focus
        row = next((row for row in self.rows if key and row.key == key), None)
        if row is None:
            return False
        self._focus = "", 0
        row.parts()[part].setFocus()
        return True

    def _whole(self) -> None:
        if self._focus[0] and not self._to_row() and not self.waiting:
            self._focus = "", 0
