"""Titles are plain text, whatever was written as Markdown."""

from pathlib import Path

import pytest

from desktop.markdown import plain
from desktop.session.model import NAMED
from desktop.session.sessions import Sessions
from desktop.session.title import first_words


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("I am **Mallory**, what is this?", "I am Mallory, what is this?"),
        ("# Plan for *today*", "Plan for today"),
        ("> - [ ] buy `milk`", "buy milk"),
        ("**a *b* c** and ***d***", "a b c and d"),
        ("这是**重点**内容", "这是重点内容"),
        ("see [the docs](https://a.example/b_(c)) <https://d.example>", "see the docs https://d.example"),
        ("~~old~~ `__init__` __new__ text", "old __init__ new text"),
        ("**cut before its end…", "cut before its end…"),
        (r"\*not\* bold", "*not* bold"),
    ],
)
def test_markdown_goes(written: str, read: str) -> None:
    assert first_words(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "2 ** 3 and 2 * 3 * 4",
        "snake_case_name in __init__.py",
        "what does **kwargs mean",
        "-5 degrees, #hashtag, C# and 5 > 3",
        "x <y> [z] (w)",
        "---",
        "```",
    ],
)
def test_what_only_looks_like_markdown_stays(text: str) -> None:
    assert first_words(text) == text


def test_code_is_called_by_its_first_line() -> None:
    assert first_words("```python\nprint(1)\n```") == "print(1)"
    assert first_words("***\n\n## \nHello") == "Hello"


def test_hostile_lines_are_read_at_once() -> None:
    for sign in ("**a", "_a", "`", "[", "](", "~~a", "\\", "> ", "# ", "\ue0000\ue001"):
        assert isinstance(plain(sign * 100_000), str)


async def test_older_titles_are_listed_plain_and_names_of_the_person_as_they_are(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    for key, named in (("older", {}), ("named", {NAMED: True})):
        session = await sessions.open(key)
        await session.append({"role": "user", "content": "Hello"})
        await session.set_metadata(title="About `x` and **y**", **named)
    found = {info.key: info.title for info in await sessions.list()}
    assert found == {"older": "About x and y", "named": "About `x` and **y**"}
