"""Which turns have a card of the files that they changed.

It stands at the end of the turn, and is read when it comes into sight.
"""

from collections.abc import Collection, Iterable

from desktop.ui.conversation.changed_files import FileWork
from desktop.ui.conversation.step import Outcome
from desktop.ui.conversation.transcript import Author, Entry

WRITERS = ("write_file", "edit_file", "add_line")


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
