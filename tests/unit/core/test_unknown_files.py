"""state.db is lost, and with it whose words the files are: the person is told once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.paths import Home
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, server: ScriptedServer) -> Home:
    Program(tmp_path / "home").use_server(server.url)
    return Home(tmp_path / "home", tmp_path / "models")


async def told(desk: Desk) -> list[str]:
    """What waits in the inbox of files that nobody vouches for."""
    return [
        one.title
        for one in (await desk.api.inbox.list()).notices
        if "confirm that they are yours" in one.title
    ]


@pytest.mark.expected_log("is damaged")
@pytest.mark.parametrize("how", ["missing", "damaged"])
async def test_it_is_said_once(home: Home, how: str) -> None:
    async with started(home) as desk:
        await desk.ask("s", "hello")
        assert await told(desk) == [], "a new home has no files of before"
    async with started(home) as desk:
        assert await told(desk) == []
    for path in home.root.glob("state.db*"):
        path.unlink()
    if how == "damaged":
        home.database.write_bytes(b"no database" * 1000)
    async with started(home) as desk:
        (sentence,) = await told(desk)
        assert "count as unknown until you confirm" in sentence
        (notice,) = [
            one
            for one in (await desk.api.inbox.list()).notices
            if "confirm that they are yours" in one.title
        ]
        await desk.api.inbox.dismiss(notice.id)
    async with started(home) as desk:
        assert await told(desk) == []


@pytest.mark.expected_log("is damaged")
async def test_it_is_said_while_the_program_runs(home: Home) -> None:
    async with started(home) as desk:
        await desk.ask("s", "hello")
        database = desk.owner.core.database
        await database.close()
        for path in home.root.glob("state.db*"):
            path.unlink()
        home.database.write_bytes(b"no database" * 1000)
        await database.open()
        async for _event in desk.events:
            if await told(desk):
                break
