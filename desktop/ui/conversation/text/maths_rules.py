"""Formulas in Markdown: $x$, $$x$$, \\(x\\) and \\[x\\], as rules of markdown-it.

A dollar sign is mostly money, or a variable of a shell: it opens a formula only before what is no blank
and not after a letter or a digit, and closes one only after what is no blank and no sign of a path, and not
before a letter, a digit or a bracket, all in one paragraph. What has half a bracket in it is no formula.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

INLINE, DISPLAY = "math:i:", "math:d:"
"""How the address of a formula's picture begins; the rest is its TeX."""
LONGEST = 1_000
_LINES = 40
_PAIRS = {"$$": "$$", "\\[": "\\]"}
_dollar = re.compile(
    r"(?<![A-Za-z0-9])\$(?![\s$])((?:[^$\\]|\\.)+?)(?<![\s(/:])\$(?![A-Za-z0-9({])", re.DOTALL
)
_double = re.compile(r"\$\$((?:[^$\\]|\\.)+?)\$\$", re.DOTALL)
_round = re.compile(r"\\\((.+?)\\\)", re.DOTALL)
_square = re.compile(r"\\\[(.+?)\\\]", re.DOTALL)


def is_formula(source: str) -> bool:
    """Whether the address of a picture is that of a formula."""
    return source.startswith((INLINE, DISPLAY))


def tex(source: str) -> str:
    """The TeX of a formula's address."""
    return source[len(INLINE) :]


def typed(source: str) -> str:
    """A formula as it is written in Markdown."""
    sign = "$$" if source.startswith(DISPLAY) else "$"
    return f"{sign}{tex(source)}{sign}"


def use(parser: "MarkdownIt") -> None:
    """Have a parser read formulas."""
    parser.inline.ruler.before("escape", "math", _inline)
    parser.block.ruler.before(
        "fence", "math", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _inline(state: "StateInline", silent: bool) -> bool:
    sign = state.src[state.pos : state.pos + 2]
    if sign[:1] == "$":
        patterns = ((_double, DISPLAY),) if sign == "$$" else ((_dollar, INLINE),)
    elif sign in ("\\(", "\\["):
        patterns = ((_round, INLINE),) if sign == "\\(" else ((_square, DISPLAY),)
    else:
        return False
    for pattern, kind in patterns:
        found = pattern.match(state.src, state.pos, state.pos + LONGEST)
        if found and found[1].strip() and (kind == DISPLAY or _is_whole(found[1])):
            if not silent:
                token = state.push("math_inline", "", 0)
                token.content, token.markup = found[1].strip(), kind
            state.pos = found.end()
            return True
    return False


def _is_whole(formula: str) -> bool:
    """Whether as many brackets open as close: of an interval, too, that is half open."""
    signs = re.sub(r"\\.", "", formula)
    return signs.count("(") + signs.count("[") == signs.count(")") + signs.count("]")


def _block(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    first = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    closing = _PAIRS.get(first[:2])
    if closing is None or state.is_code_block(start):
        return False
    lines = [first[2:]]
    at = start
    while not lines[-1].rstrip().endswith(closing):
        at += 1
        if at >= end or at - start > _LINES:
            return False
        line = state.src[state.bMarks[at] + state.tShift[at] : state.eMarks[at]]
        if not line.strip():
            return False
        lines.append(line)
    inside = "\n".join(lines).rstrip().removesuffix(closing).strip()
    if not inside or len(inside) > LONGEST or closing in inside:
        return False
    if not silent:
        state.line = at + 1
        token = state.push("math_block", "", 0)
        token.content, token.map = inside, [start, at + 1]
    return True
