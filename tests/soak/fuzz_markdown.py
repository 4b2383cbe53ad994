"""Markdown by chance: read into blocks, drawn as a page, streamed in pieces, written by every export.

Every word of the text is in the blocks, but for those that Markdown itself keeps for readers of the source:
comments, tags, titles of links, definitions, what a block of code is called. What is streamed ends as what
is read at once. A step of reading holds up the loop for less than a second.
"""

import html
import json
import os
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from desktop.session.export import FORMATS, export
from desktop.ui.conversation.text.blocks import Block, Code, Paragraph, Quote, Run, Table
from desktop.ui.widgets.plain import shown
from tests.soak.fuzz_kit import Round, damaged
from tests.ui.conversation.documents import document

_STEP_S = 1.0
_LONGEST = 60_000
_MARKS = (
    *(
        "*",
        "**",
        "_",
        "`",
        "```",
        "~~~",
        "```markdown\n",
        "> ",
        "- ",
        "1. ",
        "# ",
        "[",
        "](",
        ")",
        "![",
        "\n",
    ),
    *(
        "|",
        "|-|-|\n",
        "<b>",
        "</b>",
        "<br>",
        "<!--",
        "-->",
        "<details>",
        "<summary>",
        "&#",
        "&amp;",
        "\\",
        "$",
    ),
    *(
        "$$",
        "\\(",
        "\\[",
        "https://",
        "[x]: ",
        "[^",
        "~~",
        "---\n",
        "===\n",
        "    ",
        "\t",
        "\r\n",
        "<div>\n",
    ),
    *(
        "。",
        "（",
        "，**",
        "א",
        "م",
        "www.",
        "@",
        ":",
        "999999999. ",
        "+ ",
        "\n\n",
        "  \n",
        "<",
        "<a href='",
    ),
)
_word = re.compile(r"w\d{3,9}q")
_left_out = re.compile(
    r"<!--(?s:.{0,1000}?)-->|<[^>]{0,300}>|^[ >\-*+\d.)\t]*(?:`{3,}|~{3,}).*$"
    r"|\[[^\]]*\]:.*(?:\n.*)?|\]\([^)\n]*\)|&[#\w]*;?",
    re.MULTILINE,
)


def made(chance: Random) -> str:
    """A document, with words of its own in it, after some damage."""
    text = document(chance.randrange(10**9), most=chance.choice((1, 3, 8, 20)))
    words = re.split(r"(\s)", text)
    for _ in range(chance.randrange(1, 8)):
        words.insert(chance.randrange(len(words) + 1), f" w{chance.randrange(100, 10**6)}q ")
    return damaged(chance, "".join(words), _MARKS)[:_LONGEST]


def said(blocks: Iterable[Block]) -> Iterator[str]:
    """Everything that blocks show."""
    for block in blocks:
        match block:
            case Paragraph():
                yield block.marker
                yield _runs(block.runs)
            case Code():
                yield f"{block.glue or ''}{block.text}"
            case Table():
                yield from (_runs(cell) for row in block.rows for cell in row)
            case Quote():
                yield from said(block.blocks)


def _runs(runs: tuple[Run, ...]) -> str:
    return "".join(run.text for run in runs)


def _targets(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph():
                yield from (f" {run.href} {run.image}" for run in block.runs)
            case Table():
                yield from (
                    f" {run.href} {run.image}" for row in block.rows for cell in row for run in cell
                )
            case Code():
                yield f" {block.language}"
            case Quote():
                yield from _targets(block.blocks)


def rounds(_folder: Path) -> dict[str, Round]:
    """The readers by name."""
    return {"Markdown": reader()}


def reader() -> Round:
    """Reading, drawing and exporting one text."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance() or QApplication([])
    from tests.soak.fuzz_paper import Paper, prepare

    prepare()

    def one(chance: Random) -> list[str]:
        assert application is not None
        text = made(chance)
        slow = _Slow()
        paper = Paper()
        blocks = list(slow.steps(paper.blocks(text)))
        wrong = _lost(text, blocks)
        at_once = paper.finish(text, slow.steps)
        grown, at = Paper(), 0
        for _ in range(chance.randrange(8)):
            at = min(len(text), at + chance.choice((1, 5, 100, 1_000)))
            slow.all(grown.growing(text[:at]))
        if grown.finish(text, slow.steps) != at_once:
            wrong.append(f"streamed it is another page: {text[:500]!r}")
        if slow.longest > _STEP_S:
            wrong.append(f"a step took {slow.longest:.1f} s: {text[:200]!r}")
        return wrong + _exported(chance, text)

    return one


def _lost(text: str, blocks: list[Block]) -> list[str]:
    rest = _left_out.sub(" ", shown(text))
    have = "".join([*said(blocks), *_targets(blocks)])  # a word may stand on either side of a cut
    lost = [word for word in dict.fromkeys(_word.findall(rest)) if word not in have]
    return [f"{word} is in no block: {text[:700]!r}" for word in lost[:1]]


def _exported(chance: Random, text: str) -> list[str]:
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": text[::-1]}]
    wrong, whole_text = [], text.strip().encode("utf-8", "replace").decode()
    for kind in FORMATS:
        written = export(kind, "desktop:1", text[:60], messages)
        written.encode()
        if kind == "json":
            whole = _sixteen(json.loads(written)["messages"][0]["content"]) == _sixteen(text)
        else:
            whole = (html.escape(whole_text) if kind == "html" else whole_text) in written
        if not whole:
            wrong.append(f"the {kind} export has another text: {text[:300]!r}")
    return wrong


def _sixteen(text: str) -> bytes:
    """So that two halves of a character are the same as that character."""
    return text.encode("utf-16", "surrogatepass")


class _Slow:
    """The longest step, in seconds of this process's time."""

    def __init__(self) -> None:
        self.longest = 0.0

    def steps[T](self, work: Iterator[T]) -> Iterator[T]:
        while True:
            begun = time.process_time()
            try:
                found = next(work)
            except StopIteration:
                return
            finally:
                self.longest = max(self.longest, time.process_time() - begun)
            yield found

    def all(self, work: Iterator[None]) -> None:
        for _ in self.steps(work):
            pass
