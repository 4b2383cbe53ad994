"""Markdown made by chance: whole constructs, broken ones, and those whose end changes their beginning."""

import random
from collections.abc import Iterator
from itertools import pairwise

_TEXT = "alpha beta **bold** *it* `code` [link](https://e.org) [ref] ~~n~~ <b> 中文 שלום 👩‍💻 a_b_c x*y"
_WORDS = _TEXT.split(" ")
_PIECES = (
    "# Heading",
    "Setext\n===",
    "Sub\n---",
    "- one\n- two\n  - three",
    "- loose\n\n- items\n\n  with more",
    "1. one\n2. two\n   ```py\n   x = 1\n   ```",
    "7) seven\n8) eight",
    "- [ ] open\n- [x] done",
    "> quote\n> more\nlazy",
    "> > deep\n>\n> - in a list",
    "```python\ndef f():\n    return 'x'\n\n\n```",
    "~~~\nplain ``` inside\n~~~",
    "```js\nnever closed",
    "    indented code\n\n    more",
    "| a | b |\n|---|--:|\n| 1 | `2` |\n| 3 |",
    "a | b\n- | -\n1 | 2",
    "---",
    "***",
    "[ref]: https://example.org/ref 'title'",
    "[link]: <https://example.org/other>",
    "<script>alert(1)</script>",
    "<div>\nblock\n</div>",
    "![picture](https://example.org/x.png)",
    "![](/nowhere/none.png) text",
    "https://example.org/bare and a@b.org",
    "&amp; &#x202e; &#0; &nbsp;",
    "hard  \nbreak\\\nhere",
    "*open **and [never closed](",
    "\u202eoverride\u202c and zero\u200bwidth",
    "\t\ttabs\n\n\n\n",
    "- ",
    "1.",
    ">",
    "|",
    "``",
    "- a\n\n\n- b\n\n      code in b",
    "* x\n+ y\n- z",
    "#\n##",
    "Title\n-",
    "\r\ncarriage\rreturns\r\n",
)


def document(seed: int, most: int = 8) -> str:
    """One document; the same for the same seed."""
    chance = random.Random(seed)
    parts = [_part(chance) for _ in range(chance.randint(1, most))]
    return "".join(part + chance.choice(("\n\n", "\n\n", "\n", "")) for part in parts)


def documents(count: int, first: int = 0) -> Iterator[str]:
    """So many of them."""
    return map(document, range(first, first + count))


def _part(chance: random.Random) -> str:
    if chance.random() < 0.35:
        return " ".join(chance.choice(_WORDS) for _ in range(chance.randint(1, 30)))
    piece = chance.choice(_PIECES)
    if chance.random() < 0.1:  # cut off in the middle
        piece = piece[: chance.randint(0, len(piece))]
    return piece


def cuts(text: str, seed: int, most: int = 12) -> list[str]:
    """The text as the deltas of a stream."""
    chance = random.Random(seed)
    places = sorted({0, len(text), *(chance.randint(0, len(text)) for _ in range(chance.randint(0, most)))})
    return [text[a:b] for a, b in pairwise(places)]
