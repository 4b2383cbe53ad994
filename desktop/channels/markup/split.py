"""Cuts what is said into messages: at empty lines first, then at lines, at spaces, and last within a word.

Spans are cut with their look, code with its fence, so that every message is whole by itself.
"""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from desktop.channels.markup.tree import FENCE, TABLE, Block, read

_JOINERS = "\u200d\ufe0f\ufe0e"
_LEAST = 0.5
"""A piece is cut at a line or a space only behind this part of it."""


@dataclass(frozen=True, slots=True)
class Markup:
    """How a service writes."""

    block: Callable[[Block], str]
    """One block in its markup."""
    count: Callable[[str, str], int]
    """How long it takes a text for, of its markup and of what that shows."""


def plain(block: Block) -> str:
    """A block without markup."""
    if block.kind in (FENCE, TABLE):
        return block.text
    quote = "> " if block.quoted else ""
    inside = "".join(
        f"{span.text} ({span.link})" if span.link and span.link != span.text else span.text
        for span in block.spans
    )
    return "\n".join(quote + line for line in (block.lead + inside).split("\n"))


def pieces(markdown: str, markup: Markup, longest: int) -> list[tuple[str, str]]:
    """Markup and plain text of each message; one empty pair for an empty text."""
    found: list[tuple[str, str]] = []
    for block in read(markdown):
        for number, part in enumerate(_fitting(block, markup, longest)):
            written, shown = markup.block(part), plain(part)
            gap = "\n" if block.close else "\n\n"
            if found and not number:
                both = (found[-1][0] + gap + written, found[-1][1] + gap + shown)
                if markup.count(*both) <= longest:
                    found[-1] = both
                    continue
            found.append((written, shown))
    return [pair for pair in found if pair[1].strip()] or [("", "")]


def plain_pieces(text: str, count: Callable[[str], int], longest: int) -> list[str]:
    """Plain text in pieces."""
    whole = Markup(plain, lambda _written, shown: count(shown))
    return [shown for _written, shown in pieces_of_text(text, whole, longest)]


def pieces_of_text(text: str, markup: Markup, longest: int) -> list[tuple[str, str]]:
    """The same of a text that is no Markdown."""
    from desktop.channels.markup.tree import TEXT, Span

    parts = _fitting(Block(TEXT, (Span(text),)), markup, longest)
    return [(markup.block(part), plain(part)) for part in parts]


def _fitting(block: Block, markup: Markup, longest: int) -> Iterator[Block]:
    while markup.count(markup.block(block), plain(block)) > longest:
        at = _most(block, markup, longest)
        first, block = block.cut(_good_place(block.text, at))
        yield first
        block = _without_break(block)
    yield block


def _most(block: Block, markup: Markup, longest: int) -> int:
    """How many characters fit."""
    low, high = 1, len(block.text)
    while low < high:
        middle = (low + high + 1) // 2
        first, _rest = block.cut(middle)
        if markup.count(markup.block(first), plain(first)) <= longest:
            low = middle
        else:
            high = middle - 1
    return low


def _good_place(text: str, at: int) -> int:
    for mark in ("\n\n", "\n", " "):
        found = text.rfind(mark, 0, at + 1)
        if found > at * _LEAST:
            return found
    while at > 1 and at < len(text) and _belongs_to_before(text, at):
        at -= 1
    return at


def _belongs_to_before(text: str, at: int) -> bool:
    return text[at] in _JOINERS or text[at - 1] == "\u200d" or unicodedata.combining(text[at]) > 0


def _without_break(block: Block) -> Block:
    """Without the line end or space at which it was cut."""
    lead = len(block.text) - len(block.text.lstrip("\n "))
    if block.kind in (FENCE, TABLE):
        lead = 1 if block.text.startswith("\n") else 0
    return block.cut(lead)[1] if lead else block
