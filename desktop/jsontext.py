"""JSON in files that people and other programs write too: what is read from one can be written back.

Python reads half a character (a lone surrogate) and nests as deep as its stack lets it; then UTF-8 and
whatever walks through the value fail. Here the one is written as JSON's own escape, the other is refused.
"""

import json
import re
from typing import Any

DEEPEST = 100
"""Levels of objects and lists in one another."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def dumps(value: Any, indent: str | int | None = None) -> str:
    """The value as JSON that UTF-8 can hold: half a character stays the escape that it was."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def too_deep(value: Any) -> bool:
    """Whether objects and lists are in one another more than DEEPEST levels."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True
