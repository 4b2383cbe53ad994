"""Titles out of messages."""

from collections.abc import Mapping
from typing import Any

from desktop.markdown import plain_lines

LONGEST = 60
"""Characters of the first words that stand for a title."""


def title_of(message: Mapping[str, Any]) -> str:
    """The first line of a message that says something, short enough for a list."""
    content = message.get("content")
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        content = next((text for text in texts if isinstance(text, str)), "")
    return first_words(content) if isinstance(content, str) else ""


def first_words(text: str, most: int = LONGEST) -> str:
    """The first line that says something, without Markdown, of at most so many characters."""
    line = next(plain_lines(text), "")
    return line if len(line) <= most else f"{line[: most - 1]}…"
