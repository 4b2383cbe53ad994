"""Telegram's HTML: a few tags, and only <, > and & escaped.

https://core.telegram.org/bots/api#html-style. A message has 4,096 UTF-16 units after the tags are read.
"""

from html import escape

from desktop.channels.markup.split import Markup
from desktop.channels.markup.tree import BOLD, CODE, FENCE, HEADING, ITALIC, STRIKE, TABLE, Block, Span

_TAGS = ((BOLD, "b"), (ITALIC, "i"), (STRIKE, "s"))
_LINKS = ("http://", "https://", "tg://", "mailto:")


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text) + sum(ord(letter) > 0xFFFF for letter in text)


def _span(span: Span) -> str:
    text = escape(span.text, quote=False)
    if CODE in span.styles:
        text = f"<code>{text}</code>"
    for style, tag in _TAGS:
        if style in span.styles and CODE not in span.styles:
            text = f"<{tag}>{text}</{tag}>"
    if span.link.startswith(_LINKS):
        text = f'<a href="{escape(span.link)}">{text}</a>'
    return text


def block(block: Block) -> str:
    """One block. Headings are bold: Telegram has none; tables are drawn."""
    if block.kind in (FENCE, TABLE):
        inside = escape(block.text, quote=False)
        if block.language:
            return f'{block.lead}<pre><code class="language-{escape(block.language)}">{inside}</code></pre>'
        return f"{block.lead}<pre>{inside}</pre>"
    inside = block.lead + "".join(map(_span, block.spans))
    if block.kind == HEADING:
        plain = "".join(escape(span.text, quote=False) for span in block.spans)
        inside = f"{block.lead}<b>{plain}</b>"
    return f"<blockquote>{inside}</blockquote>" if block.quoted else inside


MARKUP = Markup(block, lambda _written, shown: units(shown))
