"""nanobot's older memory: HISTORY.md and daily notes become history, once."""

from pathlib import Path

import pytest

from desktop.memory.history import History
from desktop.memory.imports import chunks, take_over

OLD = """\
[2026-02-20 10:00] Talked about basil.

[2026-02-21 18:30] Chose pots. Two lines
of text in one entry.
[2026-02-21 19:00] Right below, without a blank line.

No date here.

[2026-02-22 08:15] [RAW] 2 messages
[2026-02-22 08:14] USER: hi

[2026-02-22 08:15] ASSISTANT: hello
[2026-02-23] After it.
"""


async def test_the_old_history_is_taken_over_once_and_kept(tmp_path: Path) -> None:
    (tmp_path / "HISTORY.md").write_text(OLD, "utf-8")
    (tmp_path / "HISTORY.md.bak").write_text("an older one", "utf-8")
    (tmp_path / "2026-02-20.md").write_text("# 2026-02-20\nPotted basil.\n", "utf-8")
    (tmp_path / "2026-13-what.md").write_text("no note of a day", "utf-8")
    assert take_over(tmp_path) == 7
    history = History(tmp_path)
    entries = await history.all()
    assert [entry.cursor for entry in entries] == list(range(1, 8))
    assert [(entry.timestamp, entry.content.splitlines()[0]) for entry in entries] == [
        ("", "No date here."),
        ("2026-02-20", "# 2026-02-20"),
        ("2026-02-20 10:00", "Talked about basil."),
        ("2026-02-21 18:30", "Chose pots. Two lines"),
        ("2026-02-21 19:00", "Right below, without a blank line."),
        ("2026-02-22 08:15", "[RAW] 2 messages"),
        ("2026-02-23", "After it."),
    ]
    assert "ASSISTANT: hello" in entries[5].content
    assert await history.consumed() == 7, "Dream has no work with it"
    assert (await history.add("new")).cursor == 8
    assert not (tmp_path / "HISTORY.md").exists()
    assert (tmp_path / "HISTORY.md.bak.1").read_text("utf-8") == OLD
    assert (tmp_path / "2026-02-20.md").exists()
    assert take_over(tmp_path) == 0


def test_a_history_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "HISTORY.md").write_text(OLD, "utf-8")
    (tmp_path / "history.jsonl").write_text('{"cursor": 1, "content": "x"}\n', "utf-8")
    assert take_over(tmp_path) == 0
    assert (tmp_path / "HISTORY.md").exists()


def test_nothing_there_makes_nothing(tmp_path: Path) -> None:
    assert take_over(tmp_path / "memory") == 0
    assert not (tmp_path / "memory").exists()


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_an_empty_history_is_put_away(tmp_path: Path, text: str) -> None:
    (tmp_path / "HISTORY.md").write_text(text, "utf-8")
    assert take_over(tmp_path) == 0
    assert not (tmp_path / "history.jsonl").exists()
    assert (tmp_path / "HISTORY.md.bak").exists()


def test_the_sample_of_february_reads_as_nanobot_reads_it() -> None:
    sample = (
        "[2026-02-20 10:00] Talked about basil.\n\n[2026-02-22 08:15] [RAW] 2 messages\n"
        "[2026-02-22 08:14] USER: hi\n[2026-02-22 08:15] ASSISTANT: hello\n"
    )
    assert chunks(sample) == [
        ("2026-02-20 10:00", "Talked about basil."),
        (
            "2026-02-22 08:15",
            "[RAW] 2 messages\n[2026-02-22 08:14] USER: hi\n[2026-02-22 08:15] ASSISTANT: hello",
        ),
    ]
