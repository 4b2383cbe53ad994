"""A release file: what it says, and why it is believed.

    {"signed": "TEXT", "signature": "BASE64"}      TEXT is JSON, and the signature (Ed25519) is of its bytes
    {"version": "1.2.0", "date": "2026-12-01", "page": "https://…", "news": {"en": ["…"], "zh_CN": ["…"]}}

The file comes from wherever the address leads, so nothing of it counts before its signature was checked.
"""

import base64
import binascii
import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from desktop.jsontext import too_deep
from desktop.text import LANGUAGES, language, mark

MOST_BYTES = 64 * 1024
_MOST_NEWS, _LONGEST_NEWS, _LONGEST_PAGE = 30, 400, 500
_VERSION = re.compile(r"\d{1,5}(\.\d{1,5}){1,3}")
_HIDDEN = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")

HUGE = mark("The release file is too large.")
BROKEN = mark("The release file is damaged.")
UNSIGNED = mark("The release file is not signed by the makers of this program.")
OLDER = mark("The release file is older than one seen before.")


class Refused(Exception):
    """A release file that is not believed. `text` is one of the sentences above, not yet translated."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


@dataclass(frozen=True, slots=True)
class Release:
    """What was released."""

    version: str
    date: str
    page: str
    news: dict[str, tuple[str, ...]]
    """What is new, by language."""

    @property
    def order(self) -> tuple[tuple[int, ...], str]:
        """What a later release has more of."""
        return parts_of(self.version), self.date

    @property
    def told(self) -> tuple[str, ...]:
        """What is new, in the person's language where it is there."""
        return self.news.get(language()) or self.news.get("en", ())

    def is_newer(self, version: str) -> bool:
        """Than the program of this version."""
        return parts_of(self.version) > parts_of(version)


def parts_of(version: str) -> tuple[int, ...]:
    """The numbers of a version, to be compared: 1.10 comes after 1.9, and 1.2.0 is 1.2."""
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def verified(body: bytes, key: bytes) -> Release:
    """What a release file says, if `key` signed it. Raises Refused."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if len(body) > MOST_BYTES:
        raise Refused(HUGE)
    try:
        outer = _object(body)
        signed, signature = outer["signed"], outer["signature"]
        text, sign = str(signed).encode(), base64.b64decode(str(signature), validate=True)
    except (ValueError, KeyError, RecursionError, binascii.Error):
        raise Refused(BROKEN) from None
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(sign, text)
    except (InvalidSignature, ValueError):
        raise Refused(UNSIGNED) from None
    try:
        return _release(_object(text))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refused(BROKEN) from None


def _object(text: bytes) -> dict[str, Any]:
    """Raises ValueError."""
    found = json.loads(text)
    if not isinstance(found, dict) or too_deep(found):
        raise ValueError("not an object")
    return found


def _release(given: dict[str, Any]) -> Release:
    """Raises ValueError, KeyError, TypeError."""
    version, page = str(given["version"]), str(given["page"])
    if not _VERSION.fullmatch(version) or not page.startswith("https://") or len(page) > _LONGEST_PAGE:
        raise ValueError("no version or no page")
    if _HIDDEN.search(page) or " " in page:
        raise ValueError("not an address")
    day = date.fromisoformat(str(given["date"])).isoformat()
    news = {name: _lines(given["news"].get(name) or ()) for name in LANGUAGES}
    return Release(version, day, page, news)


def _lines(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list | tuple):
        raise TypeError("not a list")
    return tuple(_HIDDEN.sub("", str(line))[:_LONGEST_NEWS] for line in given[:_MOST_NEWS])
