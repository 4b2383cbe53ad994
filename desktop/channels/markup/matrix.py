"""Matrix's HTML: a few tags, as https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes.

An event has 65,536 bytes, with its text as HTML and plain, escaped as JSON, and by a third more where it is
encrypted.
"""

import json
from html import escape

from desktop.channels.markup.split import Markup
from desktop.channels.markup.tree import (
    BOLD,
    CODE,
    FENCE,
    HEADING,
    ITALIC,
    RULE,
    STRIKE,
    TABLE,
    Block,
    Span,
)

_TAGS = ((CODE, "code"), (BOLD, "strong"), (ITALIC, "em"), (STRIKE, "del"))
_LINKS = ("http://", "https://", "mailto:")
LONGEST = 36_000
"""Bytes of both texts as JSON."""


def size(markup: str, plain: str) -> int:
    """Bytes of an event that the two texts take."""
    return len(json.dumps(markup)) + len(json.dumps(plain))


def _span(span: Span) -> str:
    text = escape(span.text, quote=False).replace("\n", "<br>")
    for style, tag in _TAGS:
        if style in span.styles:
            text = f"<{tag}>{text}</{tag}>"
    if span.link.startswith(_LINKS):
        text = f'<a href="{escape(span.link)}">{text}</a>'
    return text


def block(block: Block) -> str:
    """One block. Items of lists are lines with their bullet or number; tables are drawn: not all apps
    show them."""
    if block.kind == RULE:
        return "<hr>"
    if block.kind in (FENCE, TABLE):
        language = f' class="language-{escape(block.language)}"' if block.language else ""
        return f"<pre><code{language}>{escape(block.text, quote=False)}</code></pre>"
    mark = block.lead.lstrip(" ")
    indent = "\N{NO-BREAK SPACE}" * (len(block.lead) - len(mark))
    inside = indent + escape(mark, quote=False) + "".join(map(_span, block.spans))
    if block.kind == HEADING:
        level = min(max(block.level, 1), 6)
        return f"<h{level}>{inside}</h{level}>"
    inside = f"{inside}<br>" if block.lead else f"<p>{inside}</p>"
    return f"<blockquote>{inside}</blockquote>" if block.quoted else inside


MARKUP = Markup(block, size)
