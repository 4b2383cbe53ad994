"""What Markdown becomes: the blocks, and that no text, however hostile, holds anything up."""

import re
import time

import pytest

from desktop.ui.conversation import markdown
from desktop.ui.conversation.blocks import Block, Code, Paragraph, Quote, Rule, Run, Table
from desktop.ui.conversation.plain import shown

STEP_S = 0.15
"""CPU time of one step; three times what is allowed, for a busy machine."""


def read(text: str) -> list[Block]:
    return [block for block in markdown.read(text) if block is not None]


def words(block: Block) -> str:
    assert isinstance(block, Paragraph)
    return "".join(run.text for run in block.runs)


def test_runs_have_their_styles() -> None:
    (block,) = read("**bold *both*** `code` ~~gone~~ [link](https://e.org 'title')")
    assert isinstance(block, Paragraph)
    assert [run for run in block.runs if run.text.strip()] == [
        Run("bold ", bold=True),
        Run("both", bold=True, italic=True),
        Run("code", code=True),
        Run("gone", strike=True),
        Run("link", href="https://e.org"),
    ]


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("see https://e.org/a?b=c.", "https://e.org/a?b=c"),
        ("mail me@e.org", "mailto:me@e.org"),
        ("run main.py or e.g. this.it", ""),
        ("[x](javascript:alert(1))", ""),
        ("[x](data:text/html,hello)", ""),
    ],
)
def test_what_is_a_link(text: str, href: str) -> None:
    (block,) = read(text)
    assert isinstance(block, Paragraph)
    assert "".join(run.href for run in block.runs) == href


def test_lists_nest_number_and_tick() -> None:
    blocks = read("- a\n- [x] b\n- [ ] c\n  1. d\n\n     e\n  2. f\n\n7) g")
    assert [(b.marker, b.indent, words(b)) for b in blocks if isinstance(b, Paragraph)] == [
        ("•", 1, "a"),
        ("[x]", 1, "b"),
        ("[ ]", 1, "c"),
        ("1.", 2, "d"),
        ("", 2, "e"),
        ("2.", 2, "f"),
        ("7.", 1, "g"),
    ]


def test_items_without_text_keep_their_marker() -> None:
    blocks = read("- ```\n  code\n  ```\n-\n- > quote")
    assert [type(block) for block in blocks] == [Paragraph, Code, Paragraph, Paragraph, Quote]
    assert [b.marker for b in blocks if isinstance(b, Paragraph)] == ["•"] * 3


def test_tables_have_their_alignments() -> None:
    (table,) = read("| a | b | c |\n|:--|:-:|--:|\n| 1 | *2* |\n")
    assert isinstance(table, Table)
    assert table.alignments == ("left", "center", "right")
    assert table.rows[1][1] == (Run("2", italic=True),)


def test_raw_html_is_text() -> None:
    text = "".join(words(block) for block in read("<script>alert(1)</script>\n\na <b>b</b>\n\n<!-- c -->"))
    assert text == "<script>alert(1)</script>a <b>b</b><!-- c -->"


def test_rules_headings_and_quotes() -> None:
    heading, rule, quote = read("## Title *x*\n\n---\n\n> a\n>\n> > b")
    assert isinstance(heading, Paragraph)
    assert heading.heading
    assert isinstance(rule, Rule)
    assert isinstance(quote, Quote)
    assert isinstance(quote.blocks[1], Quote)


def test_code_is_whole_however_long() -> None:
    lines = [f"line {n}" * (n % 5) for n in range(1_000)] + ["x" * 20_000]
    blocks = read("```py extra\n" + "\n".join(lines) + "\n```\n\nafter")
    codes = [block for block in blocks if isinstance(block, Code)]
    assert len(codes) > 5
    assert {code.language for code in codes} == {"py"}
    assert "".join((code.glue or "") + code.text for code in codes) == "\n".join(lines)
    assert [code.more for code in codes] == [True] * (len(codes) - 1) + [False]
    assert words(blocks[-1]) == "after"


def test_a_definition_far_below_makes_the_link() -> None:
    blocks = read("[ref] here\n\n" + "filler words\n\n" * 2_000 + "[ref]: https://e.org\n")
    assert isinstance(blocks[0], Paragraph)
    assert blocks[0].runs[0].href == "https://e.org"


def test_a_long_text_is_read_as_in_one_go() -> None:
    part = (
        "# Title\n\nSome *words*, `code`.\n\n- a\n- b\n\n```js\nf()\n```\n\n> q\n\n| a |\n|---|\n| 1 |\n\n"
    )
    assert read(part * 100) == read(part) * 100


def test_a_long_list_goes_on_across_windows() -> None:
    blocks = read("".join(f"{n}. item {n} with some words\n" for n in range(1, 1_500)))
    assert [b.marker for b in blocks if isinstance(b, Paragraph)] == [f"{n}." for n in range(1, 1_500)]
    assert [b.tight for b in blocks if isinstance(b, Paragraph)].count(False) == 1


@pytest.mark.parametrize("text", ["> " * 10_000 + "deep", "- " * 5_000 + "deep"], ids=["quotes", "lists"])
def test_what_is_nested_too_deep_is_shown_as_typed(text: str) -> None:
    blocks = read(text)
    assert "".join(words(block) for block in blocks) == text
    assert all(isinstance(block, Paragraph) and block.plain for block in blocks)


HOSTILE = {
    "one line": "x" * 3_000_000,
    "one line of words": "word " * 600_000,
    "brackets": "[" * 24_000,
    "brackets and parentheses": "[a](" * 6_000,
    "stars": "*a **b " * 4_000,
    "backticks": " ".join("`" * n for n in range(1, 200)),
    "quotes": ">" * 24_000,
    "nested lists": "\n".join("  " * n + "- a" for n in range(300)),
    "a table": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 50_000,
    "a wide table": "|" + " a |" * 2_000 + "\n|" + "-|" * 2_000 + "\n",
    "links": "http://a.b/" * 2_000,
    "definitions": "[a]: b\n" * 3_000,
    "headings": "# a\n" * 6_000,
    "fences": "```\n" * 6_000,
    "entities": "&#1;" * 6_000,
    "blank": "\n" * 24_000 + " " * 24_000,
    "a list": "- a\n" * 6_000,
    "many quotes": "> a\n" * 6_000,
    "a paragraph": "word\n" * 5_000,
    "tabs": "\t" * 24_000,
    "emoji": "👩‍👩‍👧‍👦" * 3_000,
}


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_text_is_read_in_short_steps(what: str) -> None:
    text = HOSTILE[what][:100_000]
    longest, begin = 0.0, time.process_time()
    for _block in markdown.read(text):
        longest = max(longest, time.process_time() - begin)
        begin = time.process_time()
    assert max(longest, time.process_time() - begin) < STEP_S


def test_no_word_of_a_big_table_is_lost() -> None:
    text = "| a | b |\n|---|---|\n" + "".join(f"| {n} | x |\n" for n in range(5_000))
    blocks = read(text)
    found = " ".join(str(block) for block in blocks)
    assert all(re.search(rf"\b{n}\b", found) for n in (0, 1, 2_500, 4_999))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("safe\u202egpj.exe", "safe[U+202E]gpj.exe"),
        ("\u2066isolate\u2069", "[U+2066]isolate[U+2069]"),
        ("שלום world \u200f!", "שלום world \u200f!"),
        ("👩‍💻 🏳️‍🌈 👍🏽", "👩‍💻 🏳️‍🌈 👍🏽"),
        ("a\x00b\ufdd0c\ufffcd\ud800e", "a\ufffdb\ufffdc\ufffdd\ufffde"),
        ("a\r\nb\rc\u2029d", "a\nb\nc\nd"),
    ],
)
def test_what_deceives_is_made_visible(text: str, seen: str) -> None:
    assert shown(text) == seen
