"""What a turn did to files, as its card shows it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.api.changes import ChangedFile

DIFF, TAKE_BACK, AGAIN = "diff", "take_back", "again"
"""What can be wanted of a card."""


@dataclass(slots=True)
class FileWork:
    """The files of one turn."""

    turn: str
    files: "Sequence[ChangedFile]" = ()
    commands: Sequence[str] = ()
    """That ran in the turn; what they changed nobody knows."""
    diffs: dict[str, str] = field(default_factory=dict)
    """By path, once they were asked for; what is no text has an empty one."""
    open: set[str] = field(default_factory=set)
    """Paths whose diffs are shown."""
    left: str = ""
    """What could not be taken back, in a sentence."""
    read: bool = False

    def could(self, standing: str) -> bool:
        """Whether there is a file that stands so."""
        return any(file.standing == standing for file in self.files)
