"""The conversation on the screen: cells only for what is visible, and a place that never jumps.

Where the reader is, is held as one entry and where its top stands in the window. Everything else follows
from that, so that heights which turn out other than guessed move what is out of sight, not what is read.
"""

from PySide6.QtCore import QRect, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from desktop.text import _
from desktop.ui.conversation.cells.actions import copy
from desktop.ui.conversation.cells.cell import Cell
from desktop.ui.conversation.cells.menu import show_menu
from desktop.ui.conversation.cells.pool import Pool
from desktop.ui.conversation.cells.slot import Slot
from desktop.ui.conversation.copying import as_markdown
from desktop.ui.conversation.drag import Drag
from desktop.ui.conversation.jump import JumpButton
from desktop.ui.conversation.picked import Picked
from desktop.ui.conversation.speech import Speech
from desktop.ui.conversation.text.body import Body
from desktop.ui.conversation.transcript import Transcript
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.order import go_on
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

_TOP, _BOTTOM = Space.XL, Space.M
_MARGIN = 240
"""Pixels above and below the window for which there are cells too."""
_REPAINT_MS = 50
_AHEAD_MS = 150
"""After the first picture of the window; the first cells are made then, not with the first message."""
_SHEET = """
QTextBrowser#message { background: transparent; border: none; border-radius: 0; padding: 0; }
QScrollBar::handle:vertical:disabled { background: transparent; }
QPushButton#fold, QPushButton#more, QPushButton#back {
  font-weight: 400; padding: 0 8px; min-height: 26px; color: $muted;
}
"""


class ConversationView(QAbstractScrollArea):
    """Shows a transcript."""

    acted = Signal(str, str)
    """A button of this entry was pressed, and what it does: one of AGAIN, TO_SETTINGS, WITHDRAW."""
    wanted = Signal(str)
    """This entry was opened, and more of it is to be read from the log."""
    answered = Signal(str, object)
    """A question, and a Reply; None to leave it for later."""
    work_wanted = Signal(str, str, str)
    """Of a card of files: the entry, what is wanted (see filework.py), and of which file."""
    announced = Signal(str)
    """What a screen reader was told of itself."""
    hovered = Signal(str)
    """The address of the link under the pointer; empty when there is none."""
    placed = Signal()
    """The cells stand where they belong, all of them or after a change of one."""

    def __init__(self, transcript: Transcript, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.transcript = transcript
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Always there, so that the text is not wrapped anew when the window is full; unseen until then.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        styled(self, _SHEET)
        self.verticalScrollBar().setSingleStep(48)
        self._pool = Pool(self, transcript)
        for signal in ("acted", "wanted", "answered", "work_wanted", "hovered"):
            getattr(self._pool, signal).connect(getattr(self, signal))
        self._pool.reached.connect(self.into_sight)
        self._pool.resized.connect(self._place)
        self._pool.chosen.connect(self._stay)
        self._pool.menu_wanted.connect(self._menu)
        self._drag = Drag(self)
        self._pool.dragged.connect(self._drag.follow)
        self.picked = Picked(self, transcript, self._pool, lambda: self.slots, self.into_sight)
        self.placed.connect(self.picked.placed)
        self.picked.changed.connect(lambda: self._drag.select(not self.picked.active))
        self._top = _TOP
        """How far below the window's top the first entry may begin: what floats there covers none."""
        self._anchor = (0, self._top)
        """An entry, and how far below the window's top it begins."""
        self._follow, self._news, self._placing = True, False, False
        self._dirty: set[int] = set()
        self._empty: QWidget | None = None
        self.floating: QWidget | None = None
        """What stands over the top of it."""
        self.verticalScrollBar().sliderReleased.connect(self._place)
        self._jump = JumpButton(self)
        self._jump.clicked.connect(self.to_end)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.flush)
        self._painted = False
        transcript.reset.connect(self._reset)
        transcript.added.connect(self._added)
        transcript.removed.connect(self._removed)
        transcript.changed.connect(self._changed)
        transcript.sought.connect(lambda index: self._stay(index, top=self._top))
        theme().changed.connect(self._show_again)
        self.speech = Speech(self, transcript, self._pool.name)
        self.speech.announced.connect(self.announced)
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
        if self._jump.hasFocus():
            self.setFocus()
        self._place()

    def copy_conversation(self) -> None:
        """Put the whole conversation on the clipboard, as Markdown."""
        copy(as_markdown(self.transcript.entries, self._pool.name))

    @property
    def slots(self) -> list[Slot]:
        """The cells that show something, from top to bottom."""
        return [self._pool.cells[index] for index in sorted(self._pool.cells)]

    @property
    def cells(self) -> list[Cell]:
        """Of these, those of messages."""
        return [cell for cell in self.slots if isinstance(cell, Cell)]

    def _words(self) -> None:
        self.setAccessibleName(_("Conversation"))
        self._jump.say()
        self.speech.say()
        self._show_again()

    def _reset(self) -> None:
        self._dirty.clear()
        self._pool.fill()
        self._anchor, self._follow, self._news = (0, self._top), True, False
        self._place()

    def _added(self, index: int) -> None:
        if index < len(self._pool.heights):
            self._dirty = {at + (at >= index) for at in self._dirty}
            if index <= self._anchor[0]:
                self._anchor = (self._anchor[0] + 1, self._anchor[1])
        self._pool.insert(index)
        self._news = not self._follow
        self._place()

    def _removed(self, index: int) -> None:
        self._dirty = {at - (at > index) for at in self._dirty if at != index}
        self._pool.remove(index)
        at, top = self._anchor
        if at > index or at >= len(self._pool.heights):
            self._anchor = (max(0, at - 1), top)
        self._place()

    def _changed(self, index: int) -> None:
        self._dirty.add(index)
        if not self.transcript.entries[index].moving:
            self.flush()
        elif not self._timer.isActive():
            self._timer.start(_REPAINT_MS)

    def flush(self) -> None:
        """Draw now what has changed."""
        self._timer.stop()
        for index in self._dirty:
            self._pool.update(index)
            self._news |= not self._follow
        self._dirty.clear()
        self._place()

    def _show_again(self) -> None:
        self._pool.show_again()
        self._place()

    def _menu(self, cell: Slot, body: QWidget, event: QContextMenuEvent) -> None:
        if isinstance(body, Body):
            show_menu(self, body, cell.entry, event, self.copy_conversation, self.picked.pick)

    def _stay(self, index: int, top: int | None = None) -> None:
        """Follow the end no more: something at an entry is being looked at, which goes to `top`."""
        self._follow = False
        if top is not None:
            self._anchor = (index, top)
        self._place()

    def _place(self) -> None:
        """Put cells where the anchor says."""
        count = len(self._pool.heights)
        over = self.floating.geometry().bottom() if self.floating and self.floating.isVisible() else 0
        self._top = _TOP + over
        if self._empty:
            self._empty.setVisible(not count)
            self._empty.setGeometry(self.viewport().rect())
        if self._placing:
            return
        self._placing = True
        try:
            tops = self._spread() if count else {}
            width, x = self._pool.width, (self.viewport().width() - self._pool.width) // 2
            self._pool.keep(tops)
            for index, top in tops.items():
                cell = self._pool.cells[index]
                cell.setGeometry(QRect(x, top, width, self._pool.heights[index]))
                cell.show()
            self._settle(tops)
        finally:
            self._placing = False
        self.placed.emit()

    def _spread(self) -> dict[int, int]:
        """For each entry that needs a cell, where its top is."""
        height, last = self.viewport().height(), len(self._pool.heights) - 1
        if self._follow:
            self._pool.get(last)
            self._anchor = (last, height - _BOTTOM - self._pool.heights[last])
        for _round in range(3):
            index, top = self._anchor
            self._pool.get(index)
            tops = {index: top}
            first, y = index, top
            while first > 0 and y > -_MARGIN:
                first -= 1
                self._pool.get(first)
                y -= self._pool.heights[first]
                tops[first] = y
            bottom = top + self._pool.heights[index]
            while index < last and bottom < height + _MARGIN:
                index += 1
                self._pool.get(index)
                tops[index] = bottom
                bottom += self._pool.heights[index]
            shift = 0
            if index == last and bottom < height - _BOTTOM:
                shift = height - _BOTTOM - bottom
            if first == 0 and y + shift > self._top:
                shift = self._top - y
            if not shift:
                break
            self._anchor = (self._anchor[0], self._anchor[1] + shift)
        return tops

    def _settle(self, tops: dict[int, int]) -> None:
        """Choose the first visible entry as the new anchor, and tell the scroll bar and the button."""
        height = self.viewport().height()
        bar = self.verticalScrollBar()
        if tops:
            seen = [index for index in sorted(tops) if tops[index] + self._pool.heights[index] > 0]
            exact = [index for index in seen if self._pool.cells[index].exact and tops[index] < height]
            index = (exact or seen or [max(tops)])[0]
            self._anchor = (index, tops[index])
            total = self._pool.heights.total + self._top + _BOTTOM
            value = self._pool.heights.top(index) + self._top - tops[index]
        else:
            total = value = 0
        if not bar.isSliderDown():
            bar.setPageStep(height)
            bar.setRange(0, max(0, total - height))
            bar.setValue(value)
            bar.setEnabled(total > height)
        at_end = value >= total - height - 2
        self._follow = self._follow or at_end
        self._news = self._news and not self._follow
        self._jump.move(
            (self.width() - self._jump.width()) // 2, self.height() - self._jump.height() - Space.M
        )
        self._jump.tell(below=not self._follow and not at_end, news=self._news)
        self._jump.raise_()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if self._placing or not len(self._pool.heights):
            return
        value = self.verticalScrollBar().value()
        if abs(dy) < 2 * self.viewport().height():
            index, top = self._anchor
            self._anchor = (index, top + dy)
        else:
            index = self._pool.heights.at(value - self._top)
            self._anchor = (index, self._pool.heights.top(index) + self._top - value)
        self._follow = value >= self.verticalScrollBar().maximum()
        self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.picked.active:
            painter = QPainter(self.viewport())
            self.picked.paint(painter)
            painter.end()
        if not self._painted:
            self._painted = True
            QTimer.singleShot(_AHEAD_MS, self, self._pool.prepare)

    def resizeEvent(self, event: QResizeEvent) -> None:
        index, top = self._anchor
        anchor = self._pool.cells.get(index)
        if anchor and anchor.width() != self._pool.width:
            # Another width: the line that was at the top stays there.
            position = anchor.position_at(-top) if top < 0 else 0
            self._pool.rewrap()
            if top < 0:
                self._anchor = (index, -anchor.y_of(position))
        self._place()

    def focusNextPrevChild(self, forward: bool) -> bool:
        return go_on(self.window(), forward=forward)

    def keyboard_parts(self) -> list[QWidget]:
        """From top to bottom."""
        parts = [self.floating, *self.slots, self._empty, self._jump]
        return [part for part in parts if part is not None]

    def into_sight(self, rect: QRect) -> None:
        """Whatever the keyboard reaches comes into sight."""
        room, bar = self.viewport().height(), self.verticalScrollBar()
        if rect.top() < 0 and (rect.bottom() < room // 2 or rect.height() < room):
            bar.setValue(bar.value() + rect.top() - Space.L)
        elif rect.bottom() > room and rect.top() > (0 if rect.height() < room else room // 2):
            bar.setValue(bar.value() + min(rect.bottom() - room, rect.top()) + Space.L)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar, key = self.verticalScrollBar(), event.key()
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        pages = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1, Qt.Key.Key_Space: 1}
        if self.picked.take(event):
            pass
        elif key == Qt.Key.Key_End:
            self.to_end()
        elif key == Qt.Key.Key_Home:
            bar.setValue(0)
        elif key in steps:
            bar.setValue(bar.value() + steps[Qt.Key(key)] * bar.singleStep())
        elif key in pages:
            bar.setValue(bar.value() + pages[Qt.Key(key)] * (bar.pageStep() - 2 * bar.singleStep()))
        else:
            event.ignore()
