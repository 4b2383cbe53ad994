"""How a setting may loosen what the agent may do, or have something run: declared on each page's model.

Settings that come from elsewhere (a backup, another program's home) are parted by these declarations; what
loosens waits for the person. A field that a model declares neither way counts as one that loosens.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final


class _Keep(Enum):
    KEEP = "keep"


KEEP: Final = _Keep.KEEP
"""In the place of a value: what is set here stays."""


def names(text: str) -> frozenset[str]:
    """The names of fields in a text, parted by blanks."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Loosens:
    """One field whose value may loosen. With `says` alone every value but the usual one does."""

    says: str
    """What a yes to it does: a sentence, marked for translation."""
    order: tuple[Any, ...] = ()
    """All values, the strictest first."""
    grows: bool = False
    """A larger number loosens, and None is no limit."""
    tight: Callable[[Any], bool] | None = None
    """The value is a list: each new item loosens but those of which this is true; none is taken away."""
    entries: bool = False
    """The value has entries by name, and each comes by itself: MCP servers."""

    def part(self, new: Any, mine: Any, usual: Any) -> tuple[Any, list[Any]]:
        """What of a new value may count at once (KEEP: nothing), and what has to wait. `mine` is set here,
        `usual` is the default."""
        if new == mine:
            return KEEP, []
        if self.tight is not None:
            more = [item for item in new if item not in mine]
            safe = [item for item in more if self.tight(item)]
            return ((*mine, *safe) if safe else KEEP), [item for item in more if item not in safe]
        return (new, []) if self._tightens(new, mine, usual) else (KEEP, [new])

    def _tightens(self, new: Any, mine: Any, usual: Any) -> bool:
        if self.order:
            return new in self.order and self.order.index(new) <= self.order.index(mine)
        if self.grows:
            return new is not None and (mine is None or new <= mine)
        return bool(new == usual)
