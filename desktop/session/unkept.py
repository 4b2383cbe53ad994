"""A session that leaves nothing: all of it is in memory, until it is discarded or the program ends."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from desktop.files import Place
from desktop.session.log import Session
from desktop.session.model import Message, marked, place_in
from desktop.session.reader import Loaded
from desktop.tasks import in_thread

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


class Unkept(Session):
    """As a Session, but nothing is ever written; its path is one that nobody makes."""

    def __init__(self, key: str, path: Path, limit: int) -> None:
        super().__init__(key, path, limit)
        self._records: list[Message] = []

    async def everything(self) -> list[Message]:
        """All messages, also those that are hidden."""
        messages: list[Message] = []
        for message in self._records:
            messages.insert(place_in(messages, message), message)
        return marked(messages)

    async def put_away(self) -> None:
        """What was pasted into it goes with it; files that were there before stay."""
        await in_thread(sweep, self.path.parent.parent, self.key)

    async def _append(self, stored: list[Message]) -> OSError | None:
        async with self._lock:
            for record in stored:
                self._records.append(record)
                self._window.add(record)
        return None

    async def _set_metadata(
        self, values: Mapping[str, Any], unless: tuple[str, ...] | None = None
    ) -> OSError | None:
        async with self._lock:
            if not any(self.metadata.get(name) for name in unless or ()):
                self._line = self._changed(values)
                if values.keys() & {"last_archived", "last_consolidated"}:
                    self._take(Loaded(messages=list(self._records), metadata=self._line))
        return None
