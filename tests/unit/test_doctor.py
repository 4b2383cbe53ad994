"""The doctor: each part is found as it is, with what to do about it, and nothing is changed by looking."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from desktop.config.workspace import workspace_of
from desktop.database.database import Database
from desktop.doctor import Finding, examine
from desktop.paths import Home
from desktop.providers.catalogue import SMALL
from desktop.session.sessions import Sessions


@pytest.fixture
def home(tmp_path: Path) -> Home:
    root = tmp_path / "home"
    root.mkdir()
    return Home(root, root / "models")


def configure(home: Home, **config: Any) -> None:
    home.config.write_text(json.dumps(config), "utf-8")


async def findings(home: Home) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in await examine(home, workspace_of):
        found.setdefault(finding.part, []).append(finding)
        assert finding.state
        assert finding.ok or finding.remedy, f"{finding.part} has no remedy"
    return found


async def test_a_new_home_lacks_only_the_model(home: Home) -> None:
    found = await findings(home)
    wrong = [part for part, several in found.items() if not all(finding.ok for finding in several)]
    assert wrong == ["Built-in model"]
    assert "local setup" in found["Built-in model"][0].remedy
    assert set(os.listdir(home.root)) == {"logs"}


async def test_a_provider_with_a_key_needs_no_built_in_model(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(home, agents={"defaults": {"provider": "groq", "model": "m"}})
    found = await findings(home)
    assert not found["Model"][0].ok
    assert found["Model"][0].remedy == "Set one with: nanobot-desktop provider set groq"
    assert found["Built-in model"][0].ok
    monkeypatch.setenv("NANOBOT_PROVIDERS__GROQ__API_KEY", "gsk-for-this-run")
    found = await findings(home)
    assert found["Model"][0].ok
    assert "gsk-for-this-run" not in str(found)


async def test_who_turns_speech_into_text_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = (await findings(home))["Speech"]
    assert (found.ok, found.state) == (True, "Nothing here can turn speech into text yet.")
    configure(home, transcription={"provider": "groq"})
    (found,) = (await findings(home))["Speech"]
    assert (found.ok, found.state) == (False, "Groq needs a key.")
    monkeypatch.setenv("NANOBOT_PROVIDERS__GROQ__API_KEY", "gsk-for-this-run")
    (found,) = (await findings(home))["Speech"]
    assert (found.ok, found.state) == (True, "Groq turns speech into text.")
    configure(home, transcription={"provider": "local"})
    (found,) = (await findings(home))["Speech"]
    assert (found.ok, found.state) == (False, "The speech model is not downloaded yet.")


async def test_a_provider_that_nobody_knows_is_a_finding(home: Home) -> None:
    configure(home, agents={"defaults": {"provider": "no-such-provider"}})
    found = await findings(home)
    assert not found["Model"][0].ok
    assert "no-such-provider" in found["Model"][0].state
    assert found["Conversations"][0].ok, "the other parts are looked at all the same"


async def test_settings_at_fault_are_named_one_by_one(home: Home) -> None:
    configure(
        home,
        agents={"defaults": {"maxTokens": "many", "temperature": 9}},
        providers={"groq": {"apiKey": "gsk-in-plain-text"}},
    )
    found = await findings(home)
    assert not any(finding.ok for finding in found["Settings"])
    states = [finding.state for finding in found["Settings"]]
    assert "agents.defaults.maxTokens" in states[0]
    assert "agents.defaults.temperature" in states[1]
    assert "key for groq in plain text" in states[2]
    assert "gsk-in-plain-text" not in str(found)


async def test_damaged_conversations_are_named_and_no_fault_of_the_program(home: Home) -> None:
    sessions = Sessions(home.workspace / "sessions")
    for key in ("sound", "damaged"):
        session = await sessions.open(key)
        await session.append({"role": "user", "content": "x"})
    session.path.write_bytes(session.path.read_bytes() + b"{noise\n")
    found = (await findings(home))["Conversations"][0]
    assert found.ok
    assert found.state.endswith(": damaged")


async def test_a_damaged_ledger_is_found_and_left_as_it_is(home: Home) -> None:
    database = Database(home.database)
    await database.open()
    await database.close()
    assert (await findings(home))["Usage"][0].ok
    data = home.database.read_bytes()
    home.database.write_bytes(data[:4096] + b"\xa5" * 4096 + data[8192:])
    before = home.database.read_bytes()
    assert not (await findings(home))["Usage"][0].ok
    assert home.database.read_bytes() == before


async def test_weights_cut_short_count_as_missing(home: Home) -> None:
    home.models.mkdir()
    (home.models / SMALL.file).write_bytes(b"GGUF cut short")
    found = (await findings(home))["Built-in model"][0]
    assert not found.ok
    assert "incomplete" in found.state
    assert (home.models / SMALL.file).exists()


async def test_a_place_for_the_log_that_is_no_folder(home: Home) -> None:
    home.logs.write_bytes(b"")
    found = (await findings(home))["Home"][0]
    assert not found.ok
    assert str(home.logs) in found.state


async def test_what_keeps_an_mcp_server_from_starting_is_found_without_starting_it(home: Home) -> None:
    configure(home)
    assert (await findings(home))["MCP servers"][0].ok
    touched = home.root / "touched"
    good = {"command": "touch", "args": [str(touched)], "env": {"HOME": "${HOME}"}}
    bad = {
        "command": {"command": "no-such-program"},
        "folder": {"command": "sh", "cwd": "/no/such/folder"},
        "variable": {"command": "sh", "env": {"A": "${NOT_SET_ANYWHERE}"}},
        "off": {"command": "no-such-program", "enabled": False},
    }
    configure(home, tools={"mcpServers": {"good": good, **bad}})
    found = await findings(home)
    states = [finding.state for finding in found["MCP servers"] if not finding.ok]
    assert states == [
        "command: The program no-such-program was not found.",
        "folder: The server’s folder does not exist: /no/such/folder.",
        "variable: The environment variable NOT_SET_ANYWHERE is not set.",
    ]
    assert found["Settings"][0].ok, "a reference of a server is its own matter"
    assert not touched.exists()


async def test_a_variable_that_cannot_be_followed_is_named(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    (plain,) = (await findings(home))["Network"]
    assert (plain.ok, plain.state) == (True, "Direct connection, no proxy.")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:hunter2@proxy.example:3128")
    (sound,) = (await findings(home))["Network"]
    assert (sound.ok, sound.state) == (True, "Set by the environment: HTTPS_PROXY.")
    monkeypatch.setenv("ALL_PROXY", "socks4://me:hunter2@proxy.example:1")
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file.pem")
    wrong = (await findings(home))["Network"]
    assert [finding.state.split(" ")[0] for finding in wrong] == ["ALL_PROXY", "SSL_CERT_FILE"]
    assert not any(finding.ok or "hunter2" in str(finding) for finding in wrong)
