"""The result of a subagent: a folded line like that of a call, which opens to the text."""

from functools import partial

from PySide6.QtWidgets import QWidget

from desktop.text import _
from desktop.ui.conversation.cells.choice import LIVE, Shown
from desktop.ui.conversation.cells.line import HEIGHT, StepLine
from desktop.ui.conversation.cells.slot import EDGE, Slot
from desktop.ui.conversation.step import Outcome, Step
from desktop.ui.conversation.text.body import Body
from desktop.ui.conversation.text.images import Pictures
from desktop.ui.conversation.text.slices import Slices, run
from desktop.ui.conversation.transcript import Entry
from desktop.ui.theme.tokens import Space

_INDENT = Space.XL
_AT_ONCE_S = 0.008


class ResultCell(Slot):
    """Cheap while it is folded: the text is made when it is opened."""

    def __init__(self, parent: QWidget, slices: Slices, pictures: Pictures) -> None:
        super().__init__(parent)
        self._slices, self._pictures = slices, pictures
        self.line = StepLine(self)
        self.line.clicked.connect(self._toggle)
        self._read = ""
        """The text that the body has, or is getting."""

    def keyboard_parts(self) -> list[QWidget]:
        parts: list[QWidget] = [self.line]
        if self.reader is not None:
            parts += [self.reader, *self.reader.copies.buttons]
        return parts

    def show_entry(self, entry: Entry, choice: Shown, name: str, *, again: bool = False) -> None:
        super().show_entry(entry, choice, name, again=again)
        words = _("Result of {label}").format(label=entry.label)
        self.line.show_step(Step("", words, outcome=Outcome.OK), opened=choice.unfolded)
        if choice.unfolded:
            self._show_text(again=again)
        if self.reader is not None:
            self.reader.setAccessibleName(words)
            self.reader.setVisible(choice.unfolded)

    def _show_text(self, *, again: bool) -> None:
        body = self.reader
        if body is None:
            body = self.reader = self._made()
        text = self.entry.text[:LIVE]
        if text == self._read and not again:
            return
        self._read = text
        self._slices.drop(self)
        body.stream.forget()
        body.copies.text, body.copies.shown = text, len(text)
        steps = body.stream.whole(text, body.formats_now())
        self.exact = run(steps, _AT_ONCE_S)
        if self.exact:
            body.colours.settle(final=True)
        else:
            self._slices.add(self, steps, self._went_on)

    def _made(self) -> Body:
        body = Body(self, self._slices, self._pictures)
        body.hovered.connect(self.hovered)
        body.dragged.connect(partial(self.dragged.emit, body))
        body.reached.connect(lambda rect: self.reached.emit(rect.translated(body.pos())))
        body.menu_wanted.connect(lambda event: self.menu_wanted.emit(self, body, event))
        return body

    def _went_on(self) -> None:
        if not self._slices.busy(self) and self.reader is not None:
            self.exact = True
            self.reader.colours.settle(final=True)
        self.resized.emit(self)

    def picture_arrived(self, source: str) -> bool:
        return self.reader is not None and self.reader.picture_arrived(source)

    def put_away(self) -> None:
        self._slices.drop(self)
        if self.reader is not None:
            self._slices.drop(self.reader.colours)
        super().put_away()

    def _toggle(self) -> None:
        self.choice.unfolded = not self.choice.unfolded
        self.chosen.emit(self)

    def arrange(self, width: int) -> int:
        column = width - 2 * EDGE
        self.line.setGeometry(EDGE - Space.S, 0, column + 2 * Space.S, HEIGHT)
        body = self.reader
        if body is None or not self.choice.unfolded:
            for button in body.copies.buttons if body else ():
                button.hide()
            return HEIGHT + Space.XS
        body.set_width(column - _INDENT)
        height = body.needed_height()
        body.setGeometry(EDGE + _INDENT, HEIGHT + Space.XS, column - _INDENT, height)
        if self.exact:
            body.copies.arrange()
        return HEIGHT + Space.XS + height + Space.L
