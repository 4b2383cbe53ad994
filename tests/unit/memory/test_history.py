"""history.jsonl: appended to, numbered upwards, tolerant of what others wrote."""

import asyncio
import json
from pathlib import Path

import pytest

from desktop.errors import StorageError
from desktop.memory.history import LONGEST, History


async def test_entries_are_numbered_and_appended(tmp_path: Path) -> None:
    history = History(tmp_path / "memory")
    first = await history.add("Likes tea.", "s", (0, 4))
    before = history.path.read_bytes()
    second = await history.add("Likes cake.", "s", (4, 9), outside=True)
    assert (first.cursor, second.cursor) == (1, 2)
    assert history.path.read_bytes().startswith(before)
    record = json.loads(history.path.read_text("utf-8").splitlines()[1])
    assert (record["cursor"], record["content"], record["session_key"]) == (2, "Likes cake.", "s")
    assert record["timestamp"].endswith("+00:00")
    assert (history.folder / ".cursor").read_text() == "2"
    assert await history.covered("s") == 9
    again = History(tmp_path / "memory")
    assert await again.all() == [first, second]


async def test_two_writers_at_once_lose_nothing_and_share_the_numbers(tmp_path: Path) -> None:
    one, two = History(tmp_path / "memory"), History(tmp_path / "memory")
    await asyncio.gather(
        *(each.add(f"{name} {n}") for n in range(20) for name, each in (("a", one), ("b", two)))
    )
    entries = await History(tmp_path / "memory").all()
    assert sorted(entry.cursor for entry in entries) == list(range(1, 41))
    assert len({entry.content for entry in entries}) == 40


@pytest.mark.parametrize(
    ("cursor", "expected"), [("99", 100), ("1", 4), ("", 4), ("-7", 4), ("many", 4), ("9" * 40, 4)]
)
async def test_a_cursor_file_ahead_behind_or_broken(tmp_path: Path, cursor: str, expected: int) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    lines = [
        {"cursor": 1, "timestamp": "2026-02-20 10:00", "content": "old"},
        {"cursor": True, "content": "no number"},
        {"cursor": -3, "content": "negative"},
        {"cursor": "2", "content": "text"},
        {"cursor": 3, "content": ["no text"]},
        [1, 2],
        {"cursor": 3, "timestamp": None, "content": "three"},
        {"cursor": 3, "content": "three again"},
    ]
    text = "\n".join(map(json.dumps, lines)) + "\nnot json\n"
    (folder / "history.jsonl").write_text(text, "utf-8")
    (folder / ".cursor").write_text(cursor)
    history = History(folder)
    assert [entry.content for entry in await history.all()] == ["old", "three", "three again"]
    assert (await history.add("new")).cursor == expected
    assert (folder / "history.jsonl").read_text("utf-8").startswith(text)


async def test_a_torn_line_costs_itself(tmp_path: Path) -> None:
    history = History(tmp_path / "memory")
    await history.add("whole")
    with history.path.open("ab") as file:
        file.write(b'{"cursor": 2, "content": "to')
    again = History(tmp_path / "memory")
    assert (await again.add("after")).cursor == 2
    assert [entry.content for entry in await History(tmp_path / "memory").all()] == ["whole", "after"]


async def test_what_dream_has_not_seen_is_in_the_prompt(tmp_path: Path) -> None:
    history = History(tmp_path / "memory")
    for number in range(60):
        await history.add(f"fact {number}.", "telegram:7")
    await history.consume(5)
    await history.consume(3)
    assert await history.consumed() == 5
    assert len(history.recent()) == 50
    text = history.prompt()
    assert "fact 59." in text
    assert "telegram:7" in text
    assert "fact 9." not in text, "fifty at the most"
    await history.consume(60)
    assert history.prompt() == ""


async def test_the_prompt_keeps_to_its_tokens_and_an_entry_to_its_length(tmp_path: Path) -> None:
    history = History(tmp_path / "memory")
    for number in range(40):
        await history.add(f"fact {number} " + "word " * 400)
    assert "fact 39" in history.prompt(1_000)
    assert len(history.prompt(1_000)) < 6_000
    assert len((await history.add("x" * 100_000)).content) == LONGEST


async def test_a_folder_in_the_place_of_the_file_is_an_error_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "memory" / "history.jsonl").mkdir(parents=True)
    history = History(tmp_path / "memory")
    with pytest.raises(StorageError):
        await history.add("lost?")
    assert history.prompt() == ""
