"""Whole messages that are chosen together, to be copied as Markdown.

A selection drawn with the mouse beyond its message, drawn on with Shift and the arrows, or ended by a click
with Shift into another message takes whole messages. The keyboard is then in the conversation itself,
whatever message it came from.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QTextCursor
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from desktop.ui.conversation.cells.actions import copy
from desktop.ui.conversation.cells.pool import Pool
from desktop.ui.conversation.cells.slot import Slot
from desktop.ui.conversation.copying import as_markdown
from desktop.ui.conversation.text.body import Body
from desktop.ui.conversation.transcript import Entry, Transcript
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size, Space

_ARROWS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class Picked(QObject):
    """One for a view: from which message to which, both included; mostly none."""

    copied = Signal(int)
    """So many messages are on the clipboard."""
    changed = Signal()

    def __init__(
        self,
        view: QAbstractScrollArea,
        transcript: Transcript,
        pool: Pool,
        slots: Callable[[], Sequence[Slot]],
        into_sight: Callable[[QRect], object],
    ) -> None:
        """`slots`: what is shown of messages now; `into_sight` scrolls to one."""
        super().__init__(view)
        self._view, self._transcript, self._name = view, transcript, pool.name
        self._slots, self._into_sight = slots, into_sight
        pool.dragged.connect(self.follow)
        pool.reached.connect(self.reached)
        self._ends: tuple[str, str] | None = None
        """Where it began, and where it goes to."""
        self._start = ""
        """The message that was last clicked into: from there a click with Shift chooses."""
        self._body: Body | None = None
        """The text in which a selection is being drawn, the beginning of that, and the pointer."""
        self._anchor = 0
        self._pointer = QPoint()
        self._before: tuple[Body, int] | None = None
        """Where Shift and an arrow last led to."""
        self._transcript.reset.connect(self.clear)
        self._transcript.removed.connect(self.clear)
        app = QGuiApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_changed)

    @property
    def active(self) -> bool:
        """Whether there are any."""
        return self._ends is not None

    @property
    def entries(self) -> list[Entry]:
        """From top to bottom."""
        if self._ends is None:
            return []
        first, last = sorted(self._transcript.place(end) for end in self._ends)
        return self._transcript.entries[first : last + 1]

    def pick(self, first: str, last: str) -> None:
        """Choose the messages from one to another, and take the keyboard."""
        self._ends = (first, last)
        self._view.setFocus()
        self._tell()

    def clear(self) -> None:
        """Choose none."""
        if self._ends is not None:
            self._ends = None
            self._tell()

    def _tell(self) -> None:
        self._view.viewport().update()
        self.changed.emit()

    # ---- by mouse

    def follow(self, body: Body, pointer: QPoint) -> None:
        """A selection is drawn in this text with the mouse, which is there on the screen; or it was clicked
        into with Shift, and nothing is drawn."""
        if not body.dragging:
            self._clicked(body)
            return
        if body is not self._body or not self.active:
            self._anchor = body.textCursor().anchor()
        self._body, self._pointer = body, pointer
        here, there = self._slot_of(body), self._slot_at(pointer)
        if here is None or there is None:
            return
        if there is not here:
            self.pick(here.entry.id, there.entry.id)
            self._select(body, self._anchor)
        elif self.active:
            self.clear()
            body.setFocus()
            self._select(body, body.cursorForPosition(body.viewport().mapFromGlobal(pointer)).position())

    def _clicked(self, body: Body) -> None:
        slot = self._slot_of(body)
        start = self._ends[0] if self._ends is not None else self._start
        if slot is None or start not in self._transcript:
            return
        if slot.entry.id != start:
            self.pick(start, slot.entry.id)
        else:
            self.clear()

    def _select(self, body: Body, position: int) -> None:
        cursor = body.textCursor()
        cursor.setPosition(self._anchor)
        cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
        body.setTextCursor(cursor)

    def _slot_of(self, body: QWidget) -> Slot | None:
        return next((slot for slot in self._slots() if slot.isAncestorOf(body)), None)

    def _slot_at(self, pointer: QPoint) -> Slot | None:
        """The message there; above the first one that, below the last one the last."""
        y = self._view.viewport().mapFromGlobal(pointer).y()
        slots = self._slots()
        return next((slot for slot in slots if y <= slot.geometry().bottom()), slots[-1] if slots else None)

    def placed(self) -> None:
        """The view has put its messages elsewhere."""
        if not self.active:
            return
        if self._body is not None and self._body.dragging:
            self.follow(self._body, self._pointer)
        self._view.viewport().update()

    def _focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        shift = QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier
        slot = self._slot_of(new) if isinstance(new, Body) else None
        if slot is not None and shift and QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            return  # the click says itself what it means
        if slot is not None:
            self._start = slot.entry.id
        if self.active and new is not None and new is not self._view:
            self.clear()

    # ---- by keyboard

    def reached(self) -> None:
        """The keyboard drew a selection in a text; at its end, it goes on with the next message."""
        body = QApplication.focusWidget()
        if not isinstance(body, Body):
            return
        cursor = body.textCursor()
        before, self._before = self._before, (body, cursor.position())
        if before != self._before or not (cursor.atEnd() or cursor.atStart()):
            return
        slot = self._slot_of(body)
        if slot is not None:
            cursor.clearSelection()
            body.setTextCursor(cursor)
            self.pick(slot.entry.id, slot.entry.id)
            self._extend(1 if cursor.atEnd() else -1)

    def take(self, event: QKeyEvent) -> bool:
        """Act on a key that the conversation got; whether it was meant for this."""
        if event.matches(QKeySequence.StandardKey.SelectAll) and self._transcript.entries:
            self.pick(self._transcript.entries[0].id, self._transcript.entries[-1].id)
            return True
        if not self.active:
            return False
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() == Qt.Key.Key_Escape:
            self.clear()
        elif event.key() in _ARROWS and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._extend(_ARROWS[Qt.Key(event.key())])
        else:
            return False
        return True

    def copy(self) -> None:
        """Put them on the clipboard, as Markdown."""
        entries = self.entries
        copy(as_markdown(entries, self._name))
        self.copied.emit(sum(1 for entry in entries if entry.text and entry.step is None))

    def _extend(self, step: int) -> None:
        assert self._ends is not None
        place = self._transcript.place(self._ends[1]) + step
        if not 0 <= place < len(self._transcript.entries):
            return
        last = self._transcript.entries[place].id
        self._ends = (self._ends[0], last)
        slot = next((slot for slot in self._slots() if slot.entry.id == last), None)
        if slot is None:
            self._transcript.seek(last)
        else:
            self._into_sight(slot.geometry())
        self._tell()

    # ---- seen

    def paint(self, painter: QPainter) -> None:
        """Draw what is behind them in the view."""
        if not self.active:
            return
        chosen = {entry.id for entry in self.entries}
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().colors.accent_soft))
        for slot in self._slots():
            if slot.entry.id in chosen:
                rect = slot.geometry().adjusted(-Space.XS, 0, Space.XS, -Space.XS)
                painter.drawRoundedRect(rect, Size.RADIUS, Size.RADIUS)
