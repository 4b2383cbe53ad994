"""An agent for each test, in a folder of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from tests.unit.agent.scripted import Agent, ScriptedModel, agent_at


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def agent(tmp_path: Path, model: ScriptedModel) -> AsyncIterator[Agent]:
    bus = Bus()
    with bus.subscribe() as events:
        agent = await agent_at(tmp_path, model, bus, events)
        yield agent
        await agent.loop.close()
        await agent.database.close()
