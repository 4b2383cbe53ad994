"""What can be wanted of a message: to go back to it."""

from desktop.ui.conversation.transcript import Author, Entry

EDIT, REGENERATE, MORE = "edit", "regenerate", "more"
"""What can be wanted of a message; with MORE comes where its menu opens, as "x y" on the screen."""


def turn_of(entry: Entry) -> str:
    """The turn that a message of the person, or an answer, belongs to; empty where one cannot go back to
    it: it is of another program, or not said to a model."""
    turn, _slash, part = entry.id.partition("/")
    own = entry.author is Author.YOU and not part
    answer = entry.author is Author.NANOBOT and part == "answer"
    return turn if (own or answer) and not turn.startswith("record-") and not entry.moving else ""
