"""What a person reads of an import, in the window and at a terminal alike."""

from desktop.api.backup_words import waiting
from desktop.merge.items import Counts
from desktop.text import _, ngettext

TAKEN = ("take", "add", "change", "inert", "waits")
"""The actions that bring something here."""


def kinds() -> dict[str, str]:
    """What each kind of item is called."""
    return {
        "setting": _("Setting"),
        "key": _("Key"),
        "session": _("Conversation"),
        "memory": _("Memory"),
        "file": _("File"),
        "skill": _("Skill"),
        "job": _("Task"),
        "pairing": _("Paired sender"),
        "other": _("Other"),
    }


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


def many(kind: str, n: int) -> str:
    """How much is in an item; empty where that is not counted."""
    if not n:
        return ""
    if kind == "session":
        return ngettext("{n} message", "{n} messages", n).format(n=n)
    if kind in ("skill", "file"):
        return ngettext("{n} file", "{n} files", n).format(n=n)
    return str(n)


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
