"""Nothing that a person agrees to may hide: signs that are not seen, or turn others around, are named.

A text with an override of direction, or with letters of no width, reads as another command than the one
that runs.
"""

import re
import unicodedata

INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that show nothing."""
KEPT = frozenset("\n\t \u3000")
SUSPECT = re.compile(r"[^\x20-\x7e\n\t]|⟨(?=U\+)")


def visible(text: str) -> str:
    """The whole text with every such sign as ⟨U+202E⟩. Line ends and tabs stay."""
    return SUSPECT.sub(lambda found: _named(found.group()), text)


def one_line(text: str) -> str:
    """The same on one line: ends of lines are ⏎."""
    return visible(text).replace("\n", "⏎").replace("\t", " ")


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
