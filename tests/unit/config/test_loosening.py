"""What comes from elsewhere is parted: what narrows counts at once, what loosens or runs waits, what has a
secret is never kept for later."""

import os
from pathlib import Path
from typing import Any

import pytest

from desktop.config.base import Section
from desktop.config.loosening import Loose, changes, loosens, part, undeclared
from desktop.config.schema import Config
from desktop.config.store import ConfigStore
from desktop.errors import ConfigError
from tests.unit.importer.homes import write

type Settings = dict[str, Any]


def parted(settings: Settings, here: Settings | None = None) -> tuple[Settings, list[Loose], list[str]]:
    """What of settings (by dotted name) is safe, waits, and is left."""
    values = {tuple(name.split(".")): value for name, value in settings.items()}
    found = part(values, Config.model_validate(here or {}))
    return (
        {".".join(keys): value for keys, value in found.safe.items()},
        found.loose,
        [name for name, _why in found.left],
    )


def test_every_field_of_the_settings_says_whether_it_loosens() -> None:
    assert undeclared() == []


def test_a_field_that_says_nothing_is_found_and_counts_as_loosening() -> None:
    class Page(Section):
        new: int = 0

    assert undeclared(Page, "page.") == ["page.new"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("permissions.autonomousMinutes", 1440),
        ("permissions.autonomous_minutes", 1440),
        ("permissions.folders", [{"path": "/", "write": True}]),
        ("permissions.rules", [{"tool": "exec"}]),
        ("tools.restrictToWorkspace", False),
        ("tools.restrict-to-workspace", False),
        ("TOOLS.EXEC.SANDBOX", "off"),
        ("tools.exec.pathAppend", "/tmp/evil"),
        ("tools.web.search.baseUrl", "http://evil.example"),
        ("tools.mcpServers.x", {"command": "/bin/sh", "args": ["-c", "id"]}),
        ("tools.mcpServers.x", {"command": "x", "enabled": False, "trusted": True}),
        ("tools.mcpServers", {"x": {"url": "http://evil.example"}}),
        ("providers.openai.apiBase", "http://evil.example"),
        ("providers.openai.api_base", "${WHATEVER}"),
        ("providers.openaiCodex.proxy", "http://evil.example"),
        ("providers.openai.extraHeaders.Host", "evil.example"),
        ("local.server", "http://evil.example"),
        ("agents.defaults.workspace", "/etc"),
        ("limits.dailyUsd", 10_000),
        ("presence.login", True),
        ("channels.telegram.enabled", True),
        ("channels.telegram.allowFrom", ["1"]),
        ("channels.telegram.groupAllowFrom", ["-1"]),
        ("channels.telegram.groupPolicy", "open"),
        ("channels.telegram.owner", "1"),
        ("channels.telegram.proxy", "http://evil.example"),
        ("channels.telegram.apiBase", "https://evil.example"),
        ("channels.dailyMessages", 100_000),
    ],
)
def test_what_loosens_or_runs_waits(name: str, value: object) -> None:
    safe, loose, left = parted({name: value})
    assert len(loose) == 1
    assert left == []
    assert Config.model_validate({}) == effective(safe)
    assert loose[0].says


def effective(safe: Settings) -> Config:
    """The settings with what is safe written; a server that is off is none."""
    config: Settings = {}
    for name, value in safe.items():
        if not name.startswith("tools.mcpServers."):
            here = config
            *above, last = name.split(".")
            for key in above:
                here = here.setdefault(key, {})
            here[last] = value
        else:
            assert value["enabled"] is False
            assert not value.get("trusted")
    return Config.model_validate(config)


@pytest.mark.parametrize(
    ("name", "value", "here"),
    [
        ("permissions.mode", "ask", {}),
        ("permissions.rules", [{"tool": "exec", "answer": "deny"}], {}),
        ("permissions.autonomousMinutes", 5, {}),
        ("tools.restrictToWorkspace", True, {"tools": {"restrictToWorkspace": False}}),
        ("tools.exec.sandbox", "auto", {"tools": {"exec": {"sandbox": "off"}}}),
        ("tools.exec.enable", False, {}),
        ("limits.monthlyUsd", 5, {}),
        ("presence.paused", True, {}),
        ("appearance.theme", "dark", {}),
        ("agents.defaults.model", "m", {}),
        ("agents.defaults.disabledSkills", ["herbs"], {}),
        ("channels.telegram.enabled", False, {"channels": {"telegram": {"enabled": True}}}),
    ],
)
def test_what_narrows_or_is_harmless_counts_at_once(name: str, value: object, here: Settings) -> None:
    safe, loose, left = parted({name: value}, here)
    assert (loose, left) == ([], [])
    assert list(safe) == [name]


def test_what_the_person_refused_stays_refused() -> None:
    here: Settings = {"permissions": {"rules": [{"tool": "exec", "answer": "deny"}]}}
    here |= {"agents": {"defaults": {"disabledSkills": ["a"]}}}
    coming: Settings = {
        "permissions.rules": [{"tool": "web_fetch"}],
        "agents.defaults.disabledSkills": ["b"],
    }
    safe, loose, _left = parted(coming, here)
    assert safe == {"agents.defaults.disabledSkills": ["a", "b"]}
    (rule,) = loose
    assert changes(rule, Config.model_validate(here)) == {
        ("permissions", "rules"): [{"tool": "exec", "answer": "deny"}, {"tool": "web_fetch"}]
    }


def test_a_server_of_ones_own_stays_beside_another_of_its_name() -> None:
    here = {"tools": {"mcpServers": {"notes": {"command": "mine"}}}}
    safe, loose, _left = parted({"tools.mcpServers.notes": {"command": "theirs"}}, here)
    assert safe == {}
    assert changes(loose[0], Config.model_validate(here)) == {
        ("tools", "mcpServers", "notes"): {"command": "theirs"}
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tools.mcpServers.x", {"command": "x", "env": {"API_TOKEN": "very-secret"}}),
        ("tools.mcpServers.x", {"command": "x", "args": ["--api-key=very-secret"]}),
        ("tools.mcpServers.x", {"url": "http://who:very-secret@host.example"}),
        ("providers.openai.extraHeaders.X-Api-Key", "very-secret"),
        ("permissions.mode", "autonomous"),
        ("permissions.mode", ["ask"]),
        ("permissions.rules", [{"tool": ""}]),
        ("tools.mcpServers", "all of them"),
        ("tools.mcpServers.x", ["sh"]),
        ("limits.dailyUsd", "much"),
    ],
)
def test_what_has_a_secret_or_no_sense_is_left(name: str, value: object) -> None:
    safe, loose, left = parted({name: value})
    assert (safe, loose) == ({}, [])
    assert len(left) == 1


def test_headers_that_wait_are_put_beside_one_another() -> None:
    coming = {"providers.openai.extraHeaders.A": "1", "providers.openai.extraHeaders.B": "2"}
    _safe, loose, _left = parted(coming)
    config = Config.model_validate({"providers": {"openai": {"extraHeaders": {"A": "1"}}}})
    assert changes(loose[1], config) == {("providers", "openai", "extraHeaders"): {"A": "1", "B": "2"}}


def test_a_place_without_a_meaning_is_harmless() -> None:
    assert loosens(("nothing", "here"))[0] is None


@pytest.mark.parametrize("style", ["permissions", "Permissions"])
async def test_autonomous_is_no_setting(tmp_path: Path, style: str) -> None:
    path = write(
        tmp_path / "config.json", f'{{"{style}": {{"mode": "autonomous"}}, "limits": {{"dailyUsd": 2}}}}'
    )
    store = ConfigStore(path, {})
    store.load()
    assert store.config.permissions.mode == "risky"
    assert store.config.limits.daily_usd == 2
    assert not store.damaged
    (problem,) = store.problems
    assert "autonomous" in problem.text
    await store.update({"limits.dailyUsd": 3})
    assert store.config.limits.daily_usd == 3


@pytest.mark.parametrize(
    "values", [{"permissions.mode": "autonomous"}, {"permissions": {"mode": "autonomous"}}]
)
async def test_nobody_sets_autonomous_for_good(tmp_path: Path, values: Settings) -> None:
    store = ConfigStore(tmp_path / "config.json", {})
    store.load()
    with pytest.raises(ConfigError, match="autonomous"):
        await store.update(values)
    assert store.config.permissions.mode == "risky"


@pytest.mark.parametrize("variable", ["NANOBOT_PERMISSIONS__MODE", "NANOBOT_PERMISSIONS"])
def test_nor_does_the_environment(tmp_path: Path, variable: str) -> None:
    value = "autonomous" if variable.endswith("MODE") else '{"mode": "autonomous"}'
    store = ConfigStore(tmp_path / "config.json", {**os.environ, variable: value})
    store.load()
    assert store.config.permissions.mode == "risky"
    assert len(store.problems) == 1
