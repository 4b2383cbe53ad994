"""Line ends: a file may have three kinds of them, side by side. A model sees lines, and names what it sees.

What is shown as lines is found as lines. What is put in ends its lines as the place does where it goes.
"""

import re
from collections import Counter
from collections.abc import Sequence

type Span = tuple[int, int]
"""Where a piece of a text begins and ends."""

_END = re.compile(r"\r\n|\n|\r")


def plain(text: str) -> str:
    """The same with `\\n` at the end of each line."""
    return _END.sub("\n", text)


def found(text: str, piece: str) -> list[Span]:
    """Where a piece stands in a text, whatever the line ends of both."""
    wanted = f"(?:{_END.pattern})".join(re.escape(line) for line in _END.split(piece))
    return [match.span() for match in re.finditer(wanted, text)]


def replaced(text: str, spans: Sequence[Span], new: str) -> str:
    """The text with `new` in place of each of these. Its lines end as the line there does."""
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], _END.sub(end_at(text, start), new)]
        last = end
    return "".join([*parts, text[last:]])


def places(text: str, spans: Sequence[Span], most: int = 5) -> list[int]:
    """The numbers of the lines where they begin, of the first ones."""
    numbers, line, last = [], 1, 0
    for start, _stop in spans[:most]:
        line += len(_END.findall(text, last, start))
        numbers.append(line)
        last = start
    return numbers


def end_at(text: str, start: int) -> str:
    """How the line ends that has this place; of the last one, which has no end, as most lines do."""
    if here := _END.search(text, start):
        return here[0]
    counts = Counter(_END.findall(text))
    return counts.most_common(1)[0][0] if counts else "\n"
