"""Markdown beside Chinese, Japanese and Korean: emphasis that needs no blanks, addresses that end.

CommonMark takes a mark for an opening or a closing one by the blanks and the punctuation beside it, which
these languages use otherwise: `**注意：**请` would stay as it is typed. The rule here is that of the
markdown-cjk-friendly specification (github.com/tats-u/markdown-cjk-friendly). A bare address ends where
full-width punctuation begins.
"""

import unicodedata
from collections import Counter
from typing import Any

from linkify_it import LinkifyIt  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token

_SYMBOLS = (range(0x2300, 0x2C00), range(0x1F000, 0x20000))
"""Wide, but no letters: emoji."""
_ENDS = str.maketrans(
    dict.fromkeys("，。、；：！？（）［］｛｝「」『』【】〔〕〖〗《》〈〉｢｣｡､“”‘’…‥—～〜·・｜＂＇　", " ")
)


class State(StateInline):
    """What is read of one paragraph."""

    def __init__(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> None:
        super().__init__(src, md, env, tokens)
        self.closings: dict[str, int] = {}
        """Where the last closing tag of a name begins, as far as that was looked for; -1 for none."""
        self.opened: Counter[str] = Counter()
        """Tags that are open, by name."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N803 its name there
        end = start
        while end < self.posMax and self.src[end] == self.src[start]:
            end += 1
        before, after = _before(self.src, start), self.src[end] if end < self.posMax else " "
        if not (_is_wide(before) or _is_wide(after)):
            return super().scanDelims(start, canSplitWord)
        blank_before, blank_after = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
        mark_before, mark_after = _is_mark(before), _is_mark(after)
        opens = not blank_after and (
            not mark_after or _is_wide(after) or blank_before or mark_before or _is_wide(before)
        )
        closes = not blank_before and (
            not mark_before or _is_wide(before) or blank_after or mark_after or _is_wide(after)
        )
        if canSplitWord:
            return Scanned(opens, closes, end - start)
        return Scanned(
            opens and (not closes or mark_before), closes and (not opens or mark_after), end - start
        )


class Addresses(LinkifyIt):  # type: ignore[misc]
    """Finds bare addresses; none has full-width punctuation in it."""

    def match(self, text: str) -> Any:
        return super().match(text.translate(_ENDS))

    def match_at_start(self, text: str) -> Any:
        return super().match_at_start(text.translate(_ENDS))


class Inline(ParserInline):
    """Reads paragraphs, and the descriptions of pictures in them, with our state."""

    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        state = State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _before(text: str, at: int) -> str:
    """The character before a place; a variation selector belongs to the one before it."""
    while at > 0 and unicodedata.category(text[at - 1]) == "Mn":
        at -= 1
    return text[at - 1] if at > 0 else " "


def _is_mark(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


def _is_wide(character: str) -> bool:
    """Whether it is one of these languages': its letters, and its full-width punctuation."""
    code = ord(character)
    if code < 0x1100 or any(code in symbols for symbols in _SYMBOLS):
        return False
    return unicodedata.east_asian_width(character) in "WFH"
