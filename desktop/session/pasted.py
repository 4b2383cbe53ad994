"""Files that were pasted into conversations, and which of them go with a temporary one."""

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from desktop.files import Place

PASTED = ("files", "given")
"""Where in the workspace lies what was pasted."""
MARK = ".fleeting"
_log = logging.getLogger(__name__)


def mark_of(path: Path) -> Path:
    """The file beside a pasted one which names the temporary conversation that it goes with. It is there
    before that file and gone after it, so that a kill in between leaves neither for good."""
    return path.with_name(f".{path.name}{MARK}")


def kept(workspace: Path, key: str) -> None:
    """What was pasted into this conversation stays. Blocks. Raises OSError."""
    place = pasted(workspace)
    for mark, _name in _marked(place, key):
        place.unlink(mark, missing_ok=True)


def sweep(workspace: Path, key: str = "") -> None:
    """Remove what was pasted into this temporary conversation; into all of them where none is named.
    Blocks."""
    place = pasted(workspace)
    for mark, name in _marked(place, key):
        try:
            place.unlink(name, missing_ok=True)
            place.unlink(mark, missing_ok=True)
        except OSError as error:
            _log.warning("a pasted file is left behind: %s", error.strerror)


def pasted(workspace: Path) -> Place:
    """Where what was pasted is kept."""
    return Place(workspace, *PASTED)


def _marked(place: Place, key: str) -> Iterator[tuple[str, str]]:
    with suppress(OSError):
        for mark in place.names():
            if mark.startswith(".") and mark.endswith(MARK):
                with suppress(OSError):
                    if not key or place.read(mark).decode("utf-8", "replace") == key:
                        yield mark, mark[1 : -len(MARK)]
