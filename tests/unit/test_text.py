"""The catalogue: the language is the person's, and every sentence of the program has a translation."""

import gettext
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from desktop import text

ROOT = Path(__file__).parent.parent.parent
CHINESE = ROOT / "resources" / "translations" / "zh_CN" / "LC_MESSAGES"


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    text.use("")


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("NANOBOT_DESKTOP_LANGUAGE", "zh_CN", "zh_CN"),
        ("LANG", "zh_CN.UTF-8", "zh_CN"),
        ("LANG", "de_DE.UTF-8", "en"),
        ("LANGUAGE", "zh:en", "zh_CN"),
    ],
)
def test_the_environment_chooses(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, expected: str
) -> None:
    for name in ("NANOBOT_DESKTOP_LANGUAGE", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, value)
    text.use("")
    assert text.language() == expected


def test_the_environment_wins_over_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_DESKTOP_LANGUAGE", "zh_CN")
    text.use("en")
    assert text._("Stopped.") == "已停止。"


def sentences() -> Catalog:
    """Every sentence marked in the source."""
    catalog = Catalog()
    for _file, _line, message, _comments, _context in extract_from_dir(
        ROOT / "desktop", keywords={"_": None, "mark": None, "ngettext": (1, 2)}
    ):
        catalog.add(message)
    return catalog


def chinese() -> Catalog:
    with (CHINESE / "nanobot.po").open("rb") as file:
        return read_po(file, locale="zh_CN")


def test_every_sentence_is_translated_and_none_is_left_over() -> None:
    source = {m.id if isinstance(m.id, str) else m.id[0] for m in sentences() if m.id}
    translated = {
        m.id if isinstance(m.id, str) else m.id[0] for m in chinese() if m.id and all(_forms(m.string))
    }
    assert source - translated == set(), "not translated"
    assert translated - source == set(), "no longer in the program"


def _forms(string: object) -> tuple[object, ...]:
    return string if isinstance(string, tuple) else (string,)


def test_placeholders_survive_translation() -> None:
    wrong = [
        message.id
        for message in chinese()
        if message.id and isinstance(message.string, str) and _fields(message.id) != _fields(message.string)
    ]
    assert not wrong


def _fields(sentence: object) -> set[str]:
    import string

    return {name for _text, name, _spec, _conv in string.Formatter().parse(str(sentence)) if name}


def test_chinese_has_chinese_stops() -> None:
    latin = re.compile(r"[\u4e00-\u9fff][,;:!?]|[,;:!?][\u4e00-\u9fff]")
    said = [re.sub(r"://[^，。]*", "", str(s)) for message in chinese() for s in _forms(message.string)]
    assert [sentence for sentence in said if latin.search(sentence)] == []


def test_the_compiled_catalogue_is_the_written_one() -> None:
    compiled = io.BytesIO()
    write_mo(compiled, chinese())
    fresh = gettext.GNUTranslations(io.BytesIO(compiled.getvalue()))
    with (CHINESE / "nanobot.mo").open("rb") as file:
        shipped = gettext.GNUTranslations(file)
    assert shipped._catalog == fresh._catalog  # type: ignore[attr-defined]


def test_sentences_behind_one_another_are_joined_as_their_language_does() -> None:
    assert text.sentences("One.", "", " Two. ") == "One. Two."
    assert text.sentences("过了这么久就中断。", "从 1 到 10,000") == "过了这么久就中断。从 1 到 10,000"
    assert text.sentences("It failed.", "再试一次。", "好吗？", "Yes.") == "It failed. 再试一次。好吗？Yes."
    assert text.sentences() == text.sentences("", "") == ""


def test_a_name_has_the_colon_of_the_language() -> None:
    text.use("en")
    assert text.titled("Use", "Qwen") == "Use: Qwen"
    assert text.titled("", "Qwen") == "Qwen"
    assert text.titled("Use", "") == "Use"
    assert text.listed(iter(("Ollama", "vLLM"))) == "Ollama, vLLM"


def test_chinese_has_a_wide_colon_and_no_spaces_between_its_own_letters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NANOBOT_DESKTOP_LANGUAGE", raising=False)
    text.use("zh_CN")
    assert text.titled("使用", "Qwen") == "使用：Qwen"
    assert text.listed(("Ollama", "vLLM")) == "Ollama、vLLM"
    said = text._said("改由 {provider} 的 {model} 回答。")
    assert (
        said.format(provider="自定义服务器", model="mock-large") == "改由自定义服务器的 mock-large 回答。"
    )
    assert said.format(provider="OpenAI", model="通义") == "改由 OpenAI 的通义回答。"
    assert (
        text._said("{n:,} 个 {kind!s}（{{不变}}）").format(n=1200, kind="文件") == "1,200 个文件（{不变}）"
    )
    assert text._said("{a}{b} 和 {c}").format(a="甲", b=" 乙 丙", c="") == "甲 乙 丙和 "
