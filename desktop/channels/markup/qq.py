"""QQ's Markdown: headings of two levels, code, quotes, lists and links; no tables.

https://bot.q.qq.com/wiki/develop/api-v2/server-inter/message/type/markdown.html. How long a message may
be is not written there; bots report 4,000 characters and more.
"""

from desktop.channels.markup.markdown import escape, escape_lines, fenced, with_links
from desktop.channels.markup.split import Markup
from desktop.channels.markup.tree import FENCE, HEADING, TABLE, Block

_LEVELS = 2


def block(block: Block) -> str:
    """One block. Tables are drawn as code."""
    lead = block.lead.replace("• ", "- ")
    if block.kind in (FENCE, TABLE):
        return f"{lead}\n{fenced(block.text, block.language)}".lstrip("\n")
    written = escape_lines(with_links(block.spans))
    if block.kind == HEADING:
        plain = escape(block.text).replace("\n", " ").strip()
        written = f"{'#' * block.level} {plain}" if block.level <= _LEVELS else f"**{plain}**"
    written = lead + written
    return "\n".join(f"> {line}" for line in written.split("\n")) if block.quoted else written


MARKUP = Markup(block, lambda written, _shown: len(written))
