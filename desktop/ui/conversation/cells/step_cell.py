"""A tool call in the conversation: a folded line, its question while one is open, and what it opens to."""

from collections.abc import Iterable

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from desktop.ui.conversation.cells.card import ApprovalCard
from desktop.ui.conversation.cells.choice import Shown
from desktop.ui.conversation.cells.details import Details
from desktop.ui.conversation.cells.line import HEIGHT, StepLine
from desktop.ui.conversation.cells.slot import EDGE, Slot, place_layout
from desktop.ui.conversation.transcript import Entry
from desktop.ui.theme.tokens import Space

_INDENT = Space.XL
_GAP = Space.XS
ROW = HEIGHT + _GAP


class StepCell(Slot):
    """Cheap while it is folded: one painted line."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.line = StepLine(self)
        self.line.clicked.connect(self._toggle)
        self.card: ApprovalCard | None = None
        self.details: Details | None = None

    def keyboard_parts(self) -> list[QWidget]:
        return [part for part in (self.line, self.card, self.details) if part is not None]

    @property
    def asks(self) -> bool:
        """Whether a question is shown here that can be answered."""
        return self.card is not None and not self.card.isHidden()

    def show_entry(self, entry: Entry, choice: Shown, name: str, *, again: bool = False) -> None:
        super().show_entry(entry, choice, name, again=again)
        step = entry.step
        assert step
        self.line.show_step(step, opened=choice.unfolded)
        self._show_card()
        if choice.unfolded:
            if self.details is None:
                self.details = Details(self)
                self.details.more_wanted.connect(self._show_all)
            self.details.show_step(step, whole=choice.whole)
            if not step.read:
                self.wanted.emit(entry.id)
        if self.details:
            self.details.setVisible(choice.unfolded)

    def _show_card(self) -> None:
        assert self.entry.step
        question = self.entry.step.question
        if question is None:
            if self.card and not self.card.isHidden():
                if self.card.has_keyboard():
                    self.line.setFocus()
                self.card.hide()
            return
        if self.card is None:
            self.card = ApprovalCard(self)
            self.card.answered.connect(self.answered)
            self.card.resized.connect(lambda: self.resized.emit(self))
        self.card.show_question(question)
        self.card.show()

    def _toggle(self) -> None:
        self.choice.unfolded = not self.choice.unfolded
        self.chosen.emit(self)

    def _show_all(self) -> None:
        self.choice.whole = True
        self.line.setFocus()
        self.chosen.emit(self)

    def arrange(self, width: int) -> int:
        column = width - 2 * EDGE
        self.line.setGeometry(EDGE - Space.S, 0, column + 2 * Space.S, HEIGHT)
        y = HEIGHT
        for part in (self.card, self.details):
            if part and not part.isHidden():
                y = place_layout(part, y + Space.XS, EDGE + _INDENT, column - _INDENT)
        return y + (_GAP if y == HEIGHT else Space.M)


def first_card(cells: Iterable[Slot], window: QWidget) -> tuple[ApprovalCard | None, QRect]:
    """The first question among these cells of a window, and where it stands; None if none is open."""
    cards = [cell.card for cell in cells if isinstance(cell, StepCell) and cell.asks and cell.card]
    if not cards:
        return None, QRect()
    return cards[0], QRect(cards[0].mapTo(window, QPoint(0, 0)), cards[0].size())
