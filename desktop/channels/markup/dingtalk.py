"""DingTalk's Markdown: headings, bold, italic, quotes, lists, links; no tables.

https://open.dingtalk.com/document/orgapp/robot-message-types-and-data-format. A line ends at two blanks.
"""

from desktop.channels.markup.markdown import escape, escape_lines, fenced, with_links
from desktop.channels.markup.split import Markup
from desktop.channels.markup.tree import FENCE, HEADING, TABLE, Block


def size(text: str) -> int:
    """As DingTalk counts: bytes."""
    return len(text.encode("utf-8", "replace"))


def block(block: Block) -> str:
    """One block. Tables are drawn as code."""
    lead = block.lead.replace("• ", "- ")
    if block.kind in (FENCE, TABLE):
        return f"{lead}\n{fenced(block.text, block.language)}".lstrip("\n")
    if block.kind == HEADING:
        return f"{lead}{'#' * block.level} {escape(block.text).replace(chr(10), ' ').strip()}"
    written = lead + escape_lines(with_links(block.spans))
    lines = written.split("\n")
    return "  \n".join(f"> {line}" for line in lines) if block.quoted else "  \n".join(lines)


MARKUP = Markup(block, lambda written, _shown: size(written))
