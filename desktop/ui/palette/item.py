"""What can be chosen in the palette, and what fits the words that were typed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from desktop.text import mark

COMMANDS, CONVERSATIONS, MESSAGES = mark("Commands"), mark("Conversations"), mark("Messages")
SETTINGS, MEMORY, TASKS, SKILLS = mark("Settings"), mark("Memory"), mark("Tasks"), mark("Skills")
ORDER = (CONVERSATIONS, COMMANDS, SETTINGS, TASKS, SKILLS, MEMORY, MESSAGES)
"""The groups from top to bottom; those found at once come before those that are looked up."""


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
    """Those with all words, in any case: first those whose title begins so, then those that have a word
    that begins so, then the others; each in its order."""
    wanted = words.casefold().split()
    ranked: list[tuple[int, Item]] = []
    for item in items:
        title = item.title.casefold()
        if all(word in title or word in item.about.casefold() or word in item.more for word in wanted):
            ranked.append((_rank(title, wanted), item))
    ranked.sort(key=lambda pair: pair[0])
    return [item for _rank_, item in ranked[:most]]


def _rank(title: str, wanted: Sequence[str]) -> int:
    if not wanted or title.startswith(wanted[0]):
        return 0
    if any(part.startswith(wanted[0]) for part in title.split()):
        return 1
    return 2 if all(word in title for word in wanted) else 3
