"""Which model is asked for what: the usual one, a small one, one that sees, and those instead of it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.core.core import Core
from desktop.paths import Home
from desktop.providers.host_process import ModelHost


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    bus = Bus()
    core = await Core.start(Home(tmp_path, tmp_path / "models"), ModelHost(bus), bus)
    yield core
    await core.stop()


async def test_small_work_has_a_model_of_its_own_or_the_usual_one(core: Core) -> None:
    await core.change({"agents.defaults.provider": "groq", "agents.defaults.model": "big"})
    assert core.models.small_choice() == ("big", "groq")
    await core.change({"agents.defaults.small_model.provider": "builtin"})
    assert core.models.small_choice() == ("", "builtin")
    assert core.models.choice(*core.models.small_choice()).spec.lean
    await core.change({"agents.defaults.small_model": {"model": "tiny", "provider": "ollama"}})
    assert core.models.small_choice() == ("tiny", "ollama")


async def test_a_model_may_be_its_name_alone(core: Core) -> None:
    defaults = {"smallModel": "tiny", "fallbackModels": ["groq/a", {"model": "b", "provider": "groq"}]}
    core.home.config.write_text(json.dumps({"agents": {"defaults": defaults}}))
    found = (await core.store.refresh()).agents.defaults
    assert not core.store.problems
    assert found.small_model.model == "tiny"
    assert [(ref.model, ref.provider) for ref in found.fallback_models] == [
        ("groq/a", "auto"),
        ("b", "groq"),
    ]
