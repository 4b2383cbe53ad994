"""The text of a toast as it may leave the program: of a sane length, and nothing in it but text."""

import unicodedata

from desktop.inbox.screen import Toast

_TITLE, _BODY, _LINES = 120, 600, 12
_TURNING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""What makes text read in another order than it is written."""
_ONE_SPACE = frozenset("\t\r\v\f\u2028\u2029")


def clean(toast: Toast) -> tuple[str, str]:
    """Title and body: no control characters, nothing that turns text around, not too long."""
    title = " ".join(_text(toast.title[: 8 * _TITLE]).split())
    body = _text(toast.body[: 8 * _BODY]).strip()
    lines = body.split("\n")
    if len(lines) > _LINES:
        body = "\n".join(lines[:_LINES]) + "\n…"
    return _cut(title, _TITLE), _cut(body, _BODY)


def _text(text: str) -> str:
    return "".join(
        " " if sign in _ONE_SPACE else sign
        for sign in text
        if sign == "\n" or sign in _ONE_SPACE or not _unseen(sign)
    )


def _unseen(sign: str) -> bool:
    return sign in _TURNING or unicodedata.category(sign) in ("Cc", "Cs", "Cn")


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"
