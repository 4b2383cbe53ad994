"""Imports, in a program that runs."""

import asyncio
import time
from pathlib import Path

import pytest

from desktop.api.imports import Advanced, Items, Plan
from desktop.bus.events import SettingsChanged
from desktop.errors import UsageError
from desktop.tasks import cancel, spawn
from tests.streamed import end_of
from tests.unit.core.test_conversations import Desk
from tests.unit.importer.homes import conversation, older


async def test_what_was_imported_is_there_at_once(desk: Desk, tmp_path: Path) -> None:
    old = older(tmp_path / "old")
    planned = await end_of(desk.api.imports.plan(str(old)), Plan)
    assert not (await desk.api.conversations.list())
    done = await end_of(desk.api.imports.run(str(old)), Plan)
    assert done.counts == planned.counts
    assert done.items == planned.items
    assert (done.left_out, done.data) == (0, str(old / ".nanobot"))
    keys = {line.key for line in (await desk.api.conversations.list())}
    assert keys == {"cli:direct", "telegram:1001"}
    assert (await desk.said("cli:direct"))[0] == ("user", "List the files, please")
    hits = (await desk.api.search.messages("thyme", wait=True)).hits
    assert {hit.session for hit in hits} == keys
    assert {job.id for job in (await desk.api.jobs.all()).jobs} == {"a1b2c3d4", "b2c3d4e5"}
    assert (await desk.api.settings.all()).values["agents.defaults.max_tool_iterations"] == 40


async def test_the_loop_goes_on_meanwhile_and_two_do_not_run_at_a_time(desk: Desk, tmp_path: Path) -> None:
    for number in range(20):
        path = tmp_path / f"old/workspace/sessions/cli_{number}.jsonl"
        conversation(path, f"cli:{number}", [f"{number} {part}" for part in range(500)])
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    turning, started = spawn(turn(), name="turns"), time.thread_time()
    result: object = None
    old = str(tmp_path / "old")
    async for event in desk.api.imports.run(old):
        first, result = result is None, event
        if first:  # what is told last may be heard when all is done
            assert isinstance(event, Items | Advanced)
            with pytest.raises(UsageError, match="already running"):
                await end_of(desk.api.imports.plan(old), Plan)
    await cancel(turning)
    assert turns > 100 * (time.thread_time() - started), "of the time of the loop's own thread"
    assert isinstance(result, Plan)
    assert result.counts.of("take") == 20
    running = spawn(end_of(desk.api.imports.run(old), Plan), name="import")
    await asyncio.sleep(0)
    await cancel(running)
    assert (await end_of(desk.api.imports.plan(old), Plan)).counts.of("same") == 20


async def test_a_path_that_means_nothing_here(desk: Desk) -> None:
    with pytest.raises(UsageError, match="full path"):
        await end_of(desk.api.imports.plan("old"), Plan)


async def test_the_end_is_told_so_that_lists_are_read_anew(desk: Desk, tmp_path: Path) -> None:
    conversation(tmp_path / "old/workspace/sessions/cli_1.jsonl", "cli:1", ["one", "two"])
    await end_of(desk.api.imports.run(str(tmp_path / "old")), Plan)
    async with asyncio.timeout(60):
        async for event in desk.events:
            if isinstance(event, SettingsChanged):
                break
    assert [line.key for line in (await desk.api.conversations.list())] == ["cli:1"]


async def test_a_backup_of_what_is_here_is_made_first(desk: Desk, tmp_path: Path) -> None:
    conversation(tmp_path / "old/workspace/sessions/cli_1.jsonl", "cli:1", ["one", "two"])
    await end_of(desk.api.imports.run(str(tmp_path / "old")), Plan)
    assert (await desk.api.backups.known()).backups == ()  # there was nothing to lose
    conversation(tmp_path / "old/workspace/sessions/cli_2.jsonl", "cli:2", ["three"])
    await end_of(desk.api.imports.run(str(tmp_path / "old")), Plan)
    assert [one.why for one in (await desk.api.backups.known()).backups] == ["import"]


async def test_the_usual_place_of_an_old_home_is_looked_at(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    assert await desk.api.imports.found() == ""
    monkeypatch.setenv("HOME", str(older(tmp_path / "person")))
    assert await desk.api.imports.found() == str(tmp_path / "person/.nanobot")
