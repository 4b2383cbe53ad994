"""Settings and keys from the environment: they win for one run and are never written down."""

import json
from pathlib import Path
from typing import Any

import pytest

from desktop import logs
from desktop.config.store import ConfigStore


def run(path: Path, environ: dict[str, str]) -> ConfigStore:
    store = ConfigStore(path / "config.json", environ)
    store.load()
    return store


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("NANOBOT_AGENTS__DEFAULTS__MODEL", "123", {"model": "123"}),
        ("NANOBOT_AGENTS__DEFAULTS__MODEL", '{"a": 1}', {"model": '{"a": 1}'}),
        ("NANOBOT_AGENTS__DEFAULTS__MAX_TOKENS", "77", {"max_tokens": 77}),
        ("NANOBOT_AGENTS__DEFAULTS__MAXTOKENS", "77", {"max_tokens": 77}),
        ("nanobot_agents__defaults__max_tokens", "77", {"max_tokens": 77}),
        ("NANOBOT_AGENTS__DEFAULTS__TEMPERATURE", "0.5", {"temperature": 0.5}),
        ("NANOBOT_AGENTS__DEFAULTS__REASONING_EFFORT", "high", {"reasoning_effort": "high"}),
        ("NANOBOT_AGENTS__DEFAULTS__REASONING_EFFORT", "", {"reasoning_effort": None}),
        ("NANOBOT_AGENTS", '{"defaults": {"model": "m", "maxTokens": 3}}', {"model": "m", "max_tokens": 3}),
    ],
)
def test_every_value_can_be_overridden(
    tmp_path: Path, variable: str, value: str, expected: dict[str, Any]
) -> None:
    defaults = run(tmp_path, {variable: value}).config.agents.defaults
    assert {name: getattr(defaults, name) for name in expected} == expected


def test_overrides_reach_providers_and_sections_without_a_page(tmp_path: Path) -> None:
    store = run(
        tmp_path,
        {
            "NANOBOT_PROVIDERS__OPENAI_CODEX__API_BASE": "http://x",
            "NANOBOT_PROVIDERS__CUSTOM__EXTRA_HEADERS": '{"X-A": "b"}',
            "NANOBOT_PROVIDERS__CUSTOM__KEY_STORED": "true",
            "NANOBOT_TOOLS__EXEC__TIMEOUT": "5",
            "NANOBOT_CHANNELS__SIGNAL__ENABLED": "yes",
        },
    )
    assert store.config.provider("openaiCodex").api_base == "http://x"
    assert store.config.provider("custom").extra_headers == {"X-A": "b"}
    assert store.config.provider("custom").key_stored
    assert store.config.tools.commands.timeout == 5
    assert store.config.channels.model_extra == {"signal": {"enabled": "yes"}}
    assert store.problems == []


async def test_an_override_wins_over_the_file_and_is_never_written(tmp_path: Path) -> None:
    store = run(tmp_path, {"NANOBOT_AGENTS__DEFAULTS__MODEL": "from-env"})
    await store.update({"agents.defaults.model": "from-file", "agents.defaults.botName": "Ada"})
    assert store.config.agents.defaults.model == "from-env"
    assert store.config.agents.defaults.bot_name == "Ada"
    assert "from-env" not in store.path.read_text() + store.backup.read_text()
    assert run(tmp_path, {}).config.agents.defaults.model == "from-file"


def test_a_bad_override_is_named_and_left_out(tmp_path: Path) -> None:
    store = run(
        tmp_path,
        {"NANOBOT_AGENTS__DEFAULTS__MAX_TOKENS": "lots", "NANOBOT_AGENTS__DEFAULTS__MODEL": "m"},
    )
    assert store.config.agents.defaults.max_tokens == 8192
    assert store.config.agents.defaults.model == "m"
    (problem,) = store.problems
    assert "NANOBOT_AGENTS__DEFAULTS__MAX_TOKENS" in problem.text


def test_other_variables_are_not_settings(tmp_path: Path) -> None:
    store = run(
        tmp_path,
        {
            "NANOBOT_DESKTOP_HOME": "/x",
            "NANOBOT_DESKTOP__AGENTS": "x",
            "NANOBOT_STREAM_IDLE_TIMEOUT_S": "5",
            "NANOBOT___": "x",
            "HOME": "/root",
        },
    )
    assert store.config.model_extra == {}
    assert store.problems == []


async def test_a_key_for_one_run_is_used_hidden_and_never_stored(tmp_path: Path) -> None:
    key = "gsk-for-this-run-only"
    store = run(
        tmp_path,
        {
            "NANOBOT_PROVIDERS__GROQ__API_KEY": f" {key}\n",
            "NANOBOT_PROVIDERS__OPENAICODEX__APIKEY": "other-key",
        },
    )
    assert store.keys == {"groq": key, "openaicodex": "other-key"}
    assert logs.masked(key) == "[hidden]"
    await store.update({"agents.defaults.model": "m"})
    assert all(key not in file.read_text() for file in tmp_path.iterdir())
    assert json.loads(store.path.read_text()) == {"agents": {"defaults": {"model": "m"}}}
