"""Every form that the header of a SKILL.md may have, and what a broken one costs."""

import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.skills import frontmatter
from desktop.skills.loader import Skill

type Make = Callable[[str | bytes], Skill]

WAYS = {
    "plain": "name: sample\ndescription: Herbs.",
    "quoted": 'name: "sample"\ndescription: "Herbs."',
    "folded": "name: sample\ndescription: >-\n  Herbs.",
    "with a blank line": "\nname: sample\n\ndescription: Herbs.\n",
    "with a comment": "# about\nname: sample\ndescription: Herbs. # really",
    "without a name": "description: Herbs.",
    "null list": "description: Herbs.\nmetadata: {nanobot: {requires: {bins: null, env: null}, os: null}}",
    "null metadata": "description: Herbs.\nmetadata:",
    "null requires": "description: Herbs.\nmetadata: {nanobot: {requires: null, install: null}}",
    "of another shape": "description: Herbs.\nmetadata: [1, {a: b}]",
}


@pytest.mark.parametrize("header", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("before", ["", "\ufeff", "\n"])
def test_a_header_is_read_in_all_its_forms(
    described: Make, header: str, line_end: str, before: str
) -> None:
    text = f"{before}---\n{header}\n---\n\nThe body.\n".replace("\n", line_end)
    found = described(text)
    assert (found.description, found.problem, found.usable) == ("Herbs.", "", True)
    assert found.body() == "The body."


METADATA = {
    "block": "metadata:\n  nanobot:\n    emoji: X\n    always: true\n    requires:\n"
    "      bins: [no-such-program]\n      env:\n        - NO_SUCH_VARIABLE\n        -\n",
    "flow": "metadata: {nanobot: {emoji: X, always: true, requires: "
    "{bins: [no-such-program], env: [NO_SUCH_VARIABLE]}}}\n",
    "JSON": 'metadata: {"nanobot":{"emoji":"X","always":true,"requires":'
    '{"bins":["no-such-program"],"env":["NO_SUCH_VARIABLE"]}}}\n',
    "JSON as text": 'metadata: \'{"openclaw":{"emoji":"X","always":true,"requires":'
    '{"bins":["no-such-program"],"env":["NO_SUCH_VARIABLE"]}}}\'\n',
    "at the top": "metadata: {nanobot: {emoji: X, always: true}}\n"
    "requires: {bins: [no-such-program], env: [NO_SUCH_VARIABLE]}\n",
    "at both places": "metadata: {nanobot: {emoji: X, always: true, requires: {bins: [no-such-program]}}}\n"
    "requires:\n  env: NO_SUCH_VARIABLE\n",
    "older name": 'metadata: {"clawdbot":{"emoji":"X","always":"true","requires":'
    '{"bins":"no-such-program","env":"NO_SUCH_VARIABLE"}}}\n',
}


@pytest.mark.parametrize("metadata", METADATA.values(), ids=METADATA)
def test_metadata_is_read_in_all_its_forms(described: Make, metadata: str) -> None:
    found = described(f"---\nname: sample\ndescription: Herbs.\n{metadata}---\nBody")
    assert (found.emoji, found.always, found.problem) == ("X", True, "")
    assert found.missing == (
        "The program no-such-program is not installed.",
        "It needs NO_SUCH_VARIABLE, which is not set.",
    )
    assert not found.available


def test_always_may_stand_at_the_top(described: Make) -> None:
    assert described("---\ndescription: Herbs.\nalways: true\n---\nBody").always
    assert not described("---\ndescription: Herbs.\nalways: false\n---\nBody").always


def test_without_a_header_the_first_line_describes_it(described: Make) -> None:
    found = described("\n# A skill\n\nSome text.\n")
    assert found.description == "A skill"
    assert "no header" in found.problem
    assert found.remedy
    assert found.usable
    assert found.body() == "# A skill\n\nSome text."


def test_an_empty_file(described: Make) -> None:
    found = described("")
    assert (found.description, found.usable) == ("sample", True)
    assert found.problem


def test_a_header_of_the_old_kind_is_read_line_by_line(described: Make) -> None:
    metadata = '{"nanobot":{"emoji":"X"}}'
    old = f"---\nname: sample\ndescription: Herbs: what they do: all\nmetadata: {metadata}\n---\nBody"
    found = described(old)
    assert (found.description, found.emoji, found.usable) == ("Herbs: what they do: all", "X", True)
    assert found.problem == "Line 3 of SKILL.md is not valid YAML; the header was read line by line."
    assert "quotation marks" in found.remedy
    assert found.body() == "Body"


@pytest.mark.parametrize(
    "header",
    [
        "a: [",
        "- a\n- b",
        "just words",
        "a: &x [*x, *y]",
        "? [a]: b",
        "!!python/object:os.system x",
        "a:\n\tb",
        "}",
    ],
)
def test_broken_yaml_costs_no_more_than_its_line(described: Make, header: str) -> None:
    found = described(f"---\n{header}\ndescription: Herbs.\n---\nBody")
    assert found.usable
    assert found.body() == "Body"


def test_a_header_that_does_not_end(described: Make) -> None:
    found = described("---\nname: sample\ndescription: Herbs.\n\nThe body.")
    assert (found.description, found.problem) == ("Herbs.", "The header of SKILL.md is not closed.")
    assert found.body() == "The body."


def test_a_name_that_is_not_the_folders(described: Make) -> None:
    found = described("---\nname: other\ndescription: Herbs.\n---\nBody")
    assert (found.name, found.usable) == ("sample", True)
    assert found.problem == "The header says other, but the folder’s name is used."


def test_a_header_without_a_description(described: Make) -> None:
    found = described("---\nname: sample\n---\n\nHow to grow herbs.")
    assert (found.description, found.usable) == ("How to grow herbs.", True)
    assert "no description" in found.problem


def test_a_long_body_is_cut_and_said(described: Make) -> None:
    found = described("---\ndescription: Herbs.\n---\n" + "word " * 20_000)
    assert "100 kB" in found.problem
    assert found.usable
    assert len(found.body()) < 61_000
    assert "Cut off here" in found.body()[-300:]


def test_ten_megabytes_are_not_read_whole(described: Make) -> None:
    found = described("---\ndescription: Herbs.\n---\n" + "x" * 10_000_000)
    assert (found.description, found.usable) == ("Herbs.", True)
    assert "10,000 kB" in found.problem
    assert len(found.body()) < 61_000


def test_chinese_is_counted_in_characters(described: Make) -> None:
    found = described("---\ndescription: 草药。\n---\n" + "字" * 50_000)
    assert (found.description, found.problem) == ("草药。", "")
    assert len(found.body()) == 50_000


def test_what_is_no_utf_8(described: Make) -> None:
    other = described("---\ndescription: 草药\n---\nBody".encode("gb18030"))
    assert other.problem == "SKILL.md is not UTF-8 text."
    assert other.usable
    wide = described("---\ndescription: Herbs\n---\nBody".encode("utf-16"))
    assert wide.problem == "SKILL.md is not UTF-8 text."
    assert not wide.usable


@pytest.mark.timeout(60)
def test_a_header_that_unfolds_to_a_huge_one(described: Make) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    bomb = "\n".join([*lines, "description: *a11", "metadata: {nanobot: {requires: {bins: *a11}}}"])
    found = described(f"---\n{bomb}\n---\nHerbs")
    assert (found.description, found.missing) == ("Herbs", ())


@pytest.mark.timeout(20)
def test_a_header_that_merges_without_end(described: Make) -> None:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n} {{k{n}: 1, <<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 12)]
    found = described("\n".join(["---", "description: Herbs", *lines, "---", "Body"]))
    assert (found.description, found.usable) == ("Herbs", True)


def test_a_header_may_merge_a_little(described: Make) -> None:
    assert described("---\nbase: &a {x: 1}\nmore:\n  <<: *a\ndescription: Herbs\n---\nBody").problem == ""


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "line", ["a: " + "{" * 3_000, "\n".join(f"k{n}: [1, 2, {{}}]" for n in range(9_000))]
)
def test_a_header_that_takes_long_to_read_is_read_line_by_line(described: Make, line: str) -> None:
    found = described(f"---\ndescription: Herbs\n{line}\n---\nBody")
    assert (found.description, found.usable) == ("Herbs", True)
    assert "line by line" in found.problem


@pytest.mark.parametrize(
    "value",
    [
        *("!!bool maybe", '!!int ""', "!!timestamp soon", "!!float x", "0x" + "f" * 9_000, "2026-13-45"),
        *("!!set x", "!!python/object:os.system x"),
    ],
)
def test_a_value_that_is_not_of_its_type(described: Make, value: str) -> None:
    for header in (f"description: Herbs\nother: {value}", f"{value}: x\ndescription: Herbs"):
        found = described(f"---\n{header}\nemoji: {value}\n---\nBody")
        assert (found.description, found.usable) == ("Herbs", True)


@pytest.mark.parametrize("sign", ["[", "{", "- ", "? ", "a: {"])
def test_a_header_nested_without_end(described: Make, sign: str) -> None:
    assert described(f"---\ndescription: {sign * 5_000}\n---\nBody").usable


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    for tried in (text, f"---\n{text}\n---\nBody", f"---\nmetadata: {text}\n---"):
        header = frontmatter.read(tried)
        assert isinstance(header.text("description"), str)
        assert isinstance(header.always, bool)


@given(st.text(alphabet=st.characters(codec="utf-8")), st.text(alphabet=st.characters(codec="utf-8")))
def test_what_is_composed_is_read_as_it_was_meant(about: str, body: str) -> None:
    header = frontmatter.read(frontmatter.compose("herbs", about, body))
    assert (header.found, header.broken, header.text("name")) == (True, 0, "herbs")
    assert header.text("description") == " ".join(frontmatter._UNFIT.sub(" ", about).split())


def test_a_plain_description_is_composed_without_marks() -> None:
    assert frontmatter.compose("herbs", "Herb facts.", "Body") == (
        "---\nname: herbs\ndescription: Herb facts.\n---\n\nBody\n"
    )
    assert 'description: "Herbs: all"' in frontmatter.compose("herbs", "Herbs: all", "Body")


SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}


def test_a_system_that_is_not_this_one(described: Make) -> None:
    here = SYSTEMS[sys.platform]
    other = next(name for name in SYSTEMS.values() if name != here)
    assert described(
        f"---\ndescription: D\nmetadata: {{nanobot: {{os: [{here}, {other}]}}}}\n---\nB"
    ).usable
    found = described(f"---\ndescription: D\nmetadata: {{nanobot: {{os: [{other}]}}}}\n---\nB")
    assert not found.available
    assert found.missing[0].startswith("It works only on ")


def test_one_of_several_programs_is_enough(described: Make) -> None:
    text = "---\ndescription: D\nmetadata: {{nanobot: {{requires: {{anyBins: [{}]}}}}}}\n---\nB"
    assert described(text.format("no-such-program, " + "python3")).usable
    found = described(text.format("no-such-program, nor-this"))
    assert found.missing == ("None of these programs are installed: no-such-program, nor-this.",)


def test_how_to_install_what_is_missing_is_the_remedy(described: Make) -> None:
    requires = '"requires": {"bins": ["no-such-program"]}'
    found = described(f"---\ndescription: D\nmetadata: {{nanobot: {{{requires}}}}}\n---\nB")
    assert found.remedy == "Install or set what is missing, or turn the skill off."
    install = '"install": [{"kind": "apt", "label": "apt it"}, {"kind": "brew", "label": "brew it"}, null]'
    found = described(f"---\ndescription: D\nmetadata: {{nanobot: {{{requires}, {install}}}}}\n---\nB")
    assert found.remedy == {"linux": "apt it", "darwin": "brew it"}.get(sys.platform, "apt it / brew it")
