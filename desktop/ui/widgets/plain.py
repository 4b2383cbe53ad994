"""Text as it may be shown: characters that would reorder, hide or break what stands around become visible.

Right-to-left text and joined emoji stay as they are: only the controls that force a direction are shown.
"""

import re

_FORCED_DIRECTION = "\u202a-\u202e\u2066-\u2069"
_BROKEN = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffc\ufffe\uffff"
_BYTE_ORDER, _JOINER = "\ufeff", "\u2060"
"""Qt drops the first at the head of any piece of text; the other is what Unicode has in its place."""
_unfit = re.compile(f"[{_FORCED_DIRECTION}{_BROKEN}{_BYTE_ORDER}\u2029]")


def shown(text: str) -> str:
    """The text with line ends as \\n and without characters that deceive or that Qt takes for its own."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _unfit.sub(_visible, text)


def whole(text: str) -> str:
    """The text with only what cannot be encoded replaced: for the clipboard."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _visible(found: re.Match[str]) -> str:
    character = found[0]
    if character == "\u2029":
        return "\n"
    if character == _BYTE_ORDER:
        return _JOINER
    return f"[U+{ord(character):04X}]" if re.match(f"[{_FORCED_DIRECTION}]", character) else "\ufffd"
