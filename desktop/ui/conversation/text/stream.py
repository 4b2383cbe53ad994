"""An answer that grows: only what can still change is read and drawn again, and at its end it is the whole.

While text arrives, everything before the last outermost block is finished. Later text can still change what
was finished (a link's definition, a list that becomes loose), so the end of a stream is read as a whole,
in steps, and what differs is drawn anew.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from desktop.ui.conversation.text import fences, markdown
from desktop.ui.conversation.text.blocks import Block, Paragraph, Run, boxes, flat
from desktop.ui.conversation.text.formats import Formats
from desktop.ui.conversation.text.markdown import BLOCK, WINDOW
from desktop.ui.conversation.text.page import Page
from desktop.ui.conversation.text.parser import References
from desktop.ui.widgets.plain import shown

if TYPE_CHECKING:
    from markdown_it.token import Token


BOXES = 200
"""A page has so many boxes at the most; what would be in more of them is plain text."""

_unclosed = re.compile(r"(?<![\w*`\\])(\*\*|`)((?![\s*`])[^*`\u2028]*|)$")
"""The beginning of bold text or code at the end of a text."""


class Stream:
    """Keeps a page equal to a text."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._text = ""
        self.done = 0
        """Characters whose blocks are finished."""
        self._pieces = 0
        """How many blocks those are."""
        self._references: References = {}
        self._continued = False

    def forget(self) -> None:
        """Begin with an empty page."""
        self._page.clear()
        self._restart()

    def _restart(self) -> None:
        self._text, self.done, self._pieces, self._references = "", 0, 0, {}
        self._continued = False

    def whole(self, text: str, formats: Formats) -> Iterator[None]:
        """Make the page that of a finished text; a step after each block."""
        self._restart()
        yield from self._settle(markdown.read(shown(text)), formats)

    def typed(self, text: str, formats: Formats) -> Iterator[None]:
        """Make the page that of a text that is no Markdown."""
        yield from self._settle(markdown.typed(shown(text)), formats)

    def _settle(self, blocks: Iterator[Block | None], formats: Formats) -> Iterator[None]:
        count = 0
        for block in blocks:
            if block is not None:
                self._put(count, block, formats)
                count += 1
            yield
        self._page.keep(count)

    def _put(self, at: int, block: Block, formats: Formats) -> None:
        """Make `block` the one at that place; those after it stay only if it was that already."""
        pieces = self._page.pieces
        if (before := pieces[at - 1].boxes if at else 0) + (more := boxes(block)) > BOXES:
            block, more = flat(block), 0
        if at < len(pieces) and pieces[at].block == block:
            return
        if at == len(pieces) - 1 and self._page.grow(block, formats):
            return
        self._page.keep(at)
        self._page.append(block, formats)
        self._page.pieces[-1].boxes = before + more

    def grow(self, text: str, formats: Formats) -> None:
        """Show a text to which more will be added. Reads only what is not finished."""
        text = shown(text)
        if not text.startswith(self._text):
            self._restart()
        self._text = text
        at = self._pieces
        blocks = self._tail(text)
        for block in [*blocks[:-1], *map(styled, blocks[-1:])]:
            self._put(at, block, formats)
            at += 1
        self._page.keep(at)

    def _tail(self, text: str) -> list[Block]:
        tail = text[self.done :]
        if len(tail) > WINDOW and (fence := fences.fence_at(tail)):
            code, end = _fenced(tail, fence)
            if end < len(tail):
                self._finish(tail[:end], len(code))
                return [*code, *self._tail(text)]
            return code
        if len(tail) > BLOCK:
            return list(markdown.typed(tail))
        references = {"references": dict(self._references.get("references", {}))}
        found = markdown.tops(tail, references)
        settled = tail.count("\n") - 2
        """A block that begins in a later line may still become one with the block before."""
        blocks: list[Block] = []
        line, count = 0, 0
        for number, (begins, tokens) in enumerate(found):
            if number and begins <= settled:
                line, count = begins, len(blocks)
            blocks += markdown.blocks_of(tokens, tail, references, continued=self._continued and not number)
        if count:
            self._finish(tail[: markdown.offset(tail, line)], count)
            self._continued = False
        elif len(found) == 1 and len(tail) > WINDOW:
            self._finish_items(tail, found[0][1], settled)
        return blocks

    def _finish_items(self, tail: str, tokens: "Sequence[Token]", settled: int) -> None:
        """The items of a list so long that it should not be read again and again."""
        items = [(line, at) for line, at in markdown.items(tokens) if line <= settled]
        if len(items) > 1:
            line, at = items[-1]
            blocks = markdown.blocks_of(tokens[:at], tail, self._references, continued=self._continued)
            self._finish(tail[: markdown.offset(tail, line)], sum(1 for _ in blocks))
            self._continued = True

    def _finish(self, part: str, blocks: int) -> None:
        if "]:" in part:
            self._references = markdown.definitions(part, self._references)
        self.done += len(part)
        self._pieces += blocks


def styled(block: Block) -> Block:
    """A paragraph whose last words are to be bold or code once their mark is closed, as if it were."""
    if (
        not isinstance(block, Paragraph)
        or block.plain
        or not block.runs
        or len(block.runs[-1].text) > BLOCK
    ):
        return block
    last = block.runs[-1]
    if last != Run(last.text) or not (found := _unclosed.search(last.text)):
        return block
    before = Run(last.text[: found.start()])
    begun = Run(found[2], bold=found[1] == "**", code=found[1] == "`")
    return replace(block, runs=(*block.runs[:-1], *(run for run in (before, begun) if run.text)))


def _fenced(text: str, fence: "re.Match[str]") -> tuple[list[Block], int]:
    reading = markdown.fenced(text, fence)
    blocks: list[Block] = []
    while True:
        try:
            blocks.append(next(reading))
        except StopIteration as end:
            return blocks, int(end.value)
