"""What a person reads of backups and restores, in the window and at a terminal alike."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from desktop.text import _, ngettext

if TYPE_CHECKING:
    from desktop.api.backups import Backup, Item


def kinds() -> dict[str, str]:
    """What each kind of thing in a backup or an old home is called."""
    return {
        "setting": _("Setting"),
        "key": _("Key"),
        "session": _("Conversation"),
        "memory": _("Memory"),
        "file": _("File"),
        "skill": _("Skill"),
        "job": _("Task"),
        "pairing": _("Paired sender"),
        "ledger": _("Usage"),
        "other": _("Other"),
    }


def actions() -> dict[str, str]:
    """What became of it."""
    return {
        "add": _("added"),
        "keep": _("kept as it is here"),
        "beside": _("kept; the backup’s version is beside it"),
        "own": _("a separate conversation"),
        "same": _("already here"),
        "left": _("skipped"),
        "waits": _("off until you approve it"),
    }


def whys() -> dict[str, str]:
    """Why a backup was made."""
    return {
        "hand": _("manual"),
        "import": _("before an import"),
        "restore": _("before a restore"),
        "migration": _("before an update"),
        "mend": _("before a repair"),
    }


def many(kind: str, n: int) -> str:
    """How much is in an item; empty where that is not counted."""
    match kind:
        case _ if not n:
            return ""
        case "session":
            return ngettext("{n} message", "{n} messages", n).format(n=n)
        case "skill" | "file":
            return ngettext("{n} file", "{n} files", n).format(n=n)
        case "ledger":
            return ngettext("{n} entry", "{n} entries", n).format(n=n)
    return str(n)


def line(item: "Item", actions: Mapping[str, str]) -> str:
    """An item at a terminal."""
    name, count = " ".join(item.name.split()), many(item.kind, item.count)
    end = f": {item.note}" if item.note else ""
    return f"{kinds()[item.kind]}  {name}{f' ({count})' if count else ''}  {actions[item.action]}{end}"


def summary(counts: Mapping[str, int]) -> str:
    """The sums of a restore."""
    return _("Added: {added}. Kept: {kept}. Already here: {same}. Skipped: {left}.").format(
        added=counts.get("add", 0) + counts.get("own", 0),
        kept=counts.get("keep", 0) + counts.get("beside", 0),
        same=counts.get("same", 0),
        left=counts.get("left", 0),
    ) + waiting(counts)


def waiting(counts: Mapping[str, int]) -> str:
    """How much of what came is off until the person says yes to it; empty where nothing is."""
    if not (n := counts.get("waits", 0)):
        return ""
    text = ngettext("{n} item needs your approval.", "{n} items need your approval.", n)
    return " " + text.format(n=n)


def size(n: int) -> str:
    """Bytes in a unit that a person compares."""
    if not n:
        return _("empty")
    if n < 100_000:
        return _("{size} KB").format(size=f"{n / 1000:.1f}")
    return _("{size} MB").format(size=f"{n / 10**6:.1f}" if n < 10**9 else f"{n / 10**6:,.0f}")


def about(backup: "Backup") -> str:
    """When a backup was made, why, and how large it is."""
    try:
        moment = datetime.fromisoformat(backup.made).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        moment = backup.made
    n = backup.files
    files = ngettext("{n} file", "{n} files", n).format(n=n)
    return " · ".join((moment, whys().get(backup.why, backup.why), files, size(backup.size)))
