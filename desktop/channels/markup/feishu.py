"""The Markdown of Feishu's cards: as usual, with tags for mentions, and escaped as HTML is.

https://open.feishu.cn/document/feishu-cards/card-json-v2-components/content-components/rich-text. A card
has few tables at most: they are drawn as code.
"""

import re

from desktop.channels.markup.markdown import fenced, with_links
from desktop.channels.markup.split import Markup
from desktop.channels.markup.tree import FENCE, HEADING, TABLE, Block

_LEVELS = 6
_ADDRESS = re.compile(r"(https?://[^\s<>]+)")
_SPECIAL = re.compile(r"[\\*_~`<>\[\]]|&(?=#?\w+;)")
_AT_LINE_START = re.compile(r"^([ \t]*(?:\d+(?=[.)]\s))?)([-+#.)])(?=[\s#.)])", re.MULTILINE)


def _as_text(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


def escape(text: str) -> str:
    """What would be read as markup or a mention is not; addresses stay as they are."""
    return "".join(
        part if number % 2 else _SPECIAL.sub(_as_text, part)
        for number, part in enumerate(_ADDRESS.split(text))
    )


def _escape_lines(written: str) -> str:
    """What would begin a heading or an item of a list is text."""
    return _AT_LINE_START.sub(lambda found: f"{found[1]}&#{ord(found[2])};", written)


def block(block: Block) -> str:
    """One block."""
    lead = block.lead.replace("• ", "- ")
    if block.kind in (FENCE, TABLE):
        return f"{lead}\n{fenced(block.text, block.language)}".lstrip("\n")
    written = _escape_lines(with_links(block.spans, escape))
    if block.kind == HEADING:
        plain = escape(block.text).replace("\n", " ").strip()
        written = f"{'#' * min(block.level, _LEVELS)} {plain}"
    written = lead + written
    return "\n".join(f"> {line}" for line in written.split("\n")) if block.quoted else written


MARKUP = Markup(block, lambda written, _shown: len(written))
