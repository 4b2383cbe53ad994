"""A session that leaves nothing: all of it is in memory, until it is discarded or the program ends."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from desktop.session.log import Session
from desktop.session.model import Message, marked, place_in
from desktop.session.pasted import sweep
from desktop.session.reader import Loaded
from desktop.tasks import in_thread


class TemporarySession(Session):
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
