"""The left of the window: search, a new conversation, the conversations, and the way to the settings."""

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListView,
    QMenu,
    QWidget,
)

from desktop.text import _
from desktop.ui.sidebar.channel_filter import ChannelFilter
from desktop.ui.sidebar.channels import ALL, belongs
from desktop.ui.sidebar.paint import RowPainter
from desktop.ui.sidebar.rows import FOLD, KEY, SNIPPET, Rows
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.search_field import SearchField
from desktop.ui.widgets.steady_list import SteadyList
from desktop.ui.words import spoken

WIDTH = 268
PIN_KEYS, ARCHIVE_KEYS = "Ctrl+Shift+P", "Ctrl+Shift+E"
_FOLD_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class Sidebar(QWidget):
    """Shows a Rows; says what the person chose."""

    chosen = Signal(str)
    """The key of the conversation to show."""
    new_wanted = Signal()
    delete_wanted = Signal(str)
    pin_wanted = Signal(str)
    """Pin this conversation; no longer, where it is pinned."""
    archive_wanted = Signal(str)
    """Put this conversation aside; bring it back, where it is."""
    undo_wanted = Signal()
    settings_wanted = Signal()
    looked_for = Signal(str)
    """What the person types into the search field."""

    def __init__(self, rows: Rows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(WIDTH)
        self._rows = rows
        self._open = ""
        self._left = False
        """Whether the current row is about to go, or has gone."""
        self.search = SearchField()
        self.search.setClearButtonEnabled(False)
        self.search.textChanged.connect(self._narrow)
        self.new = IconButton("square-pen")
        self.new.clicked.connect(self.new_wanted)
        self.filter = ChannelFilter()
        self.filter.chosen.connect(self._narrow_to)
        self.list = _list(rows)
        self._nothing = label("muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setContentsMargins(Space.L, 0, Space.L, 0)
        self.settings = button("quiet", "settings")
        self.settings.clicked.connect(self.settings_wanted)
        self._lay_out()
        self._listen()
        spoken(self._words)
        self._offer()
        self._show_whether_empty()

    def _lay_out(self) -> None:
        top = across(self.search, self.new, gap=Space.XS, edges=(Space.M, Space.M, Space.S, Space.S))
        bottom = QHBoxLayout()
        bottom.setContentsMargins(Space.S, Space.S, Space.S, Space.S)
        bottom.addWidget(self.settings)
        bottom.addStretch()
        self._filter_place = QWidget()
        across((self.filter, 1), edges=(Space.M, 0, Space.M, Space.S), of=self._filter_place)
        down(top, self._filter_place, (self.list, 1), (self._nothing, 1), bottom, gap=0, of=self)

    def _listen(self) -> None:
        painter = RowPainter(self.list)
        painter.menu_wanted.connect(self._menu)
        self.list.setItemDelegate(painter)
        self.list.installEventFilter(self)
        self.search.installEventFilter(self)
        self.list.customContextMenuRequested.connect(self._menu_at)
        self.list.clicked.connect(self._fold)
        selection = self.list.selectionModel()
        selection.currentChanged.connect(self._current_changed)
        selection.selectionChanged.connect(self._selected)
        self._rows.changing.connect(self._before_rows_change)
        self._rows.arranged.connect(self._after_arranged)
        theme().changed.connect(self._repaint)

    def _repaint(self) -> None:
        self.list.viewport().update()

    def _words(self) -> None:
        self.search.setAccessibleName(_("Search"))
        self.search.setPlaceholderText(_("Search"))
        self.new.say(_("New conversation"), "Ctrl+N")
        self.list.setAccessibleName(_("Conversations"))
        self.settings.say(_("Settings"))
        self.settings.setToolTip("Ctrl+,")
        self._rows.refresh()

    # ---- the open conversation

    def open(self, key: str) -> None:
        """Mark the open conversation, which the list shows then, whatever it was narrowed to; an empty key
        is a new one, which it does not show yet."""
        if key and not belongs(key, self.filter.value):
            self.filter.choose(ALL)
        self._mark(key)

    def _mark(self, key: str) -> None:
        self._open = key
        index = self._rows.index_of(key)
        selection = self.list.selectionModel()
        if index.isValid():
            selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        else:
            selection.clear()

    def step(self, rows: int) -> None:
        """Open the next conversation down (1) or up (-1)."""
        row = self.list.currentIndex().row() + rows
        while 0 <= row < self._rows.rowCount():
            index = self._rows.index(row)
            if index.data(KEY):
                self.list.setCurrentIndex(index)
                return
            row += rows

    def _current_changed(self, index: QModelIndex) -> None:
        key = index.data(KEY) if index.isValid() and not self._left else None
        if key and key != self._open:
            self._open = key
            self.chosen.emit(key)

    def _fold(self, index: QModelIndex) -> None:
        opened = index.data(FOLD)
        if opened is not None:
            self._rows.fold(opened=not opened)
            at = self._rows.fold_index()
            self.list.selectionModel().setCurrentIndex(at, QItemSelectionModel.SelectionFlag.NoUpdate)
            if not opened:
                self.list.scrollTo(self._rows.index(min(at.row() + 3, self._rows.rowCount() - 1)))

    def _selected(self, selected: QItemSelection) -> None:
        """Assistive technologies select; they do not make current."""
        for index in selected.indexes():
            self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)

    def _before_rows_change(self, leaving: list[int]) -> None:
        selection = self.list.selectionModel()
        if selection.currentIndex().row() in leaving:
            self._left = True  # Qt goes on to another row, which nobody has chosen
            selection.clearCurrentIndex()

    def _after_arranged(self) -> None:
        self._offer()
        if self._left or not self.list.currentIndex().isValid():
            self._mark(self._open)
        self._left = False
        self._show_whether_empty()

    def _offer(self) -> None:
        self.filter.offer(self._rows.channels)
        self._filter_place.setVisible(bool(self._rows.channels))

    def _show_whether_empty(self) -> None:
        empty = self._rows.known and self._rows.rowCount() == 0
        searching = bool(self.search.text().strip())
        self._nothing.setText(_("No results") if searching else _("Your conversations will appear here."))
        self._nothing.setVisible(empty)
        self.list.setVisible(not empty)

    def _narrow_to(self, channel: str) -> None:
        self._rows.narrow_to(channel)
        self._show_from_start()

    def _show_from_start(self) -> None:
        """Other rows are wanted: show them from the first, or as far down as the open conversation."""
        self.list.scrollToTop()
        self.list.scrollTo(self.list.currentIndex())

    def _narrow(self, text: str) -> None:
        self._rows.search(text)
        self._show_from_start()
        self.looked_for.emit(text)
        self._show_whether_empty()

    # ---- what can be done with a conversation

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if watched is self.search and self._search_key(event):
                return True
            if watched is self.list and self._list_key(event):
                return True
        return super().eventFilter(watched, event)

    def _search_key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            return True
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.list.setFocus(Qt.FocusReason.TabFocusReason)
            if not self.list.currentIndex().isValid():
                self.step(1)
            return True
        return False

    def _list_key(self, event: QKeyEvent) -> bool:
        if self.list.state() == QAbstractItemView.State.EditingState:
            return False
        key, opened = self.list.currentIndex().data(KEY), self.list.currentIndex().data(FOLD)
        if opened is not None and event.key() in _FOLD_KEYS:
            self._fold(self.list.currentIndex())
            return True
        if event.key() == Qt.Key.Key_Delete and key and not self.list.currentIndex().data(SNIPPET):
            self.delete_wanted.emit(key)
            return True
        if event.key() == Qt.Key.Key_Z and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.undo_wanted.emit()
            return True
        return False

    def _menu_at(self, place: QPoint) -> None:
        index = self.list.indexAt(place)
        if not index.isValid():
            index, place = self.list.currentIndex(), QPoint(Space.XL, Space.XL)
        if index.isValid() and index.data(KEY) and not index.data(SNIPPET):
            self._menu(index, place)

    def _menu(self, index: QModelIndex, place: QPoint) -> None:
        key = index.data(KEY)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rename = menu.addAction(icon("pencil"), _("Rename"))
        rename.setShortcut(Qt.Key.Key_F2)
        rename.triggered.connect(lambda: self.list.edit(self._rows.index_of(key)))
        found = self._rows.get(key)
        if found is not None:
            pin = menu.addAction(icon("pin"), _("Unpin") if found.pinned else _("Pin"))
            pin.setShortcut(PIN_KEYS)
            pin.triggered.connect(lambda: self.pin_wanted.emit(key))
            sign = "archive-restore" if found.archived else "archive"
            aside = menu.addAction(icon(sign), _("Unarchive") if found.archived else _("Archive"))
            aside.setShortcut(ARCHIVE_KEYS)
            aside.triggered.connect(lambda: self.archive_wanted.emit(key))
            menu.addSeparator()
        delete = menu.addAction(icon("trash-2", "danger"), _("Delete"))
        delete.setShortcut(Qt.Key.Key_Delete)
        delete.triggered.connect(lambda: self.delete_wanted.emit(key))
        menu.popup(self.list.viewport().mapToGlobal(place))


def _list(rows: Rows) -> QListView:
    made = SteadyList(rows)
    made.setMouseTracking(True)
    made.setUniformItemSizes(False)
    made.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    made.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
    return made
