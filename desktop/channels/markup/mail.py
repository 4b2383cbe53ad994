"""HTML for mail: plain elements, everything escaped, nothing that is loaded."""

from collections.abc import Iterable
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

_TAGS = ((CODE, "code"), (BOLD, "b"), (ITALIC, "i"), (STRIKE, "s"))
_LINKS = ("http://", "https://", "mailto:")
_MONO = "font-family:monospace;white-space:pre-wrap;background:#f4f4f4;color:#222;padding:8px"
_CELL = 'style="border:1px solid #999;padding:3px 8px;text-align:left"'


def _span(span: Span) -> str:
    text = escape(span.text, quote=False).replace("\n", "<br>\n")
    for style, tag in _TAGS:
        if style in span.styles:
            text = f"<{tag}>{text}</{tag}>"
    if span.link.startswith(_LINKS):
        text = f'<a href="{escape(span.link)}">{text}</a>'
    return text


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    lines = []
    for number, row in enumerate(rows):
        tag = "td" if number else "th"
        cells = "".join(f"<{tag} {_CELL}>{escape(cell, quote=False)}</{tag}>" for cell in row)
        lines.append(f"<tr>{cells}</tr>")
    return f'<table style="border-collapse:collapse">{"".join(lines)}</table>'


def block(block: Block) -> str:
    """One block. Items of lists are lines with their bullet or number."""
    if block.kind == RULE:
        return "<hr>"
    if block.kind == FENCE:
        return f'<pre style="{_MONO}">{escape(block.text, quote=False)}</pre>'
    if block.kind == TABLE:
        return _table(block.rows)
    mark = block.lead.lstrip()
    depth = (len(block.lead) - len(mark)) // 2 + bool(block.lead)
    inside = escape(mark, quote=False) + "".join(map(_span, block.spans))
    if block.kind == HEADING:
        level = min(max(block.level, 1), 6)
        return f"<h{level}>{inside}</h{level}>"
    style = f' style="margin:2px 0 2px {depth * 1.2:.1f}em"' if depth else ""
    inside = f"<p{style}>{inside}</p>"
    return f"<blockquote>{inside}</blockquote>" if block.quoted else inside


MARKUP = Markup(block, lambda written, _shown: len(written))
