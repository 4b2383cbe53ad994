"""The ledgers of a backup's state.db beside those of this home: what was used, done, run and told is added
where it is missing. Nothing that is here is changed, and nothing that was to be sent or asked is sent or
asked again."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from desktop.pace import Pace

_USED = (
    "at cause session turn provider model outcome seconds input_tokens output_tokens cached_tokens "
    "cache_write_tokens reasoning_tokens cost saved reasoning_cost"
)
_AUDIT = "at session turn call tool effect gist arguments verdict reason outside outcome seconds"


def merge(source: Path, target: Path, pace: Pace) -> int:
    """Add what is missing in one transaction; how many rows. `source` has today's tables. Blocks. Raises
    sqlite3.Error, CalledOffError; then nothing was added."""
    with closing(sqlite3.connect(target, timeout=20)) as here:
        here.execute("ATTACH ? AS backup", (str(source),))
        try:
            here.execute("BEGIN IMMEDIATE")
            added = sum(_run(here, statement, pace) for statement in _statements(here))
            here.commit()
        except BaseException:
            here.rollback()
            raise
    return added


def _statements(here: sqlite3.Connection) -> Iterator[str]:
    yield _insert("usage", _USED, ("at", "provider", "turn"))
    yield _insert("audit", _AUDIT, ("at", "call"))
    for table, which in (("runs", "outcome != 'running'"), ("inbox", "state = 'done'")):
        names = ", ".join(row[1] for row in here.execute(f"PRAGMA main.table_info({table})"))
        columns = f"({names}) SELECT {names} FROM backup.{table} WHERE {which}"  # noqa: S608
        yield f"INSERT OR IGNORE INTO main.{table} {columns}"


def _insert(table: str, names: str, same: Sequence[str]) -> str:
    """Rows of a table without a key: those that are not here with the `same` values."""
    columns = names.replace(" ", ", ")
    equal = " AND ".join(f"old.{name} = new.{name}" for name in same)
    lacking = f"NOT EXISTS (SELECT 1 FROM main.{table} AS new WHERE {equal})"  # noqa: S608
    source = f"SELECT {columns} FROM backup.{table} AS old WHERE {lacking}"  # noqa: S608
    return f"INSERT INTO main.{table} ({columns}) {source}"


def _run(here: sqlite3.Connection, statement: str, pace: Pace) -> int:
    pace.advance(0)
    return max(0, here.execute(statement).rowcount)
