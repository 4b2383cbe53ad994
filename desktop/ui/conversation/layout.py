"""How tall every entry is, laid out or guessed, and so where each stands."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

GUESS_LINE = 22


class Heights:
    """Heights in order; their sums are made anew when asked for after a change."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._tops: list[int] | None = None

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def fill(self, heights: Iterable[int]) -> None:
        """Begin anew."""
        self._heights = list(heights)
        self._tops = None

    def insert(self, index: int, height: int) -> None:
        """One more in that place."""
        at_end = index == len(self._heights)
        self._heights.insert(index, height)
        if self._tops is not None and at_end:
            self._tops.append(self._tops[-1] + height)
        else:
            self._tops = None

    def remove(self, index: int) -> None:
        """One less."""
        del self._heights[index]
        self._tops = None

    def set(self, index: int, height: int) -> None:
        """Correct one."""
        if self._heights[index] == height:
            return
        more = height - self._heights[index]
        self._heights[index] = height
        if self._tops is not None and index == len(self._heights) - 1:
            self._tops[-1] += more
        else:
            self._tops = None

    def top(self, index: int) -> int:
        """The sum of all before this one."""
        return self._sums()[index]

    @property
    def total(self) -> int:
        return self._sums()[-1]

    def at(self, y: int) -> int:
        """Which one is at that height; the nearest where there is none."""
        return max(0, min(len(self._heights) - 1, bisect_right(self._sums(), y) - 1))

    def _sums(self) -> list[int]:
        if self._tops is None:
            self._tops = [0, *accumulate(self._heights)]
        return self._tops


def guess(text: str, width: int, limit: int) -> int:
    """About how tall a text will be, in microseconds."""
    size = min(len(text), limit)
    characters = max(8, width // (7 if text.isascii() else 10))
    lines = size // characters + (text.count("\n", 0, limit) * 9) // 10 + 1
    return lines * GUESS_LINE
