"""Old conversations: found by any name, never doubled, never written over, whatever is in their files."""

import base64
import json
import os
from pathlib import Path

from tests.unit.importer.bed import Bed, named
from tests.unit.importer.homes import WORKSPACE_ID, conversation, looks, write

LOSSY = "workspace/sessions/telegram_1001.jsonl"


def encoded(key: str) -> str:
    name = base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")
    return f"sessions/{WORKSPACE_ID}/{name}.jsonl"


async def test_the_key_in_the_first_line_counts_not_the_name(bed: Bed, old: Path) -> None:
    conversation(old / "workspace/sessions/a_b_c.jsonl", "a:b_c", ["one"])
    conversation(old / encoded("机器人:二"), "机器人:二", ["two"])
    conversation(old / "sessions/cli_direct.jsonl", "cli:direct", ["three"])
    await bed.run(old)
    assert bed.known() == {"a:b_c", "机器人:二", "cli:direct"}
    assert await bed.said("机器人:二") == ["two"]
    await bed.nothing_new(old)


async def test_a_file_without_its_first_line_is_known_by_its_name(bed: Bed, old: Path) -> None:
    conversation(old / LOSSY, "telegram:1001", ["one"])
    conversation(old / encoded("slack:C7"), "slack:C7", ["two"])
    for path in (old / LOSSY, old / encoded("slack:C7")):
        path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    await bed.run(old)
    assert bed.known() == {"telegram:1001", "slack:C7"}


async def test_what_an_upgrade_has_hidden_is_found_again(bed: Bed, old: Path) -> None:
    """0.3.5 copied a lossy name into its new folder, did not read it there, and began anew."""
    conversation(old / LOSSY, "telegram:1001", ["old", "older"], day=1)
    copy = old / f"sessions/{WORKSPACE_ID}/telegram_1001.jsonl"
    write(copy, (old / LOSSY).read_bytes())
    conversation(old / encoded("telegram:1001"), "telegram:1001", ["new"], day=9)
    await bed.run(old)
    assert await bed.said("telegram:1001") == ["new"]
    assert await bed.said("telegram:1001:imported") == ["old", "older"]
    assert len(bed.known()) == 2
    await bed.nothing_new(old)


async def test_one_that_went_on_here_stays_and_is_not_doubled(bed: Bed, old: Path) -> None:
    conversation(old / LOSSY, "telegram:1001", ["one", "two"])
    await bed.run(old)
    session = await bed.sessions.open("telegram:1001")
    await session.append({"role": "user", "content": "here"})
    await bed.nothing_new(old)
    conversation(old / LOSSY, "telegram:1001", ["one", "two", "there"])
    item = named(await bed.run(old), "telegram:1001:imported")
    assert (item.action, item.count) == ("change", 3)
    assert await bed.said("telegram:1001") == ["one", "two", "here"]
    assert await bed.said("telegram:1001:imported") == ["one", "two", "there"]
    await bed.nothing_new(old)


async def test_one_that_went_on_there_is_continued_also_while_it_is_open(bed: Bed, old: Path) -> None:
    conversation(old / LOSSY, "telegram:1001", ["one"])
    await bed.run(old)
    session = await bed.sessions.open("telegram:1001")
    conversation(old / LOSSY, "telegram:1001", ["one", "two", "three"])
    item = named(await bed.run(old), "telegram:1001")
    assert (item.action, item.count) == ("add", 2)
    assert [m["content"] for m in session.history(1_000)] == ["one", "two", "three"]


async def test_the_same_said_twice_is_two_messages(bed: Bed, old: Path) -> None:
    path = conversation(old / LOSSY, "telegram:1001", ["one", "two"])
    head, first, last = path.read_bytes().splitlines(keepends=True)
    write(path, head + first + last)
    await bed.run(old)
    write(path, head + first + last + last)
    item = named(await bed.run(old), "telegram:1001")
    assert (item.action, item.count) == ("add", 1)
    assert await bed.said("telegram:1001") == ["one", "two", "two"]
    await bed.nothing_new(old)


async def test_what_was_archived_and_titled_stays_so(bed: Bed, old: Path) -> None:
    path = conversation(old / LOSSY, "telegram:1001", ["one", "two", "three", "four"])
    lines = path.read_text("utf-8").splitlines()
    head = json.loads(lines[0]) | {
        "last_archived": 2,
        "metadata": {"title": "Herbs", "pending_user_turn": {"x": 1}, "model": "a preset"},
    }
    write(
        path, "\n".join([json.dumps(head), '{"_type": "provider_state", "state": {}}', *lines[1:]]) + "\n"
    )
    await bed.run(old)
    session = await bed.sessions.open("telegram:1001")
    assert session.metadata == {"title": "Herbs"}
    assert [m["content"] for m in session.history(1_000)] == ["three", "four"]
    assert all(m["timestamp"].endswith("+00:00") for m in await session.everything())


async def test_damaged_and_foreign_files_cost_themselves_alone(bed: Bed, old: Path) -> None:
    folder = old / "workspace/sessions"
    path = conversation(folder / "cli_a.jsonl", "cli:a", ["one", "two"])
    write(path, path.read_bytes().replace(b'"two"', b'"tw\xff\xfe"') + b'{"role": "user", "cont\n\x00\x01')
    wide = conversation(folder / "cli_b.jsonl", "cli:b", ["三", "four"])
    write(wide, wide.read_text("utf-8").encode("utf-16"))
    write(folder / "cli_c.jsonl", os.urandom(5_000))
    write(folder / "cli_d.jsonl", "")
    write(folder / "notes.txt", "no session")
    items = await bed.run(old)
    assert named(items, "cli:a").note
    assert (await bed.said("cli:a"))[0] == "one"
    assert await bed.said("cli:b") == ["三", "four"]
    assert {named(items, name).action for name in ("cli:c", "cli:d")} == {"left"}
    await bed.nothing_new(old)


async def test_links_and_pipes(bed: Bed, old: Path, tmp_path: Path) -> None:
    folder = old / "workspace/sessions"
    conversation(folder / "cli_a.jsonl", "cli:a", ["one"])
    outside = conversation(tmp_path / "secret.jsonl", "cli:secret", ["secret"])
    (folder / "out.jsonl").symlink_to(outside)
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    (folder / "again").symlink_to(folder)
    (folder / "nowhere.jsonl").symlink_to("nothing")
    (folder / "same.jsonl").symlink_to("cli_a.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    items = await bed.run(old)
    assert bed.known() == {"cli:a"}
    for name in ("out.jsonl", "loop.jsonl", "nowhere.jsonl", "pipe.jsonl"):
        assert named(items, name).action == "left"
        assert named(items, name).note


async def test_nanobots_talks_with_itself_are_left(bed: Bed, old: Path) -> None:
    conversation(old / "workspace/sessions/dream_1.jsonl", "dream:20260301-090000", ["analyse"])
    conversation(old / "workspace/sessions/heartbeat.jsonl", "heartbeat", ["look"])
    items = await bed.run(old)
    assert [item.action for item in items if item.kind == "session"] == ["left", "left"]
    assert bed.known() == set()


async def test_a_long_line_costs_itself_alone(bed: Bed, old: Path) -> None:
    path = conversation(old / LOSSY, "telegram:1001", ["one", "x" * 34_000_000, "three"])
    await bed.run(old)
    assert await bed.said("telegram:1001") == ["one", "three"]
    assert path.exists()


async def test_one_that_was_begun_here_without_a_word_is_read_anew(bed: Bed, old: Path) -> None:
    conversation(old / LOSSY, "telegram:1001", ["one"])
    await bed.sessions.open("telegram:1001")
    before = looks(old)
    await bed.run(old)
    session = await bed.sessions.open("telegram:1001")
    await session.append({"role": "user", "content": "two"})
    assert [m["content"] for m in session.history(1_000)] == ["one", "two"]
    assert looks(old) == before
