"""Nothing that a person agrees to may hide: signs that are not seen, or turn others around, are named.

A text with an override of direction, or with letters of no width, reads as another command than the one
that runs.
"""

import re
import unicodedata

INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that show nothing."""
KEPT = frozenset("\n\t \u3000")
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]")
_ENDS = re.compile("\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_LEGIBLE = re.compile(r"[^\x20-\x7e\n\t]")
SUSPECT = re.compile(r"[^\x20-\x7e\n\t]|⟨(?=U\+)")


def visible(text: str) -> str:
    """The whole text with every such sign as ⟨U+202E⟩. Line ends and tabs stay."""
    return SUSPECT.sub(lambda found: _named(found.group()), text)


def one_line(text: str) -> str:
    """The same on one line: ends of lines are ⏎."""
    return visible(text).replace("\n", "⏎").replace("\t", " ")


def legible(text: str) -> str:
    """The same for text that is only read, never agreed to: spaces of other widths are plain ones, and
    joined emoji stay as they are."""
    return _LEGIBLE.sub(_read, _SPACES.sub(" ", text))


def one_legible_line(text: str) -> str:
    """The same on one line: a name cannot begin a line of its own."""
    return legible(_ENDS.sub("\n", text)).replace("\n", "⏎").replace("\t", " ")


def _read(found: re.Match[str]) -> str:
    sign, at, text = found.group(), found.start(), found.string
    before = text[at - 1 : at]
    if sign == "\ufe0f" and before and (unicodedata.category(before) == "So" or before in "0123456789#*"):
        return sign
    if sign == "\u200d" and _is_emoji(text[:at].rstrip("\ufe0f")[-1:]) and _is_emoji(text[at + 1 : at + 2]):
        return sign
    return _named(sign)


def _is_emoji(sign: str) -> bool:
    return bool(sign) and (unicodedata.category(sign) == "So" or 0x1F3FB <= ord(sign) <= 0x1F3FF)


def _named(sign: str) -> str:
    if sign == "⟨" or _hidden(sign):
        return f"⟨U+{ord(sign):04X}⟩"
    return sign


def _hidden(sign: str) -> bool:
    if sign in KEPT:
        return False
    code, category = ord(sign), unicodedata.category(sign)
    selector = 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or 0x180B <= code <= 0x180F
    return category[0] in "CZ" or sign in INVISIBLE or selector
