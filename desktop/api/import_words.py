"""What a person reads of an import, in the window and at a terminal alike."""

from desktop.api.backup_words import waiting
from desktop.merge.items import Counts
from desktop.text import _, ngettext

TAKEN = ("take", "add", "change", "inert", "waits")
"""The actions that bring something here."""


def actions() -> dict[str, str]:
    """What becomes, or became, of an item."""
    return {
        "take": _("imported"),
        "add": _("added to"),
        "change": _("changed"),
        "same": _("already here"),
        "inert": _("kept but not used here"),
        "left": _("skipped"),
        "failed": _("failed"),
        "waits": _("off until you approve it"),
    }


def summary(counts: Counts, *, done: bool) -> str:
    """The sums of a plan, or of what was `done`, in one line."""
    names = {
        "taken": counts.of(*TAKEN),
        "same": counts.of("same"),
        "left": counts.of("left"),
        "messages": counts.messages,
    }
    if done:
        text = _("Imported: {taken}. Messages: {messages}. Already here: {same}. Skipped: {left}.")
    else:
        text = _("To be imported: {taken}. Messages: {messages}. Already here: {same}. Skipped: {left}.")
    return text.format(**names) + waiting(counts.actions)


def failures(n: int) -> tuple[str, str]:
    """A sentence for so many failed items, and what to do."""
    text = ngettext("{n} item could not be imported.", "{n} items could not be imported.", n)
    return text.format(n=n), _("Fix the reason shown above, then import again.")
