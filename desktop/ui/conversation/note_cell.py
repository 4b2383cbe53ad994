"""A line of the program's own in the conversation, such as an answer that was given from the inbox."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop.ui.conversation.choice import Shown
from desktop.ui.conversation.plain import shown
from desktop.ui.conversation.slot import EDGE, Slot
from desktop.ui.conversation.transcript import Entry
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.labels import label

_LONGEST = 500


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
