"""Discord's Markdown: headings of three levels, code, quotes, lists and links; no tables, no pictures.

https://support.discord.com/hc/en-us/articles/210298617. A message has 2,000 code points, markup and all.
"""

import re
from itertools import groupby

from desktop.channels.markup.markdown import escape, escape_lines, fenced, styled
from desktop.channels.markup.split import Markup
from desktop.channels.markup.tree import FENCE, HEADING, TABLE, Block, Span

_LINKS = ("http://", "https://")
_LEVELS = 3


def _linked(link: str, spans: list[Span]) -> str:
    text = "".join(span.text for span in spans)
    if not link.startswith(_LINKS) or re.search(r"[\s<>]", link):
        return styled(spans)
    if text.strip() == link:
        return link
    if "://" in text or not text.strip():  # it hides no address behind another one
        return f"{styled(spans)} (<{link}>)"
    return f"[{styled(spans)}](<{link}>)"


def _inside(block: Block) -> str:
    runs = groupby(block.spans, key=lambda span: span.link)
    return escape_lines("".join(_linked(link, list(spans)) for link, spans in runs))


def block(block: Block) -> str:
    """One block. Tables are drawn as code."""
    lead = block.lead.replace("• ", "- ")
    if block.kind in (FENCE, TABLE):
        return f"{lead}\n{fenced(block.text, block.language)}".lstrip("\n")
    inside = _inside(block)
    if block.kind == HEADING:
        inside = inside.replace("\n", " ")
        plain = escape("".join(span.text for span in block.spans)).replace("\n", " ").strip()
        inside = f"{'#' * block.level} {inside}" if block.level <= _LEVELS else f"**{plain}**"
    written = lead + inside
    return "\n".join(f"> {line}" for line in written.split("\n")) if block.quoted else written


MARKUP = Markup(block, lambda written, _shown: len(written))
