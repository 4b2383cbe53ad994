"""Markdown to blocks, in steps short enough for the loop, however long or hostile the text.

CommonMark with tables, strikethrough, bare links, task lists and formulas; raw HTML is text. The text is
read a window at a time: all blocks of a window but the last are finished, and the next window begins at the
last. What is too big, too deep or too dense to be read in a moment is shown as it was typed.
"""

import re
from collections.abc import Generator, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from desktop.ui.conversation import maths_rules
from desktop.ui.conversation.blocks import Block, Code, Paragraph, Quote, Rule, Run, Table

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

WINDOW, LINES = 3_000, 50
"""Characters and lines that are read in one step."""
BLOCK = 12_000
"""A single block longer than this, or than four times the lines, is shown as typed."""
CODE_LINES, CODE_TEXT = 100, 4_000
"""How much code stands in one block of ours."""
NESTING = 24
_INLINE, _BRACKETS, _MARKS = 6_000, 120, 500
_COLUMNS, _ROWS = 16, 200

_fence = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)(?:\n|$)")
_definition = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:.{0,1000}(?:\n[ \t]*[\"'(].{0,500})?$", re.MULTILINE)
_special = re.compile(r"[\\`*_\[\]<&!~:@$\n]|www\.")
_task = re.compile(r"\[([ xX])\](?:\s+|$)")

type References = dict[str, Any]


def read(text: str) -> Iterator[Block | None]:
    """The blocks of a whole text; None where some time has passed without one."""
    references = definitions(text) if len(text) > WINDOW else {}
    at, continued = 0, False
    while at < len(text):
        if len(text) - at > WINDOW and (fence := fence_at(text, at)):
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
        _parser().parse("\n\n".join(found), references)
    return references


def tops(text: str, references: References) -> "list[tuple[int, list[Token]]]":
    """The outermost blocks of a text as tokens, each with the line where it begins."""
    found: list[tuple[int, list[Token]]] = []
    for token in _parser().parse(text, references):
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
        yield from _Walk(text, references, first=not continued).walk(tokens)


def typed(text: str) -> Iterator[Block]:
    """Text as it was typed, in blocks that are quick to draw."""
    text = text.strip("\n")
    for at in range(0, len(text), 1_000):
        yield Paragraph((Run(text[at : at + 1_000].replace("\n", "\u2028")),), plain=True, tight=at > 0)


def fence_at(text: str, at: int = 0) -> re.Match[str] | None:
    """The opening line of a fenced block that begins there."""
    found = _fence.match(text, at)
    return found if found and not (found[1][0] == "`" and "`" in found[2]) else None


def closing(fence: re.Match[str]) -> re.Pattern[str]:
    """The line that ends a fenced block."""
    return re.compile(rf"^ {{0,3}}{fence[1][0]}{{{len(fence[1])},}}[ \t]*$", re.MULTILINE)


def fenced(text: str, fence: re.Match[str]) -> Generator[Block, None, int]:
    """A fenced block, without the help of the parser; returns where it ends."""
    end = closing(fence).search(text, fence.end())
    inside = text[fence.end() : end.start() if end else len(text)]
    yield from code(inside, fence[2].strip(), 0)
    return min(len(text), end.end() + 1) if end else len(text)


def code(text: str, info: str, indent: int) -> Iterator[Block]:
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
            end = text.find("\n", at, at + 2 * BLOCK) + 1 or at + 2_000
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


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": True, "maxNesting": NESTING})
    parser.enable(["table", "strikethrough", "linkify"])
    maths_rules.use(parser)
    assert parser.linkify is not None
    parser.linkify.set({"fuzzy_link": False})
    known = parser.validateLink
    parser.validateLink = lambda url: url.startswith("file:") or known(url)  # type: ignore[method-assign]
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def inline(text: str, references: References) -> tuple[Run, ...]:
    """The runs of one paragraph or cell."""
    if not _special.search(text):
        return (Run(text),) if text else ()
    dense = text.count("[") > _BRACKETS or sum(map(text.count, "*_~`&<\\:@$")) > _MARKS
    if dense:
        return (Run(text.replace("\n", "\u2028")),)
    from markdown_it.rules_core import StateCore, linkify, text_join
    from markdown_it.token import Token

    parser = _parser()
    token = Token("inline", "", 0, content=text, children=[])
    assert token.children is not None
    parser.inline.parse(text, parser, references, token.children)
    state = StateCore("", parser, references, [token])
    if ":" in text or "@" in text or "www." in text:
        linkify(state)
    text_join(state)
    return tuple(_runs(token.children))


def _runs(children: "Sequence[Token]") -> Iterator[Run]:
    depth = {"strong": 0, "em": 0, "s": 0}
    href = ""
    for child in children:
        name, _, end = child.type.partition("_")
        if name in depth and end in ("open", "close"):
            depth[name] += child.nesting
        elif child.type == "link_open":
            href = str(child.attrGet("href") or "")
        elif child.type == "link_close":
            href = ""
        else:
            text = "\u2028" if child.type in ("softbreak", "hardbreak") else child.content
            image = str(child.attrGet("src") or "") if child.type == "image" else ""
            if child.type == "math_inline":
                image = f"{child.markup}{text}"
                text = maths_rules.typed(image)
            if text or image:
                made = child.type == "code_inline"
                yield Run(text, depth["strong"] > 0, depth["em"] > 0, depth["s"] > 0, made, href, image)


class _Walk:
    """One pass over the tokens of an outermost block."""

    def __init__(self, text: str, references: References, *, first: bool = True) -> None:
        self._text, self._references = text, references
        self._indent = 0
        self._marker = ""
        self._numbers: list[int | None] = []
        """For each list we are in, the next number; None for bullets."""
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
                yield from self._list(token)
            at += 1

    def _list(self, token: "Token") -> Iterator[Block]:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            yield from self._empty_item()
            start = int(token.attrGet("start") or 0) if token.attrGet("start") is not None else 1
            self._numbers.append(start if token.type == "ordered_list_open" else None)
            self._indent += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._numbers.pop()
            self._indent -= 1
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
            yield Paragraph((), indent=self._indent, marker=self._marker, tight=not self._first)
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
        yield Paragraph(runs, heading, False, self._indent, marker, tight)
        self._marker, self._first = "", False

    def _formula(self, content: str) -> Block:
        source = f"{maths_rules.DISPLAY}{content}"
        self._first = False
        return Paragraph((Run(maths_rules.typed(source), image=source),), indent=self._indent, center=True)

    def _quote(self, inside: "Sequence[Token]") -> Block:
        blocks = tuple(_Walk(self._text, self._references).walk(inside))
        return Quote(blocks or (Paragraph(()),), self._indent)

    def _table(self, opening: "Token", inside: "Sequence[Token]") -> Block:
        rows: list[list[tuple[Run, ...]]] = []
        alignments = []
        for at, token in enumerate(inside):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                rows[-1].append(inline(inside[at + 1].content, self._references))
                if token.type == "th_open":
                    alignments.append(str(token.attrGet("style") or "").removeprefix("text-align:"))
        if len(alignments) > _COLUMNS or len(rows) > _ROWS:
            first, last = opening.map or [0, 0]
            return Code("\n".join(self._text.split("\n")[first:last]), indent=self._indent)
        return Table(tuple(map(tuple, rows)), tuple(alignments), self._indent)


def _close(tokens: "Sequence[Token]", at: int) -> int:
    """Where the block that opens at `at` closes."""
    level = tokens[at].level
    return next(i for i in range(at + 1, len(tokens)) if tokens[i].level == level)
