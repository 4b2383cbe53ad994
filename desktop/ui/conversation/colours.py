"""Colours on the code of a page. They lie over the text and are no part of it: nothing is written anew."""

from collections.abc import Iterator
from functools import cache

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextLayout

from desktop.ui.conversation import highlight
from desktop.ui.conversation.blocks import Code
from desktop.ui.conversation.highlight import Span
from desktop.ui.conversation.page import Page, Piece
from desktop.ui.conversation.slices import Slices
from desktop.ui.theme.theme import theme

type Pieces = list[tuple[Piece, Code, int]]


class Colours:
    """Finds and shows the colours of a page's code, in slices."""

    def __init__(self, page: Page, slices: Slices) -> None:
        self._page, self._slices = page, slices

    def settle(self, *, final: bool) -> None:
        """Colour what is not yet. While text still comes, code is coloured anew when it has grown a lot."""
        if self._slices.busy(self):
            return
        for pieces in self._groups():
            text, language, done = joined(pieces), pieces[0][1].language, pieces[0][0].coloured
            if text == done or not (final or len(text) - len(done) > len(done) // 8):
                continue
            if (spans := highlight.known(text, language)) is not None:
                self._slices.add(self, self._show(pieces, spans, text), lambda: self._again(final))
            else:
                work = self._find(pieces, text, language, final)
                self._slices.add(self, work, lambda: self._again(final))
            return

    def _again(self, final: bool) -> None:
        if not self._slices.busy(self):
            self.settle(final=final)

    def _groups(self) -> Iterator[Pieces]:
        """The pieces of each block of code; those in a quotation stay plain."""
        group: Pieces = []
        for piece in self._page.pieces:
            if isinstance(piece.block, Code):
                if group and piece.block.head:
                    yield group
                    group = []
                group.append((piece, *piece.codes[0]))
        if group:
            yield group

    def _find(self, pieces: Pieces, text: str, language: str, final: bool) -> Iterator[None]:
        spans: list[Span] = []
        yield from highlight.find(text, language, spans)
        if final:
            highlight.remember(text, language, spans)
        yield from self._show(pieces, spans, text)

    def _show(self, pieces: Pieces, spans: list[Span], text: str) -> Iterator[None]:
        pieces[0][0].coloured = text
        at, begin = 0, 0
        for piece, _code, place in pieces:
            if piece not in self._page.pieces:
                return
            end = at + len(piece.codes[0][0].text)
            while begin < len(spans) and spans[begin][0] + spans[begin][1] <= at:
                begin += 1
            if spans:
                _paint(self._page, place, at, spans[begin:])
            at = end + len(next((c.glue or "" for p, c, _ in pieces if p.start > piece.start), ""))
            yield


def joined(pieces: Pieces) -> str:
    """The code of several pieces as one text."""
    return "".join((code.glue or "") + code.text for _piece, code, _place in pieces)


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
