"""The search index follows the logs, whoever writes them, and knows nothing that is not in them."""

import json
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from desktop.database.database import Database
from desktop.session.index import Indexer, rebuild
from desktop.session.log import Session
from desktop.session.search import Hit, search
from desktop.session.sessions import Sessions

type Json = dict[str, Any]


class Place:
    """A folder of sessions and the database beside it."""

    def __init__(self, root: Path) -> None:
        self.database = root / "state.db"
        self.sessions = Sessions(root / "sessions")

    def update(self, *names: str) -> int:
        """Bring the index up to date with these files or all; how many slices it took."""
        indexer = Indexer(self.database, self.sessions.folder)
        with closing(indexer):
            indexer.connect()
            indexer.look(names or None)
            slices = 1
            while indexer.step():
                slices += 1
        return slices

    def found(self, query: str) -> list[str]:
        """The snippets of all messages that a query finds."""
        return [hit.snippet for hit in self.hits(query)]

    def hits(self, query: str) -> list[Hit]:
        return list(search(self.database, query, limit=10_000, patience=60).hits)

    def rows(self, sql: str) -> list[Any]:
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(sql).fetchall()

    async def say(self, key: str, *texts: str) -> Session:
        session = await self.sessions.open(key)
        for text in texts:
            await session.append({"role": "user", "content": text})
        return session


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    database = Database(tmp_path / "state.db")
    await database.open()
    yield Place(tmp_path)
    await database.close()


def record(text: object, role: str = "user", **more: object) -> str:
    return json.dumps({"role": role, "content": text, **more}, ensure_ascii=False) + "\n"


async def test_only_what_is_new_is_read(place: Place) -> None:
    session = await place.say("a", "the first apple", "something long " * 20)
    place.update()
    with session.path.open("r+b") as file:  # what was read already is not looked at again
        data = file.read().replace(b"first", b"other")
        file.seek(0)
        file.write(data)
    await place.say("a", "the second apple")
    place.update(session.path.name)
    assert place.found("apple") == ["the second apple", "the first apple"]


async def test_what_is_no_word_of_the_person_or_the_assistant_is_not_found(place: Place) -> None:
    session = await place.sessions.open("a")
    for message in (
        {"role": "user", "content": "needle question", "_turn": "t1"},
        {"role": "assistant", "content": "needle answer", "_turn": "t1"},
        {"role": "user", "content": [{"type": "text", "text": "needle part"}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "needle"}}]},
        {"role": "tool", "content": "needle result"},
        {"role": "user", "content": "/needle", "_command": True},
        {"role": "user", "content": "needle hidden", "_hidden_note": True},
    ):
        await session.append(message)
    await session.set_metadata(title="needle title")
    place.update()
    hits = place.hits("needle")
    assert {(h.snippet, h.role, h.turn) for h in hits} == {
        ("needle question", "user", "t1"),
        ("needle answer", "assistant", "t1"),
        ("needle part", "user", ""),
    }
    assert {h.title for h in hits} == {"needle title"}


async def test_a_session_is_called_by_its_title_or_its_first_words(place: Place) -> None:
    session = await place.say("window:a", "How tall is Everest?", "And K2?")
    place.update()
    (hit,) = place.hits("K2?")
    assert (hit.session, hit.title) == ("window:a", "How tall is Everest?")
    for title, shown in (("Peaks", "Peaks"), (None, "How tall is Everest?")):
        await session.set_metadata(title=title)
        place.update(session.path.name)
        assert place.hits("K2?")[0].title == shown


async def test_a_deleted_session_is_forgotten_and_a_restored_one_known_again(place: Place) -> None:
    await place.say("gone", *(f"apple number {n}" for n in range(700)))
    await place.say("kept", "one more apple")
    place.update()
    assert len(place.found("apple")) == 701
    await place.sessions.delete("gone")
    indexer = Indexer(place.database, place.sessions.folder)
    with closing(indexer):
        indexer.connect()
        indexer.look()
        assert place.found("apple") == ["one more apple"], "at once, before its messages are taken out"
    place.update()
    assert place.found("number") == []
    assert place.rows("SELECT count(*) FROM search_text") == [(1,)]
    await place.sessions.restore("gone")
    place.update()
    assert len(place.found("apple")) == 701


@pytest.mark.parametrize("change", ["shorter", "in place", "longer", "utf-16"])
async def test_a_file_that_another_program_rewrote_is_read_anew(place: Place, change: str) -> None:
    session = await place.say("a", "an old apple", "an old pear", "something long " * 20)
    place.update()
    path, text = session.path, session.path.read_text("utf-8")
    if change == "shorter":
        path.write_text(record("a plum"), "utf-8")
    elif change == "in place":
        path.write_text(text.replace("old apple", "red plum ").replace("old", "odd"), "utf-8")
        os.utime(path, ns=(1, 1))
    elif change == "longer":
        path.write_text(record("a plum") + text.replace("old", "odd") + record("a fig"), "utf-8")
    else:
        path.write_text(record("a plum"), "utf-16-le")
    place.update()
    assert place.found("old") == []
    assert len(place.found("plum")) == 1
    place.update()
    assert len(place.found("plum")) == 1


async def test_a_torn_line_is_read_once_it_is_whole_and_costs_nothing_after_it(place: Place) -> None:
    folder = place.sessions.folder
    folder.mkdir()
    path = folder / "a.jsonl"
    whole = record("a whole apple")
    torn = record("a torn apple").rstrip("\n")
    path.write_text(whole + torn[:-9], "utf-8")
    place.update()
    assert place.found("apple") == ["a whole apple"]
    with path.open("a", encoding="utf-8") as file:
        file.write(torn[-9:])  # whole now, though the line has no end
    place.update()
    assert set(place.found("apple")) == {"a whole apple", "a torn apple"}
    with path.open("a", encoding="utf-8") as file:
        file.write('\n{"role":"user","con\n' + record("an apple after"))
    place.update()
    assert set(place.found("apple")) == {"a whole apple", "a torn apple", "an apple after"}


async def test_messages_of_all_sessions_are_in_the_order_of_time(place: Place) -> None:
    folder = place.sessions.folder
    folder.mkdir()
    for name, minutes in (("a", (1, 4)), ("b", (2, 3))):
        (folder / f"{name}.jsonl").write_text(
            "".join(record(f"apple {m}", timestamp=f"2026-05-01T10:0{m}:00+00:00") for m in minutes),
            "utf-8",
        )
    place.update()
    assert place.found("apple") == ["apple 4", "apple 3", "apple 2", "apple 1"]
    assert place.hits("apple 3")[0].at.isoformat() == "2026-05-01T10:03:00+00:00"


@pytest.mark.parametrize(
    "moment", ["2026-05-01T10:00:00+00:00", "", "yesterday", "9999-12-31T23:59:59+00:00"]
)
async def test_messages_of_one_moment_or_of_none_are_all_found(place: Place, moment: str) -> None:
    folder = place.sessions.folder
    folder.mkdir()
    for name in "ab":
        lines = (record(f"apple {name}{n} " + "x" * 200, timestamp=moment) for n in range(1000))
        (folder / f"{name}.jsonl").write_text("".join(lines), "utf-8")
    assert place.update() > 2, "long files come in slices"
    ((looked_at,),) = place.rows("SELECT count(*) FROM search_fresh")
    assert looked_at < 200, "the others are found by their trigrams"
    assert len(place.found("apple")) == 2000


async def test_a_run_that_was_killed_is_gone_on_with(place: Place) -> None:
    folder = place.sessions.folder
    folder.mkdir()
    (folder / "a.jsonl").write_text(
        "".join(record(f"apple {n} " + "x" * 200) for n in range(2000)), "utf-8"
    )
    while len(place.found("apple")) < 2000:
        indexer = Indexer(place.database, folder)
        with closing(indexer):
            indexer.connect()
            indexer.look()
            indexer.step()
    assert place.update() == 1
    assert len(place.found("apple")) == 2000


async def test_the_index_can_be_made_anew(place: Place) -> None:
    await place.say("a", "an apple")
    place.update()
    for damage in ("DROP TABLE search_session", "DELETE FROM search_text", "SELECT 1"):
        with closing(sqlite3.connect(place.database)) as connection:
            connection.execute(damage)
            connection.commit()
        rebuild(place.database)
        assert place.found("apple") == []
        place.update()
        assert place.found("apple") == ["an apple"]


async def test_writing_a_turn_costs_little_and_the_same_at_any_history(place: Place) -> None:
    folder = place.sessions.folder
    folder.mkdir()
    words = [
        "agent",
        "reads",
        "files",
        "runs",
        "commands",
        "reports",
        "what",
        "found",
        "while",
        "tokens",
        "stream",
    ]
    long = [record(" ".join(words[n % 7 :] * 3) + f" {n}") for n in range(3000)]
    (folder / "old.jsonl").write_text("".join(long), "utf-8")
    place.update()
    session = await place.sessions.open("a")
    before = _written()
    for turn in range(20):
        for part in range(5):
            text = " ".join(f"{word}{turn * part}" for word in words * 8)
            await session.append({"role": "user", "content": text})
            await session.append({"role": "assistant", "content": text})
        place.update(session.path.name)
    log = session.path.stat().st_size
    assert (_written() - before - log) / 100 < 150_000


def _written() -> int:
    text = Path("/proc/self/io").read_text("ascii")
    return int(text.partition("wchar: ")[2].split()[0])
