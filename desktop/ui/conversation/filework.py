"""What a turn did to files: a card at its end, which is read when it comes into sight."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from desktop.ui.conversation.step import Outcome
from desktop.ui.conversation.transcript import Author, Entry

if TYPE_CHECKING:
    from desktop.api.changes import ChangedFile

WRITERS = ("write_file", "edit_file", "add_line")
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


def card(turn: str) -> Entry:
    """The card of a turn."""
    return Entry(f"{turn}/files", Author.FILES, work=FileWork(turn))


def with_cards(entries: Iterable[Entry], running: Collection[str]) -> list[Entry]:
    """These entries of a conversation, and a card after each turn that wrote files and is at its end."""
    shown = list(entries)
    last: dict[str, int] = {}
    wrote: set[str] = set()
    for place, entry in enumerate(shown):
        turn = entry.id.partition("/")[0]
        last[turn] = place
        if writes(entry):
            wrote.add(turn)
    places = sorted((last[turn], turn) for turn in wrote - set(running))
    for place, turn in reversed(places):
        shown.insert(place + 1, card(turn))
    return shown


def writes(entry: Entry) -> bool:
    """Whether an entry is a call that wrote a file."""
    step = entry.step
    return step is not None and step.tool in WRITERS and step.outcome is Outcome.OK
