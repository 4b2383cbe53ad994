"""WhatsApp's marks: one star is bold, one tilde strikes, three backticks are code; no headings and tables.

https://faq.whatsapp.com/539178204879377. A message has 65,536 characters; what is shorter is read.
A mark cannot be escaped, but is one only where a word begins or ends.
"""

from desktop.channels.markup.split import Markup
from desktop.channels.markup.tree import BOLD, CODE, FENCE, HEADING, ITALIC, STRIKE, TABLE, Block, Span

_MARKS = ((BOLD, "*"), (ITALIC, "_"), (STRIKE, "~"))
_NO_MARK = " *_~`"
_LINKS = ("http://", "https://", "mailto:")


def _span(span: Span) -> str:
    if CODE in span.styles:
        return f"`{span.text.replace('`', 'ˋ')}`"
    text = span.text
    lead, inner = text[: len(text) - len(text.lstrip())], text.strip()
    tail = text[len(lead) + len(inner) :]
    if not inner:
        return text
    for style, mark in _MARKS:
        if style in span.styles and "\n" not in inner:
            inner = f"{mark}{inner}{mark}"
    if span.link.startswith(_LINKS):
        inner = span.link if span.text.strip() == span.link else f"{inner} ({span.link})"
    return lead + inner + tail


def block(block: Block) -> str:
    """One block. Tables are drawn as code."""
    if block.kind in (FENCE, TABLE):
        return f"```{block.text.replace('```', 'ˋˋˋ')}```"
    inside = block.lead.replace("• ", "- ") + "".join(map(_span, block.spans))
    if block.kind == HEADING:
        plain = block.text.strip(_NO_MARK).replace("\n", " ")
        inside = f"{block.lead}*{plain}*" if plain else ""
    return "\n".join(f"> {line}" for line in inside.split("\n")) if block.quoted else inside


MARKUP = Markup(block, lambda written, _shown: len(written))
