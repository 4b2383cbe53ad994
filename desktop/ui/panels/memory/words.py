"""The memory in words: what each note is for, when something was, and who changed it."""

from datetime import datetime
from typing import TYPE_CHECKING

from desktop.text import _, mark
from desktop.ui.conversation.cells.actions import clock
from desktop.ui.widgets.plain import shown

if TYPE_CHECKING:
    from desktop.api.memory import Fact

_NOTES = {
    "USER": (mark("About you"), mark("Who you are and how you like things done.")),
    "SOUL": (mark("The agent’s personality"), mark("Its character and tone.")),
    "MEMORY": (
        mark("What it remembers"),
        mark("Projects, decisions and open questions from your conversations."),
    ),
    "AGENTS": (mark("How it works"), mark("Your instructions. Only you change them.")),
}
_CAUSES = {
    "dream": mark("Dream"),
    "person": mark("You"),
    "agent": mark("The agent"),
    "restore": mark("Restored"),
}
_PHASES = {
    "summing": mark("Summarizing conversations…"),
    "reading": mark("Reading new summaries…"),
    "editing": mark("Saving what is worth remembering…"),
    "keeping": mark("Saving what is worth remembering…"),
}


def title(name: str) -> str:
    """What a note is called."""
    return _(_NOTES[name][0]) if name in _NOTES else shown(name)


def about(name: str) -> str:
    """What a note is for."""
    return _(_NOTES[name][1]) if name in _NOTES else ""


def file_title(path: str) -> str:
    """What a file of a version is called: a note by what it is, a skill by its path."""
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    return f"{title(name)} ({shown(path)})" if name in _NOTES else shown(path)


def who(cause: str) -> str:
    """Who made a version."""
    return _(_CAUSES[cause]) if cause in _CAUSES else shown(cause)


def phase(name: str) -> str:
    """What Dream is at."""
    return _(_PHASES[name]) if name in _PHASES else _("Dream is running…")


def when(value: object) -> str:
    """A moment, given as ISO text or in seconds; "" for none."""
    try:
        if isinstance(value, (int, float)) and value:
            return clock(datetime.fromtimestamp(value).astimezone())
        return clock(datetime.fromisoformat(value)) if isinstance(value, str) and value else ""
    except (ValueError, OverflowError, OSError):
        return ""


def now() -> str:
    """The time of day."""
    return clock(datetime.now().astimezone())


def origin(fact: "Fact") -> str:
    """When a fact came, and from which conversation, as far as that is known."""
    source = shown(fact.title or fact.session)
    parts = [when(fact.when), _("from “{title}”").format(title=source) if source else ""]
    return " · ".join(filter(None, parts))
