"""What a view needs of a cell, whatever it shows."""

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QWidget

from desktop.ui.conversation.cells.choice import Shown
from desktop.ui.conversation.text.body import Body
from desktop.ui.conversation.transcript import Author, Entry

EDGE = 8
"""Room on both sides of the column, for the ring of the focus."""


class Slot(QWidget):
    """Shows one entry in the width that the view gives; used again for another of its kind."""

    resized = Signal(object)
    """It needs another height."""
    chosen = Signal(object)
    """The reader unfolded or lengthened it."""
    acted = Signal(str, str)
    wanted = Signal(str)
    """More of this entry is to be read from the log."""
    answered = Signal(str, object)
    """A question, and a Reply; None to leave it for later."""
    work_wanted = Signal(str, str, str)
    """Of a card of files: the entry, what is wanted (see filework.py), and of which file."""
    hovered = Signal(str)
    reached = Signal(QRect)
    """The keyboard is there, in the cell."""
    dragged = Signal(QWidget, QPoint)
    """A selection is drawn in this text with the mouse, which is there on the screen."""
    menu_wanted = Signal(object, QWidget, QContextMenuEvent)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.entry = Entry("", Author.YOU)
        self.choice = Shown()
        self.last = False
        self.exact = True
        """Whether all of it is laid out."""
        self.reader: Body | None = None
        """The text that is read in it, where there is one."""

    @property
    def weight(self) -> int:
        """How much it holds: a heavy one is not used again."""
        return len(self.reader.page.pieces) if self.reader else 0

    def keyboard_parts(self) -> list[QWidget]:
        """From top to bottom."""
        return []

    def show_entry(self, entry: Entry, choice: Shown, name: str, *, again: bool = False) -> None:
        """Show this entry. `again`: nothing that was laid out before still holds."""
        self.entry, self.choice = entry, choice

    def arrange(self, width: int) -> int:
        """Lay everything out in this width; returns the height that it needs."""
        raise AssertionError(width)

    def put_away(self) -> None:
        """Show nothing; be ready for another entry."""
        self.hide()

    def picture_arrived(self, source: str) -> bool:
        """A picture is there; whether what shows it must be made anew."""
        return False

    def position_at(self, y: int) -> int:
        """The place in the text at that height, which stays where it is when the width changes."""
        return self.reader.position_at(y) if self.reader else 0

    def y_of(self, position: int) -> int:
        """At which height such a place is now."""
        return self.reader.y_of(position) if self.reader else 0

    def reveal(self) -> None:
        """Show the buttons if the pointer or the keyboard is here."""

    def has_focus_inside(self) -> bool:
        """Whether the keyboard is in this cell."""
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)


def place_layout(widget: QWidget, y: int, left: int, width: int) -> int:
    """Put a widget with a layout there, as tall as it needs to be; returns where it ends."""
    layout = widget.layout()
    if layout is None:
        height = widget.sizeHint().height()
    elif layout.hasHeightForWidth():
        height = layout.totalHeightForWidth(width)
    else:
        height = layout.totalSizeHint().height()
    widget.setGeometry(left, y, width, height)
    return y + height
