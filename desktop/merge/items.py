"""What an import or a restore consists of: items that a person reads, and steps that put them in place."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from desktop.config.loosening import Loose

type Action = Literal[
    "take", "add", "change", "keep", "beside", "own", "same", "inert", "left", "failed", "waits"
]
"""What becomes of a thing; the note of the item says why.

take: as it is, where there was none. add: what was missing of something (a restore says so of whole things,
too). change: as something else. keep: what is here is newer, and stays. beside: so too, with the other put
beside it. own: it became a conversation of its own. same: here already. inert: kept, without a meaning.
left: not taken. failed: was to be taken and could not be. waits: it loosens or runs something, and is off
until the person says yes to it."""
type Kind = Literal[
    "setting", "key", "session", "memory", "file", "skill", "job", "pairing", "ledger", "other"
]

WRITING = ("take", "add", "change", "inert")
"""The actions of an import that write something here."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing from elsewhere and what becomes of it."""

    kind: Kind
    name: str
    action: Action
    note: str = ""
    """A sentence for the person; empty where there is nothing to say."""
    count: int = 0
    """Messages of a session, entries of a history or of ledgers, files of a skill or a folder."""
    title: str = ""
    """Of a conversation: how a list calls it; empty for its name."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many items there are of each action, how many messages are taken, and of each kind how many items
    of each action."""

    actions: Mapping[str, int]
    messages: int
    kinds: Mapping[str, Mapping[str, int]]

    def of(self, *actions: str) -> int:
        """How many items of these actions."""
        return sum(self.actions.get(action, 0) for action in actions)


type Work = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Step:
    """Items that are put in place together; `work` is None where there is nothing to do."""

    items: tuple[Item, ...]
    work: Work | None = None
    loose: Callable[[], Sequence[Loose]] = tuple
    """What waits for the person once it is done. Blocks."""


def step(item: Item, work: Work | None = None) -> Step:
    """A step of one item."""
    return Step((item,), work)


def counted(items: Iterable[Item]) -> Counts:
    """Count them."""
    totals: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {}
    messages = 0
    for item in items:
        totals[item.action] += 1
        kinds.setdefault(item.kind, Counter())[item.action] += 1
        if item.kind == "session" and item.action in WRITING:
            messages += item.count
    return Counts(dict(totals), messages, {kind: dict(count) for kind, count in kinds.items()})
