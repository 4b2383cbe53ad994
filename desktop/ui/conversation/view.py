"""The conversation on the screen: cells only for what is visible, and a place that never jumps.

Where the reader is, is held as one entry and where its top stands in the window. Everything else follows
from that, so that heights which turn out other than guessed move what is out of sight, not what is read.
"""

from PySide6.QtCore import QEvent, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from desktop.text import _
from desktop.ui.conversation.actions import copy
from desktop.ui.conversation.cell import EDGE, ROW, SHOWN, Cell, Shown
from desktop.ui.conversation.jump import JumpButton
from desktop.ui.conversation.layout import Heights, guess
from desktop.ui.conversation.menu import show_menu
from desktop.ui.conversation.slices import Slices
from desktop.ui.conversation.transcript import Author, Entry, Transcript
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.words import spoken

_TOP, _BOTTOM = Space.XL, Space.M
_MARGIN = 240
"""Pixels above and below the window for which there are cells too."""
_REPAINT_MS = 50
_SPARE = 6
_SHEET = """
QTextBrowser#message { background: transparent; border: none; border-radius: 0; padding: 0; }
QPushButton#fold, QPushButton#more { font-weight: 400; padding: 0 6px; min-height: 24px; }
"""


class ConversationView(QAbstractScrollArea):
    """Shows a transcript."""

    acted = Signal(str)
    """The remedy's button of this entry was pressed."""
    hovered = Signal(str)
    """The address of the link under the pointer; empty when there is none."""

    def __init__(self, transcript: Transcript, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.transcript = transcript
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setStyleSheet(_SHEET)
        self.verticalScrollBar().setSingleStep(48)
        self._slices = Slices(self)
        self._heights = Heights()
        self._cells: dict[int, Cell] = {}
        self._spare: list[Cell] = []
        self._choices: dict[str, Shown] = {}
        self._anchor = (0, _TOP)
        """An entry, and how far below the window's top it begins."""
        self._follow = True
        self._news = False
        self._placing = False
        self._dirty: set[int] = set()
        self._empty: QWidget | None = None
        self._jump = JumpButton(self)
        self._jump.clicked.connect(self.to_end)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.flush)
        transcript.reset.connect(self._reset)
        transcript.added.connect(self._added)
        transcript.changed.connect(self._changed)
        theme().changed.connect(self._show_again)
        spoken(self._words)
        self._reset()

    def set_empty_widget(self, widget: QWidget) -> None:
        """What stands in the middle while there is no entry."""
        self._empty = widget
        widget.setParent(self.viewport())
        self._place()

    def to_end(self) -> None:
        """Go to the end and follow it."""
        self._follow = True
        self._news = False
        self._place()

    def copy_conversation(self) -> None:
        """Put the whole conversation on the clipboard, as Markdown."""
        parts = [
            f"## {self._name(entry)}\n\n{entry.text}" for entry in self.transcript.entries if entry.text
        ]
        copy("\n\n".join(parts) + "\n")

    @property
    def cells(self) -> list[Cell]:
        """Those that show something, from top to bottom."""
        return [self._cells[index] for index in sorted(self._cells)]

    def _words(self) -> None:
        self.setAccessibleName(_("Conversation"))
        self._jump.say()
        self._show_again()

    def _name(self, entry: Entry) -> str:
        return _("You") if entry.author is Author.YOU else self.transcript.assistant

    def _width(self) -> int:
        return max(120, min(Size.COLUMN, self.viewport().width() - 2 * Space.L)) + 2 * EDGE

    def _guess(self, entry: Entry) -> int:
        width = self._width() - 2 * EDGE
        return guess(entry.text, width, self._choice(entry).limit) + ROW

    def _guess_all(self) -> None:
        width = self._width() - 2 * EDGE
        choices = self._choices
        self._heights.fill(
            guess(entry.text, width, choices[entry.id].limit if entry.id in choices else SHOWN) + ROW
            for entry in self.transcript.entries
        )

    def _choice(self, entry: Entry) -> Shown:
        return self._choices.get(entry.id, _DEFAULT)

    def _reset(self) -> None:
        for cell in self._cells.values():
            self._put_away(cell)
        self._cells.clear()
        self._choices.clear()
        self._dirty.clear()
        self._guess_all()
        self._anchor, self._follow, self._news = (0, _TOP), True, False
        self._place()

    def _added(self, index: int) -> None:
        self._heights.append(self._guess(self.transcript.entries[index]))
        self._news = not self._follow
        if index - 1 in self._cells:
            self._cells[index - 1].last = False
            self._cells[index - 1].reveal()
        self._place()

    def _changed(self, index: int) -> None:
        self._dirty.add(index)
        entry = self.transcript.entries[index]
        if not entry.moving:
            self.flush()
        elif not self._timer.isActive():
            self._timer.start(_REPAINT_MS)

    def flush(self) -> None:
        """Draw now what has changed."""
        self._timer.stop()
        for index in self._dirty:
            entry = self.transcript.entries[index]
            if cell := self._cells.get(index):
                self._load(cell, entry)
                self._heights.set(index, cell.arrange(self._width()))
            else:
                self._heights.set(index, self._guess(entry))
            self._news |= not self._follow
        self._dirty.clear()
        self._place()

    def _load(self, cell: Cell, entry: Entry, *, again: bool = False) -> None:
        cell.last = entry is self.transcript.entries[-1]
        choice = self._choices.setdefault(entry.id, Shown()) if entry.id in self._choices else Shown()
        cell.show_entry(entry, choice, self._name(entry), again=again)

    def _show_again(self) -> None:
        for index, cell in self._cells.items():
            self._load(cell, self.transcript.entries[index], again=True)
            self._heights.set(index, cell.arrange(self._width()))
        self._place()

    def _cell(self, index: int) -> Cell:
        """The cell of an entry, laid out."""
        if cell := self._cells.get(index):
            return cell
        cell = self._spare.pop() if self._spare else self._new_cell()
        self._cells[index] = cell
        self._load(cell, self.transcript.entries[index], again=True)
        self._heights.set(index, cell.arrange(self._width()))
        return cell

    def _new_cell(self) -> Cell:
        cell = Cell(self.viewport(), self._slices)
        cell.acted.connect(self.acted)
        cell.resized.connect(self._resized)
        cell.chosen.connect(self._chose)
        cell.body.hovered.connect(self.hovered)
        cell.menu_wanted.connect(self._menu)
        return cell

    def _menu(self, cell: Cell, event: QContextMenuEvent) -> None:
        show_menu(self, cell.body, cell.entry, event, self.copy_conversation)

    def _index(self, cell: Cell) -> int | None:
        return next((index for index, other in self._cells.items() if other is cell), None)

    def _resized(self, cell: Cell) -> None:
        if (index := self._index(cell)) is not None:
            self._heights.set(index, cell.arrange(self._width()))
            self._place()

    def _chose(self, cell: Cell) -> None:
        self._choices[cell.entry.id] = cell.choice
        self._follow = False
        self._load(cell, cell.entry)
        self._resized(cell)

    def _put_away(self, cell: Cell) -> None:
        cell.drop_work()
        if cell.has_focus_inside():
            self.setFocus()
        cell.hide()
        if len(self._spare) < _SPARE:
            self._spare.append(cell)
        else:
            cell.deleteLater()

    def _place(self) -> None:
        """Put cells where the anchor says."""
        count = len(self._heights)
        if self._empty:
            self._empty.setVisible(not count)
            self._empty.setGeometry(self.viewport().rect())
        if self._placing:
            return
        self._placing = True
        try:
            tops = self._spread() if count else {}
            width, x = self._width(), (self.viewport().width() - self._width()) // 2
            for index in [index for index in self._cells if index not in tops]:
                self._put_away(self._cells.pop(index))
            for index, top in tops.items():
                cell = self._cells[index]
                cell.setGeometry(QRect(x, top, width, self._heights[index]))
                cell.show()
            self._settle(tops)
        finally:
            self._placing = False

    def _spread(self) -> dict[int, int]:
        """For each entry that needs a cell, where its top is."""
        height, last = self.viewport().height(), len(self._heights) - 1
        if self._follow:
            self._cell(last)
            self._anchor = (last, height - _BOTTOM - self._heights[last])
        for _round in range(3):
            index, top = self._anchor
            self._cell(index)
            tops = {index: top}
            first, y = index, top
            while first > 0 and y > -_MARGIN:
                first -= 1
                self._cell(first)
                y -= self._heights[first]
                tops[first] = y
            bottom = top + self._heights[index]
            while index < last and bottom < height + _MARGIN:
                index += 1
                self._cell(index)
                tops[index] = bottom
                bottom += self._heights[index]
            shift = 0
            if index == last and bottom < height - _BOTTOM:
                shift = height - _BOTTOM - bottom
            if first == 0 and y + shift > _TOP:
                shift = _TOP - y
            if not shift:
                break
            self._anchor = (self._anchor[0], self._anchor[1] + shift)
        return tops

    def _settle(self, tops: dict[int, int]) -> None:
        """Choose the first visible entry as the new anchor, and tell the scroll bar and the button."""
        height = self.viewport().height()
        bar = self.verticalScrollBar()
        if tops:
            seen = [index for index in sorted(tops) if tops[index] + self._heights[index] > 0]
            index = seen[0] if seen else max(tops)
            self._anchor = (index, tops[index])
            total = self._heights.total + _TOP + _BOTTOM
            value = self._heights.top(index) + _TOP - tops[index]
        else:
            total = value = 0
        if not bar.isSliderDown():
            bar.setPageStep(height)
            bar.setRange(0, max(0, total - height))
            bar.setValue(value)
        at_end = value >= total - height - 2
        self._follow = self._follow or at_end
        self._news = self._news and not self._follow
        self._jump.move(
            (self.width() - self._jump.width()) // 2, self.height() - self._jump.height() - Space.M
        )
        self._jump.tell(below=not self._follow and not at_end, news=self._news)
        self._jump.raise_()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if self._placing or not len(self._heights):
            return
        value = self.verticalScrollBar().value()
        if abs(dy) < 2 * self.viewport().height():
            index, top = self._anchor
            self._anchor = (index, top + dy)
        else:
            index = self._heights.at(value - _TOP)
            self._anchor = (index, self._heights.top(index) + _TOP - value)
        self._follow = value >= self.verticalScrollBar().maximum()
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        cell = self._cells.get(self._anchor[0])
        if cell and cell.width() != self._width():
            self._rewrap(cell)
        self._place()

    def _rewrap(self, anchor: Cell) -> None:
        """Another width: the line that was at the top stays there."""
        index, top = self._anchor
        position = anchor.text_at(-top) if top < 0 else 0
        self._guess_all()
        for which, cell in self._cells.items():
            self._heights.set(which, cell.arrange(self._width()))
        if top < 0:
            self._anchor = (index, -anchor.height_of(position))

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.verticalScrollBar().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar, key = self.verticalScrollBar(), event.key()
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        pages = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1, Qt.Key.Key_Space: 1}
        if key == Qt.Key.Key_End:
            self.to_end()
        elif key == Qt.Key.Key_Home:
            bar.setValue(0)
        elif key in steps:
            bar.setValue(bar.value() + steps[Qt.Key(key)] * bar.singleStep())
        elif key in pages:
            bar.setValue(bar.value() + pages[Qt.Key(key)] * (bar.pageStep() - 2 * bar.singleStep()))
        else:
            event.ignore()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel:
            return False
        return super().viewportEvent(event)


_DEFAULT = Shown()
