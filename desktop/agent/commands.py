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
    Command("help", "", mark("What can be typed here.")),
    Command("new", "", mark("Begin anew: what was said stays to be read, the agent no longer sees it.")),
    Command("compact", "", mark("Sum up what was said longer ago, so that it takes less room.")),
    Command("stop", "", mark("Stop the answer and all subagents of this conversation.")),
    Command("status", "", mark("Which model answers, what is under way, which parts run.")),
    Command("model", mark("[name]"), mark("Show or choose the model of this conversation.")),
    Command("reasoning", mark("[level]"), mark("Show or choose how much the model here thinks.")),
    Command("skill", mark("[name]"), mark("List the skills, or show one.")),
    Command("history", mark("[number]"), mark("The last messages of this conversation.")),
    Command("dream", "", mark("Go over what was said and keep what lasts, now.")),
    Command("dream-log", mark("[version]"), mark("The versions of the memory, or what one changed.")),
    Command(
        "dream-restore", mark("[version]"), mark("Take the memory back to a version, or one change back.")
    ),
    Command("export", "", mark("Write this conversation into a file of the workspace.")),
)


def parse(text: str) -> Typed | None:
    """The command of a message; None where it is text like any other: /etc/hosts is a path."""
    found = _TYPED.fullmatch(text.strip())
    return Typed(found[1].lower(), (found[2] or "").strip()) if found else None


def unknown(word: str) -> str:
    """What to say of a word that is no command."""
    words = [command.word for command in COMMANDS]
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.0)
    return _("There is no command /{word}. Did you mean /{near}? All of them: /help").format(
        word=word, near=near[0]
    )
