"""What the marks of texts cost: for each message in view, and for each call that reads or writes a file."""

import hashlib
import tempfile
import time
from pathlib import Path

from desktop.agent.view import View
from desktop.database.database import Database
from desktop.files import Seen
from desktop.marks import Marks
from desktop.origin import AGENT
from tests.bench.table import Table, middle

MESSAGES, FILES = 10_000, 200
_MOST_MS = 1.0


async def measure(table: Table, runs: int) -> None:
    """A conversation of so many messages, half of them marked; so many files kept and looked up."""
    page = {
        "role": "tool",
        "_outcome": "ok",
        "_origin": "untrusted",
        "_sources": ["a.page"],
        "content": "x",
    }
    records = [page if n % 2 else {"role": "user", "content": f"question {n}"} for n in range(MESSAGES)]
    looks = []
    for _run in range(runs):
        begun = time.perf_counter()
        assert not View(records).mark.trusted
        looks.append(1000 * (time.perf_counter() - begun))
    table.line(f"the mark of {MESSAGES:,} messages in view", f"{middle(looks):.2f} ms", "", "")
    kept = [await _files() for _run in range(runs)]
    each = middle(kept)
    table.line("a mark kept and looked up", f"{each:.2f} ms", "", f"<= {_MOST_MS} ms", each <= _MOST_MS)


async def _files() -> float:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        database = Database(Path(folder) / "state.db")
        await database.open()
        marks = Marks(database)
        files = [
            Seen(Path(folder, str(n)), 1, n, 5, 0, 0, hashlib.sha256(str(n).encode()).hexdigest())
            for n in range(FILES)
        ]
        begun = time.perf_counter()
        for seen in files:
            await marks.keep([seen], AGENT)
            await marks.of_files([seen])
        spent = 1000 * (time.perf_counter() - begun) / FILES
        await database.close()
    return spent
