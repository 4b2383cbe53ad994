"""Archives of the history: what goes there, and that no entry is lost or doubled whenever a kill comes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.memory.archives import Archives
from desktop.memory.history import History
from desktop.memory.imports import take_over
from desktop.memory.word_search import Seeker

NOW = datetime.now(UTC)


def line(cursor: int, days: float, content: str = "") -> str:
    at = (NOW - timedelta(days=days)).isoformat(timespec="milliseconds")
    return json.dumps({"cursor": cursor, "timestamp": at, "content": content or f"entry {cursor}."})


def put(folder: Path, lines: list[str], consumed: int) -> History:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "history.jsonl").write_text("".join(f"{one}\n" for one in lines), "utf-8")
    (folder / ".dream_cursor").write_text(str(consumed))
    return History(folder)


async def test_what_dream_has_dealt_with_and_is_old_goes_to_the_file_of_its_month(tmp_path: Path) -> None:
    days = (200, 170, 95, 80, 120)
    lines = [line(at, age) for at, age in enumerate(days, 1)]
    odd = ["not json", json.dumps({"cursor": 1, "content": "has no time"})]
    history = put(tmp_path / "memory", [*lines, *odd], 4)
    before = await history.all()
    assert await history.archive() == 3
    assert history.path.read_text("utf-8").splitlines() == [lines[3], lines[4], *odd], "as they were"
    for at in range(3):
        month = f"{NOW - timedelta(days=days[at]):%Y-%m}"
        archive = history.folder / "archive" / f"history-{month}.jsonl"
        assert lines[at] in archive.read_text("utf-8").splitlines()
    for reader in (history, History(history.folder)):
        assert await reader.all() == before
        assert [entry.cursor for entry in await reader.waiting()] == [5]
    assert await history.archive() == 0


async def test_numbers_go_on_where_everything_is_archived(tmp_path: Path) -> None:
    history = put(tmp_path / "memory", [line(1, 200), line(2, 100)], 2)
    (history.folder / "2026-01-01.md").write_text("A daily note of nanobot.", "utf-8")
    assert await history.archive() == 2
    assert history.path.read_bytes() == b""
    assert take_over(history.folder) == 0, "it is no new memory"
    (history.folder / ".cursor").unlink(missing_ok=True)
    again = History(history.folder)
    assert await again.last() == 2
    assert (await again.add("new")).cursor == 3
    assert [entry.cursor for entry in await again.all()] == [1, 2, 3]


async def test_a_search_that_has_read_them_finds_them_after_they_moved(tmp_path: Path) -> None:
    history = put(tmp_path / "memory", [line(1, 10, "young tea"), line(2, 200, "old tea")], 2)
    seeker = Seeker()
    seeker.find(await history.all(), "tea", 9)
    await history.archive()
    await history.add("new tea")
    found = seeker.find(await history.all(), "tea", 9)
    assert [entry.content for entry in found] == ["new tea", "young tea", "old tea"]


async def test_an_archive_that_cannot_be_written_leaves_the_history_as_it_is(tmp_path: Path) -> None:
    from desktop.errors import StorageError

    history = put(tmp_path / "memory", [line(1, 200)], 1)
    (history.folder / "archive").write_text("in the way")
    before = history.path.read_bytes()
    with pytest.raises(StorageError):
        await history.archive()
    assert history.path.read_bytes() == before
    assert [entry.cursor for entry in await History(history.folder).all()] == [1]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 200)),
        st.tuples(st.just("consume"), st.integers(0, 40)),
        st.tuples(st.just("archive"), st.integers(0, 3)),
        st.tuples(st.just("half"), st.integers(0, 3)),
    ),
    max_size=30,
)


@settings(max_examples=60)
@given(STEPS)
def test_in_any_order_each_entry_is_there_once(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_live(Path(folder) / "memory", steps))


async def _live(folder: Path, steps: list[tuple[str, int]]) -> None:
    """`half`: as a kill leaves it that comes after the archives and before the history."""
    history, cursors = put(folder, [], 0), list[int]()
    for what, number in steps:
        if what == "add":
            entry = await history.add(f"- Said {len(cursors)}.")
            cursors.append(entry.cursor)
            text = history.path.read_text("utf-8").replace(
                entry.timestamp, (NOW - timedelta(days=number)).isoformat()
            )
            history.path.write_text(text, "utf-8")
            history = History(folder)
        elif what == "consume":
            await history.consume(min(number, len(cursors)))
        else:
            before = history.path.read_bytes()
            await history.archive(NOW - timedelta(days=50 * number))
            if what == "half":
                history.path.write_bytes(before)
        for reader in (history, History(folder)):
            assert sorted(entry.cursor for entry in await reader.all()) == cursors
        assert [e.cursor for e in await history.waiting()] == cursors[await history.consumed() :]
    await history.archive(NOW)
    left = {entry.cursor for entry in History(folder).entries()}
    kept = [entry.cursor for entry in Archives(folder).entries()]
    own = [json.loads(one)["cursor"] for one in history.path.read_text("utf-8").splitlines()]
    assert sorted([*kept, *own]) == sorted(left), "after the next round none is in both"


_WORKER = """
import asyncio, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from desktop.memory.history import History
async def main():
    history, day = History(Path(sys.argv[1])), 200
    print("on", flush=True)
    while True:
        await history.add("- Said.")
        await history.consume(await history.last())
        await history.archive(datetime.now(UTC) - timedelta(days=day))
        day = max(-1, day - 20)
asyncio.run(main())
"""


def test_kills_while_it_is_archived_lose_and_double_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    put(folder, [line(at, 400 - at) for at in range(1, 300)], 299)
    for number in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", _WORKER, str(folder)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        ) as process:
            assert process.stdout
            process.stdout.readline()
            try:
                process.wait(timeout=0.013 * (number + 1))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        cursors = [entry.cursor for entry in History(folder).entries()]
        assert cursors == list(range(1, len(cursors) + 1))
        assert len(cursors) >= 299
    history = History(folder)
    asyncio.run(history.consume(len(cursors)))
    asyncio.run(history.archive(datetime.now(UTC) + timedelta(days=1)))
    assert history.path.read_bytes() == b""
    assert [entry.cursor for entry in Archives(folder).entries()] == cursors
