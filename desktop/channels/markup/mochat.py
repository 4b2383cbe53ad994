"""Markdown for Mochat, which says no more of it than that it is "markdown-like": without tables."""

from desktop.channels.markup.markdown import escape, escape_lines, fenced, with_links
from desktop.channels.markup.split import Markup
from desktop.channels.markup.tree import FENCE, HEADING, TABLE, Block


def block(block: Block) -> str:
    """One block. Tables are drawn as code, headings are bold: its people find others out of place."""
    lead = block.lead.replace("• ", "- ")
    if block.kind in (FENCE, TABLE):
        return f"{lead}\n{fenced(block.text, block.language)}".lstrip("\n")
    if block.kind == HEADING:
        written = f"**{escape(block.text).replace(chr(10), ' ').strip()}**"
    else:
        written = escape_lines(with_links(block.spans))
    written = lead + written
    return "\n".join(f"> {line}" for line in written.split("\n")) if block.quoted else written


MARKUP = Markup(block, lambda written, _shown: len(written))
