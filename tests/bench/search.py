"""Search over a long life of conversations: how long it takes, and what its index costs on the disk.

The logs are real files, read by the program's own indexer. Beside a search stands the plain way: one LIKE
over all texts, which is what an index is to be better than.
"""

import json
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import accumulate, islice
from pathlib import Path

import psutil

from desktop.bus.bus import Bus
from desktop.database.database import Database
from desktop.session.index import Indexer
from desktop.session.search import Found, search
from desktop.session.search_service import SearchService
from desktop.session.sessions import Sessions
from desktop.usage import Call, UsageLedger
from tests.bench.table import Table, middle

MESSAGES = 200_000
_A_SESSION = 400
_RUNS = 5
_TURNS = 200
_BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
_RARE = "vorwärts-2417"


def said(chance: random.Random) -> Iterator[str]:
    """Texts as long and as repetitive as those of people; every fifth is Chinese."""
    syllables = [
        c + v for c in "bcdfghjklmnprstvwz" for v in ("a", "e", "i", "o", "u", "an", "er", "in", "st")
    ]
    words = ["".join(chance.choices(syllables, k=chance.choice((1, 2, 2, 3, 3, 4)))) for _ in range(30_000)]
    sums = list(accumulate(1 / (rank + 3) for rank in range(len(words))))
    letters = [chr(0x4E00 + n) for n in range(3000)]
    number = 0
    while True:
        count = max(1, int(chance.lognormvariate(3.2, 1.0)))
        chinese = number % 5 == 0
        yield (
            "".join(chance.choices(letters, k=2 * count))
            if chinese
            else " ".join(chance.choices(words, cum_weights=sums, k=count))
        )
        number += 1


def write(folder: Path, count: int) -> int:
    """So many messages in logs of 400; the bytes of all texts."""
    chance = random.Random(1)
    texts = said(chance)
    moment, size = _BEGIN, 0
    folder.mkdir(parents=True)
    for begin in range(0, count, _A_SESSION):
        key = f"bench{begin:08}"
        lines = [json.dumps({"_type": "metadata", "key": key, "metadata": {}})]
        for number in range(begin, min(count, begin + _A_SESSION)):
            moment += timedelta(seconds=chance.choice((5, 10, 60, 240)))
            text = f"{next(texts)} {_RARE}" if number == count // 2 else next(texts)
            size += len(text.encode())
            role = "assistant" if number % 2 else "user"
            record = {
                "role": role,
                "content": text,
                "timestamp": moment.isoformat(),
                "_turn": f"{number:012x}",
            }
            lines.append(json.dumps(record, ensure_ascii=False))
        (folder / f"{key}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return size


def index(database: Path, folder: Path) -> list[float]:
    """Bring the index up to date; the seconds of each slice."""
    indexer = Indexer(database, folder)
    indexer.connect()
    slices = []
    with closing(indexer):
        indexer.look()
        more = True
        while more:
            began = time.perf_counter()
            more = indexer.step()
            slices.append(time.perf_counter() - began)
    return slices


def _ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(_RUNS):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return middle(times)


def _plain(database: Path, word: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        sql = "SELECT id FROM search_text WHERE text LIKE ? ORDER BY id DESC LIMIT 50"
        connection.execute(sql, (f"%{word}%",)).fetchall()


async def measure(table: Table, messages: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        path = home / "state.db"
        database = Database(path)
        await database.open()
        size = write(home / "sessions", messages)
        began = time.perf_counter()
        slices = index(path, home / "sessions")
        taken = time.perf_counter() - began
        table.line(
            f"read {messages:,} messages into the index", f"{taken:.1f} s", f"{messages / taken:,.0f} /s"
        )
        slices.sort()
        table.line(
            "  a slice, median / longest", f"{middle(slices) * 1000:.0f} / {slices[-1] * 1000:.0f} ms"
        )
        await database.read("PRAGMA wal_checkpoint(TRUNCATE)")
        table.line(
            "index and texts in state.db, a message",
            f"{path.stat().st_size / messages:.0f} B",
            f"text {size / messages:.0f} B",
        )
        _searches(table, path)
        for searching in (False, True):
            written = await _turns(database, path, home / "sessions", searching=searching)
            what = "searched after each" if searching else "no search"
            table.line(
                f"state.db a turn, mean of {_TURNS}, {what}",
                f"{written / 1000:.0f} kB",
                "",
                "<= 150 kB",
                written <= 150_000,
            )
        await database.close()


async def _turns(database: Database, path: Path, folder: Path, *, searching: bool) -> float:
    """Bytes written a turn beside the session log: ledger, index and what SQLite writes twice."""
    sessions, ledger = Sessions(folder), UsageLedger(database, Bus())
    service = SearchService(path, sessions, rest=0)
    session = await sessions.open(f"turns{searching}")
    texts = said(random.Random(2))
    process = psutil.Process()
    begin = process.io_counters().write_chars
    for turn in range(_TURNS):
        for role, parts in (("user", 1), ("assistant", 6)):
            text = " ".join(islice(texts, parts))
            await session.append({"role": role, "content": text, "_turn": f"{turn:012x}"})
        await ledger.record(Call("custom", "model", input_tokens=10, output_tokens=10))
        if searching:
            await service.find("vorwärts", wait=True)
    await service.close()
    await database.read("PRAGMA wal_checkpoint(TRUNCATE)")
    written = process.io_counters().write_chars - begin - session.path.stat().st_size
    return written / _TURNS


def _searches(table: Table, path: Path) -> None:
    for what, word in (
        ("three characters, common", "der"),
        ("one word, once", _RARE),
        ("one word, nowhere", "nowhere-to-be-found"),
        ("common parts, nowhere", "dest berin"),
        ("Chinese, three characters", "一丁丂"),
    ):
        ours, plain = _ms(partial(search, path, word)), _ms(partial(_plain, path, word))
        table.line(f"search: {what}", f"{ours:.1f} ms", f"LIKE {plain:.0f} ms", "<= 50 ms", ours <= 50)
    for what, word in (
        ("two characters, common", "er"),
        ("two characters, nowhere", "qx"),
        ("Chinese, two", "丁丂"),
    ):
        ours, plain = _ms(partial(search, path, word)), _ms(partial(_plain, path, word))
        table.line(
            f"search, newest 50,000: {what}",
            f"{ours:.1f} ms",
            f"LIKE {plain:.0f} ms",
            "<= 50 ms",
            ours <= 50,
        )
    for what, word in (("three", "nowhere-to-be-found"), ("two", "qx")):
        began, count, found = time.perf_counter(), 0, Found((), None)
        while count == 0 or found.before is not None:
            found, count = search(path, word, before=found.before), count + 1
        table.line(
            f"search everything, {what} characters",
            f"{(time.perf_counter() - began) * 1000:.0f} ms",
            f"{count} steps",
        )
