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
