"""The settings file: found in any state, changed all at once or not at all, nothing in it lost."""

import asyncio
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from desktop import logs
from desktop.config.store import ConfigStore
from desktop.errors import ConfigError, StorageError

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "config.json"


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())


def loaded(path: Path, environ: dict[str, str] | None = None) -> ConfigStore:
    store = ConfigStore(path, environ or {})
    store.load()
    return store


def test_without_a_file_there_are_defaults_and_nothing_is_written(path: Path) -> None:
    store = loaded(path)
    defaults = store.config.agents.defaults
    assert (defaults.temperature, defaults.max_tokens, defaults.provider) == (0.1, 8192, "auto")
    assert store.config.local.model == ""
    assert store.problems == []
    assert not path.parent.exists()


@pytest.mark.parametrize("generation", ["feb-apr-2026", "v0.3.5"])
async def test_files_of_both_nanobots_load_and_lose_nothing_in_an_update(
    path: Path, generation: str
) -> None:
    original = json.loads((DATA / generation / "config.json").read_text("utf-8"))
    write(path, (DATA / generation / "config.json").read_bytes())
    store = loaded(path, {"TG_TOKEN": "tg-token-1", "CO_KEY": "company-key-1"})
    assert store.problems == []
    assert store.config.agents.defaults.model == original["agents"]["defaults"]["model"]
    await store.update({"agents.defaults.model": "another", "modelHost.idleStopS": 60})
    original["agents"]["defaults"]["model"] = "another"
    original["modelHost"] = {"idleStopS": 60}
    assert json.loads(path.read_text("utf-8")) == original


async def test_snake_case_is_read_and_kept_where_it_stands(path: Path) -> None:
    write(
        path, {"agents": {"defaults": {"max_tokens": 5, "own": {"deep": [1]}}}, "model_host": {}, "x": None}
    )
    store = loaded(path)
    assert store.config.agents.defaults.max_tokens == 5
    await store.update({"agents.defaults.maxTokens": 6, "model_host.idle_stop_s": 7, "local.idleStopS": 8})
    assert json.loads(path.read_text()) == {
        "agents": {"defaults": {"max_tokens": 6, "own": {"deep": [1]}}},
        "model_host": {"idleStopS": 7},
        "x": None,
        "local": {"idleStopS": 8},
    }
    assert store.config.agents.defaults.max_tokens == 6


async def test_provider_names_and_headers(path: Path) -> None:
    write(
        path, {"providers": {"openaiCodex": {"apiBase": "http://a"}, "my-proxy": {"apiBase": "http://b"}}}
    )
    store = loaded(path)
    assert store.config.provider("openai_codex").api_base == "http://a"
    assert store.config.provider("myProxy").api_base == "http://b"
    await store.update(
        {
            "providers.openai_codex.apiBase": "http://c",
            "providers.github_copilot.keyStored": True,
            "providers.my_proxy.extraHeaders.X-Demo_Header": "1",
        }
    )
    stored = json.loads(path.read_text())["providers"]
    assert stored["openaiCodex"] == {"apiBase": "http://c"}
    assert stored["githubCopilot"] == {"keyStored": True}
    assert stored["my-proxy"]["extraHeaders"] == {"X-Demo_Header": "1"}
    await store.update({"providers.openaiCodex": None, "providers.my-proxy.apiBase": None})
    assert "openaiCodex" not in json.loads(path.read_text())["providers"]
    assert store.config.provider("my_proxy").api_base is None


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"agents.defaults.model": "new", "agents.defaults.maxTokens": 0}, "agents.defaults.maxTokens"),
        ({"agents.defaults.model": "new", "agents.defaults.temprature": 1}, "agents.defaults.temprature"),
        ({"agents.defaults.model": "new", "no.such": 1}, "no.such"),
        ({"agents.defaults.model": "new", "providers.custom.engine": "steam"}, "providers.custom.engine"),
        ({"agents.defaults.model": "new", "providers.groq.apiKey": "gsk_abcdef"}, "Keys"),
        ({"agents.defaults.model": "new", "providers.groq.apiBase": "file:///x"}, "providers.groq.apiBase"),
    ],
)
async def test_a_change_that_cannot_be_made_changes_nothing(
    path: Path, changes: dict[str, Any], named: str
) -> None:
    write(path, {"agents": {"defaults": {"model": "old"}}})
    store = loaded(path)
    before = path.read_bytes()
    with pytest.raises(ConfigError) as caught:
        await store.update(changes)
    assert named in caught.value.text
    assert caught.value.remedy
    assert path.read_bytes() == before
    assert store.config.agents.defaults.model == "old"
    assert store.problems == []


async def test_a_write_that_fails_changes_nothing(path: Path) -> None:
    write(path, {"agents": {"defaults": {"model": "old"}}})
    store = loaded(path)
    link = path.with_name("linked.json")
    link.symlink_to(path.parent / "missing" / "deep" / ".." / ".." / "no" / "config.json")
    other = loaded(link)
    with pytest.raises(StorageError):
        await other.update({"agents.defaults.model": "new"})
    assert other.config.agents.defaults.model == ""
    assert store.load().agents.defaults.model == "old"
    assert not list(path.parent.glob(".config*"))


async def test_the_mode_is_kept_and_a_new_file_is_private(path: Path) -> None:
    store = loaded(path)
    await store.update({"agents.defaults.botName": "Ada"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    await store.update({"agents.defaults.botName": "Bob"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(file.name for file in path.parent.iterdir()) == ["config.json", "config.json.bak"]


async def test_indentation_symlinks_and_other_alphabets_stay(path: Path) -> None:
    real = path.with_name("real.json")
    write(
        real,
        json.dumps({"agents": {"defaults": {"botName": "小猫"}}}, indent=4, ensure_ascii=False).encode(),
    )
    path.symlink_to(real)
    await loaded(path).update({"agents.defaults.model": "m"})
    assert path.is_symlink()
    assert '\n    "agents": {\n        "defaults": {\n            "botName": "小猫"' in real.read_text(
        "utf-8"
    )


async def test_an_edit_made_while_the_program_runs_is_not_overwritten(path: Path) -> None:
    store = loaded(path)
    await store.update({"agents.defaults.model": "a"})
    write(path, {"agents": {"defaults": {"model": "a", "botName": "Edited"}}})
    config = await store.update({"agents.defaults.maxTokens": 9})
    assert (config.agents.defaults.bot_name, config.agents.defaults.max_tokens) == ("Edited", 9)


async def test_changes_at_once_are_all_made(path: Path) -> None:
    store = loaded(path)
    await asyncio.gather(*(store.update({f"providers.p{n}.apiBase": f"http://{n}"}) for n in range(12)))
    assert len(store.config.providers) == 12


BAD = [
    (b'{\n  "agents": {\n    "defaults": {"model": "ne', "line 3"),
    (b"", "line 1"),
    (b"[1, 2]", "one JSON object"),
    (b'{"agents": {"defaults": {"model": "\xe9t\xe9"}}}', "line 1"),
    (b'{"agents": {"defaults": {"model": "new", "maxTokens": "many"}}}', "agents.defaults.maxTokens"),
    (b'{"agents": {"defaults": {"model": "new"}}, "providers": 7}', "providers"),
    (b'{"agents": "none"}', "agents"),
    (b'{"agents": {"defaults": {"model": ["new"]}}}', "agents.defaults.model"),
    (b"[" * 100_000, "one JSON object"),
]


@pytest.mark.expected_log("damaged settings were kept")
@pytest.mark.parametrize(("data", "named"), BAD)
async def test_a_bad_file_is_named_and_the_last_good_settings_are_used(
    path: Path, data: bytes, named: str
) -> None:
    await loaded(path).update({"agents.defaults.model": "good", "agents.defaults.botName": "Ada"})
    path.write_bytes(data)
    store = loaded(path)
    assert [named in problem.text for problem in store.problems] == [True]
    assert store.problems[0].remedy
    assert store.config.agents.defaults.model == "good"
    assert path.read_bytes() == data
    await store.update({"agents.defaults.maxTokens": 7})
    assert store.problems == []
    kept = [file.read_bytes() for file in path.parent.glob("config.json.damaged-*")]
    assert kept == ([data] if data else [])
    assert loaded(path).config.agents.defaults.bot_name == "Ada"


@pytest.mark.expected_log("damaged settings were kept")
async def test_a_name_that_stands_there_twice_is_told_and_nothing_of_the_file_is_lost(path: Path) -> None:
    twice = '{"agents": {"defaults": {"model": "a"}}, "agents": {"defaults": {"model": "b", "model": "c"}}}'
    path.parent.mkdir(parents=True)
    path.write_text(twice)
    store = loaded(path)
    assert store.config.agents.defaults.model == "c"
    assert [problem.text for problem in store.problems] == [
        "config.json contains model twice in the same place. The last one is used.",
        "config.json contains agents twice in the same place. The last one is used.",
    ]
    await store.update({"agents.defaults.model": "d"})
    assert not store.problems
    assert [kept.read_text() for kept in path.parent.glob("config.json.damaged-*")] == [twice]
    assert json.loads(path.read_text()) == {"agents": {"defaults": {"model": "d"}}}


def test_without_a_good_copy_a_bad_field_costs_only_itself(path: Path) -> None:
    write(
        path, {"agents": {"defaults": {"model": "m", "maxTokens": -1}}, "providers": {"a": {"engine": 3}}}
    )
    store = loaded(path)
    assert len(store.problems) == 2
    assert store.config.agents.defaults.model == "m"
    assert store.config.agents.defaults.max_tokens == 8192
    path.write_bytes(b'{"agents": {"def')
    assert loaded(path).config.agents.defaults.model == ""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
async def test_what_windows_editors_write_is_read(path: Path, encoding: str) -> None:
    write(
        path, json.dumps({"agents": {"defaults": {"botName": "小猫"}}}, ensure_ascii=False).encode(encoding)
    )
    store = loaded(path)
    assert store.problems == []
    assert store.config.agents.defaults.bot_name == "小猫"
    await store.update({"agents.defaults.model": "m"})
    assert json.loads(path.read_text("utf-8"))["agents"]["defaults"] == {"botName": "小猫", "model": "m"}


async def test_a_setting_in_whatever_style_is_read_and_can_be_changed(path: Path) -> None:
    write(path, {"AGENTS": {"Defaults": {"MODEL": "m", "max-tokens": 100}}})
    store = loaded(path)
    assert (store.config.agents.defaults.model, store.config.agents.defaults.max_tokens) == ("m", 100)
    await store.update({"agents.defaults.model": "n"})
    assert store.config.agents.defaults.model == "n"
    assert json.loads(path.read_bytes()) == {"AGENTS": {"Defaults": {"MODEL": "n", "max-tokens": 100}}}


def test_of_two_styles_of_a_name_the_programs_own_counts(path: Path) -> None:
    write(path, {"agents": {"DEFAULTS": {"model": "x"}, "defaults": {"MODEL": "y", "model": "z"}}})
    assert loaded(path).config.agents.defaults.model == "z"


async def test_half_a_character_stays_what_it_was(path: Path) -> None:
    write(path, b'{"own": "\\ud83d", "providers": {"acme": {"apiKey": "\\ud83d-secret"}}}')
    store = loaded(path)
    await store.update({"agents.defaults.model": "m"})
    assert b'"own": "\\ud83d"' in path.read_bytes()


@pytest.mark.expected_log("damaged settings were kept")
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'{"own": ' + b"[" * 150 + b"]" * 150 + b"}", id="nested too deep"),
        pytest.param('{"own": "'.encode("utf-16") + b'\x00\xd8"\0}\0', id="half a character in UTF-16"),
    ],
)
async def test_what_could_not_be_written_back_is_kept_aside(path: Path, data: bytes) -> None:
    write(path, data)
    store = loaded(path)
    assert store.damaged
    await store.update({"agents.defaults.model": "m"})
    assert [kept.read_bytes() for kept in path.parent.glob("*.damaged-*")] == [data]


@pytest.mark.timeout(20)
def test_many_names_that_stand_there_twice(path: Path) -> None:
    names = ", ".join(f'"n{number}": 1' for number in range(40_000))
    write(path, f"{{{names}, {names}}}".encode())
    assert len(loaded(path).problems) == 40_000


def test_null_means_not_set(path: Path) -> None:
    write(
        path,
        {
            "agents": {"defaults": {"maxTokens": None}},
            "providers": {"x": {"extraHeaders": None}, "y": None},
        },
    )
    store = loaded(path)
    assert store.problems == []
    assert store.config.agents.defaults.max_tokens == 8192


async def test_a_key_in_plain_text_is_reported_hidden_unused_and_removed_on_demand(path: Path) -> None:
    secret = "gsk_plain-text-secret"
    write(
        path,
        {
            "providers": {
                "groq": {"api_key": secret, "apiBase": "http://g"},
                "openaiCodex": {"apiKey": "k2-secret"},
            }
        },
    )
    store = loaded(path)
    assert list(store.plaintext_keys) == ["groq", "openai_codex"]
    assert store.keys == {}
    assert secret not in repr(store.config) + str(store.config.model_dump())
    assert logs.masked(f"key {secret}") == "key [hidden]"
    await store.update({"agents.defaults.model": "m"})
    assert secret in path.read_text()
    assert secret not in store.backup.read_text()
    path.with_name("config.json.damaged-1").write_text(
        '{"providers": {"groq": {"apiKey": "' + secret + '", "ap'
    )
    path.with_name("config.json.damaged-2").write_text('{"providers": {"groq": {"apiKey": "' + secret[:9])
    await store.scrub_key("groq")
    for file in path.parent.iterdir():
        assert secret[:9] not in file.read_text()
    assert list(store.plaintext_keys) == ["openai_codex"]
    assert json.loads(path.read_text())["providers"] == {
        "groq": {"apiBase": "http://g"},
        "openaiCodex": {"apiKey": "k2-secret"},
    }


def test_references_to_the_environment_are_replaced_in_memory_only(path: Path) -> None:
    value = {
        "agents": {"defaults": {"model": "${WHICH}-large", "workspace": "${NOWHERE}/x"}},
        "providers": {"groq": {"apiKey": "${GROQ}"}, "xai": {"apiKey": "${MISSING_KEY}"}},
        "channels": {"telegram": {"token": "${TG}"}},
    }
    write(path, value)
    store = loaded(path, {"WHICH": "mistral", "GROQ": "gsk_from_env", "TG": "telegram-token"})
    assert store.config.agents.defaults.model == "mistral-large"
    assert store.config.agents.defaults.workspace == ""
    assert store.keys == {"groq": "gsk_from_env"}
    assert store.plaintext_keys == ()
    told = " ".join(problem.text for problem in store.problems)
    assert "agents.defaults.workspace" in told
    assert "providers.xai.apiKey" in told
    assert "NOWHERE" in told
    assert len(store.problems) == 2
    assert json.loads(path.read_text()) == value
    assert "gsk_from_env" not in store.backup.read_text()


def test_older_names_take_effect_and_stay_in_the_file(path: Path) -> None:
    value = {"tools": {"exec": {"restrictToWorkspace": True, "timeout": 5}, "my_enabled": False}}
    write(path, value)
    store = loaded(path)
    tools = store.config.tools
    assert (tools.commands.timeout, tools.restrict_to_workspace) == (5, True)
    assert (tools.model_extra or {})["my"] == {"enable": False}
    assert json.loads(path.read_text()) == value


def test_a_home_that_cannot_be_written_still_loads(path: Path) -> None:
    write(path, {"agents": {"defaults": {"model": "m"}}})
    os.mkdir(path.with_name("config.json.bak"))
    assert loaded(path).config.agents.defaults.model == "m"


@pytest.mark.expected_log("damaged settings were kept")
@pytest.mark.parametrize("value", ["${NOT_SET}", "${HOME}", 5, [1]])
async def test_what_makes_room_for_a_section_is_kept_aside(path: Path, value: object) -> None:
    written = {"AGENTS": value, "own": 1}
    write(path, written)
    store = loaded(path, {"HOME": "/home/x"})
    await store.update({"agents.defaults.temperature": 0.25})
    assert store.config.agents.defaults.temperature == 0.25
    assert store.problems == []
    (kept,) = path.parent.glob("config.json.damaged-*")
    assert json.loads(kept.read_bytes()) == written
