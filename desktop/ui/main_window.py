"""The main window: widgets in their places, drawn before anything else of the program is loaded."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QSizePolicy, QWidget

from desktop.ui.conversation.foot.mode import ModeBar
from desktop.ui.conversation.header.header import Header
from desktop.ui.conversation.pane import ConversationPane
from desktop.ui.panels.inbox.panel import InboxPanel
from desktop.ui.sidebar.rows import Rows
from desktop.ui.sidebar.sidebar import ARCHIVE_KEYS, PIN_KEYS, Sidebar
from desktop.ui.state import WindowState
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.trace import note
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.order import go_on
from desktop.ui.widgets.toast import Toast
from desktop.ui.widgets.window_geometry import WindowGeometry

if TYPE_CHECKING:
    from desktop.ui.conversation.foot.meter import Meter

_SIZE = (1180, 760)
_SMALLEST = (560, 420)
_NARROW = 780
"""Width below which the list of conversations makes room."""


class MainWindow(QMainWindow):
    """`painted` comes once, when the first picture of the window is on the screen."""

    painted = Signal()
    close_wanted = Signal()
    quit_wanted = Signal()
    copy_wanted = Signal()
    """The whole conversation, for the clipboard."""
    palette_wanted = Signal()
    help_wanted = Signal()
    find_wanted = Signal()
    """In the open conversation."""
    export_wanted = Signal(str)
    """As what kind of document; "" for any."""
    temporary_wanted = Signal()
    yes_wanted = Signal()
    no_wanted = Signal()
    """An answer by key, to the question in sight."""

    def __init__(self, state: WindowState, rows: Rows) -> None:
        super().__init__()
        self._was_painted = False
        self._sidebar_wanted = True
        self.setWindowTitle("Nanobot Desktop")
        self.setAccessibleName("Nanobot Desktop")
        self.sidebar = Sidebar(rows)
        self.header = Header()
        self.pane = ConversationPane(self.header, column=True)
        self.composer, self.notice = self.pane.composer, self.pane.notice
        self.footnote = label("small", wrap=True)
        self.footnote.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.footnote.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.mode = ModeBar()
        self._lay_out()
        self.inbox = InboxPanel(self.pane)
        self.toast = Toast(self.pane)
        self.header.list.clicked.connect(self.toggle_sidebar)
        self.sidebar.chosen.connect(self._make_room)
        self.mode.clean_wanted.connect(self.sidebar.new_wanted)
        self.header.inbox_wanted.connect(self.toggle_inbox)
        self.inbox.closed.connect(self.composer.setFocus)
        self._keys()
        self._stand(state)

    def _lay_out(self) -> None:
        below = QWidget()
        row = self._below = QHBoxLayout(below)
        row.setContentsMargins(0, 0, Space.S, 0)
        row.addWidget(self.mode)
        row.addWidget(self.footnote, 1)
        below.setFixedHeight(Size.CONTROL)
        self.pane.place_below(below)
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.sidebar)
        row.addWidget(self.pane, 1)
        self.setCentralWidget(whole)

    def place_meter(self) -> "Meter":
        """Put the meter of the context at the end of the line under the message field."""
        from desktop.ui.conversation.foot.meter import Meter

        made = Meter(self.pane)
        self._below.addWidget(made)
        return made

    def note(self, text: str) -> None:
        """A quiet sentence under the message field; empty for none."""
        self.footnote.setText(text)

    # ---- the window itself

    @property
    def in_front(self) -> bool:
        """Whether the person has it, or a dialog of its own, in front of them."""
        active = QApplication.activeWindow()
        return active is not None and (active is self or _of(active, self))

    def present(self) -> None:
        """Show it in front, wherever it was."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        if self.focusWidget() in (None, self.sidebar.search):
            self.composer.setFocus()

    def _stand(self, state: WindowState) -> None:
        place = QRect(*state.geometry) if len(state.geometry) == 4 else None
        WindowGeometry(self, QSize(*_SIZE), QSize(*_SMALLEST), remembered=place)
        if state.maximized:
            self.setWindowState(Qt.WindowState.WindowMaximized)

    def remember(self, state: WindowState) -> None:
        """Note where it stands."""
        state.maximized = self.isMaximized()
        if not state.maximized:
            place = self.geometry()
            state.geometry = [place.x(), place.y(), place.width(), place.height()]

    def toggle_sidebar(self) -> None:
        """Hide the list of conversations, or show it again."""
        self._sidebar_wanted = not self.sidebar.isVisible()
        self._show_list(shown=self._sidebar_wanted)

    def toggle_inbox(self) -> None:
        """Show the inbox, or hide it again."""
        if self.inbox.isVisible():
            self.inbox.leave()
        else:
            self.inbox.enter()

    def _show_list(self, *, shown: bool) -> None:
        self.sidebar.setVisible(shown)
        self.header.list.setVisible(not shown)

    def _make_room(self) -> None:
        """In a narrow window the list goes when one of it was chosen."""
        self._show_list(shown=self._sidebar_wanted and self.width() >= _NARROW)

    def _keys(self) -> None:
        for keys, act in (
            ("Ctrl+N", self.sidebar.new_wanted.emit),
            ("Ctrl+K", self.palette_wanted.emit),
            ("F1", self.help_wanted.emit),
            ("Ctrl+,", self.sidebar.settings_wanted.emit),
            ("Ctrl+F", self.find_wanted.emit),
            ("Ctrl+Shift+F", self.to_search),
            ("Ctrl+L", self.composer.field.setFocus),
            ("Ctrl+B", self.toggle_sidebar),
            ("Ctrl+W", self.close),
            ("Ctrl+Q", self.quit_wanted.emit),
            ("Ctrl+Shift+C", self.copy_wanted.emit),
            ("Ctrl+S", lambda: self.export_wanted.emit("")),
            ("Ctrl+I", self.toggle_inbox),
            ("Ctrl+Shift+Y", self.yes_wanted.emit),
            ("Ctrl+Shift+N", self.no_wanted.emit),
            ("Ctrl+Shift+T", self.temporary_wanted.emit),
            (PIN_KEYS, lambda: self.sidebar.pin_wanted.emit("")),
            (ARCHIVE_KEYS, lambda: self.sidebar.archive_wanted.emit("")),
            ("Alt+Down", lambda: self.sidebar.step(1)),
            ("Alt+Up", lambda: self.sidebar.step(-1)),
        ):
            QShortcut(QKeySequence(keys), self, act)

    def to_search(self) -> None:
        """Give the keyboard to the search in all conversations."""
        self._show_list(shown=True)
        self.sidebar.search.setFocus()
        self.sidebar.search.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        undo = event.matches(QKeySequence.StandardKey.Undo) and self.toast.isVisible()
        if undo and self.toast.undoes:
            self.toast.act()
        elif undo:
            self.sidebar.undo_wanted.emit()  # also where the list is empty now, and has no keyboard
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return go_on(self, forward=forward)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.composer.field.limit(max(Size.CONTROL, event.size().height() // 3))
        self._make_room()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self._first_painted)

    def _first_painted(self) -> None:
        note("painted")
        self.painted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.close_wanted.emit()


def _of(window: QWidget, owner: QWidget) -> bool:
    """Whether a window was opened from another one."""
    above = window.parentWidget()
    return above is not None and (above.window() is owner or _of(above.window(), owner))
