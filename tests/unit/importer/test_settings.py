"""Old settings: taken where they mean something and nobody chose otherwise, else kept; keys apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from desktop.config.mcp import KEYCHAIN
from tests.unit.importer.bed import Bed, named
from tests.unit.importer.homes import write

SECRET = "sk-secret-0123456789abcdef"


def settings(old: Path, **sections: Any) -> Path:
    return write(old / "config.json", json.dumps(sections))


def stored(bed: Bed) -> dict[str, Any]:
    return dict(json.loads(bed.store.path.read_text("utf-8")))


def nowhere(bed: Bed, value: str = SECRET) -> bool:
    return not any(value.encode() in path.read_bytes() for path in bed.root.rglob("*") if path.is_file())


async def test_what_the_person_set_here_stays(bed: Bed, old: Path) -> None:
    write(bed.store.path, '{"agents": {"defaults": {"temperature": 0.7, "maxTokens": 8192}}}')
    settings(old, agents={"defaults": {"temperature": 0.2, "max_tokens": 1000, "maxToolIterations": 40}})
    items = await bed.run(old)
    assert named(items, "agents.defaults.temperature").action == "left"
    defaults = bed.store.config.agents.defaults
    assert (defaults.temperature, defaults.max_tokens, defaults.max_tool_iterations) == (0.7, 1000, 40)
    await bed.nothing_new(old)


async def test_a_value_that_cannot_be_used_costs_itself_alone(bed: Bed, old: Path) -> None:
    settings(
        old, agents={"defaults": {"temperature": "hot", "botName": "Ada"}}, tools={"exec": {"timeout": -5}}
    )
    items = await bed.run(old)
    assert named(items, "agents.defaults.temperature").action == "left"
    assert named(items, "tools.exec.timeout").note
    assert bed.store.config.agents.defaults.bot_name == "Ada"
    assert not bed.store.problems


async def test_another_place_of_the_same_setting(bed: Bed, old: Path) -> None:
    settings(old, agents={"defaults": {"maxToolResultChars": 9000, "sessionTtlMinutes": 30}})
    await bed.run(old)
    assert bed.store.config.tools.max_tool_result_chars == 9000
    assert bed.store.config.agents.defaults.idle_compact_after_minutes == 30


async def test_who_turned_speech_into_text_is_taken_and_waits_for_a_yes(bed: Bed, old: Path) -> None:
    settings(
        old,
        channels={"transcriptionProvider": "groq"},
        transcription={"enabled": True, "provider": None, "language": "de", "maxDurationSec": 60},
    )
    items = await bed.run(old)
    taken = bed.store.config.transcription
    assert (taken.language, taken.max_duration_sec) == ("de", 60)
    assert named(items, "transcription.provider").action == "waits"
    assert taken.provider == ""


async def test_a_preset_in_use_is_what_is_taken(bed: Bed, old: Path) -> None:
    defaults = {"modelPreset": "fast", "model": "usual", "maxTokens": 100, "temperature": 0.5}
    presets = {"fast": {"model": "small-1", "provider": "groq", "maxTokens": 4096}}
    settings(old, agents={"defaults": defaults}, modelPresets=presets)
    items = await bed.run(old)
    taken = bed.store.config.agents.defaults
    assert (taken.model, taken.provider, taken.max_tokens, taken.temperature) == (
        "small-1",
        "groq",
        4096,
        0.5,
    )
    assert "fast" in named(items, "agents.defaults.model").note
    assert stored(bed)["modelPresets"]["fast"]["model"] == "small-1"
    await bed.nothing_new(old)


@pytest.mark.machine
async def test_keys_go_to_the_keychain_and_to_no_file(bed: Bed, old: Path) -> None:
    settings(
        old,
        providers={
            "deepseek": {
                "apiKey": SECRET,
                "extraHeaders": {"X-Team": "a", "Authorization": f"Bearer {SECRET}"},
            },
            "my.own": {"apiBase": "https://llm.example.org/v1", "apiKey": f"{SECRET}-2"},
        },
        tools={
            "web": {"search": {"provider": "tavily", "apiKey": f"{SECRET}-3"}},
            "mcpServers": {
                "notes": {"command": "npx", "env": {"API_KEY": f"{SECRET}-4", "A": "1"}},
                "argued": {"command": "npx", "args": [f"--token={SECRET}"]},
            },
        },
        channels={
            "telegram": {"token": f"{SECRET}-5", "proxy": f"http://me:{SECRET}@host", "allowFrom": []}
        },
        api={"apiKey": f"{SECRET}-6"},
    )
    items = await bed.run(old)
    assert {name.removeprefix("nanobot-desktop/"): value for name, value in bed.vault.entries.items()} == {
        "deepseek": SECRET,
        "my.own": f"{SECRET}-2",
        "search:tavily": f"{SECRET}-3",
        "mcp:notes:env:API_KEY": f"{SECRET}-4",
        "channel:telegram:token": f"{SECRET}-5",
        "channel:telegram:proxy": f"http://me:{SECRET}@host",
    }
    assert nowhere(bed)
    assert SECRET not in str(items) + str(bed.events)
    assert bed.store.config.tools.mcp_servers["notes"].env == {"API_KEY": KEYCHAIN, "A": "1"}
    assert "argued" not in bed.store.config.tools.mcp_servers
    assert named(items, "providers.deepseek.extraHeaders").action == "waits"
    assert [item.action for item in items if item.name.endswith(".apiBase")] == ["waits"]
    assert not bed.store.config.tools.mcp_servers["notes"].enabled
    assert bed.store.config.provider("my.own").key_stored
    assert "nobody" in named(items, "channels.telegram.allowFrom").note
    await bed.nothing_new(old)

    await bed.run(old, scrub=True)
    left = (old / "config.json").read_text("utf-8")
    assert [n for n in ("-2", "-3", "-4", "-5") if SECRET + n in left] == []
    assert f"{SECRET}-6" in left, "what the keychain does not have stays"
    assert json.loads(left)["tools"]["mcpServers"]["notes"]["env"] == {"API_KEY": "", "A": "1"}


async def test_a_key_that_is_here_is_not_replaced_and_the_old_one_not_scrubbed(bed: Bed, old: Path) -> None:
    write(bed.store.path, '{"providers": {"deepseek": {"keyStored": true}}}')
    bed.vault.entries["nanobot-desktop/deepseek"] = "sk-mine-0123456789"
    settings(old, providers={"deepseek": {"apiKey": SECRET}})
    items = await bed.run(old, scrub=True)
    assert named(items, "providers.deepseek.apiKey").action == "same"
    assert bed.vault.entries["nanobot-desktop/deepseek"] == "sk-mine-0123456789"
    assert SECRET in (old / "config.json").read_text("utf-8")


async def test_references_to_variables(bed: Bed, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IMPORT_HERE", "https://llm.example.org/v1")
    entry = {"apiBase": "${IMPORT_HERE}", "apiKey": "${IMPORT_GONE}"}
    settings(
        old,
        agents={"defaults": {"botName": "${IMPORT_HERE}"}},
        providers={"custom": entry},
        channels={"telegram": {"token": "${IMPORT_GONE}", "mode": "x"}},
    )
    items = await bed.run(old)
    assert bed.store.config.agents.defaults.bot_name == "https://llm.example.org/v1"
    assert stored(bed)["agents"]["defaults"]["botName"] == "${IMPORT_HERE}"
    assert named(items, "providers.custom.apiBase").action == "waits", "where it leads is not known yet"
    assert "providers" not in stored(bed)
    assert "IMPORT_GONE" in named(items, "providers.custom.apiKey").note
    assert stored(bed)["channels"]["telegram"] == {"mode": "x"}
    assert not bed.store.problems
    await bed.nothing_new(old)


async def test_settings_here_that_are_damaged_are_left_alone(bed: Bed, old: Path) -> None:
    write(bed.store.path, "{ damaged")
    settings(old, agents={"defaults": {"model": "x/y"}})
    write(old / "workspace/SOUL.md", "Be kind.\n")
    items = await bed.run(old)
    assert named(items, "config.json").action == "failed"
    assert bed.store.path.read_text("utf-8") == "{ damaged"
    assert named(items, "SOUL.md").action == "take"
