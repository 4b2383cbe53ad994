"""What a message is made of once its Markdown is read: flat blocks of plain data, without Qt.

Two readings are the same when their blocks are equal; that is how a streamed answer is compared with the
whole one, and why nothing that is already right is drawn again.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text in one style."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    href: str = ""
    more: str = ""
    """One of under, mark, sub, sup; empty for none."""
    image: str = ""
    """Where the picture is; `text` is then what stands for it."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text, a heading, or one item of a list."""

    runs: tuple[Run, ...]
    heading: bool = False
    plain: bool = False
    """As it was typed: not read as Markdown."""
    indent: float = 0
    marker: str = ""
    """In front of a list item's first paragraph."""
    tight: bool = False
    """Close to the block before, as the items of a list are."""
    center: bool = False
    """In the middle of the column, as a formula is."""
    hang: float = 1
    """How far before its text the marker stands."""
    rtl: bool = False
    """Whether it is read from right to left, with the outermost block that it is in."""


@dataclass(frozen=True, slots=True)
class Code:
    """Some lines of a block of code; a long one is several of these, the first with the head."""

    text: str
    language: str = ""
    indent: float = 0
    more: bool = False
    """Whether another piece of the same code follows."""
    glue: str | None = None
    """Of a piece that goes on: what stands between it and the piece before, a line end or nothing."""

    @property
    def head(self) -> bool:
        return self.glue is None


@dataclass(frozen=True, slots=True)
class Table:
    """The first row is the head."""

    rows: tuple[tuple[tuple[Run, ...], ...], ...]
    alignments: tuple[str, ...]
    """Of each column: "left", "center", "right" or ""."""
    indent: float = 0
    rtl: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across."""

    indent: float = 0


@dataclass(frozen=True, slots=True)
class Quote:
    """Blocks that somebody else wrote."""

    blocks: tuple["Block", ...]
    indent: float = 0
    rtl: bool = False


type Block = Paragraph | Code | Table | Rule | Quote


def boxes(block: Block) -> int:
    """How many boxes and rows a block is drawn with: these are what takes time, not the words."""
    match block:
        case Code():
            return 1
        case Table():
            return 1 + len(block.rows) * len(block.alignments) // 8
        case Quote():
            return 1 + sum(map(boxes, block.blocks))
    return 0


def images(block: Block) -> Iterator[str]:
    """The addresses of the pictures in a block."""
    match block:
        case Paragraph():
            yield from (run.image for run in block.runs if run.image)
        case Table():
            yield from (run.image for row in block.rows for cell in row for run in cell if run.image)
        case Quote():
            for inner in block.blocks:
                yield from images(inner)


def flat(block: Block) -> Paragraph:
    """The words of a block, without its boxes."""
    return Paragraph((Run(_words(block).replace("\n", "\u2028")),), plain=True)


def _words(block: Block) -> str:
    match block:
        case Paragraph():
            return f"{block.marker} " * bool(block.marker) + "".join(run.text for run in block.runs)
        case Code():
            return block.text
        case Table():
            return "\n".join(
                "\t".join("".join(run.text for run in cell) for cell in row) for row in block.rows
            )
        case Quote():
            return "\n".join(map(_words, block.blocks))
    return ""
