"""Slack's mrkdwn: one star is bold, no headings and tables, and <, > and & escaped.

https://docs.slack.dev/messaging/formatting-message-text. Slack advises 4,000 characters a message.
"""

from desktop.channels.markup.split import Markup
from desktop.channels.markup.tree import BOLD, CODE, FENCE, HEADING, ITALIC, STRIKE, TABLE, Block, Span

_MARKS = ((BOLD, "*"), (ITALIC, "_"), (STRIKE, "~"))
_LINKS = ("http://", "https://", "mailto:")
_NO_MARK = "*_~`"


def escape(text: str) -> str:
    """What would be read as a mention or a link is not."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _span(span: Span) -> str:
    text = escape(span.text)
    lead, inner = text[: len(text) - len(text.lstrip())], text.strip()
    tail = text[len(lead) + len(inner) :]
    if not inner:
        return text
    if CODE in span.styles:
        inner = f"`{inner.replace('`', 'ˋ')}`"
    for style, mark in _MARKS:
        if style in span.styles and CODE not in span.styles and "\n" not in inner:
            inner = f"{mark}{inner}{mark}"
    if span.link.startswith(_LINKS) and "|" not in span.link:
        shown = inner if span.text.strip() != span.link else ""
        inner = f"<{escape(span.link)}|{shown}>" if shown else f"<{escape(span.link)}>"
    return lead + inner + tail


def block(block: Block) -> str:
    """One block."""
    if block.kind in (FENCE, TABLE):
        return f"```\n{escape(block.text).replace('```', 'ˋˋˋ')}\n```"
    inside = block.lead + "".join(map(_span, block.spans))
    if block.kind == HEADING:
        plain = escape(block.text).strip(_NO_MARK + " ")
        inside = f"{block.lead}*{plain}*" if plain else ""
    return "\n".join(f"> {line}" for line in inside.split("\n")) if block.quoted else inside


MARKUP = Markup(block, lambda written, _shown: len(written))
