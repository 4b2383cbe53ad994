"""The few HTML tags that models write in Markdown, as a rule of markdown-it; all other HTML stays text.

A line break breaks, also in a cell of a table. What has its closing tag in the same paragraph is drawn as
it means; tags that only group, on a line of their own, and comments are left out. `List<b>` stays as it is.
"""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

BOLD, ITALIC, STRIKE, CODE = "bold", "italic", "strike", "code"
STYLES = {
    **dict.fromkeys(("b", "strong", "summary", "th"), BOLD),
    **dict.fromkeys(("i", "em", "cite", "var", "dfn"), ITALIC),
    **dict.fromkeys(("s", "del", "strike"), STRIKE),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), CODE),
    **dict.fromkeys(("u", "ins"), "under"),
    **{name: name for name in ("sub", "sup", "mark")},
    **dict.fromkeys(("small", "big", "span", "font", "abbr", "q"), ""),
}
"""How what is between two tags looks; empty where that does not matter."""
_GROUPS = frozenset(("div", "p", "center", "section", "article", "figure", "figcaption"))
_FOLDS = frozenset(("details", "summary"))
_LONGEST = 300
_tag = re.compile(
    r"<(/?)([A-Za-z][A-Za-z0-9]{0,11})((?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'=<>`]+))?)*)\s*(/?)>"
)
_comment = re.compile(r"<!--(?:(?!-->).){0,1000}-->", re.DOTALL)
_line_end = re.compile(r"[ \t]*\n")
_only_tags = re.compile(r"(?:\s|</?[A-Za-z][^<>\n]*>)*")


def use(parser: "MarkdownIt") -> None:
    """Have a parser read them."""
    parser.inline.ruler.before("autolink", "tags", _inline)


def _inline(state: "StateInline", silent: bool) -> bool:
    if state.src[state.pos] != "<":
        return False
    if comment := _comment.match(state.src, state.pos):
        state.pos = comment.end()
        return True
    found = _tag.match(state.src, state.pos, state.pos + _LONGEST)
    if found is None:
        return False
    name = found[2].lower()
    if name in ("br", "wbr"):
        if name == "br" and not silent:
            state.push("hardbreak", "br", 0)
        state.pos = found.end()
        if name == "br" and (end := _line_end.match(state.src, state.pos)):
            state.pos = end.end()  # it is the same break
        return True
    if not (_pairs(state, found, name) or _stands_alone(state, found, name)):
        return False
    if not silent and name in STYLES:
        nesting = -1 if found[1] else 1
        state.opened[name] += nesting  # type: ignore[attr-defined]
        state.push("tag_close" if found[1] else "tag_open", "", 0).markup = STYLES[name]
    state.pos = found.end()
    return True


def _pairs(state: Any, found: "re.Match[str]", name: str) -> bool:
    """Whether a tag is one of a pair in this paragraph."""
    if name not in STYLES and name not in _GROUPS:
        return False
    if found[1]:
        return name in _GROUPS or state.opened[name] > 0
    if name not in state.closings:
        closings = re.finditer(rf"</{name}\s*>", state.src, re.IGNORECASE)
        state.closings[name] = max((tag.start() for tag in closings), default=-1)
    return bool(state.closings[name] > state.pos)


def _stands_alone(state: "StateInline", found: "re.Match[str]", name: str) -> bool:
    """Whether a tag that groups is on a line on which nothing else is; one that folds may have words after
    it."""
    if name not in _GROUPS | _FOLDS:
        return False
    begin = state.src.rfind("\n", 0, state.pos) + 1
    end = state.src.find("\n", state.pos)
    line = state.src[begin : end if end >= 0 else len(state.src)]
    if name in _FOLDS and not found[1]:
        return bool(_only_tags.fullmatch(state.src, begin, state.pos))
    return bool(_only_tags.fullmatch(line)) or (name in _FOLDS and bool(found[1]))
