"""Where words stand in a conversation: in what is said, as it is read, whether or not it is laid out.

The marks of Markdown are not read, so a message is looked into as its blocks; most are decided by a look
at the text itself.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from desktop.ui.conversation.text import markdown
from desktop.ui.conversation.text.blocks import flat
from desktop.ui.conversation.transcript import Author, Entry
from desktop.ui.widgets.plain import shown

_PART = 50_000
"""Characters that are looked through between two events of the loop."""
_marks = re.compile(r"[\\`*_\[\]<&!~:@$#>|]|www\.|^\s*(?:[-+]|\d+[.)])\s", re.MULTILINE)
_GAP = r"[\s\u2028]+"


def pattern(words: str) -> re.Pattern[str]:
    """What finds these words, in any case and across the ends of lines."""
    return re.compile(_GAP.join(map(re.escape, words.split())), re.IGNORECASE)


def searched(entry: Entry) -> bool:
    """Whether there is something to be read in an entry."""
    return bool(entry.text) and entry.step is None and not entry.moving


def matches(entry: Entry, wanted: re.Pattern[str]) -> Iterator[int]:
    """How many there are in an entry, told bit by bit: the sum is what counts."""
    text = shown(entry.text)
    if entry.author in (Author.YOU, Author.NOTE) or not _marks.search(text):
        yield from _count(text, wanted)
        return
    for block in markdown.read(text):
        if block is None:
            yield 0
        else:
            yield from _count("".join(run.text for run in flat(block).runs), wanted)


def _count(text: str, wanted: re.Pattern[str]) -> Iterator[int]:
    if len(text) <= _PART:
        yield _in(text, wanted)
        return
    at = 0
    while at < len(text):
        end = at + _PART
        if end < len(text):  # what stands across the end of a part is found where that is a gap
            end = text.rfind("\n", at, end) + 1 or text.rfind(" ", at, end) + 1 or end
        yield _in(text[at:end], wanted)
        at = end


def _in(text: str, wanted: re.Pattern[str]) -> int:
    return sum(1 for _match in wanted.finditer(text))


def places(text: str, wanted: re.Pattern[str]) -> list[tuple[int, int]]:
    """Beginning and end of each match in a text, counted as Qt counts: characters beyond the first 65,536
    are two."""
    found = [match.span() for match in wanted.finditer(text)]
    if not found or text.isascii() or max(text) <= "\uffff":
        return found
    beyond = [at for at, character in enumerate(text) if character > "\uffff"]
    return [(start + bisect_left(beyond, start), end + bisect_left(beyond, end)) for start, end in found]
