"""The parser of Markdown, and the text of one paragraph or cell as runs of one style."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from desktop.ui.conversation.text import fences, maths_rules, tags
from desktop.ui.conversation.text.blocks import Run

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

NESTING = 24
_BRACKETS, _MARKS = 120, 500
_special = re.compile(r"[\\`*_\[\]<&!~:@$\n]|www\.")

type References = dict[str, Any]


@cache
def parser() -> "MarkdownIt":
    """The one parser, made when it is first needed."""
    from markdown_it import MarkdownIt

    from desktop.ui.conversation.text.east_asian import Addresses, Inline

    made = MarkdownIt()
    made.inline = Inline()
    made.configure("commonmark", {"html": False, "linkify": True, "maxNesting": NESTING})
    made.enable(["table", "strikethrough", "linkify"])
    made.linkify = Addresses()
    made.linkify.set({"fuzzy_link": False})
    maths_rules.use(made)
    tags.use(made)
    fences.use(made)
    known = made.validateLink
    made.validateLink = lambda url: url.startswith("file:") or known(url)  # type: ignore[method-assign]
    made.core.ruler.enableOnly(["normalize", "block"])
    return made


def inline(text: str, references: References) -> tuple[Run, ...]:
    """The runs of one paragraph or cell."""
    if not _special.search(text):
        return (Run(text),) if text else ()
    dense = text.count("[") > _BRACKETS or sum(map(text.count, "*_~`&<\\:@$")) > _MARKS
    if dense:
        return (Run(text.replace("\n", "\u2028")),)
    from markdown_it.rules_core import StateCore, linkify, text_join
    from markdown_it.token import Token

    token = Token("inline", "", 0, content=text, children=[])
    assert token.children is not None
    parser().inline.parse(text, parser(), references, token.children)
    state = StateCore("", parser(), references, [token])
    if ":" in text or "@" in text or "www." in text:
        linkify(state)
    text_join(state)
    runs = list(_runs(token.children))
    while runs and runs[0].text == "\u2028":  # beside tags that leave nothing
        del runs[0]
    while runs and runs[-1].text == "\u2028":
        del runs[-1]
    return tuple(runs)


_STYLES = {"strong": tags.BOLD, "em": tags.ITALIC, "s": tags.STRIKE}


def _runs(children: "Sequence[Token]") -> Iterator[Run]:
    depth = dict.fromkeys((tags.BOLD, tags.ITALIC, tags.STRIKE, tags.CODE), 0)
    more: list[str] = []
    href = ""
    for child in children:
        name, _, end = child.type.partition("_")
        style = _STYLES.get(name, child.markup if name == "tag" else None)
        if style is not None and end in ("open", "close"):
            if style in depth:
                depth[style] += child.nesting or (1 if end == "open" else -1)
            elif style and end == "open":
                more.append(style)
            elif style in more:
                more.remove(style)
        elif child.type == "link_open":
            href = str(child.attrGet("href") or "")
        elif child.type == "link_close":
            href = ""
        else:
            text = "\u2028" if child.type in ("softbreak", "hardbreak") else child.content
            image = str(child.attrGet("src") or "") if child.type == "image" else ""
            if image:
                text = "".join(run.text for run in _runs(child.children or ()))
            if child.type == "math_inline":
                image = f"{child.markup}{text}"
                text = maths_rules.typed(image)
            if text or image:
                bold, italic, strike, made = (count > 0 for count in depth.values())
                made = made or child.type == "code_inline"
                yield Run(text, bold, italic, strike, made, href, more[-1] if more else "", image)
