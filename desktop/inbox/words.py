"""What a notice says, kept as sentences with what goes into them: one that was stored in another language
is read in the one that is chosen now."""

from collections.abc import Mapping
from typing import Any, Final

from desktop.text import _

TITLE: Final = "title"
_WORDS: Final = "words"
type Said = tuple[str, Mapping[str, str], str]
"""A marked sentence, what goes into it, and what follows it as it is."""


def worded(**said: Said) -> dict[str, Any]:
    """Parts of a body, as they are said now, and how to say them later."""
    now = {name: _say(*one) for name, one in said.items()}
    return now | {_WORDS: {name: list(one) for name, one in said.items()}}


def anew(title: str, body: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """A title and a body as they are said now; as they were stored, where only that is known."""
    words = body.get(_WORDS)
    if not words:
        return title, body
    try:
        now = {name: _say(*one) for name, one in words.items()}
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return title, body  # of another version, or not of this program
    return now.get(TITLE, title), {**body, **now}


def _say(sentence: str, values: Mapping[str, str], rest: str) -> str:
    return _(sentence).format(**values) + rest
