"""What the memory costs: counting, writing, searching, and a Dream beside a conversation.

The conversation of the last part streams from a server in a process of its own while a Dream works through
twenty summaries in the same program. Beside it stands the same conversation without a Dream.
"""

import json
import random
import tempfile
import time
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path
from typing import Any

import psutil

from desktop.tasks import spawn
from tests.bench.running import running_core, server_apart
from tests.bench.search import said
from tests.bench.table import Table, middle
from tests.bench.ticking import Lateness

MESSAGES, ENTRIES, LONG = 10_000, 100_000, 2_400_000
_TURNS, _SEARCHES, _NEW, _FACTS = 50, 9, 20, 8
_COUNT_MS, _FIND_MS = 5, 50
_EARLIER = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = ("apple", "bread", "green tea", "绿茶", "Lisbon", "meeting", "train", "invoice", "garden", "Anna")


async def measure(table: Table, runs: int) -> None:
    """All parts."""
    with tempfile.TemporaryDirectory() as folder:
        await _counting(table, Path(folder))
        await _writing(table, Path(folder))
        await _searching(table, Path(folder))
    await _dreaming(table, runs, "with notes of some lines", "")
    await _dreaming(table, runs, f"with a note of {LONG / 1e6:.1f} MB", _long())


async def _counting(table: Table, folder: Path) -> None:
    """What the loop does to know the tokens of a long conversation after each turn; and the exact count,
    which is made in a thread."""
    from desktop.memory.tokens import Meter
    from desktop.session.sessions import Sessions

    path = folder / "sessions" / "long.jsonl"
    path.parent.mkdir()
    lines = [json.dumps({"_type": "metadata", "key": "long", "metadata": {}})]
    lines += [json.dumps(_message(number), ensure_ascii=False) for number in range(MESSAGES)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    session = await Sessions(path.parent, limit=10_000_000).open("long")
    meter, loop, exact = Meter(), list[float](), list[float]()
    for number in range(_TURNS):
        await session.append_all([_message(MESSAGES + 2 * number), _message(MESSAGES + 2 * number + 1)])
        begun = time.perf_counter()
        told = session.tokens
        history = session.history(told)
        loop.append(time.perf_counter() - begun)
        if not number:
            meter.exact("gpt-4o", history)  # the first is counted whole
        begun = time.perf_counter()
        meter.exact("gpt-4o", history)
        exact.append(time.perf_counter() - begun)
    assert len(history) >= MESSAGES
    _line(table, f"tokens of {MESSAGES:,} messages after a turn", loop, _COUNT_MS, "on the loop")
    _line(table, "  counted exactly, for tiktoken families", exact, None, "in a thread")


async def _writing(table: Table, folder: Path) -> None:
    """The bytes that a summary costs in a short history and in a long one."""
    from desktop.memory.history import History

    written = []
    process = psutil.Process()
    for before in (10, 10_000):
        history = History(folder / f"memory-{before}")
        _fill(history.path, before)
        await history.all()
        begun = process.io_counters().write_chars
        for _ in range(_TURNS):
            await history.add("- A summary of some words about green tea.", "window:a", (0, 2))
        written.append((process.io_counters().write_chars - begun) / _TURNS)
    table.line(
        "written for a summary, 10,000 entries before it",
        f"{written[1]:.0f} B",
        f"10 before it {written[0]:.0f} B",
        "<= 1.1 x",
        written[1] <= 1.1 * written[0],
    )


async def _searching(table: Table, folder: Path) -> None:
    """A search by words among very many summaries, half of them in archives."""
    from desktop.memory.history import History
    from desktop.memory.search import MemorySearch

    history = History(folder / "memory-many")
    _fill(history.path, ENTRIES)
    await history.consume(ENTRIES // 2)
    await history.archive(datetime.now(UTC))
    recall = MemorySearch(history, None)  # type: ignore[arg-type]  # its messages are another figure
    for what in ("first, which reads them", "second, which lists words"):
        begun = time.perf_counter()
        await recall.summaries("anything", 20)
        table.line(f"search of {ENTRIES:,} summaries: {what}", f"{time.perf_counter() - begun:.1f} s")
    for what, query in (
        ("one word, nowhere", "nowhere"),
        ("Chinese, nowhere", "没有这句话"),
        ("two common words and one nowhere", "number summaries nowhere"),
        ("one summary", f"number {ENTRIES // 3} of all"),
        ("common", "summaries"),
        ("common parts of words, nowhere together", "stin destan"),
    ):
        took = []
        for _ in range(_SEARCHES):
            begun = time.perf_counter()
            await recall.summaries(query, 20)
            took.append(time.perf_counter() - begun)
        _line(table, f"search of {ENTRIES:,} summaries: {what}", took, _FIND_MS)


async def _dreaming(table: Table, runs: int, what: str, note: str) -> None:
    """How late the loop is while a conversation streams, without and with a Dream at the same time."""
    alone, beside = Lateness(), Lateness()
    learned = [f"[MEMORY] Fact {{run}}-{n} of it." for n in range(_FACTS)]
    with server_apart() as url, tempfile.TemporaryDirectory() as folder:
        async with running_core(Path(folder), url, "slow:0.01") as core:
            (core.workspace / "memory").mkdir(exist_ok=True)
            (core.workspace / "memory" / "MEMORY.md").write_text(note, "utf-8")
            await core.memory.versions.commit("person")
            await _conversation(core, 0)
            for run in range(runs):
                async with alone.watched():
                    await _conversation(core, 2)
                lines = "\n".join([*learned, "[MEMORY-REMOVE] an old line: it is over"])
                model = f"say:{lines.format(run=run)}"
                await core.change({"agents.defaults.dream.model_override": model})
                for number in range(_NEW):
                    await core.memory.history.add(
                        f"- Summary {run} {number} about {_WORDS[number % 10]}.", "window:a"
                    )
                async with beside.watched():
                    talking = spawn(_conversation(core, 2), name="conversation")
                    outcome = await core.memory.dreaming.now()
                    await talking
                assert (outcome.handled, outcome.changed) == (_NEW, ["memory/MEMORY.md"]), outcome
    alone.line(table, "a conversation streams")
    beside.line(table, f"and a Dream, {what}")


async def _conversation(core: Any, seconds: float) -> None:
    """Turns one after the other for so long, one at least."""
    from desktop.agent.turn import Inbound
    from desktop.bus.events import TurnFailed, TurnFinished

    end = time.monotonic() + seconds
    with core.bus.subscribe() as events:
        for number in count():
            await core.loop.submit(Inbound("bench", f"Go on, {number}."))
            async for event in events:
                if isinstance(event, TurnFailed):
                    raise RuntimeError(event.error)
                if isinstance(event, TurnFinished):
                    break
            if time.monotonic() >= end:
                return


def _message(number: int) -> dict[str, Any]:
    text = f"{number} The quick brown fox jumps over the lazy dog, and 那只懒狗 sleeps on. " * 3
    return {"role": "assistant" if number % 2 else "user", "content": text}


def _fill(path: Path, entries: int) -> None:
    """A history of so many entries, about three hundred bytes each, over some months."""
    texts = said(random.Random(3))
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8") as file:
        for number in range(1, entries + 1):
            lines = [f"- Number {number} of all summaries.", *(f"- {text}" for text in islice(texts, 2))]
            at = (_EARLIER + timedelta(minutes=3 * number)).isoformat(timespec="milliseconds")
            record = {
                "cursor": number,
                "timestamp": at,
                "content": "\n".join(lines),
                "session_key": "window:a",
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _long() -> str:
    lines = []
    for number in count():
        lines.append(
            f"- Fact {number} of the person's world, which is about {_WORDS[number % 10]} and so on.\n"
        )
        if number % 1000 == 0 and sum(map(len, lines)) >= LONG:
            return "".join(lines)
    raise AssertionError


def _line(table: Table, what: str, seconds: list[float], allowed: int | None, peer: str = "") -> None:
    ms = middle(seconds) * 1000
    beside = peer or f"longest {max(seconds) * 1000:.0f} ms"
    if allowed is None:
        table.line(what, f"{ms:.1f} ms", beside)
    else:
        table.line(what, f"{ms:.1f} ms", beside, f"<= {allowed} ms", ms <= allowed)
