"""Whether a block is read from right to left: an answer in Arabic or Hebrew is mirrored block by block.

The first letter that has a direction decides for the whole of an outermost block, as a browser does with
dir="auto": its markers, its quotations and its tables. Code is read from the left.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

_apart = re.compile(r"^\[[ xX]\]|`+[^`]*`+|\]\([^()\n]*\)|https?://\S+|</?[A-Za-z][^>\n]*>")
"""What is not read as letters: the box of a task, code, where a link leads, addresses, tags."""
_MOST = 2_000
"""Characters that are looked at."""


def from_right(tokens: "Iterable[Token]") -> bool:
    """Whether the text of these tokens begins with a letter that is written from right to left."""
    seen = 0
    for token in tokens:
        if token.type != "inline" or seen > _MOST:
            continue
        seen += len(token.content)
        for character in _apart.sub("", token.content[:_MOST]):
            direction = unicodedata.bidirectional(character)
            if direction in ("L", "R", "AL"):
                return direction != "L"
    return False
