"""A conversation as a file and what it has cost, through the door of a real core."""

import json
import resource
import signal
from pathlib import Path

import pytest

from desktop.errors import AppError, UsageError
from desktop.session.export import FORMATS, Format, export
from tests.unit.core.test_conversations import Desk
from tests.unit.core.test_spending import used


async def test_a_conversation_is_written_as_it_stands(desk: Desk, tmp_path: Path) -> None:
    await desk.ask("window:a", "Frist")
    await desk.api.revisions.edit("window:a", await turn_of(desk, "Frist"), "First")
    await desk.end()
    path = tmp_path / "talk.json"
    await desk.api.conversations.export("window:a", str(path), "json", title="T")
    written = json.loads(path.read_text("utf-8"))
    assert written["title"] == "T"
    assert [m["content"] for m in written["messages"] if m["role"] == "user"] == ["First"], (
        "what was said otherwise before is no longer part of it"
    )


@pytest.mark.parametrize("kind", FORMATS)
def test_half_a_character_can_be_written(kind: Format) -> None:
    made = export(kind, "window:a", "T\ud83d", [{"role": "user", "content": "so \ud83d far"}])
    assert b" far" in made.encode()
    if kind == "json":
        assert json.loads(made)["messages"][0]["content"] == "so \ud83d far"


async def turn_of(desk: Desk, text: str) -> str:
    found = await desk.api.conversations.read("window:a")
    return next(str(m["_turn"]) for m in found.messages if m["content"] == text)


async def test_a_file_is_written_whole_or_not_at_all(desk: Desk, tmp_path: Path) -> None:
    await desk.ask("window:a", "Hello")
    place = tmp_path / "place"
    (place / "folder").mkdir(parents=True)
    there = place / "there.md"
    there.write_text("before")
    for wrong in (there / "x.md", place / "folder"):
        with pytest.raises(AppError):
            await desk.api.conversations.export("window:a", str(wrong))
    assert sorted(path.name for path in place.iterdir()) == ["folder", "there.md"]
    assert there.read_text() == "before"
    await desk.api.conversations.export("window:a", str(there))
    assert there.read_text("utf-8").startswith("# window:a")


async def test_a_full_disk_leaves_what_was_there(desk: Desk, tmp_path: Path) -> None:
    session = await desk.owner.core.sessions.open("window:a")
    await session.append({"role": "user", "content": "word " * 1_200_000})
    place = tmp_path / "place"
    place.mkdir()
    there = place / "there.md"
    there.write_text("before")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, limit[1]))  # more than the database needs
    try:
        with pytest.raises(AppError) as failure:
            await desk.api.conversations.export("window:a", str(there))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert str(there) in failure.value.text
    assert [path.name for path in place.iterdir()] == ["there.md"]
    assert there.read_text() == "before"


async def test_what_cannot_be_meant_is_refused(desk: Desk) -> None:
    with pytest.raises(UsageError):
        await desk.api.conversations.export("window:a", "talk.md")


async def test_the_cost_of_one_conversation_is_its_own(desk: Desk) -> None:
    await used(desk, 0.5, session="window:a")
    await used(desk, None, session="window:a", cause="title")
    await used(desk, 9.0, session="window:b")
    await used(desk, None, provider="ollama", model="qwen", session="window:a")
    found = await desk.api.usage.cost("window:a")
    assert (found.cost, found.unpriced, found.free) == (0.5, 1100, 1100)
    assert (found.calls, found.tokens) == (3, 3300)
    assert (found.input_tokens, found.output_tokens) == (3000, 300)
    told = [(m.title, m.tokens, m.cost, m.unpriced) for m in found.models]
    assert told == [("gpt-5", 2200, 0.5, 1100), ("qwen", 1100, 0.0, 0)]
    assert (await desk.api.usage.cost("window:new")).tokens == 0
