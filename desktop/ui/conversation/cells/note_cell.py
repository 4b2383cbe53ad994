"""Lines of the program's own in the conversation: an answer that was given from the inbox, a new start."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.text import _
from desktop.ui.conversation.cells.choice import Shown
from desktop.ui.conversation.cells.slot import EDGE, Slot
from desktop.ui.conversation.transcript import Entry
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.plain import shown

_LONGEST = 500
_BREAK = 44


class NoteCell(Slot):
    """Small, muted, in the middle."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = label("small", wrap=True, parent=self)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)

    def show_entry(self, entry: Entry, choice: Shown, name: str, *, again: bool = False) -> None:
        super().show_entry(entry, choice, name, again=again)
        text = shown(entry.text)
        self._text.setText(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")

    def arrange(self, width: int) -> int:
        column = width - 2 * (EDGE + Space.XL)
        height = self._text.heightForWidth(column)
        self._text.setGeometry(EDGE + Space.XL, Space.S, column, height)
        return height + 2 * Space.S + Space.XS


class BreakCell(Slot):
    """A thin line across, with words in its middle."""

    def show_entry(self, entry: Entry, choice: Shown, name: str, *, again: bool = False) -> None:
        super().show_entry(entry, choice, name, again=again)
        self.setAccessibleName(_("New session"))
        self.update()

    def arrange(self, width: int) -> int:
        return _BREAK

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colors, font, words = theme().colors, text_font(Size.SMALL), _("New session")
        half = QFontMetrics(font).horizontalAdvance(words) // 2 + Space.M
        middle, y = self.width() // 2, self.height() // 2 - Space.XS
        painter.setPen(QColor(colors.border_strong))
        painter.drawLine(EDGE, y, middle - half, y)
        painter.drawLine(middle + half, y, self.width() - EDGE, y)
        painter.setFont(font)
        painter.setPen(QColor(colors.muted))
        rect = self.rect().adjusted(0, -2 * Space.XS, 0, 0)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, words)
        painter.end()
