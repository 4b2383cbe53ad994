"""What is typed for the program and not for a model: a slash and a word at the beginning of a message."""

import difflib
import re
from dataclasses import dataclass

from desktop.text import _, mark

_TYPED = re.compile(r"/([a-z-]+)(?:@[\w.-]+)?(?:\s+(.*))?\s*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its word without the slash, what may follow, what it does."""

    word: str
    takes: str
    about: str

    @property
    def usage(self) -> str:
        """As a person types it."""
        return f"/{self.word} {_(self.takes)}" if self.takes else f"/{self.word}"


@dataclass(frozen=True, slots=True)
class Typed:
    """A command as it came: the word in small letters, and what follows it."""

    word: str
    rest: str


COMMANDS = (
    Command("help", "", mark("Show the available commands.")),
    Command(
        "new",
        "",
        mark("Start a new session. Older messages stay readable, but the agent no longer sees them."),
    ),
    Command("compact", "", mark("Summarize older messages to free up context.")),
    Command("stop", "", mark("Stop the answer and all subagents in this conversation.")),
    Command("status", "", mark("Show the model, what is in progress, and the state of each part.")),
    Command("model", mark("[name]"), mark("Show or choose the model for this conversation.")),
    Command(
        "reasoning", mark("[level]"), mark("Show or choose the reasoning level for this conversation.")
    ),
    Command("skill", mark("[name]"), mark("List skills, or show one.")),
    Command("history", mark("[number]"), mark("Show the latest messages of this conversation.")),
    Command("dream", "", mark("Run Dream now: save what is worth remembering.")),
    Command("dream-log", mark("[version]"), mark("List the versions of memory, or show what one changed.")),
    Command(
        "dream-restore", mark("[version]"), mark("Restore memory to a version, or undo the last change.")
    ),
    Command("export", "", mark("Export this conversation to a file in the workspace.")),
)


def parse(text: str) -> Typed | None:
    """The command of a message; None where it is text like any other: /etc/hosts is a path."""
    found = _TYPED.fullmatch(text.strip())
    return Typed(found[1].lower(), (found[2] or "").strip()) if found else None


def unknown(word: str) -> str:
    """What to say of a word that is no command."""
    words = [command.word for command in COMMANDS]
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.0)
    return _("There is no command /{word}. Did you mean /{near}? List all commands with /help").format(
        word=word, near=near[0]
    )
