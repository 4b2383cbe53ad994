"""A real core beside a scripted server."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from desktop.paths import Home
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.warm import warm, warm_mcp

__all__ = ["warm", "warm_mcp"]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Desk]:
    program = Program(tmp_path)
    program.use_server(server.url, "say:Good day.")
    async with started(Home(tmp_path, tmp_path / "models")) as desk:
        yield desk
