"""The inbox: what waits for the person, stored before it is shown.

Toasts, badges and panels are views of these rows; nothing is lost when none of them is there to show it.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop.bus.bus import Bus
from desktop.bus.events import InboxChanged
from desktop.database import Database

APPROVAL = "approval"
OPEN, DONE = "open", "done"
_COLUMNS = "id, at, kind, session, turn, title, body, state, answer, settled"


@dataclass(frozen=True, slots=True)
class Notice:
    """One entry. `at` and `settled`: Unix time in seconds; `body` by kind."""

    id: str
    kind: str
    session: str
    turn: str
    title: str
    body: Mapping[str, Any] = field(default_factory=dict)
    at: float = field(default_factory=time.time)
    state: str = OPEN
    answer: str = ""
    settled: float | None = None

    def as_json(self) -> dict[str, Any]:
        """All of it in JSON types."""
        return {name: getattr(self, name) for name in self.__slots__} | {"body": dict(self.body)}


class Inbox:
    """The rows of state.db and the bell that rings when they change."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self._database, self._bus = database, bus

    async def add(self, notice: Notice) -> None:
        """Store a notice. Raises StorageError."""
        await self._database.write(
            f"INSERT INTO inbox ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (
                notice.id,
                notice.at,
                notice.kind,
                notice.session,
                notice.turn,
                notice.title,
                json.dumps(dict(notice.body), ensure_ascii=False),
                notice.state,
                notice.answer,
                notice.settled,
            ),
        )
        await self._ring()

    async def settle(self, id_: str, answer: str) -> bool:
        """Close an open notice with an answer, once; False if it was not open. Raises StorageError."""
        settled = await self._database.write(
            "UPDATE inbox SET state = ?, answer = ?, settled = ? WHERE id = ? AND state = ?",
            (DONE, answer, time.time(), id_, OPEN),
        )
        if settled:
            await self._ring()
        return bool(settled)

    async def get(self, id_: str) -> Notice | None:
        """One notice. Raises StorageError."""
        rows = await self._database.read(f"SELECT {_COLUMNS} FROM inbox WHERE id = ?", (id_,))  # noqa: S608
        return _notice(rows[0]) if rows else None

    async def list(self, *, all_: bool = False, limit: int = 200) -> list[Notice]:
        """The open ones, or all; the newest first. Raises StorageError."""
        rows = await self._database.read(
            f"SELECT {_COLUMNS} FROM inbox WHERE state = ? OR ? ORDER BY at DESC LIMIT ?",  # noqa: S608
            (OPEN, all_, limit),
        )
        return [_notice(row) for row in rows]

    async def count(self) -> int:
        """How many are open. Raises StorageError."""
        rows = await self._database.read("SELECT count(*) FROM inbox WHERE state = ?", (OPEN,))
        return int(rows[0][0])

    async def _ring(self) -> None:
        self._bus.publish(InboxChanged(await self.count()))


def _notice(row: tuple[Any, ...]) -> Notice:
    id_, at, kind, session, turn, title, body, state, answer, settled = row
    return Notice(id_, kind, session, turn, title, json.loads(body), at, state, answer, settled)
