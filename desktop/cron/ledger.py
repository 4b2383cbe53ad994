"""The ledger of runs: a due moment is claimed in it before anything happens, and so happens once."""

import uuid
from dataclasses import dataclass, field, fields
from typing import Any

from desktop.database.database import Database

RUNNING, OK, FAILED, STOPPED = "running", "ok", "failed", "stopped"
INTERRUPTED, SKIPPED, ASKED = "interrupted", "skipped", "asked"
DUE, LATE, HAND = "due", "late", "hand"


@dataclass(frozen=True, slots=True)
class Run:
    """One row. Moments are Unix time in seconds."""

    job: str
    name: str
    planned: float
    attempt: int
    cause: str
    """due, late or hand."""
    missed: int
    """How many due moments before `planned` it stands for."""
    claimed: float
    ended: float | None = None
    outcome: str = RUNNING
    detail: str = ""
    tokens: int = 0
    cost: float | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    """And of its turn."""


type Runs = list[Run]
_NAMES = tuple(column.name for column in fields(Run))
_COLUMNS = ", ".join(_NAMES)


class Ledger:
    """The rows of state.db."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, run: Run) -> bool:
        """Enter a run; False if that due moment and attempt was entered before. Raises StorageError."""
        marks = ", ".join("?" * len(_NAMES))
        entered = await self._database.write(
            f"INSERT OR IGNORE INTO runs ({_COLUMNS}) VALUES ({marks})",  # noqa: S608
            [getattr(run, name) for name in _NAMES],
        )
        return bool(entered)

    async def finish(
        self, id_: str, outcome: str, detail: str, ended: float, tokens: int = 0, cost: float | None = None
    ) -> None:
        """Enter the end of a run. Raises StorageError."""
        await self._database.write(
            "UPDATE runs SET outcome = ?, detail = ?, ended = ?, tokens = ?, cost = ? WHERE id = ?",
            (outcome, detail, ended, tokens, cost, id_),
        )

    async def reopen(self, id_: str, claimed: float) -> bool:
        """Begin a run that waited for an answer; False if it does not. Raises StorageError."""
        changed = await self._database.write(
            "UPDATE runs SET outcome = ?, claimed = ?, ended = NULL WHERE id = ? AND outcome = ?",
            (RUNNING, claimed, id_, ASKED),
        )
        return bool(changed)

    async def get(self, id_: str) -> Run | None:
        """One run. Raises StorageError."""
        return next(iter(await self._rows("id = ?", (id_,))), None)

    async def find(self, job: str, planned: float, attempt: int = 0) -> Run | None:
        """The run of a due moment. Raises StorageError."""
        found = await self._rows("job = ? AND planned = ? AND attempt = ?", (job, planned, attempt))
        return next(iter(found), None)

    async def last(self, job: str) -> Run | None:
        """The last run that a job had by itself. Raises StorageError."""
        where = "job = ? AND cause != ? ORDER BY claimed DESC, attempt DESC LIMIT 1"
        return next(iter(await self._rows(where, (job, HAND))), None)

    async def list(
        self, job: str = "", outcome: str = "", limit: int = 200, before: float | None = None
    ) -> Runs:
        """Runs, the newest first: of one job or all, of one outcome or any, claimed before a moment.
        Raises StorageError."""
        where = "(? = '' OR job = ?) AND (? = '' OR outcome = ?) AND (? IS NULL OR claimed < ?)"
        values = (job, job, outcome, outcome, before, before, limit)
        return await self._rows(f"{where} ORDER BY claimed DESC, rowid DESC LIMIT ?", values)

    async def unended(self) -> Runs:
        """Those without an end, the oldest first. Raises StorageError."""
        return await self._rows("outcome = ? ORDER BY claimed, rowid", (RUNNING,))

    async def planned_after(self, job: str, moment: float) -> set[float]:
        """The due moments after one that are entered already. Raises StorageError."""
        rows = await self._database.read(
            "SELECT planned FROM runs WHERE job = ? AND planned > ? AND cause != ?", (job, moment, HAND)
        )
        return {float(row[0]) for row in rows}

    async def _rows(self, where: str, values: tuple[Any, ...]) -> Runs:
        rows = await self._database.read(f"SELECT {_COLUMNS} FROM runs WHERE {where}", values)  # noqa: S608
        return [Run(**dict(zip(_NAMES, row, strict=True))) for row in rows]
