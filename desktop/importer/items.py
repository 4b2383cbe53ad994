"""What an import consists of: items that a person reads, and the steps that put them in place."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from desktop.config.loosening import Loose

type Json = dict[str, Any]
type Action = Literal["take", "add", "change", "same", "inert", "left", "failed", "waits"]
"""take: as it is. add: what is new of something that is here already. change: taken as something else, see
`note`. same: here already. inert: kept in the settings or the workspace, without a meaning here. left:
stays in the old home only, see `note`. failed: was to be taken and could not be, see `note`. waits: it
loosens or runs something, and is off until the person says yes to it."""
type Kind = Literal["setting", "key", "session", "memory", "file", "skill", "job", "pairing", "other"]

WRITING = ("take", "add", "change", "inert")
"""The actions that write something here."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of the old home and what becomes of it."""

    kind: Kind
    name: str
    action: Action
    note: str = ""
    """A sentence for the person; empty where there is nothing to say."""
    count: int = 0
    """Messages of a session, entries of a history, files of a skill or a folder."""

    def as_json(self) -> Json:
        """In JSON types."""
        return {
            "kind": self.kind,
            "name": self.name,
            "action": self.action,
            "note": self.note,
            "count": self.count,
        }


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


def counted(items: Iterable[Item]) -> Json:
    """How many items of each action, how many messages are taken, and of each kind how many of each action:
    {"take": 3, ..., "messages": 120, "kinds": {"session": {"take": 2}}}."""
    totals: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {}
    messages = 0
    for item in items:
        totals[item.action] += 1
        kinds.setdefault(item.kind, Counter())[item.action] += 1
        if item.kind == "session" and item.action in WRITING:
            messages += item.count
    return {**totals, "messages": messages, "kinds": {kind: dict(count) for kind, count in kinds.items()}}
