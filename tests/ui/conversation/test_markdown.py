"""What Markdown becomes: the blocks, and that no text, however hostile, holds anything up."""

import re
import time

import pytest

from desktop.ui.conversation.text import markdown
from desktop.ui.conversation.text.blocks import Block, Code, Paragraph, Quote, Rule, Run, Table
from desktop.ui.widgets.plain import shown

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


def styles(text: str) -> list[tuple[str, str]]:
    """The runs of one paragraph, each with the first letters of its styles."""
    (block,) = read(text)
    assert isinstance(block, Paragraph)
    names = ("bold", "italic", "strike", "code")
    return [(r.text, "".join(n[0] for n in names if getattr(r, n)) + r.more) for r in block.runs]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("**注意：**请", [("注意：", "b"), ("请", "")]),
        ("**「…」**です", [("「…」", "b"), ("です", "")]),
        (
            "这是**“重点”**吗，**另一个：**好",
            [("这是", ""), ("“重点”", "b"), ("吗，", ""), ("另一个：", "b"), ("好", "")],
        ),
        ("*（强调）*字~~（删）~~字", [("（强调）", "i"), ("字", ""), ("（删）", "s"), ("字", "")]),
        ("请看**`code`**。", [("请看", ""), ("code", "bc"), ("。", "")]),
        (
            "**한국어(Korean)**은 **「말」**을",
            [("한국어(Korean)", "b"), ("은 ", ""), ("「말」", "b"), ("을", "")],
        ),
        ("ハロー**(World)**です", [("ハロー", ""), ("(World)", "b"), ("です", "")]),
        (
            "**🎉**好 snake_case_name 2*3*4",
            [("🎉", "b"), ("好 snake_case_name 2", ""), ("3", "i"), ("4", "")],
        ),
        ("**a ** b", [("**a ** b", "")]),
    ],
)
def test_emphasis_needs_no_blanks_in_east_asian_text(text: str, runs: list[tuple[str, str]]) -> None:
    assert styles(text) == runs


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("见 https://example.com/guide，详见后文。", "https://example.com/guide"),
        ("（https://example.com/a_(b)）", "https://example.com/a_(b)"),
        ("「https://example.com/?q=1&x=y」を見る", "https://example.com/?q=1&x=y"),
        ("https://example.com/path…", "https://example.com/path"),
        ("看https://example.com/a；还有", "https://example.com/a"),
        ("写信 me@example.com。谢谢", "mailto:me@example.com"),
        ("https://zh.wikipedia.org/wiki/维基 好", "https://zh.wikipedia.org/wiki/%E7%BB%B4%E5%9F%BA"),
    ],
)
def test_a_bare_address_ends_where_full_width_punctuation_begins(text: str, address: str) -> None:
    (block,) = read(text)
    assert isinstance(block, Paragraph)
    assert "".join(run.href for run in block.runs) == address
    assert words(block) == text


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("a<br>b<br/>\nc<BR />d", [(x, "") for x in "a\u2028b\u2028c\u2028d"]),
        ("H<sub>2</sub>O x<sup>2</sup>", [("H", ""), ("2", "sub"), ("O x", ""), ("2", "sup")]),
        ("<kbd>Ctrl</kbd>+<code>x</code>", [("Ctrl", "c"), ("+", ""), ("x", "c")]),
        ("<b>a</b> <em>b</em> <del>c</del>", [("a", "b"), (" ", ""), ("b", "i"), (" ", ""), ("c", "s")]),
        ("<u>a</u><mark>b</mark>", [("a", "under"), ("b", "mark")]),
        ('<span style="color:red">a</span> <font color=red>b</font>', [("a b", "")]),
        ("a <!-- hidden --> b", [("a  b", "")]),
        ("<details>\n<summary>More</summary>", [("More", "b")]),
        ("List<b> Map<i, j> a<b>c x</b", [("List<b> Map<i, j> a<b>c x</b", "")]),
        ("use a <div> or <details> or </b> tag", [("use a <div> or <details> or </b> tag", "")]),
        ("<script>alert(1)</script> <img src=x>", [("<script>alert(1)</script> <img src=x>", "")]),
        ("`<br>` <b", [("<br>", "c"), (" <b", "")]),
    ],
)
def test_the_few_tags_that_models_write(text: str, runs: list[tuple[str, str]]) -> None:
    found: list[tuple[str, str]] = []
    for words_, style in styles(text):
        if found and found[-1][1] == style and "\u2028" not in (words_, found[-1][0]):
            words_ = found.pop()[0] + words_
        found.append((words_, style))
    assert found == runs


def test_tags_break_lines_in_tables_and_groups_leave_nothing() -> None:
    (table,) = read("| a | b |\n|-|-|\n| x<br>y | z |")
    assert isinstance(table, Table)
    assert [run.text for run in table.rows[1][0]] == ["x", "\u2028", "y"]
    blocks = read('<div align="center">\n\ntext\n\n</div>\n\n<details>\n\nmore\n\n</details>')
    assert [words(block) for block in blocks] == ["text", "more"]


@pytest.mark.parametrize(
    ("described", "shown"),
    [
        ("<b>a</b> &amp; **注意：**请", "a & 注意：请"),
        ("*a* [b](http://x.org) `<i>`", "a b <i>"),
        ("a ![in</b> <br>it](file:///y)", "a in</b> \u2028it"),
        ("", ""),
    ],
)
def test_a_picture_s_description_is_read_by_the_same_rules(described: str, shown: str) -> None:
    (block,) = read(f"see ![{described}](file:///x.png)")
    assert isinstance(block, Paragraph)
    assert [(run.text, run.image) for run in block.runs][-1] == (shown, "file:///x.png")


def test_a_block_of_markdown_has_blocks_in_it() -> None:
    inside = "# T\n```python\nx = 1\n```\n~~~\ny\n~~~\nend"
    for before, after in (("", "\nafter"), ("- item\n\n", ""), ("x" * 4_000 + "\n\n", "\n\nafter")):
        indent = "  " if before.startswith("-") else ""
        text = before + "\n".join(
            indent + line for line in f"```markdown\n{inside}\n```{after}".split("\n")
        )
        assert [block.text for block in read(text) if isinstance(block, Code)] == [inside]
    assert [b.text for b in read("```md\n```js\na\n```\nb") if isinstance(b, Code)] == ["```js\na"]
    assert [b.text for b in read("```text\n```js\na\n```\n\nb") if isinstance(b, Code)] == ["```js\na"]


def test_numbers_have_room_for_the_widest() -> None:
    blocks = read("\n".join(f"{n}. x" for n in range(97, 103)) + "\n     - y\n\n7. z")
    hangs = [(b.marker, b.hang, b.indent) for b in blocks if isinstance(b, Paragraph)]
    assert len({hang for marker, hang, _ in hangs[:6]}) == 1
    assert hangs[0][1] > 1
    assert hangs[6] == ("•", 1, hangs[0][1] + 1)


@pytest.mark.parametrize(
    ("text", "rtl"),
    [
        ("- مرحبا\n- hello", True),
        ("- hello\n- مرحبا", False),
        ("> שלום\n\n", True),
        ("`code` ثم نص", True),
        ("https://e.org ثم نص", True),
        ("123 — مرحبا", True),
        ("- [x] انتهى\n- [ ] لم ينته", True),
        ("- [ ] done\n- [x] انتهى", False),
        ("[1](page.html) مرحبا", True),
        ("[see](page.html) مرحبا", False),
        ("<https://e.org> مرحبا", True),
        ("| اسم | x |\n|-|-|\n| ا | ب |", True),
        ("123", False),
    ],
)
def test_a_block_is_read_from_the_side_of_its_first_letter(text: str, rtl: bool) -> None:
    for block in read(text):
        assert isinstance(block, Paragraph | Quote | Table)
        assert block.rtl is rtl


def test_all_other_html_is_text() -> None:
    html = "<script>alert(1)</script> <iframe src=x></iframe>"
    assert "".join(words(block) for block in read(html)) == html


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


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n| 1 | 2 | 3 | `4` |",
        "a | b\n--|--\n1 | 2 | 3 | `4`",
        "> | a | b |\n> |---|---|\n> | 1 | 2 | 3 | `4` |",
        "- | a | b |\n  |---|---|\n  | 1 | 2 | 3 | `4` |",
        "- > a | b\n  > ---|---\n  > 1 | 2 | 3 | `4`",
    ],
)
def test_what_a_row_has_beyond_its_columns_stands_in_the_last(text: str) -> None:
    block = read(text)[-1]
    while isinstance(block, Quote):
        block = block.blocks[-1]
    assert isinstance(block, Table)
    assert ["".join(run.text for run in cell) for cell in block.rows[1]] == ["1", "2 | 3 | 4"]


def test_a_line_too_long_to_be_read_is_as_typed_to_its_end() -> None:
    text = "a" + "~" * 30_000 + " one two three\n\n*after*"
    *line, after = read(text)
    assert "".join(words(block) for block in line) == text.partition("\n")[0]
    assert after == Paragraph((Run("after", italic=True),))
