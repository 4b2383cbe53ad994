"""One tool call as a conversation shows it: its state, and its words for eyes and for ears."""

import enum
import json
from dataclasses import dataclass, field
from typing import Any

from desktop.text import _, mark
from desktop.ui.conversation.question import Question
from desktop.ui.widgets.plain import shown

type Names = tuple[str, str, str]


class Outcome(enum.Enum):
    """How far a call is. The first five are words of the log and of events."""

    OK = "ok"
    FAILED = "failed"
    DENIED = "denied"
    PARKED = "parked"
    STOPPED = "stopped"
    RUNNING = "running"
    INTERRUPTED = "interrupted"
    """The program ended before the result came."""


@dataclass(slots=True)
class Step:
    """A call and what came of it."""

    call: str
    tool: str
    gist: str = ""
    outcome: Outcome = Outcome.RUNNING
    seconds: float = 0.0
    decision: str = ""
    """A sentence on why it was allowed or not."""
    arguments: str = ""
    """JSON, as the model wrote it."""
    result: str = ""
    outside: bool = False
    """Whether the result came from outside."""
    pictures: list[str] = field(default_factory=list)
    read: bool = False
    """Whether arguments and result are those of the log; else they are still to be read there."""
    question: Question | None = None
    """What the person is asked about it, while that is open."""


TOOLS: dict[str, Names] = {
    "read_file": (mark("Reading"), mark("Read"), mark("Read")),
    "write_file": (mark("Writing"), mark("Wrote"), mark("Write")),
    "edit_file": (mark("Editing"), mark("Edited"), mark("Edit")),
    "add_line": (mark("Appending to"), mark("Appended to"), mark("Append to")),
    "search_files": (mark("Searching files for"), mark("Searched files for"), mark("Search files for")),
    "list_dir": (mark("Listing"), mark("Listed"), mark("List")),
    "grep": (mark("Searching files for"), mark("Searched files for"), mark("Search files for")),
    "find_files": (mark("Finding files"), mark("Found files"), mark("Find files")),
    "exec": (mark("Running"), mark("Ran"), mark("Run")),
    "web_search": (mark("Searching the web"), mark("Searched the web"), mark("Search the web")),
    "web_fetch": (mark("Opening page"), mark("Opened page"), mark("Open page")),
    "spawn": (mark("Starting a subagent:"), mark("Started a subagent:"), mark("Start a subagent:")),
    "message": (mark("Sending a message"), mark("Sent a message"), mark("Send a message")),
    "cron": (mark("Scheduling"), mark("Scheduled"), mark("Schedule")),
    "memory_search": (
        mark("Searching memory for"),
        mark("Searched memory for"),
        mark("Search memory for"),
    ),
}
"""What a tool does: while it does, when it did, and where it did not."""

_SERVERS = "mcp_"
_OF_SERVER = (mark("Using"), mark("Used"), mark("Use"))
"""Of a tool of an MCP server, whose name is in what the call is about."""

STATES = {
    Outcome.OK: mark("done"),
    Outcome.FAILED: mark("failed"),
    Outcome.DENIED: mark("denied"),
    Outcome.STOPPED: mark("stopped"),
    Outcome.RUNNING: mark("running"),
    Outcome.INTERRUPTED: mark("interrupted"),
}
ORIGINS = {"terminal": mark("the terminal"), "window": mark("the window")}
"""Where a turn can come from."""
_KNOWN = {outcome.value: outcome for outcome in Outcome}
_DID = (Outcome.OK, Outcome.FAILED)


def ended(word: str) -> Outcome:
    """The outcome that a log or an event calls so."""
    return _KNOWN.get(word, Outcome.FAILED)


def did(tool: str, outcome: Outcome) -> str:
    """What the tool does, did or was to do, in plain words; the name of one that has none."""
    if tool not in TOOLS and not tool.startswith(_SERVERS):
        return tool
    doing, done, wanted = TOOLS.get(tool, _OF_SERVER)
    return _(doing if outcome is Outcome.RUNNING else done if outcome in _DID else wanted)


def verb(step: Step) -> str:
    """The first words of a step's line."""
    wanted = step.question is not None and step.outcome is Outcome.RUNNING
    return did(step.tool, Outcome.PARKED if wanted else step.outcome)


def state(step: Step) -> str:
    """How far it is, in words."""
    if step.question is not None:
        return _("not answered yet") if step.question.parked else _("waiting for your answer")
    if step.outcome is Outcome.PARKED:
        return _("postponed")
    return _(STATES[step.outcome])


def about(step: Step) -> str:
    """What the call is about, in one line that deceives nobody."""
    return " ".join(shown(step.gist).split())


def sentence(step: Step) -> str:
    """The whole step for who listens: "Ran wc -l notes.txt, done"."""
    words = " ".join(part for part in (verb(step), about(step)) if part)
    return _("{what}, {state}").format(what=words, state=state(step))


def lasted(seconds: float) -> str:
    """A duration worth telling; empty under a second."""
    if seconds < 1:
        return ""
    if seconds < 10:
        return _("{seconds} s").format(seconds=f"{seconds:.1f}")
    if seconds < 100:
        return _("{seconds} s").format(seconds=round(seconds))
    return _("{minutes} min {seconds} s").format(minutes=int(seconds) // 60, seconds=int(seconds) % 60)


def rough_gist(arguments: str) -> str:
    """What a call is about where nobody wrote it down: its command, file, address or words."""
    try:
        found: Any = json.loads(arguments or "{}")
    except ValueError:
        return ""
    names = ("command", "path", "url", "query", "pattern")
    given = found if isinstance(found, dict) else {}
    return next((str(given[name])[:200] for name in names if given.get(name)), "")


def given(step: Step) -> list[tuple[str, str]]:
    """What a call was given, as titles and texts: what is long as it is, the rest as JSON."""
    try:
        found: Any = json.loads(step.arguments or "{}")
    except ValueError:
        return [("", step.arguments)]
    if not isinstance(found, dict):
        return [("", step.arguments)]
    parts = [(_(title), found.pop(name)) for name, title in _LONG.items() if _is_text(found.get(name))]
    if found and (not parts or list(found.values()) != [step.gist]):
        parts.append(("", json.dumps(found, indent=2, ensure_ascii=False)))
    return parts


_LONG = {
    "command": mark("Command"),
    "old_text": mark("Old text"),
    "new_text": mark("New text"),
    "content": mark("Text"),
}
"""Arguments that are read as they are, not as JSON."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)
