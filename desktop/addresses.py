"""Addresses as a person may read them: no letter of one alphabet stands for one of another, nothing hides.

A host of other letters than ASCII is shown as it is looked up (xn--...), with its letters beside it. What
is written as %E2%80%AE stays so; signs that show nothing or turn the text around are written in that way.
"""

import re
from urllib.parse import quote

_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:/*)?([^/?#\\]*)(.*)", re.DOTALL)
_DOTS = re.compile("[.\u3002\uff0e\uff61]")


def readable(address: str) -> str:
    """The address in a form that reads as it leads."""
    scheme, host, rest = (part or "" for part in _PARTS.fullmatch(address).groups())  # type: ignore[union-attr]
    if not scheme.endswith("//"):  # mailto: and the like
        return _plain(address)
    user, at, name = host.rpartition("@")
    name, colon, port = name.rpartition(":") if re.search(r":\d*$", name) else (name, "", "")
    ours = ".".join(map(_looked_up, _DOTS.split(name)))
    letters = ".".join(map(_letters, ours.split(".")))
    shown = f"{scheme}{_plain(user)}{at}{ours}{colon}{port}{_plain(rest)}"
    return shown if letters == ours else f"{shown} ({_plain(letters)})"


def _plain(text: str) -> str:
    """Letters and digits of any script stay; all else that is not ASCII, and what controls, is written as
    %.."""
    return "".join(
        sign if sign.isalnum() or " " < sign < "\x7f" else quote(sign, errors="replace") for sign in text
    )


def _looked_up(label: str) -> str:
    """A part of a host as it is asked for."""
    if label.isascii():
        return _plain(label)
    try:
        return label.encode("idna").decode()
    except UnicodeError:  # too long, or with a sign that no name has
        return f"xn--{label.casefold().encode('punycode', 'replace').decode()}"


def _letters(label: str) -> str:
    """A part of a host in its own letters."""
    if not label.casefold().startswith("xn--"):
        return label
    try:
        return label[4:].encode().decode("punycode")
    except (UnicodeError, ValueError, OverflowError):
        return label
