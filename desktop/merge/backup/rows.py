"""The ledgers of a backup's state.db beside those of this home: what was used, done, run and told is added
where it is missing. Nothing that is here is changed, and nothing that was to be sent or asked is sent or
asked again.

Of this home's own state.db, which was damaged, all else is added, too: what is owed to chats, what came
from them, what is known of files. Only questions are not asked again: nobody waits for their answers.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from desktop.pace import Pace

_USED = (
    "at cause session turn provider model outcome seconds input_tokens output_tokens cached_tokens "
    "cache_write_tokens reasoning_tokens cost saved reasoning_cost"
)
_AUDIT = "at session turn call tool effect gist arguments verdict reason outside outcome seconds"


_DERIVED = "search_"
"""What tables begin with that are made from the conversations."""


def tables(database: sqlite3.Connection) -> list[str]:
    """Those that nothing but themselves can bring back, so that none that is new can be forgotten."""
    found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [str(name) for (name,) in found if not name.startswith((_DERIVED, "sqlite_"))]


def columns(database: sqlite3.Connection, table: str) -> dict[str, str]:
    """The columns of a table, and what each holds where nothing is known, as SQL."""
    found = database.execute(f"PRAGMA main.table_info({table})")
    return {row[1]: row[4] or ("0" if row[3] else "NULL") for row in found}


def ordered(database: sqlite3.Connection, table: str) -> list[str]:
    """The columns by which the rows of a table lie in the file."""
    found = database.execute(f"PRAGMA main.table_info({table})").fetchall()
    (bare,) = database.execute(f"SELECT wr FROM pragma_table_list('{table}') WHERE schema = 'main'")  # noqa: S608
    return [row[1] for row in sorted(found, key=lambda row: row[5]) if row[5]] if bare[0] else ["rowid"]


def merge(source: Path, target: Path, pace: Pace, *, own: bool = False) -> int:
    """Add what is missing in one transaction; how many rows. `source` has today's tables; `own`: it was
    this home's. Blocks. Raises sqlite3.Error, CalledOffError; then nothing was added."""
    with closing(sqlite3.connect(target, timeout=20)) as here:
        here.execute("ATTACH ? AS backup", (str(source),))
        try:
            here.execute("BEGIN IMMEDIATE")
            added = sum(_run(here, statement, pace) for statement in _statements(here, own=own))
            here.commit()
        except BaseException:
            here.rollback()
            raise
    return added


def _statements(here: sqlite3.Connection, *, own: bool) -> Iterator[str]:
    yield _insert("usage", _USED, ("at", "provider", "turn"))
    yield _insert("audit", _AUDIT, ("at", "call"))
    told = "state = 'done'" + (" OR kind != 'approval'" if own else "")
    for table, which in (("runs", "outcome != 'running'"), ("inbox", told)):
        yield _copy(table, columns(here, table), which)
    if own:
        for table in set(tables(here)) - {"usage", "audit", "runs", "inbox"}:
            order = ", ".join(ordered(here, table))
            yield _copy(table, _without_number(here, table), f"TRUE ORDER BY {order}")


def _without_number(here: sqlite3.Connection, table: str) -> list[str]:
    """The columns that rows take along: their numbers may be taken here."""
    found = here.execute(f"PRAGMA main.table_info({table})").fetchall()
    return [name for _at, name, kind, *_more, key in found if not (key and kind == "INTEGER")]


def _copy(table: str, names: Iterable[str], which: str) -> str:
    """Rows of a table with a key: those whose keys are not here."""
    listed = ", ".join(names)
    select = f"SELECT {listed} FROM backup.{table} WHERE {which}"  # noqa: S608
    return f"INSERT OR IGNORE INTO main.{table} ({listed}) {select}"


def _insert(table: str, names: str, same: Sequence[str]) -> str:
    """Rows of a table without a key: those that are not here with the `same` values."""
    listed = names.replace(" ", ", ")
    equal = " AND ".join(f"old.{name} = new.{name}" for name in same)
    lacking = f"NOT EXISTS (SELECT 1 FROM main.{table} AS new WHERE {equal})"  # noqa: S608
    source = f"SELECT {listed} FROM backup.{table} AS old WHERE {lacking}"  # noqa: S608
    return f"INSERT INTO main.{table} ({listed}) {source}"


def _run(here: sqlite3.Connection, statement: str, pace: Pace) -> int:
    pace.advance(0)
    return max(0, here.execute(statement).rowcount)
