"""The left of the settings: a search field, the pages, and in their place what was found."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from desktop.text import _
from desktop.ui.settings.search import Hit, find
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.search_field import Finder
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

_WIDTH, _HIT = 216, 46
_WHERE = Qt.ItemDataRole.UserRole
_SHEET = """
QFrame#side { background: $sidebar; border-right: 1px solid $border; }
QListWidget { background: transparent; border: none; }
QListWidget::item { min-height: 34px; padding: 0 8px; border-radius: 8px;
  color: $text; border: 1px solid transparent; }
QListWidget::item:hover { background: $hover; }
QListWidget::item:selected { background: $selected; color: $text; }
QListWidget::item:focus { border: 1px solid $accent; }
"""


class _Painter(QStyledItemDelegate):
    """What was found, and in small letters where it stands."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, _HIT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colors, rect = theme().colors, QRect(option.rect).adjusted(0, 1, 0, -1)
        state = option.state
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            chosen = bool(state & QStyle.StateFlag.State_Selected)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.selected if chosen else colors.hover))
            if state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(QColor(colors.accent))
            painter.drawRoundedRect(rect.adjusted(0, 0, -1, -1), Size.RADIUS, Size.RADIUS)
        rect.adjust(Space.S, 3, -Space.S, -3)
        half = rect.height() // 2
        lines = (
            (text_font(), colors.text, index.data()),
            (text_font(Size.SMALL), colors.muted, index.data(_WHERE)),
        )
        for number, (font, color, text) in enumerate(lines):
            place = QRect(rect.x(), rect.y() + number * half, rect.width(), half)
            painter.setFont(font)
            painter.setPen(QColor(color))
            words = QFontMetrics(font).elidedText(str(text), Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)


class Side(QFrame):
    """`turned`: a page was chosen, by its number. `found`: something that was found shall be shown."""

    turned = Signal(int)
    found = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setFixedWidth(_WIDTH)
        styled(self, _SHEET)
        self.search, self.pages, self.hits = Finder(), QListWidget(), QListWidget()
        self._nothing = label("muted", wrap=True)
        self._hits: list[Hit] = []
        inner = down(
            self.search,
            self.pages,
            self.hits,
            self._nothing,
            None,
            gap=Space.M,
            edges=(Space.M, Space.L, Space.M, Space.M),
            of=self,
        )
        inner.setStretchFactor(self.pages, 1000)
        inner.setStretchFactor(self.hits, 1000)
        for each in (self.pages, self.hits):
            each.setIconSize(QSize(Size.ICON, Size.ICON))
            each.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.hits.setItemDelegate(_Painter(self.hits))
        self.hits.setMouseTracking(True)
        self.pages.currentRowChanged.connect(self.turned)
        self.pages.itemSelectionChanged.connect(self._selected)
        self.search.textChanged.connect(self._look)
        self.search.down.connect(self._into)
        self.search.taken.connect(lambda: self._take(max(0, self.hits.currentRow())))
        self.hits.itemActivated.connect(lambda item: self._take(self.hits.row(item)))
        self.hits.itemClicked.connect(lambda item: self._take(self.hits.row(item)))
        self.hits.hide()
        self._nothing.hide()
        spoken(self._words)

    def add(self, picture: QIcon) -> None:
        """One more page; its words are set with titles()."""
        self.pages.addItem(QListWidgetItem(picture, ""))

    def titles(self, words: list[str]) -> None:
        """What the pages are called."""
        for number, text in enumerate(words):
            self.pages.item(number).setText(text)

    def _words(self) -> None:
        self.pages.setAccessibleName(_("Pages"))
        self.hits.setAccessibleName(_("Results"))
        self.search.setAccessibleName(_("Search settings"))
        self.search.setPlaceholderText(_("Search"))
        self.search.setToolTip("Ctrl+F")
        self._nothing.setText(_("No results"))
        if self.search.text():
            self._look(self.search.text())

    def _selected(self) -> None:
        """Assistive technologies select; they do not make current."""
        for index in self.pages.selectedIndexes():
            self.pages.setCurrentRow(index.row())

    def begin(self) -> None:
        """Put the keyboard into the field."""
        self.search.setFocus()
        self.search.selectAll()

    def _look(self, text: str) -> None:
        wanted = bool(text.strip())
        self._hits = find(text)
        self.hits.clear()
        for hit in self._hits:
            item = QListWidgetItem(hit.title)
            item.setData(_WHERE, hit.where)
            item.setToolTip(tip(f"{hit.title}\n{hit.where}"))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{hit.title}, {hit.where}")
            self.hits.addItem(item)
        self.pages.setVisible(not wanted)
        self.hits.setVisible(bool(self._hits))
        self._nothing.setVisible(wanted and not self._hits)

    def _into(self) -> None:
        shown = self.hits if self.hits.isVisible() else self.pages
        shown.setFocus()
        if shown.currentRow() < 0:
            shown.setCurrentRow(0)

    def _take(self, number: int) -> None:
        if number < len(self._hits):
            self.found.emit(self._hits[number])
