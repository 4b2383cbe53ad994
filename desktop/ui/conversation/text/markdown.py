"""Markdown to blocks, in steps short enough for the loop, however long or hostile the text.

CommonMark with tables, strikethrough, bare links, task lists, formulas and a few HTML tags. The text is
read a window at a time: all blocks of a window but the last are finished, and the next window begins at the
last. What is too big, too deep or too dense to be read in a moment is shown as it was typed.
"""

import re
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from desktop.ui.conversation.text import fences, maths_rules
from desktop.ui.conversation.text.blocks import Block, Code, Paragraph, Quote, Rule, Run, Table
from desktop.ui.conversation.text.parser import NESTING, References, inline, parser
from desktop.ui.conversation.text.reading_order import from_right

if TYPE_CHECKING:
    from markdown_it.token import Token

WINDOW, LINES = 3_000, 50
"""Characters and lines that are read in one step."""
BLOCK = 12_000
"""A single block longer than this, or than four times the lines, is shown as typed."""
CODE_LINES, CODE_TEXT = 100, 4_000
"""How much code stands in one block of ours."""
_INLINE = 6_000
_COLUMNS, _ROWS = 16, 200
_DIGIT = 0.375
"""What one digit more than two takes, in steps of the indentation."""

_definition = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:.{0,1000}(?:\n[ \t]*[\"'(].{0,500})?$", re.MULTILINE)
_task = re.compile(r"\[([ xX])\](?:\s+|$)")


def read(text: str) -> Iterator[Block | None]:
    """The blocks of a whole text; None where some time has passed without one."""
    references = definitions(text) if len(text) > WINDOW else {}
    at, continued = 0, False
    while at < len(text):
        if len(text) - at > WINDOW and (fence := fences.fence_at(text, at)):
            at = yield from fenced(text, fence)
            continued = False
            continue
        at, continued = yield from _window(text, at, references, continued)
        yield None


def definitions(text: str, known: References | None = None) -> References:
    """The link definitions of a long text, found without reading all of it, and those known before."""
    references = known or {}
    found = [match[0] for _, match in zip(range(60), _definition.finditer(text), strict=False)]
    if found:
        parser().parse("\n\n".join(found), references)
    return references


def tops(text: str, references: References) -> "list[tuple[int, list[Token]]]":
    """The outermost blocks of a text as tokens, each with the line where it begins."""
    found: list[tuple[int, list[Token]]] = []
    for token in parser().parse(text, references):
        if token.level == 0 and token.nesting >= 0:
            found.append((token.map[0] if token.map else 0, []))
        found[-1][1].append(token)
    return found


def blocks_of(
    tokens: "Sequence[Token]", text: str, references: References, *, continued: bool = False
) -> Iterator[Block]:
    """The blocks of one outermost block; as typed where it is nested too deep.

    `continued`: it is the rest of a list that began before.
    """
    if max(token.level for token in tokens) >= NESTING - 2:
        first = tokens[0].map or [0, 0]
        yield from typed("\n".join(text.split("\n")[first[0] : first[1]]))
    else:
        yield from _Walk(text, references, first=not continued, rtl=from_right(tokens)).walk(tokens)


def typed(text: str) -> Iterator[Block]:
    """Text as it was typed, in blocks that are quick to draw."""
    text = text.strip("\n")
    for at in range(0, len(text), 1_000):
        yield Paragraph((Run(text[at : at + 1_000].replace("\n", "\u2028")),), plain=True, tight=at > 0)


def fenced(text: str, fence: re.Match[str]) -> Generator[Block, None, int]:
    """A fenced block, without the help of the parser; returns where it ends."""
    end = fences.closing(text, fence)
    inside = text[fence.end() : end.start() if end else len(text)]
    yield from code(inside, fence[2].strip(), 0)
    return min(len(text), end.end() + 1) if end else len(text)


def code(text: str, info: str, indent: float) -> Iterator[Block]:
    """A block of code in pieces."""
    language = info.split()[0][:30] if info.split() else ""
    glue: str | None = None
    for piece, after in _pieces(text.removesuffix("\n")):
        yield Code(piece, language, indent, after is not None, glue)
        glue = after


def _pieces(text: str) -> Iterator[tuple[str, str | None]]:
    """Pieces of code, each with what stands between it and the next; None after the last."""
    at = 0
    while True:
        end, lines = at, 0
        while lines < CODE_LINES and end - at <= CODE_TEXT and end < len(text):
            end = text.find("\n", end) + 1 or len(text) + 1
            lines += 1
        if end - at > CODE_TEXT + 200:
            end = at + CODE_TEXT
            yield text[at:end], ""
        elif end >= len(text):
            yield text[at : len(text)], None
            return
        else:
            yield text[at : end - 1], "\n"
        at = end


def _window(
    text: str, at: int, references: References, continued: bool
) -> Generator[Block | None, None, tuple[int, bool]]:
    """The finished blocks of the text from `at`; returns where the next begins, and whether in a list."""
    size, lines = WINDOW, LINES
    while True:
        end = _end(text, at, size, lines)
        if end - at > 2 * BLOCK:
            end = text.find("\n", at) + 1 or len(text)  # never in a line: the rest would be read as one
            yield from typed(text[at:end])
            return end, False
        if text.count("|", at, line := text.find("\n", at, end) + 1 or end) > 4 * _COLUMNS:
            yield from typed(text[at:line])
            return line, False
        part = text[at:end]
        found = tops(part, references)
        last = end == len(text)
        if last or len(found) > 1:
            for number, (_, tokens) in enumerate(found if last else found[:-1]):
                yield from blocks_of(tokens, part, references, continued=continued and not number)
            return (end if last else at + offset(part, found[-1][0])), False
        if not found:
            return end, False
        tokens = found[0][1]
        if len(places := items(tokens)) > 1:
            line, which = places[-1]
            yield from blocks_of(tokens[:which], part, references, continued=continued)
            return at + offset(part, line), True
        if end - at >= BLOCK or lines > 2 * LINES:
            yield from typed(part)
            return end, False
        size, lines = size * 2, lines * 2
        yield None


def _end(text: str, at: int, size: int, lines: int) -> int:
    """The end of the line with which a window is full."""
    end = at
    for _ in range(lines):
        end = text.find("\n", end) + 1 or len(text)
        if end - at >= size or end == len(text):
            break
    return end


def items(tokens: "Sequence[Token]") -> list[tuple[int, int]]:
    """Of the items of an outermost list: the line and the number of the token where each begins."""
    return [
        (token.map[0], at)
        for at, token in enumerate(tokens)
        if token.type == "list_item_open" and token.level == 1 and token.map
    ]


def offset(text: str, line: int) -> int:
    """Where a line begins."""
    at = 0
    for _ in range(line):
        at = text.find("\n", at) + 1
    return at


def load() -> None:
    """Bring what reads Markdown into memory, ahead of the first answer and in any thread."""
    inline("*a*", {})


class _Walk:
    """One pass over the tokens of an outermost block."""

    def __init__(self, text: str, references: References, *, first: bool = True, rtl: bool = False) -> None:
        self._text, self._references, self._rtl = text, references, rtl
        self._indent = 0.0
        self._marker = ""
        self._numbers: list[int | None] = []
        """For each list we are in, the next number; None for bullets."""
        self._hangs: list[float] = [1]
        """And how far its markers stand before the text."""
        self._first = first

    def walk(self, tokens: "Sequence[Token]") -> Iterator[Block]:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            kind = token.type
            if kind in ("paragraph_open", "heading_open"):
                yield from self._paragraph(token, tokens[at + 1])
                at += 2
            elif kind in ("blockquote_open", "table_open"):
                end = _close(tokens, at)
                inside = tokens[at + 1 : end]
                yield from self._empty_item()
                yield self._quote(inside) if kind == "blockquote_open" else self._table(token, inside)
                at = end
            elif kind in ("fence", "code_block"):
                yield from self._empty_item()
                yield from code(token.content, token.info, self._indent)
            elif kind == "math_block":
                yield from self._empty_item()
                yield self._formula(token.content)
            elif kind == "hr":
                yield from self._empty_item()
                yield Rule(self._indent)
            else:
                yield from self._list(token, tokens, at)
            at += 1

    def _list(self, token: "Token", tokens: "Sequence[Token]", at: int) -> Iterator[Block]:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            yield from self._empty_item()
            start = int(token.attrGet("start") or 0) if token.attrGet("start") is not None else 1
            ordered = token.type == "ordered_list_open"
            self._numbers.append(start if ordered else None)
            self._hangs.append(_hang(start, tokens, at) if ordered else 1)
            self._indent += self._hangs[-1]
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._numbers.pop()
            self._indent -= self._hangs.pop()
        elif token.type == "list_item_open":
            number = self._numbers[-1]
            self._marker = "•" if number is None else f"{number}."
            if number is not None:
                self._numbers[-1] = number + 1
        elif token.type == "list_item_close":
            yield from self._empty_item()

    def _empty_item(self) -> Iterator[Block]:
        """The marker of an item that does not begin with text."""
        if self._marker:
            yield self._made((), marker=self._marker, tight=not self._first)
            self._marker, self._first = "", False

    def _paragraph(self, opening: "Token", token: "Token") -> Iterator[Block]:
        heading = opening.type == "heading_open"
        content, marker = token.content, self._marker
        if marker == "•" and (task := _task.match(content)):
            marker, content = "[ ]" if task[1] == " " else "[x]", content[task.end() :]
        if len(content) > _INLINE:
            yield from self._empty_item()
            yield from typed(content)
            self._first = False
            return
        tight = opening.hidden and not self._first
        runs = inline(content, self._references)
        if runs or marker or not content.strip():  # tags that only group leave nothing
            yield self._made(runs, heading=heading, marker=marker, tight=tight)
            self._marker, self._first = "", False

    def _made(self, runs: tuple[Run, ...], **more: Any) -> Paragraph:
        return Paragraph(runs, indent=self._indent, hang=self._hangs[-1], rtl=self._rtl, **more)

    def _formula(self, content: str) -> Block:
        source = f"{maths_rules.DISPLAY}{content}"
        self._first = False
        return Paragraph((Run(maths_rules.typed(source), image=source),), indent=self._indent, center=True)

    def _quote(self, inside: "Sequence[Token]") -> Block:
        blocks = tuple(_Walk(self._text, self._references, rtl=self._rtl).walk(inside))
        return Quote(blocks or (Paragraph(()),), self._indent, self._rtl)

    def _table(self, opening: "Token", inside: "Sequence[Token]") -> Block:
        rows: list[list[tuple[Run, ...]]] = []
        alignments = []
        for at, token in enumerate(inside):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                content = inside[at + 1].content
                if inside[at + 3].type == "tr_close":
                    content += self._beyond(inside, at)
                rows[-1].append(inline(content, self._references))
                if token.type == "th_open":
                    alignments.append(str(token.attrGet("style") or "").removeprefix("text-align:"))
        if len(alignments) > _COLUMNS or len(rows) > _ROWS:
            first, last = opening.map or [0, 0]
            return Code("\n".join(self._text.split("\n")[first:last]), indent=self._indent)
        return Table(tuple(map(tuple, rows)), tuple(alignments), self._indent, self._rtl)

    def _beyond(self, inside: "Sequence[Token]", at: int) -> str:
        """What a row has beyond its last column, the cell at `at`: Markdown would leave it out."""
        from markdown_it.rules_block.table import escapedSplit

        line = (inside[at + 1].map or [0])[0]
        cells = [cell.strip() for cell in escapedSplit(self._text.split("\n")[line].strip())]
        begin = next(i for i in range(at, -1, -1) if inside[i].type == "tr_open")
        kept = [token.content for token in inside[begin : at + 2] if token.type == "inline"]
        for end in (len(kept), len(kept) + 1):  # before the first cell may stand a sign of a quotation
            first = end - len(kept)
            if cells[first + 1 : end] == kept[1:] and "".join(cells[first : first + 1]).endswith(kept[0]):
                return "".join(f" | {cell}" for cell in cells[end:] if cell)
        return ""


def _hang(start: int, tokens: "Sequence[Token]", at: int) -> float:
    """How far the markers of a numbered list stand before its text: room for the widest."""
    level, count = tokens[at].level + 1, 0
    for token in tokens[at + 1 : _close(tokens, at)]:
        count += token.level == level and token.type == "list_item_open"
    return 1 + _DIGIT * max(0, len(str(start + count - 1)) - 2)


def _close(tokens: "Sequence[Token]", at: int) -> int:
    """Where the block that opens at `at` closes."""
    level = tokens[at].level
    return next((i for i in range(at + 1, len(tokens)) if tokens[i].level == level), len(tokens))
