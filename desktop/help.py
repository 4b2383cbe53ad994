"""The pages of the help, as they lie in resources/help: for the window and the terminal, without Qt.

One Markdown file a topic and language. The first line is the title; links lead to files beside it.
"""

import difflib
from dataclasses import dataclass

from desktop.errors import AppError, UsageError
from desktop.paths import resource
from desktop.text import _

TOPICS = (
    "start",
    "conversations",
    "files",
    "permissions",
    "models",
    "memory",
    "tasks",
    "skills-and-mcp",
    "channels",
    "whatsapp",
    "privacy",
    "command-line",
    "shortcuts",
)
"""In the order in which they are listed; each is the name of a file, without its ending."""


@dataclass(frozen=True, slots=True)
class HelpPage:
    """One page: its topic, its title, and the whole text with the title."""

    topic: str
    title: str
    text: str

    def line_with(self, words: list[str]) -> str | None:
        """The first line with one of the words, given in small letters; None where one is missing."""
        text = self.text.casefold()
        if not all(word in text for word in words):
            return None
        lines = (line.strip("#-| ") for line in self.text.splitlines())
        return next((line for line in lines if any(word in line.casefold() for word in words)), "")


def pages(language: str) -> tuple[HelpPage, ...]:
    """All pages in a language of text.LANGUAGES. Raises AppError where one can't be read. Blocks."""
    return tuple(_read(topic, language) for topic in TOPICS)


def page(topic: str, language: str) -> HelpPage:
    """The page of a topic, by its name or title. Raises UsageError where there is none. Blocks."""
    wanted, every = topic.strip().casefold().removesuffix(".md"), pages(language)
    for one in every:
        if wanted in (one.topic, one.title.casefold()):
            return one
    near = difflib.get_close_matches(wanted, TOPICS, n=1, cutoff=0.0)[0]
    raise UsageError(
        _("There is no help topic {topic}. Did you mean {near}?").format(topic=topic, near=near),
        _("List all topics with nanobot-desktop help"),
    )


def topic_of(address: str) -> str:
    """The topic to which a link of a page leads; "" where it leads elsewhere."""
    name = address.removesuffix(".md")
    return name if name != address and name in TOPICS else ""


def _read(topic: str, language: str) -> HelpPage:
    path = resource("help", language, f"{topic}.md")
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise AppError(
            _("The help page {path} can’t be read.").format(path=path),
            _("Install Nanobot Desktop again."),
        ) from error
    title, _line, _rest = text.partition("\n")
    return HelpPage(topic, title.lstrip("# "), text)
