"""Markdown as several services take it: marks around what has a look, and nothing else read as a mark."""

import re
from collections.abc import Callable, Iterable
from itertools import groupby

from desktop.channels.markup.tree import BOLD, CODE, ITALIC, STRIKE, Span

_MARKS = {BOLD: "**", ITALIC: "*", STRIKE: "~~"}
_LINKS = ("http://", "https://")
_ADDRESS = re.compile(r"(https?://[^\s<>]+)")
_SPECIAL = re.compile(r"([\\*_~`|<\[\]])")
_AT_LINE_START = re.compile(r"^([ \t]*)(#{1,3}(?=\s)|-(?=#?\s)|\+(?=\s)|>)", re.MULTILINE)
_NUMBER = re.compile(r"^([ \t]*\d+)\.(?=\s)", re.MULTILINE)
_LANGUAGE = re.compile(r"[\w+#.-]+")


def escape(text: str) -> str:
    """What would be read as markup or a mention is not; addresses stay as they are."""
    return "".join(
        part if number % 2 else _SPECIAL.sub(r"\\\1", part)
        for number, part in enumerate(_ADDRESS.split(text))
    )


def escape_lines(written: str) -> str:
    """What would begin a heading, a quote or an item of a list is text."""
    return _NUMBER.sub(r"\1\\.", _AT_LINE_START.sub(r"\1\\\2", written))


def styled(spans: Iterable[Span], escape: Callable[[str], str] = escape) -> str:
    """Each mark once around all that has its look: side by side they would be read as others."""
    found, opened = "", list[str]()
    for span in spans:
        wanted = [style for style in _MARKS if style in span.styles and "\n" not in span.text]
        while opened and any(style not in wanted for style in opened):
            found += _MARKS[opened.pop()]
        for style in wanted:
            if style not in opened:
                opened.append(style)
                found += _MARKS[style]
        found += _code(span.text) if CODE in span.styles else escape(span.text)
    return found + "".join(_MARKS[style] for style in reversed(opened))


def with_links(spans: Iterable[Span], escape: Callable[[str], str] = escape) -> str:
    """Spans with their links, none of which hides its address behind another."""
    runs = groupby(spans, key=lambda span: span.link)
    return "".join(_linked(link, list(run), escape) for link, run in runs)


def _linked(link: str, spans: list[Span], escape: Callable[[str], str]) -> str:
    shown = styled(spans, escape)
    if not link.startswith(_LINKS) or re.search(r"[\s<>()]", link):
        return shown
    text = "".join(span.text for span in spans).strip()
    if "://" in text or not text:
        return link if text == link else f"{shown} ({link})"
    return f"[{shown}]({link})"


def fenced(text: str, language: str) -> str:
    """Code as a block."""
    language = language if _LANGUAGE.fullmatch(language) else ""
    code = text.replace("```", "ˋˋˋ")
    return f"```{language}\n{code}\n```"


def _code(text: str) -> str:
    if "``" in text:
        text = text.replace("`", "ˋ")
    return f"`` {text} ``" if "`" in text else f"`{text}`"
