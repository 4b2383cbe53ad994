"""What is said, in the markup of a service and in pieces that its messages hold."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.channels.markup.discord import MARKUP as DISCORD
from desktop.channels.markup.slack import MARKUP as SLACK
from desktop.channels.markup.split import pieces
from desktop.channels.markup.telegram import MARKUP, units

TAGS = {"b", "i", "s", "code", "pre", "a", "blockquote"}
"""All that Telegram reads: https://core.telegram.org/bots/api#html-style."""


class Checked(HTMLParser):
    """Fails on a tag that Telegram does not know, or that is not closed in its order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> str:
    """The text that Telegram would show. Raises AssertionError where it would refuse."""
    checked = Checked()
    checked.feed(markup)
    checked.close()
    assert not checked.open
    return checked.text


def telegram(text: str) -> str:
    [(markup, _plain)] = pieces(text, MARKUP, 4096)
    return markup


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("**bold** and *italic*", "<b>bold</b> and <i>italic</i>"),
        ("some_var_name", "some_var_name"),
        ("`a < b`", "<code>a &lt; b</code>"),
        ("~~gone~~", "<s>gone</s>"),
        ("# Title", "<b>Title</b>"),
        ("- one\n- two", "• one\n• two"),
        ("3. three\n4. four", "3. three\n4. four"),
        ("- one\n  1. inner", "• one\n  1. inner"),
        ("> said", "<blockquote>said</blockquote>"),
        ("```py\nx < 1\n```", '<pre><code class="language-py">x &lt; 1</code></pre>'),
        ("[a](https://x.org/?a=1&b=2)", '<a href="https://x.org/?a=1&amp;b=2">a</a>'),
        ("[a](javascript:alert(1))", "[a](javascript:alert(1))"),
        ("<b>no tag</b> & more", "&lt;b&gt;no tag&lt;/b&gt; &amp; more"),
        ("|a|b|\n|-|-|\n|1|22|", "<pre>a | b\n--+---\n1 | 22</pre>"),
    ],
)
def test_markdown_as_telegram_reads_it(text: str, markup: str) -> None:
    assert telegram(text) == markup


def test_code_is_closed_and_opened_again_where_a_message_ends() -> None:
    lines = "\n".join(f"line {number}" for number in range(60))
    found = pieces(f"Before.\n\n```python\n{lines}\n```\n\nAfter.", MARKUP, 200)
    assert len(found) > 2
    for markup, plain in found:
        assert units(plain) <= 200
        read(markup)
    assert "\n".join(read(markup) for markup, _plain in found).count("line ") == 60


def test_letters_that_belong_together_stay_together() -> None:
    family = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
    for _markup, plain in pieces(family * 40, MARKUP, 50):
        assert units(plain) <= 50
        assert not plain.startswith("\u200d")
        assert not plain.endswith("\u200d")


_ANYTHING = st.text(alphabet=st.sampled_from("ab <>&*_`~#>-|[]()\n1.é字😀"), max_size=300)
_LONG = st.text(alphabet=st.sampled_from("abc字😀 *<"), min_size=60, max_size=300)


@given(_ANYTHING | _LONG, st.integers(20, 120))
def test_nothing_is_lost_and_every_message_is_read(text: str, longest: int) -> None:
    found = pieces(text, MARKUP, longest)
    for markup, plain in found:
        assert units(plain) <= longest
        read(markup)
    whole = pieces(text, MARKUP, 100_000)
    letters = [re.sub(r"\s|https?://\S+", "", read(markup)) for markup, _plain in found]
    assert unescape("".join(letters)) == re.sub(r"\s", "", read(whole[0][0]))


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("**bold** and *italic* and ~~gone~~", "*bold* and _italic_ and ~gone~"),
        ("# Title", "*Title*"),
        ("`a < b`", "`a &lt; b`"),
        ("<@U1> <!channel> & more", "&lt;@U1&gt; &lt;!channel&gt; &amp; more"),
        ("[a](https://x.org)", "<https://x.org|a>"),
        ("https://x.org", "https://x.org"),
        ("```\nx\n```", "```\nx\n```"),
        ("> said\n> more", "> said\n> more"),
    ],
)
def test_markdown_as_slack_reads_it(text: str, markup: str) -> None:
    [(written, _plain)] = pieces(text, SLACK, 4000)
    assert written == markup


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("**bold** and *italic* and ~~gone~~", "**bold** and *italic* and ~~gone~~"),
        ("***both***", "***both***"),
        ("**bold `code`**", "**bold `code`**"),
        ("# Title", "# Title"),
        ("#### Small *title*", "**Small title**"),
        ("- one\n- two\n  1. inner", "- one\n- two\n  1. inner"),
        ("some_var_name and 2 * 3 \\*", r"some\_var\_name and 2 \* 3 \*"),
        ("https://x.org/some_page_*", "https://x.org/some_page_*"),
        ("<@1> ||secret|| @everyone", r"\<@1> \|\|secret\|\| @everyone"),
        ("1\\. no list", r"1\. no list"),
        ("\\# no title\n\\> no quote", "\\# no title\n\\> no quote"),
        ("``a ` b``", "`` a ` b ``"),
        ("[a](https://x.org)", "[a](<https://x.org>)"),
        ("[https://bank.org](https://x.org)", "https://bank.org (<https://x.org>)"),
        ("<https://x.org>", "https://x.org"),
        ("[a](javascript:alert(1))", r"\[a\](javascript:alert(1))"),
        ("![cat](https://x.org/cat.png)", "cat"),
        ("|a|b|\n|-|-|\n|1|22|", "```\na | b\n--+---\n1 | 22\n```"),
        ("```py\nx_y < 1\n```", "```py\nx_y < 1\n```"),
        ("> said\n> more", "> said\n> more"),
    ],
)
def test_markdown_as_discord_reads_it(text: str, markup: str) -> None:
    [(written, _plain)] = pieces(text, DISCORD, 2000)
    assert written == markup


@given(_ANYTHING | _LONG, st.integers(30, 120))
def test_discord_loses_nothing_and_each_message_is_whole(text: str, longest: int) -> None:
    found = pieces(text, DISCORD, longest)
    for markup, _plain in found:
        assert len(markup) <= longest
        assert markup.count("```") % 2 == 0
    (_all, whole), *_more = pieces(text, DISCORD, 100_000)
    letters = "".join(plain for _markup, plain in found)
    assert re.sub(r"[\s>•]", "", letters) == re.sub(r"[\s>•]", "", whole)
