"""The audit log: one row for every call of a tool, added to and never changed (a trigger sees to it)."""

import hashlib
import time
from dataclasses import dataclass, field, replace
from typing import Any

from desktop.database.database import Database
from desktop.paths import temporary

_COLUMNS = (
    "at, session, turn, call, tool, effect, gist, arguments, verdict, reason, outside, outcome, seconds"
)
_MARKS = ", ".join("?" * 13)


@dataclass(frozen=True, slots=True)
class Entry:
    """One call. `reason`: mode, rule, person, fence, ...; `outside`: outside text was in the turn."""

    session: str
    turn: str
    call: str
    tool: str
    effect: str
    gist: str
    arguments: str
    """SHA-256 of the arguments as they came."""
    verdict: str
    reason: str
    outside: bool
    outcome: str
    seconds: float = 0.0
    at: float = field(default_factory=time.time)

    def as_json(self) -> dict[str, Any]:
        """All of it in JSON types."""
        return {name: getattr(self, name) for name in self.__slots__}


def fingerprint(arguments: str) -> str:
    """What stands for arguments in the log: they may be long, or a secret."""
    return hashlib.sha256(arguments.encode(errors="replace")).hexdigest()


class Audit:
    """Writes and reads the log."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, entry: Entry) -> None:
        """Store one entry. Raises StorageError."""
        if temporary(entry.session):  # that something was done is kept, not where or what
            entry = replace(entry, session="", gist="", arguments="")
        row = entry.as_json()
        await self._database.write(
            f"INSERT INTO audit ({_COLUMNS}) VALUES ({_MARKS})",  # noqa: S608
            tuple(row[name] for name in _COLUMNS.split(", ")),
        )

    async def latest(self, limit: int = 200, session: str = "") -> list[Entry]:
        """The newest entries, of one session or of all. Raises StorageError."""
        rows = await self._database.read(
            f"SELECT {_COLUMNS} FROM audit WHERE session = ? OR ? = '' ORDER BY id DESC LIMIT ?",  # noqa: S608
            (session, session, limit),
        )
        names = _COLUMNS.split(", ")
        return [_entry(dict(zip(names, row, strict=True))) for row in rows]


def _entry(row: dict[str, Any]) -> Entry:
    return Entry(**{**row, "outside": bool(row["outside"])})
