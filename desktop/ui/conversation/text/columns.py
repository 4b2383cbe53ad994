"""How wide the columns of a table are where not all of it fits: as few words as can be are broken.

Left to itself Qt shares the room evenly, and breaks dates beside columns that have room to spare.
"""

import re
from dataclasses import dataclass

from PySide6.QtGui import QFontMetricsF

from desktop.ui.conversation.text.blocks import Table
from desktop.ui.theme.theme import code_font, text_font
from desktop.ui.theme.tokens import Space

_MANY = 5
"""With more columns than this the room between them is smaller."""
_MEASURED = 3
"""Of each column the longest words and cells that are measured: it is the same letters that count."""
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_word = re.compile(rf"[{_WIDE}]|[^\s{_WIDE}]+?(?:[-/](?=[^\W\d_])|(?=[\s{_WIDE}]|$))")
"""What is not broken between two lines."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Of each column, in pixels with the room beside it."""

    least: tuple[float, ...]
    """To break no word."""
    most: tuple[float, ...]
    """To break no line."""


def padding(table: Table) -> int:
    """The room on each side of a cell."""
    return Space.M if len(table.alignments) <= _MANY else Space.S


def measure(table: Table) -> Columns:
    """What the columns of a table need."""
    least, most = [], []
    for column in range(len(table.alignments)):
        cells = [row[column] for row in table.rows if column < len(row)]
        texts = [("".join(run.text for run in cell), any(run.code for run in cell)) for cell in cells]
        words = {(word, code) for text, code in texts for word in _word.findall(text)}
        around = 2 * padding(table) + 3
        least.append(_widest(words) + around)
        most.append(_widest({(line, code) for text, code in texts for line in text.splitlines()}) + around)
    return Columns(tuple(least), tuple(most))


def _widest(texts: set[tuple[str, bool]]) -> float:
    longest = sorted(texts, key=lambda text: len(text[0]))[-_MEASURED:]
    bold = text_font()
    bold.setWeight(bold.Weight.DemiBold)
    prose, code = QFontMetricsF(bold), QFontMetricsF(code_font())
    return max(((code if fixed else prose).horizontalAdvance(text) for text, fixed in longest), default=0)


def widths(columns: Columns, room: float) -> list[int] | None:
    """How wide to make them; None where Qt may decide, because all fits."""
    least, most = columns.least, columns.most
    if sum(most) <= room:
        return None
    if sum(least) > room:
        cap = _cap(least, room)
        return [int(min(need, cap)) for need in least]
    spare = (room - sum(least)) / max(1, sum(most) - sum(least))
    return [int(a + (b - a) * spare) for a, b in zip(least, most, strict=True)]


def _cap(needs: tuple[float, ...], room: float) -> float:
    """How much the greediest may have, so that those who need less have all of it."""
    left = room
    for rank, need in enumerate(sorted(needs)):
        share = left / (len(needs) - rank)
        if need > share:
            return share
        left -= need
    return room
