"""The file that a person means by a name that looks the same but is written with other characters.

macOS puts a narrow space before "PM" in the names of screenshots and takes accents apart; word processors
curl quotation marks. Who types such a name, a model too, types the plain characters.
"""

import os
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from desktop.files.place import Place

_PLAIN = str.maketrans(
    dict.fromkeys("‘’‚‛ʼ′`´", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("‐‑‒–—―−", "-")
    | {"…": "..."}
)
_MOST = 50_000
"""Names of a folder that are compared."""


def lookalike(path: Path) -> Path | None:
    """The only file or folder that looks like the one named: each part is the name itself or, where that
    is not there, the only one that differs in characters that look alike, or in these and in case. None
    where the name is there as it is, or where nothing or more than one thing fits. Blocks."""
    if not path.is_absolute() or os.path.lexists(path):
        return None
    at = Path(path.anchor)
    for part in path.parts[1:]:
        if os.path.lexists(at / part):
            at /= part
        elif found := _only(at, part):
            at /= found
        else:
            return None
    return at


def _only(folder: Path, name: str) -> str:
    """The only name of a folder that looks like this one; empty where there is none."""
    names: list[str] = []
    with suppress(OSError):
        names = Place(folder).names()[:_MOST]
    keys: tuple[Callable[[str], str], ...] = (_looks, lambda text: _looks(text).casefold())
    for key in keys:
        alike = [other for other in names if key(other) == key(name)]
        if alike:
            return alike[0] if len(alike) == 1 else ""
    return ""


def _looks(name: str) -> str:
    """What a name looks like: composed, with plain spaces, quotation marks and dashes."""
    text = unicodedata.normalize("NFKC", name.translate(_PLAIN)).translate(_PLAIN)
    seen = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return " ".join(seen.split())
