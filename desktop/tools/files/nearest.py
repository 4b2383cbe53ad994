"""What a model meant by text that is not in a file: the nearest lines, as a diff with line numbers.

Lines that both have vote for where the text may begin, so the time grows with the file, not with the
product of both; only a piece of bounded size is compared closely.
"""

import difflib
import heapq
import re
from collections import defaultdict

_MOST_LINES = 80
_MOST_CANDIDATES = 300
_LONGEST = 300
_HUNK = re.compile(r"^@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@", re.MULTILINE)


def nearest(text: str, wanted: str) -> str:
    """A unified diff from the wanted text to the most similar lines of the file; empty without any."""
    have, want = _lines(text), _lines(wanted)[:_MOST_LINES]
    start = _start(have, want)
    if start is None:
        return ""
    piece = have[start : start + len(want)]
    diff = difflib.unified_diff(want, piece, "old_text", "the file", lineterm="", n=2)
    shift = lambda m: f"@@ -{m[1]}{m[2]} +{int(m[3]) + start}{m[4]} @@"  # noqa: E731
    return _HUNK.sub(shift, "\n".join(diff))


def _lines(text: str) -> list[str]:
    return [line.rstrip("\r")[:_LONGEST] for line in text.split("\n")]


def _start(have: list[str], want: list[str]) -> int | None:
    """The line of the file where the wanted lines would begin."""
    where: dict[str, list[int]] = {}
    for number, line in enumerate(have):
        numbers = where.setdefault(line.strip(), [])
        if len(numbers) < 100:
            numbers.append(number)
    votes: dict[int, float] = defaultdict(float)
    for offset, line in enumerate(want):
        numbers = where.get(line.strip(), [])
        for number in numbers if line.strip() else ():
            votes[number - offset] += 1 / len(numbers)  # a rare line says more
    if votes:
        return max(0, min(votes, key=lambda start: (-votes[start], start)))
    return _alike(where, want)


def _alike(where: dict[str, list[int]], want: list[str]) -> int | None:
    """No line is in the file as it is: the line most like the longest wanted one."""
    longest = max(range(len(want)), key=lambda number: len(want[number].strip()))
    line = want[longest].strip()
    words = _words(line)
    close = [
        text for text in where if text and abs(len(text) - len(line)) <= max(len(text), len(line)) // 2
    ]
    candidates = heapq.nlargest(_MOST_CANDIDATES, close, key=lambda text: len(words & _words(text)))
    best = difflib.get_close_matches(line, candidates, 1, 0.5)
    return max(0, where[best[0]][0] - longest) if best else None


def _words(line: str) -> set[str]:
    return set(re.findall(r"\w+", line))
