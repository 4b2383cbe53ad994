"""Old memory, files, skills and jobs beside those that are here."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from desktop.cron.store import Store
from desktop.memory.history import History
from desktop.merge.importer.importing import Items
from desktop.pace import Advanced
from desktop.paths import resource
from tests.unit.importer.bed import Bed, named
from tests.unit.importer.homes import newer, older, write


async def said(bed: Bed) -> list[tuple[int, str]]:
    return [(entry.cursor, entry.content) for entry in await History(bed.workspace / "memory").all()]


async def test_a_history_goes_into_an_empty_one_as_it_is(bed: Bed, old: Path) -> None:
    newer(old.parent)
    await bed.run(old)
    history = History(bed.workspace / "memory")
    assert [entry.cursor for entry in await history.all()] == [1, 2, 3]
    assert [entry.cursor for entry in await history.waiting()] == [3]
    assert (await history.all())[1].session == "telegram:1001"
    await bed.nothing_new(old)


@pytest.mark.machine
async def test_older_notes_become_a_history_that_dream_knows(bed: Bed, old: Path) -> None:
    older(old.parent)
    await bed.run(old)
    assert [text for _cursor, text in await said(bed)] == [
        "Sowed the first seeds.",
        "Talked about basil.",
        "Chose terracotta pots. Two lines\nof text in one entry.",
    ]
    assert await History(bed.workspace / "memory").waiting() == []
    await bed.nothing_new(old)


async def test_a_history_beside_one_that_is_here(bed: Bed, old: Path) -> None:
    history = History(bed.workspace / "memory")
    await history.add("Mine.")
    newer(old.parent)
    write(
        old / "workspace/memory/HISTORY.md",
        "[2026-02-01 10:00] Before.\n\n[2026-02-20 10:00] Talked about basil.\n",
    )
    await bed.run(old)
    assert {text for _cursor, text in await said(bed)} == {
        "Mine.",
        "Before.",
        "Talked about basil.",
        "Chose pots.",
        "[RAW] 2 messages",
    }
    cursors = [cursor for cursor, _text in await said(bed)]
    assert len(set(cursors)) == len(cursors)
    assert [entry.content for entry in await history.waiting()] == ["Mine.", "[RAW] 2 messages"]
    assert (await history.add("Next.")).cursor == max(cursors) + 1
    await bed.nothing_new(old)


async def test_lines_that_are_no_entries_are_passed_over(bed: Bed, old: Path) -> None:
    text = "[2026-02-20 10:00] 喜欢茶。\n".encode("gb18030")
    write(old / "workspace/memory/HISTORY.md", text)
    good = json.dumps({"cursor": 4, "timestamp": "2026-03-01 10:00", "content": "Good."})
    write(
        old / "workspace/memory/history.jsonl", f'{good}\nnonsense\n{{"cursor": -1, "content": "x"}}\n[1]\n'
    )
    write(old / "workspace/memory/.dream_cursor", "many")
    await bed.run(old)
    assert [text for _cursor, text in await said(bed)] == ["喜欢茶。", "Good."]


async def test_a_file_gives_way_only_while_it_is_the_template(bed: Bed, old: Path) -> None:
    template = resource("templates", "zh_CN", "SOUL.md").read_bytes()
    write(bed.workspace / "SOUL.md", template)
    write(bed.workspace / "USER.md", "Mine.\n")
    write(bed.workspace / "AGENTS.md", "")
    for name in ("SOUL", "USER", "AGENTS", "IDENTITY"):
        write(old / f"workspace/{name}.md", f"Old {name}.\n")
    write(old / "workspace/TOOLS.md", "Straße\n".encode("latin-1"))
    write(bed.workspace / "memory/MEMORY.md", "- Mine.\n")
    write(old / "workspace/memory/MEMORY.md", "- Old.\n")
    items = await bed.run(old)

    def here(name: str) -> str:
        return (bed.workspace / name).read_text("utf-8")

    assert (here("SOUL.md"), here("AGENTS.md"), here("IDENTITY.md")) == (
        "Old SOUL.\n",
        "Old AGENTS.\n",
        "Old IDENTITY.\n",
    )
    assert (here("USER.md"), here("USER.imported.md")) == ("Mine.\n", "Old USER.\n")
    assert (here("memory/MEMORY.md"), here("memory/MEMORY.imported.md")) == ("- Mine.\n", "- Old.\n")
    assert "USER.imported.md" in named(items, "USER.md").note
    assert here("TOOLS.md") == "Straße\n"
    await bed.nothing_new(old)
    write(old / "workspace/USER.md", "Older USER, changed.\n")
    await bed.run(old)
    assert here("USER.imported-2.md") == "Older USER, changed.\n"
    assert here("USER.imported.md") == "Old USER.\n"


async def test_a_file_that_is_changed_meanwhile_stays(bed: Bed, old: Path) -> None:
    here = write(bed.workspace / "SOUL.md", "")
    write(old / "workspace/SOUL.md", "Old.\n")

    class Listening(list[Items | Advanced]):
        def append(self, event: Items | Advanced) -> None:
            if isinstance(event, Advanced) and event.what == "take":
                here.write_text("Mine.\n", "utf-8")

    bed.events = Listening()
    item = named(await bed.run(old), "SOUL.md")
    assert (item.action, "meanwhile" in item.note) == ("failed", True)
    assert here.read_text("utf-8") == "Mine.\n"


@pytest.mark.machine
async def test_skills_are_whole_folders_and_never_written_over(bed: Bed, old: Path, tmp_path: Path) -> None:
    older(old.parent)
    skills = old / "workspace/skills"
    write(skills / "mine/SKILL.md", "Old.\n")
    write(bed.workspace / "skills/Mine/SKILL.md", "Here.\n")
    write(skills / "empty/readme.txt", "x")
    (skills / "herbs/loop").symlink_to("..")
    (skills / "herbs/passwd").symlink_to("/etc/passwd")
    (skills / "out").symlink_to(write(tmp_path / "far/SKILL.md", "Far.\n").parent)
    items = await bed.run(old)
    herbs = bed.workspace / "skills/herbs"
    assert sorted(path.name for path in herbs.rglob("*") if path.is_file()) == ["SKILL.md", "look"]
    assert (herbs / "bin/look").stat().st_mode & 0o100
    assert not (herbs / "SKILL.md").stat().st_mode & 0o111
    assert "left out" in named(items, "herbs").note
    for name in ("mine", "empty", "out"):
        assert (named(items, name).action, bool(named(items, name).note)) == ("left", True)
    assert (bed.workspace / "skills/Mine/SKILL.md").read_text("utf-8") == "Here.\n"
    assert not list((bed.workspace / "skills").glob(".import*"))
    await bed.nothing_new(old)


async def test_jobs_keep_their_ids_and_miss_nothing_twice(bed: Bed, old: Path) -> None:
    later = int((time.time() + 3_600) * 1000)
    jobs: list[dict[str, Any]] = [
        {
            "id": "aaaa0001",
            "name": "daily",
            "schedule": {"kind": "cron", "expr": "0 9 * * *", "tz": "Europe/Berlin"},
        },
        {"id": "aaaa0002", "name": "past", "schedule": {"kind": "at", "atMs": 1_772_970_000_000}},
        {"id": "aaaa0003", "name": "soon", "schedule": {"kind": "at", "at_ms": str(later)}},
        {"id": "aaaa0004", "name": "broken", "schedule": {"kind": "cron", "expr": "never"}},
        {"id": "dream", "name": "dream", "schedule": {"kind": "every", "everyMs": 7_200_000}},
        {"name": "nameless", "schedule": {"kind": "every", "everyMs": 60_000}},
    ]
    for job in jobs:
        job |= {
            "enabled": True,
            "payload": {
                "kind": "agent_turn",
                "message": "do it",
                "deliver": True,
                "channel": "cli",
                "to": "direct",
            },
            "state": {"nextRunAtMs": 1_772_960_400_000},
        }
    write(old / "cron/jobs.json", json.dumps({"version": 1, "jobs": [*jobs, "nonsense"]}))
    write(
        old / "workspace/cron/jobs.json", json.dumps({"version": 1, "jobs": [{**jobs[0], "name": "newer"}]})
    )
    items = await bed.run(old)
    store = Store(bed.workspace / "cron", lambda: "UTC")
    await store.load()
    found = {job.name: job for job in store.jobs.values()}
    assert set(found) == {"newer", "past", "soon", "nameless"}
    assert (found["newer"].id, found["newer"].session, found["newer"].next_due) == (
        "aaaa0001",
        "cli:direct",
        None,
    )
    assert (found["past"].enabled, found["soon"].enabled) == (False, True)
    assert {named(items, name).action for name in ("dream", "broken")} == {"left"}
    await bed.nothing_new(old)


@pytest.mark.parametrize("text", ["{ broken", "", "[]"])
async def test_a_damaged_list_of_jobs(bed: Bed, old: Path, text: str) -> None:
    write(old / "cron/jobs.json", text)
    items = await bed.run(old)
    assert [item.action for item in items if item.kind == "job"] == (["left"] if text else [])
