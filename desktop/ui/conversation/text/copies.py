"""A button on each block of code, which copies all of it: also what "Show more" would show."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from PySide6.QtCore import QPoint, QRectF
from PySide6.QtWidgets import QWidget

from desktop.text import _
from desktop.ui.conversation.cells.actions import CopyButton
from desktop.ui.conversation.text import fences, markdown
from desktop.ui.conversation.text.blocks import Block, Code, Quote
from desktop.ui.conversation.text.page import Page
from desktop.ui.widgets.plain import shown

_BUTTONS = 60
"""Of so many blocks of code in one message each has a button."""
_READ = 60_000
"""Characters of a message that are read to find code inside a list or a quotation."""
_opening = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)(?:\n|$)", re.MULTILINE)


class Copies:
    """The buttons of one text."""

    def __init__(self, page: Page, place: Callable[[int], QRectF], body: QWidget) -> None:
        self._page, self._place, self._body = page, place, body
        self._buttons: list[CopyButton] = []
        self.text, self.shown = "", 0
        """What the message is, and how many characters of that are shown."""

    @property
    def buttons(self) -> list[CopyButton]:
        """Those in use, in order."""
        return [button for button in self._buttons if not button.isHidden()]

    def arrange(self) -> None:
        """Put them in their places, after the text or its width has changed."""
        codes = enumerate(self._codes())
        places = list(islice(((which, place) for which, (code, place) in codes if code.head), _BUTTONS))
        heads = [(which, self._place(place)) for which, place in places]
        while len(self._buttons) < len(heads):
            self._buttons.append(CopyButton(str, self._body.parentWidget()))
        for button, (which, rect) in zip(self._buttons, heads, strict=False):
            button.source = partial(self._source, which)
            button.say(_("Copy code"))
            place = QPoint(int(rect.right()) - button.width() - 6, int(rect.top()) + 4)
            button.move(self._body.pos() + place)
            button.show()
        for button in self._buttons[len(heads) :]:
            button.hide()

    def _codes(self) -> list[tuple[Code, int]]:
        return [code for piece in self._page.pieces for code in piece.codes]

    def _source(self, which: int) -> str:
        codes = [code for code, _place in self._codes()]
        own = next(_groups(codes[which:]))
        text = _text(own)
        if len(self.text) <= self.shown or which + len(own) < len(codes):
            return text
        return whole(self.text, self.shown, text)


def whole(text: str, cut: int, begun: str) -> str:
    """All of the block of code that begins so and in which the text was cut off."""
    for codes in _over(shown(text), len(shown(text[:cut]))):
        if (found := _text(codes)).startswith(begun) and len(found) > len(begun):
            return found
    return begun


def _over(text: str, cut: int) -> Iterator[list[Code]]:
    """The blocks of code that may lie across that place: the likely one first."""
    if fence := _open_at(text, cut):
        yield [block for block in markdown.fenced(text, fence) if isinstance(block, Code)]
    if cut < _READ:
        yield from _groups(_inside(markdown.read(text[: cut + _READ])))


def _open_at(text: str, cut: int) -> re.Match[str] | None:
    """The opening line of the fence that is open there."""
    at = 0
    while (found := _opening.search(text, at)) and found.start() < cut:
        at = found.end()
        if fence := fences.fence_at(text, found.start()):
            close = fences.closing(text, fence)
            if close is None or close.start() >= cut:
                return fence
            at = close.end()
    return None


def _inside(blocks: Iterator[Block | None]) -> Iterator[Code]:
    for block in blocks:
        if isinstance(block, Code):
            yield block
        elif isinstance(block, Quote):
            yield from _inside(iter(block.blocks))


def _groups(codes: "Iterator[Code] | list[Code]") -> Iterator[list[Code]]:
    """The pieces of each block of code."""
    group: list[Code] = []
    for code in codes:
        if group and code.head:
            yield group
            group = []
        group.append(code)
    if group:
        yield group


def _text(codes: list[Code]) -> str:
    return "".join((code.glue or "") + code.text for code in codes)
