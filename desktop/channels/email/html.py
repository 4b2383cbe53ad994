"""The words of a mail in HTML. Nothing is loaded, and what a person would not see is left out."""

import re
from html.parser import HTMLParser

_LONGEST = 200_000


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_UNSEEN = _names("script style head title template noscript object iframe svg select button")
_VOID = _names("area base br col embed hr img input link meta source track wbr")
_BLOCKS = _names(
    "p div section article header footer table tr ul ol li h1 h2 h3 h4 h5 h6 pre blockquote dl dt dd"
)
_APART = _names("p h1 h2 h3 h4 h5 h6 pre blockquote table ul ol")
_HIDDEN = re.compile(
    r"display:none|visibility:(hidden|collapse)|mso-hide:all|opacity:0(\.0+)?(;|$)|"
    r"font-size:0(\.0+)?(px|pt|em|rem|%)?(!important)?(;|$)|max-height:0(px)?(!important)?(;|$)"
)
_ZERO_WIDTH = re.compile(
    "[\u00ad\u034f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e0fff]"
)


def text_of(html: str) -> str:
    """Its text, with > before what is quoted, and the addresses of links."""
    reader = _Reader()
    reader.feed(html[:_LONGEST])
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[tuple[int, str, bool]] = [(0, "", False)]
        """Depth of quotes, text, and whether its spaces count."""
        self._quotes = self._exact = 0
        self._unseen, self._depth = "", 0
        """The element that is left out, and how many of its name are open."""
        self._link, self._linked = "", 0

    def text(self) -> str:
        lines = [
            "> " * depth + (line.rstrip() if exact else " ".join(line.split()))
            for depth, line, exact in self._lines
        ]
        return _ZERO_WIDTH.sub("", re.sub(r"\n{3,}", "\n\n", "\n".join(lines))).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen:
            self._depth += tag == self._unseen
            return
        named = {name: value or "" for name, value in attrs}
        style = re.sub(r"\s+", "", named.get("style", "")).lower()
        if tag not in _VOID and (tag in _UNSEEN or "hidden" in named or _HIDDEN.search(style)):
            self._unseen, self._depth = tag, 1
            return
        if tag in _BLOCKS or tag in ("br", "hr"):
            self._new_line(apart=tag in _APART)
        if tag == "blockquote":
            self._quotes += 1
            self._new_line(apart=False)
        elif tag == "li":
            self._add("• ")
        elif tag == "pre":
            self._exact += 1
        elif tag in ("td", "th"):
            self._add(" ")
        elif tag == "img" and named.get("alt", "").strip():
            self._add(f"[{named['alt'].strip()}]")
        elif tag == "a" and re.match(r"https?://|mailto:", named.get("href", "")):
            self._link, self._linked = named["href"], len(self._lines[-1][1])

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            self._depth -= tag == self._unseen
            if not self._depth:
                self._unseen = ""
            return
        if tag == "blockquote":
            self._quotes = max(0, self._quotes - 1)
        elif tag == "pre":
            self._exact = max(0, self._exact - 1)
        elif tag == "a" and self._link:
            words = self._lines[-1][1][self._linked :].strip()
            if words.rstrip("/") != self._link.removeprefix("mailto:").rstrip("/"):
                self._add(f" ({self._link})")
            self._link = ""
        if tag in _BLOCKS:
            self._new_line(apart=tag in _APART)

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        if not self._exact:
            self._add(re.sub(r"\s+", " ", data))
            return
        first, *more = data.split("\n")
        self._add(first)
        self._lines += [(self._quotes, line, True) for line in more]

    def _add(self, text: str) -> None:
        depth, line, exact = self._lines[-1]
        self._lines[-1] = (depth, line + text, exact or self._exact > 0)

    def _new_line(self, *, apart: bool) -> None:
        empty = (self._quotes, "", False)
        if self._lines[-1][1].strip():
            self._lines += [empty, empty] if apart else [empty]
        else:
            self._lines[-1] = empty
