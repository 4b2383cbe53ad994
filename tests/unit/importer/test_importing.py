"""The import as a whole: told, called off, done again, and a home that is only half a home."""

import asyncio
from pathlib import Path

import pytest

from desktop.errors import KeychainError, UsageError
from desktop.merge.importer.importing import Items
from desktop.merge.items import counted
from desktop.pace import Advanced
from desktop.tasks import spawn
from tests.unit.importer.bed import Bed, named
from tests.unit.importer.homes import KEY, conversation, looks, newer, older, read_only, write


@pytest.mark.machine
@pytest.mark.parametrize("home", [older, newer])
async def test_a_plan_writes_nothing_and_says_what_will_be_done(bed: Bed, old: Path, home: object) -> None:
    home(old.parent)  # type: ignore[operator]
    read_only(old)
    before, here = looks(old), looks(bed.root)
    planned = await bed.plan(old.parent)
    assert looks(bed.root) == here
    assert await bed.run(old) == planned
    assert looks(old) == before
    counts = counted(planned)
    assert counts.of("take", "change") > 10
    assert counts.messages > 10
    assert [item for event in bed.events if isinstance(event, Items) for item in event.items] == planned * 2
    await bed.nothing_new(old)


async def test_an_import_that_is_called_off_is_completed_by_the_next(bed: Bed, old: Path) -> None:
    for number in range(60):
        texts = [f"{number} {part}" for part in range(50)]
        conversation(old / f"workspace/sessions/cli_{number}.jsonl", f"cli:{number}", texts)
    importing = bed.importing(old)
    running = spawn(importing.run(), name="import")
    while not list(bed.sessions.folder.glob("*.jsonl")):
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    here = bed.known()
    assert 0 < len(here) < 60
    assert not list(bed.sessions.folder.glob(".import*"))
    for key in here:
        assert len(await bed.said(key)) == 50
    items = await bed.run(old)
    assert sum(item.action == "take" for item in items) == 60 - len(here)
    await bed.nothing_new(old)


async def test_progress_is_told_up_to_the_end(bed: Bed, old: Path) -> None:
    for number in range(20):
        conversation(old / f"workspace/sessions/cli_{number}.jsonl", f"cli:{number}", ["one"])
    await bed.run(old)
    told = [event for event in bed.events if isinstance(event, Advanced)]
    assert {event.what for event in told} == {"read", "take"}
    assert told[-1].done == told[-1].total == 20


@pytest.mark.machine
async def test_a_keychain_that_takes_nothing_fails_the_keys_alone(bed: Bed, old: Path) -> None:
    older(old.parent)

    def shut() -> None:
        raise KeychainError("It is locked.", "Unlock it.", state="locked")

    bed.vault.before = shut
    items = await bed.run(old, scrub=True)
    failed = [item for item in items if item.action == "failed"]
    assert {item.name for item in failed} >= {"providers.openrouter.apiKey"}
    assert all("locked" in item.note for item in failed)
    assert KEY.encode() in (old / "config.json").read_bytes()
    assert not bed.store.config.provider("openrouter").key_stored
    assert "telegram:1001" in bed.known()
    bed.vault.before = lambda: None
    items = await bed.run(old)
    assert named(items, "providers.openrouter.apiKey").action == "change"
    assert bed.vault.entries["nanobot-desktop/openrouter"] == KEY
    await bed.nothing_new(old)


async def test_half_a_home(bed: Bed, tmp_path: Path) -> None:
    config = write(tmp_path / "a/config.json", '{"agents": {"defaults": {"model": "x/y"}}}')
    await bed.run(config)
    assert bed.store.config.agents.defaults.model == "x/y"
    write(tmp_path / "b/SOUL.md", "Be kind.\n")
    write(tmp_path / "b/.nanobot/workspace-id", "0" * 32)
    await bed.run(tmp_path / "b")
    assert (bed.workspace / "SOUL.md").read_text("utf-8") == "Be kind.\n"
    write(tmp_path / "c/config.json", "{ broken")
    conversation(tmp_path / "c/sessions/cli_x.jsonl", "cli:x", ["one"])
    items = await bed.run(tmp_path / "c")
    assert "line 1" in named(items, "config.json").note
    assert bed.known() == {"cli:x"}


async def test_a_workspace_elsewhere(bed: Bed, old: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere / "USER.md", "Dana.\n")
    settings = '{"agents": {"defaults": {"workspace": "%s"}}}'
    write(old / "config.json", settings % elsewhere)
    await bed.run(old)
    assert (bed.workspace / "USER.md").read_text("utf-8") == "Dana.\n"
    assert not bed.store.config.agents.defaults.workspace
    write(old / "config.json", settings % (tmp_path / "gone"))
    assert named(await bed.run(old), str(tmp_path / "gone")).action == "left"
    write(old / "config.json", settings % bed.workspace)
    assert named(await bed.run(old), str(bed.workspace)).action == "left"


async def test_a_workspace_that_is_a_link_out_is_not_followed(bed: Bed, old: Path, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere/USER.md", "Dana.\n")
    write(old / "config.json", "{}")
    (old / "workspace").symlink_to(tmp_path / "elsewhere")
    items = await bed.run(old)
    assert named(items, str(old / "workspace")).action == "left"
    assert not (bed.workspace / "USER.md").exists()


async def test_what_is_no_home(bed: Bed, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "nowhere", bed.root):
        with pytest.raises(UsageError):
            await bed.plan(path)
