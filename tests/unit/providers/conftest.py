"""The real model host, and a scripted server for it to ask."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from desktop.providers.host_process import ModelHost
from tests.servers.scripted import ScriptedServer
from tests.warm import warm

__all__ = ["warm"]


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host() -> AsyncIterator[ModelHost]:
    running = ModelHost()
    await running.start()
    yield running
    await running.stop()
