"""The verbs of an import, in a program that runs."""

import asyncio
import time
from pathlib import Path

import pytest

from desktop.errors import UsageError
from desktop.tasks import cancel, spawn
from tests.unit.core.test_conversations import Desk
from tests.unit.importer.homes import conversation, older


async def test_what_was_imported_is_there_at_once(desk: Desk, tmp_path: Path) -> None:
    old = older(tmp_path / "old")
    planned = await desk.call("import_plan", path=str(old))
    assert not (await desk.call("conversations"))["conversations"]
    done = await desk.call("import_run", path=str(old))
    assert done["counts"] == planned["counts"]
    assert done["items"] == planned["items"]
    assert (done["left_out"], done["from"]) == (0, str(old / ".nanobot"))
    keys = {line["key"] for line in (await desk.call("conversations"))["conversations"]}
    assert keys == {"cli:direct", "telegram:1001"}
    assert (await desk.said("cli:direct"))[0] == ("user", "List the files, please")
    hits = (await desk.call("search", query="thyme", wait=True))["hits"]
    assert {hit["session"] for hit in hits} == keys
    assert {job["id"] for job in (await desk.call("jobs"))["jobs"]} == {"a1b2c3d4", "b2c3d4e5"}
    assert (await desk.call("settings"))["values"]["agents.defaults.max_tool_iterations"] == 40


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

    turning, started, result = spawn(turn(), name="turns"), time.monotonic(), None
    async for line in desk.owner.verb("import_run", {"path": str(tmp_path / "old")}):
        result = line.get("result")
        if line.get("event") == "progress":
            with pytest.raises(UsageError, match="under way"):
                await desk.call("import_plan", path=str(tmp_path / "old"))
    await cancel(turning)
    assert turns > 100 * (time.monotonic() - started)
    assert result
    assert result["counts"]["take"] == 20
    running = spawn(desk.call("import_run", path=str(tmp_path / "old")), name="import")
    await asyncio.sleep(0)
    await cancel(running)
    assert (await desk.call("import_plan", path=str(tmp_path / "old")))["counts"]["same"] == 20


async def test_a_path_that_means_nothing_here(desk: Desk) -> None:
    with pytest.raises(UsageError, match="full path"):
        await desk.call("import_plan", path="old")
