"""Colours on the code of a page. They lie over the text and are no part of it: nothing is written anew."""

from collections.abc import Iterator
from functools import cache

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextLayout

from desktop.ui.conversation.text import highlight
from desktop.ui.conversation.text.blocks import Code
from desktop.ui.conversation.text.highlight import Span
from desktop.ui.conversation.text.page import Page, Piece
from desktop.ui.conversation.text.slices import Slices
from desktop.ui.theme.theme import theme

type Box = tuple[Piece, int]
"""The number of a box of code in a piece."""


class Colours:
    """Finds and shows the colours of a page's code, in slices."""

    def __init__(self, page: Page, slices: Slices) -> None:
        self._page, self._slices = page, slices
        self._final = False
        self._awaited = ""
        """A language that is being made ready."""

    def settle(self, *, final: bool) -> None:
        """Colour what is not yet. While text still comes, code is coloured anew when it has grown a lot."""
        self._final = final
        if self._slices.busy(self):
            return
        for boxes in self._groups(final):
            piece, number = boxes[0]
            text, language = joined(boxes), piece.codes[number][0].language
            done = piece.coloured.get(number, "")
            if text == done or not (final or len(text) - len(done) > len(done) // 8):
                continue
            if (spans := highlight.known(text, language)) is not None:
                self._slices.add(self, self._show(boxes, spans, text), self._again)
            elif highlight.lexers().ready(language):
                self._slices.add(self, self._find(boxes, text, language, final), self._again)
            else:
                self._awaited = language
            return

    def language_arrived(self, language: str) -> None:
        """One that was not ready is."""
        if language == self._awaited:
            self._awaited = ""
            self.settle(final=self._final)

    def _again(self) -> None:
        if not self._slices.busy(self):
            self.settle(final=self._final)

    def _groups(self, final: bool) -> Iterator[list[Box]]:
        """The boxes of each block of code; not those of a quotation that may still be made anew."""
        group: list[Box] = []
        for piece in self._page.pieces:
            if not (final or isinstance(piece.block, Code)):
                continue
            for number, (code, _place) in enumerate(piece.codes):
                if group and code.head:
                    yield group
                    group = []
                group.append((piece, number))
        if group:
            yield group

    def _find(self, boxes: list[Box], text: str, language: str, final: bool) -> Iterator[None]:
        spans: list[Span] = []
        yield from highlight.find(text, language, spans)
        if final:
            highlight.remember(text, language, spans)
        yield from self._show(boxes, spans, text)

    def _show(self, boxes: list[Box], spans: list[Span], text: str) -> Iterator[None]:
        first, which = boxes[0]
        first.coloured[which] = text
        at, begin = 0, 0
        for piece, number in boxes:
            if piece not in self._page.pieces:
                return
            code, place = piece.codes[number]
            at += len(code.glue or "")
            while begin < len(spans) and spans[begin][0] + spans[begin][1] <= at:
                begin += 1
            if spans:
                _paint(self._page, place, at, spans[begin:])
            at += len(code.text)
            yield


def joined(boxes: list[Box]) -> str:
    """The code of several boxes as one text."""
    codes = [piece.codes[number][0] for piece, number in boxes]
    return "".join((code.glue or "") + code.text for code in codes)


def _paint(page: Page, place: int, at: int, spans: list[Span]) -> None:
    """Lay the colours over the lines of one box; `at` is where its text begins in the whole."""
    dark = theme().dark
    table = page.box(place)
    cursor = QTextCursor(page.document)
    cursor.beginEditBlock()
    block, last = table.cellAt(0, 0).firstCursorPosition().block(), table.lastPosition()
    begin = 0
    while block.isValid() and block.position() <= last:
        length = block.length() - 1
        ranges = []
        which = begin
        while which < len(spans) and spans[which][0] < at + length:
            start, size, kind = spans[which]
            if start + size > at:
                made = QTextLayout.FormatRange()
                made.start = max(0, start - at)
                made.length = min(start + size - at, length) - made.start
                made.format = _format(kind, dark)
                ranges.append(made)
            if start + size <= at + length:
                begin = which + 1
            which += 1
        block.layout().setFormats(ranges)
        at += length + 1
        block = block.next()
    cursor.endEditBlock()


@cache
def _format(kind: str, dark: bool) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(QColor((highlight.DARK if dark else highlight.LIGHT)[kind]))
    return made
