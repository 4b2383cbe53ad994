"""What the settings pages and the first run ask, of a real core."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from desktop.api.providers import Draft
from desktop.bus.bus import Bus
from desktop.bus.events import SettingsChanged
from desktop.core.core import Core
from desktop.errors import ConfigError, StorageError, UsageError
from desktop.paths import Home
from desktop.providers.base import SignInNeeded
from tests import warm
from tests.inside import api_of


class House:
    """A core and its api."""

    def __init__(self, core: Core) -> None:
        self.core, self.api = core, api_of(core)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.json"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    bus = Bus()
    core = await Core.start(Home(tmp_path, tmp_path / "models"), warm.host(bus), bus)
    yield House(core)
    await core.stop()


async def test_values_are_told_without_what_is_not_ours(house: House, config: Path) -> None:
    config.write_text(
        json.dumps(
            {
                "channels": {"telegram": {"token": "secret-token"}},
                "providers": {"groq": {"apiKey": "gsk_plain", "extraHeaders": {"X-A": "b"}}},
            }
        )
    )
    told = await house.api.settings.all()
    assert told.values["providers.groq.extra_headers"] == {"X-A": "b"}
    assert told.values["agents.defaults.temperature"] == 0.1
    assert "secret-token" not in str(told)
    assert "gsk_plain" not in str(told)
    rows = {row.name: row for row in (await house.api.providers.all()).providers}
    assert rows["groq"].plaintext
    assert not rows["groq"].keyed


async def test_the_environment_fixes_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("NANOBOT_AGENTS__DEFAULTS__MAXTOKENS", "5")
    bus = Bus()
    core = await Core.start(Home(tmp_path, tmp_path / "models"), warm.host(bus), bus)
    told = await House(core).api.settings.all()
    assert told.fixed["agents.defaults.max_tokens"] == "NANOBOT_AGENTS__DEFAULTS__MAXTOKENS"
    assert told.fixed["appearance.language"] == "NANOBOT_DESKTOP_LANGUAGE"
    assert told.values["agents.defaults.max_tokens"] == 5
    await core.stop()


async def test_a_change_is_obeyed_and_told(house: House) -> None:
    with house.core.bus.subscribe() as events:
        values = {"agents.defaults.bot_name": "Ada", "local.model": "qwen2.5-coder-1.5b-instruct"}
        await house.api.settings.change(values)
        async for event in events:
            if isinstance(event, SettingsChanged):
                break
    assert house.core.context.name == "Ada"
    assert house.core.builtin.model.id == "qwen2.5-coder-1.5b-instruct"
    with pytest.raises(ConfigError, match=r"agents\.defaults\.maxTokens"):
        await house.api.settings.change({"agents.defaults.max_tokens": 0})


@pytest.mark.parametrize(
    ("values", "needs", "provider"),
    [
        ({}, "model", "builtin"),
        ({"agents.defaults.provider": "groq"}, "key", "groq"),
        ({"agents.defaults.provider": "custom"}, "address", "custom"),
        ({"agents.defaults.provider": "nobody"}, "provider", "nobody"),
        ({"agents.defaults.provider": "ollama"}, "", "ollama"),
        ({"providers.ollama.api_base": "http://127.0.0.1:1/v1"}, "", "ollama"),
    ],
)
async def test_what_is_missing_before_a_question_can_be_answered(
    house: House, values: dict[str, Any], needs: str, provider: str
) -> None:
    if values:
        await house.api.settings.change(values)
    told = await house.api.setup.readiness()
    assert (told.needs, told.provider, told.ready) == (needs, provider, not needs)
    assert told.title


async def test_a_key_for_this_session_makes_it_ready(house: House, config: Path) -> None:
    await house.api.providers.use(Draft("groq", key="gsk_once"), session_only=True)
    assert (await house.api.setup.readiness()).ready
    assert "gsk_once" not in config.read_text()
    assert "keyStored" not in config.read_text()
    await house.api.providers.forget_key("groq")
    assert (await house.api.setup.readiness()).needs == "key"


async def test_a_bad_address_stores_no_key(house: House, config: Path) -> None:
    with pytest.raises(ConfigError, match="must start with http"):
        await house.api.providers.use(Draft("custom", "m", "sk-x", "nowhere"))
    assert not config.exists()
    assert "custom" not in house.core.keychain.remembered


async def test_the_usual_address_comes_back(house: House) -> None:
    await house.api.providers.use(Draft("ollama", "m", base="http://127.0.0.1:1/v1"))
    assert house.core.store.config.provider("ollama").api_base
    await house.api.providers.use(Draft("ollama", "m", usual_base=True))
    assert house.core.store.config.provider("ollama").api_base is None


async def test_who_cannot_be_set_up(house: House) -> None:
    with pytest.raises(UsageError):
        await house.api.providers.use(Draft("nobody"))
    with pytest.raises(SignInNeeded):
        await house.api.providers.test(Draft("groq"))


async def test_the_built_in_models_are_told(house: House) -> None:
    told = await house.api.local.models()
    (used,) = (model.id for model in told.models if model.selected)
    assert used == house.core.builtin.model.id
    assert not any(model.installed for model in told.models)
    assert told.note


async def test_a_server_of_ones_own_is_a_provider(house: House, config: Path) -> None:
    config.write_text(json.dumps({"providers": {"my_box": {"apiBase": "http://127.0.0.1:1/v1"}}}))
    await house.api.settings.all()
    rows = {row.name: row for row in (await house.api.providers.all()).providers}
    assert rows["my_box"].kind == "direct"
    done = await house.api.providers.use(Draft("my_box", "m"))
    assert (done.name, done.model) == ("my_box", "m")


async def test_a_workspace_that_cannot_be_made_is_refused(house: House, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StorageError):
        await house.api.settings.change({"agents.defaults.workspace": str(tmp_path / "file" / "notes")})
    assert house.core.store.config.agents.defaults.workspace == ""
    await house.api.settings.change({"agents.defaults.workspace": str(tmp_path / "new" / "notes")})
    assert (tmp_path / "new" / "notes").is_dir()
