"""Markdown as a row of blocks, each of spans: what every service's markup is made from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

BOLD, ITALIC, STRIKE, CODE = "bold", "italic", "strike", "code"
TEXT, HEADING, FENCE, TABLE, RULE = "text", "heading", "fence", "table", "rule"
_STYLES = {"strong": BOLD, "em": ITALIC, "s": STRIKE}
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Span:
    """Text of one look."""

    text: str
    styles: frozenset[str] = frozenset()
    link: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, an item of a list, code, a table."""

    kind: str
    spans: tuple[Span, ...]
    lead: str = ""
    """What stands before its first line: a bullet or a number, indented."""
    quoted: bool = False
    language: str = ""
    level: int = 0
    """Of a heading."""
    close: bool = False
    """It follows the block before it without an empty line."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Of a table, the names of its columns first."""

    @property
    def text(self) -> str:
        """Without any look."""
        return "".join(span.text for span in self.spans)

    def cut(self, at: int) -> tuple["Block", "Block"]:
        """The part before a place in the text, and the rest."""
        before, after, left = [], [], at
        for span in self.spans:
            if left > 0:
                before.append(replace(span, text=span.text[:left]))
            if left < len(span.text):
                after.append(replace(span, text=span.text[max(0, left) :]))
            left -= len(span.text)
        rest = replace(self, spans=tuple(after), lead="", close=False)
        return replace(self, spans=tuple(before)), rest


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def read(markdown: str) -> list[Block]:
    """The blocks of a text."""
    return list(_blocks(_parser().parse(markdown)))


class _Place:
    """Where in lists and quotes the walk is."""

    def __init__(self) -> None:
        self.lists: list[int | None] = []
        """The number of the next item of each list around here; None of one with bullets."""
        self.lead = ""
        self.quotes = 0
        self.close = False


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    place, heading = _Place(), 0
    cells: list[tuple[str, ...]] | None = None
    for token in tokens:
        _walk(place, token)
        if token.type == "heading_open":
            heading = int(token.tag[1:])
        elif token.type == "heading_close":
            heading = 0
        elif token.type == "table_open":
            cells = []
        elif token.type == "tr_open" and cells is not None:
            cells.append(())
        elif token.type == "table_close" and cells is not None:
            yield _placed(place, Block(TABLE, (Span(_drawn(cells)),), rows=tuple(cells)))
            cells = None
        elif token.type == "inline" and cells is not None:
            text = "".join(span.text for span in _spans(token.children or ()))
            cells[-1] += (text.replace("\n", " "),)
        elif token.type == "inline":
            kind = HEADING if heading else TEXT
            block = Block(kind, tuple(_spans(token.children or ())), level=heading)
            yield _placed(place, block)
        elif token.type in ("fence", "code_block"):
            language = token.info.split()[0] if token.info.split() else ""
            block = Block(FENCE, (Span(token.content.removesuffix("\n")),), language=language)
            yield _placed(place, block)
        elif token.type == "hr":
            yield _placed(place, Block(RULE, (Span("———"),)))


def _walk(place: _Place, token: Token) -> None:
    if token.type == "bullet_list_open":
        place.lists.append(None)
    elif token.type == "ordered_list_open":
        place.lists.append(int(token.attrs.get("start", 1)))
    elif token.type in ("bullet_list_close", "ordered_list_close"):
        place.lists.pop()
        place.close = bool(place.lists)
    elif token.type == "list_item_open":
        number = place.lists[-1]
        mark = "• " if number is None else f"{number}. "
        place.lead = _INDENT * (len(place.lists) - 1) + mark
        if number is not None:
            place.lists[-1] = number + 1
    elif token.type == "blockquote_open":
        place.quotes += 1
    elif token.type == "blockquote_close":
        place.quotes -= 1


def _placed(place: _Place, block: Block) -> Block:
    lead = place.lead or (_INDENT * len(place.lists))
    close = place.close
    place.lead, place.close = "", bool(place.lists)
    if block.kind in (FENCE, TABLE):
        lead = lead if lead.strip() else ""
    return replace(block, lead=lead, quoted=place.quotes > 0, close=close)


def _spans(tokens: Iterable[Token]) -> Iterator[Span]:
    styles: list[str] = []
    link = ""
    for token in tokens:
        name, _underscore, end = token.type.rpartition("_")
        if name in _STYLES and end == "open":
            styles.append(_STYLES[name])
        elif name in _STYLES and end == "close":
            styles.remove(_STYLES[name])
        elif token.type == "link_open":
            link = str(token.attrs.get("href", ""))
        elif token.type == "link_close":
            link = ""
        elif token.type == "image":
            yield Span(token.content or str(token.attrs.get("src", "")), frozenset(styles), link)
        elif token.type in ("softbreak", "hardbreak"):
            yield Span("\n", frozenset(styles), link)
        elif token.type == "code_inline":
            yield Span(token.content, frozenset((*styles, CODE)), link)
        elif token.content:
            yield Span(token.content, frozenset(styles), link)


def _drawn(rows: Sequence[Sequence[str]]) -> str:
    """A table for letters of one width."""
    columns = max(map(len, rows), default=0)
    padded = [[*row, *[""] * (columns - len(row))] for row in rows]
    widths = [max(len(row[column]) for row in padded) for column in range(columns)]
    lines = [
        " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in padded
    ]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)
