"""Why a setting is refused is said in the person's language."""

import re
from pathlib import Path
from typing import Any

import pytest

from desktop import text
from desktop.config.store import ConfigStore
from tests.unit.config.test_store import loaded, write

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"agents": {"defaults": {"model": "x" * 301}}}, "it can have at most 300 characters."),
    ({"agents": {"defaults": {"model": 7}}}, "it must be text."),
    ({"agents": {"defaults": {"temperature": 9}}}, "it must be at most 2.0."),
    ({"agents": {"defaults": {"temperature": "warm"}}}, "it must be a number."),
    ({"agents": {"defaults": {"maxToolIterations": 0}}}, "it must be at least 1."),
    ({"agents": {"defaults": {"maxToolIterations": "many"}}}, "it must be a whole number."),
    ({"agents": []}, "it must be an object."),
    ({"tools": {"exec": {"enable": "perhaps"}}}, "it must be true or false."),
    ({"notifications": {"quietFrom": "99"}}, "it has the wrong form."),
    ({"permissions": {"mode": "never"}}, "it must be one of 'ask', 'risky'."),
]


def problem(path: Path, value: dict[str, Any]) -> str:
    write(path, value)
    store: ConfigStore = loaded(path)
    (found,) = store.problems
    return found.text


@pytest.mark.parametrize(("value", "reason"), WRONG, ids=[reason for _value, reason in WRONG])
def test_the_reason_is_a_sentence_in_both_languages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "config.json"
    assert problem(path, value).endswith(f"is not valid: {reason}")
    monkeypatch.setenv("NANOBOT_DESKTOP_LANGUAGE", "zh_CN")
    text.use("")
    try:
        said = problem(path, value).rpartition("无效：")[2]
    finally:
        monkeypatch.undo()
        text.use("")
    words = re.sub("true|false|'[a-z]+'", "", said)
    assert re.search("[一-鿿]", words)
    assert not re.search("[A-Za-z]", words)
