"""The window of the help: topics on the left with a search over their text, the page on the right."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QFrame, QListWidget, QListWidgetItem, QWidget

from desktop.errors import AppError
from desktop.help import HelpPage, pages
from desktop.tasks import in_thread
from desktop.text import _, language
from desktop.ui.conversation.text import markdown
from desktop.ui.help.reader import Reader
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.notice import Notice
from desktop.ui.widgets.order import go_on
from desktop.ui.widgets.search_field import Finder
from desktop.ui.widgets.styled import styled
from desktop.ui.widgets.window_geometry import WindowGeometry
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_WIDTH = 216
_TOPIC = Qt.ItemDataRole.UserRole
_SHEET = """
QFrame#side { background: $sidebar; border-right: 1px solid $border; }
QListWidget { background: transparent; border: none; }
QListWidget::item { min-height: 34px; padding: 0 8px; border-radius: 8px;
  color: $text; border: 1px solid transparent; }
QListWidget::item:hover { background: $hover; }
QListWidget::item:selected { background: $selected; color: $text; }
QListWidget::item:focus { border: 1px solid $accent; }
"""


class HelpWindow(QDialog):
    """Open it with open_topic(); the pages are read again when the language has changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.WindowMaximizeButtonHint)
        self._work = Work(self)
        self._pages: tuple[HelpPage, ...] = ()
        self._topic = ""
        """What is shown, or is to be shown once the pages are read."""
        self.search, self.list, self.reader = Finder(), QListWidget(), Reader()
        self._nothing, self._notice = label("muted", wrap=True), Notice()
        self._lay_out()
        WindowGeometry(self, QSize(940, 680), QSize(520, 400))
        self.search.textChanged.connect(self._narrow)
        self.search.down.connect(self.list.setFocus)
        self.search.taken.connect(self.list.setFocus)
        self.list.currentItemChanged.connect(self._turn_to)
        self.list.itemSelectionChanged.connect(self._selected)
        self.reader.topic_wanted.connect(self._show_topic)
        QShortcut(QKeySequence.StandardKey.Find, self, self._begin_search)
        spoken(self._words)

    def _lay_out(self) -> None:
        side = QFrame()
        side.setObjectName("side")
        side.setFixedWidth(_WIDTH)
        styled(side, _SHEET)
        edges = (Space.M, Space.L, Space.M, Space.M)
        inner = down(self.search, self.list, self._nothing, None, gap=Space.M, edges=edges, of=side)
        inner.setStretchFactor(self.list, 1000)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._nothing.hide()
        self._notice.hide()
        across(side, (down(self._notice, (self.reader, 1), gap=0), 1), gap=0, of=self)

    def _words(self) -> None:
        self.setWindowTitle(_("Help"))
        self.search.say(_("Search help"))
        self.search.setToolTip("Ctrl+F")
        self.list.setAccessibleName(_("Help topics"))
        self._nothing.setText(_("No results"))
        self._work.cancel()
        self._work.start(self._read(language()), name="help:read")

    def open_topic(self, topic: str = "") -> None:
        """Show the window in front, on this topic or the one shown last."""
        self.show()
        self.raise_()
        self.activateWindow()
        self.list.setFocus()
        if topic:
            self._show_topic(topic)

    async def _read(self, code: str) -> None:
        try:
            found = await in_thread(pages, code)
            await in_thread(markdown.load)
        except AppError as error:
            self._notice.tell(error.text, error.remedy)
            return
        self._notice.hide()
        self._pages = found
        self._narrow()

    def _begin_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _wanted(self) -> list[str]:
        return self.search.text().casefold().split()

    def _narrow(self) -> None:
        """List the pages that have all words; the one shown stays if it is among them."""
        words = self._wanted()
        self.list.blockSignals(True)
        self.list.clear()
        for page in self._pages:
            line = page.line_with(words) if words else ""
            if line is not None:
                item = QListWidgetItem(page.title)
                item.setData(_TOPIC, page.topic)
                item.setToolTip(tip(line) if line else "")
                self.list.addItem(item)
        self.list.blockSignals(False)
        self._nothing.setVisible(bool(words) and not self.list.count())
        self._choose(self._topic) or self.list.setCurrentRow(0)

    def _choose(self, topic: str) -> bool:
        """Make the topic the current one of the list; False where it is not listed."""
        for row in range(self.list.count()):
            if self.list.item(row).data(_TOPIC) == topic:
                self.list.setCurrentRow(row)
                return True
        return False

    def _show_topic(self, topic: str) -> None:
        """Follow a link, also to a page that the search left out."""
        self._topic = topic
        if self._pages and not self._choose(topic):
            self.search.clear()

    def _selected(self) -> None:
        """Assistive technologies select; they do not make current."""
        for item in self.list.selectedItems():
            self.list.setCurrentItem(item)

    def _turn_to(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        self._topic = str(item.data(_TOPIC))
        page = next(page for page in self._pages if page.topic == self._topic)
        self.reader.show_page(page, self._wanted())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # those follow links
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return go_on(self, forward=forward)
