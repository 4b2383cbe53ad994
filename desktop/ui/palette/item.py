"""What can be chosen in the palette, and what fits the words that were typed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from desktop.text import mark

COMMANDS, CONVERSATIONS, MESSAGES = mark("Commands"), mark("Conversations"), mark("Messages")
SETTINGS, MEMORY, TASKS, SKILLS = mark("Settings"), mark("Memory"), mark("Tasks"), mark("Skills")
ORDER = (CONVERSATIONS, COMMANDS, SETTINGS, TASKS, SKILLS, MEMORY, MESSAGES)
"""The groups from top to bottom, where none has a better hit than the others."""
_NAMELESS = 5
_AROUND = "/$…. "
"""Signs around a name that nobody needs to type."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to choose."""

    group: str
    """One of ORDER."""
    title: str
    act: Callable[[], object]
    about: str = ""
    icon: str = ""
    keys: str = ""
    """That do the same without the palette."""
    more: str = ""
    """Other words by which it is found."""


def fitting(items: Iterable[Item], words: str, most: int) -> list[Item]:
    """Those with all words, in any case, the best first (see rank()); equal ones in their order."""
    wanted = words.casefold().split()
    found = [item for item in items if all(_has(item, word) for word in wanted)]
    return sorted(found, key=lambda item: rank(item, words))[:most]


def ranked(items: Iterable[Item], words: str) -> list[Item]:
    """Items of all groups as they are shown: the group with the best hit first, and in each the best first;
    equal ones in the order of ORDER and of their group."""
    best: dict[str, int] = {}
    ranks = [(rank(item, words), item) for item in items]
    for place, item in ranks:
        best[item.group] = min(place, best.get(item.group, place))
    ranks.sort(key=lambda pair: (best[pair[1].group], ORDER.index(pair[1].group), pair[0]))
    return [item for _place, item in ranks]


def rank(item: Item, words: str) -> int:
    """How well an item fits the words that were typed, 0 the best: its name is these words, begins with
    them, begins with the first of them, has a word that begins so, has all of them; else it is found by
    something other than its name. What was said or noted has no name."""
    wanted = words.casefold().split()
    if not wanted:
        return 0
    if item.group in (MESSAGES, MEMORY):
        return _NAMELESS
    title = " ".join(item.title.casefold().split())
    return min(_rank(name, wanted) for name in (title, title.strip(_AROUND)))


def _rank(name: str, wanted: Sequence[str]) -> int:
    phrase = " ".join(wanted)
    if not all(word in name for word in wanted):
        return _NAMELESS
    tests = (
        name == phrase,
        name.startswith(phrase),
        name.startswith(wanted[0]),
        any(part.startswith(wanted[0]) for part in name.split()),
        True,
    )
    return tests.index(True)


def _has(item: Item, word: str) -> bool:
    return word in item.title.casefold() or word in item.about.casefold() or word in item.more
