"""What turns and the person do to the memory's files becomes versions by itself, in a real core."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from desktop.bus.events import TurnFinished
from desktop.core.core import Core
from desktop.paths import Home
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Desk]:
    program = Program(tmp_path)
    program.use_server(server.url, "say:Noted.")
    memory = tmp_path / "workspace/memory"
    memory.mkdir(parents=True)
    (memory / "HISTORY.md").write_text("[2026-02-20 10:00] Talked about basil.\n", "utf-8")
    async with started(Home(tmp_path, tmp_path / "models")) as desk:
        yield desk


async def at_rest(core: Core) -> None:
    """Wait until turns are over with all that follows them."""
    await core.loop.close()
    await core.memory.version_watcher.close()


async def test_the_agents_edit_and_the_persons_are_versions_each(
    desk: Desk, server: ScriptedServer, tmp_path: Path
) -> None:
    core = desk.owner.core
    write = ["write_file", {"path": "memory/MEMORY.md", "content": "- Likes tea.\n"}]
    server.when("keep tea in mind", f"use:{json.dumps([write])}")
    assert isinstance(await desk.ask("window:a", "keep tea in mind"), TurnFinished)
    await at_rest(core)
    (core.workspace / "USER.md").write_text("- By hand.\n", "utf-8")
    await desk.ask("window:a", "go on")
    await at_rest(core)
    log = [(version.cause, version.files) for version in await core.memory.versions.log()]
    assert log[:2] == [("person", ("USER.md",)), ("agent", ("memory/MEMORY.md",))]
    assert "USER.md" in log[2][1], "the files as they were before"
    assert len(log) == 3
    assert [entry.content for entry in await core.memory.history.all()] == ["Talked about basil."]
