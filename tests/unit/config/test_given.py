"""Secrets given for one run: one rule names them all, systemd's come first, and none stays anywhere."""

from pathlib import Path

import pytest

from desktop import logs
from desktop.config import given
from desktop.config.given import Given, credential, variable
from desktop.config.keychain import Keychain
from desktop.config.store import ConfigStore
from desktop.errors import KeychainError

ENTRIES = {
    "openai": ("nanobot.providers.openai.api_key", "NANOBOT_PROVIDERS__OPENAI__API_KEY"),
    "openai_codex": ("nanobot.providers.openai_codex.api_key", "NANOBOT_PROVIDERS__OPENAI_CODEX__API_KEY"),
    "search:brave": ("nanobot.search.brave.api_key", "NANOBOT_SEARCH__BRAVE__API_KEY"),
    "mcp:my notes:header:X-Api-Key": (
        "nanobot.mcp.my_notes.header.X-Api-Key",
        "NANOBOT_MCP__MY_NOTES__HEADER__X_API_KEY",
    ),
    "mcp:notes:env:TOKEN": ("nanobot.mcp.notes.env.TOKEN", "NANOBOT_MCP__NOTES__ENV__TOKEN"),
    "skill:weather:API_KEY": ("nanobot.skill.weather.API_KEY", "NANOBOT_SKILL__WEATHER__API_KEY"),
    "mcp:notes:oauth": ("", ""),
}


@pytest.mark.parametrize(("entry", "names"), ENTRIES.items())
def test_one_rule_names_every_secret_and_finds_it_again(
    tmp_path: Path, entry: str, names: tuple[str, str]
) -> None:
    assert (credential(entry), variable(entry)) == names
    if not names[0]:
        return
    assert Given({variable(entry): " from-environment\n"}).get(entry) == "from-environment"
    (tmp_path / credential(entry)).write_text("from-systemd\n")
    both = Given({variable(entry): "from-environment", given.FOLDER: str(tmp_path)})
    assert both.get(entry) == "from-systemd"
    assert logs.masked("from-systemd") == "[hidden]"
    assert both.get("search:tavily") is None
    assert len(both.places()) == 1


def test_foreign_and_damaged_files_of_the_folder_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "tls.key").write_text("foreign")
    (tmp_path / "nanobot").write_text("no place")
    (tmp_path / "nanobot.search.brave.api_key").mkdir()
    (tmp_path / "nanobot.search.tavily.api_key").write_bytes(b"\xff\xfe")
    (tmp_path / "nanobot.search.kagi.api_key").write_text("")
    found = Given({given.FOLDER: str(tmp_path)})
    assert found.get("search:brave") is None
    assert found.get("search:kagi") is None
    assert found.providers() == {}
    assert Given({given.FOLDER: str(tmp_path / "gone")}).get("search:brave") is None


def test_the_old_names_of_search_keys_hold_too() -> None:
    assert Given({"BRAVE_API_KEY": "old"}).get("search:brave") == "old"
    assert (
        Given({"BRAVE_API_KEY": "old", "NANOBOT_SEARCH__BRAVE__API_KEY": "new"}).get("search:brave")
        == "new"
    )


def test_they_are_no_settings_and_are_taken_out_of_the_environment(tmp_path: Path) -> None:
    environ = {
        "NANOBOT_SEARCH__BRAVE__API_KEY": "a",
        "NANOBOT_MCP__NOTES__HEADER__AUTHORIZATION": "b",
        "NANOBOT_PROVIDERS__GROQ__API_KEY": "c",
        "NANOBOT_AGENTS__DEFAULTS__MODEL": "m",
        given.FOLDER: str(tmp_path),
        "PATH": "/bin",
    }
    store = ConfigStore(tmp_path / "config.json", environ)
    store.load()
    assert (store.keys, store.config.model_extra, store.problems) == ({"groq": "c"}, {}, [])
    given.tidy(environ)
    assert sorted(environ) == ["NANOBOT_AGENTS__DEFAULTS__MODEL", "PATH"]
    given._taken.clear()


async def test_what_is_given_needs_no_keychain_and_what_is_not_says_how(tmp_path: Path) -> None:
    def none() -> object:
        raise KeychainError("none", state="missing")

    (tmp_path / "nanobot.search.brave.api_key").write_text("brave-key")
    keychain = Keychain(backend=none, given=Given({given.FOLDER: str(tmp_path)}))  # type: ignore[arg-type]
    assert await keychain.get("search:brave") == "brave-key"
    for attempt in (keychain.get("skill:weather:API_KEY"), keychain.set("skill:weather:API_KEY", "x")):
        with pytest.raises(KeychainError) as told:
            await attempt
        assert "nanobot.skill.weather.API_KEY" in told.value.remedy
        assert "NANOBOT_SKILL__WEATHER__API_KEY" in told.value.remedy
    await keychain.set("search:brave", "brave-key")
    assert "search:brave" not in keychain.remembered
