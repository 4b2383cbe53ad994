"""Finding a setting by its words: over all pages, built or not."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from desktop.config.describe import Setting
from desktop.text import _, mark
from desktop.ui.settings.pages import PAGES, Group

_MOST = 60
_PARTS = {
    "providers": (mark("Provider"), mark("Key"), mark("Server address"), mark("Model")),
    "builtin": (mark("Built-in models"),),
    "standing": (mark("Always allowed"), mark("Folders outside the workspace"), mark("Sandbox")),
    "activity": (mark("Agent activity"),),
    "search_key": (mark("Search engine key"),),
    "speech_test": (mark("Test speech"),),
    "speech_models": (mark("Speech models"), mark("Dictate")),
    "tools": (mark("Agent tools"),),
    "tasks": (mark("Reminders and tasks"),),
    "memory": (mark("Knowledge"), mark("Memory versions")),
    "skills": (mark("Skills"),),
    "channels": (
        *(mark("Channels"), mark("Telegram"), mark("Slack"), mark("Discord"), mark("Matrix")),
        mark("Bot token"),
        *(mark("Email"), mark("Password")),
    ),
    "mcp": (mark("MCP servers"),),
    "usage": (mark("Tokens"), mark("Cost")),
    "import": (mark("I already use nanobot"),),
    "backups": (mark("Back up now"), mark("Restore from a file…"), mark("Export everything")),
    "places": (mark("Where data is stored"), mark("Show in folder")),
    "wipe": (mark("Delete everything"),),
    "recovery": (mark("Repair damage"),),
    "crash": (mark("Crash report"),),
    "diagnostics": (mark("Diagnostics"),),
    "purposes": (mark("Small model"), mark("Vision model"), mark("Fallback models")),
    "notified": (mark("Test notifications"),),
    "reachable": (mark("Test the shortcut and the tray"),),
    "about": (mark("Versions"),),
    "updates": (mark("Check for updates now"),),
    "licences": (mark("Licenses"),),
}
"""What is found on the pieces of pages that are made by hand."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One place: the numbers of its page and group, and the setting's name where it is one."""

    title: str
    page: int
    group: int
    name: str = ""

    @property
    def where(self) -> str:
        """The page and the group."""
        page = PAGES[self.page]
        group = page.groups[self.group].title
        return " › ".join(part for part in (_(page.title), _(group) if group else "") if part)


def find(wanted: str) -> list[Hit]:
    """Where all words of a text are found, the titles that have them first; 60 at most."""
    words = wanted.casefold().split()
    if not words:
        return []
    ranked = [(rank, hit) for rank, hit in _ranked(words) if rank < _NOWHERE]
    ranked.sort(key=lambda pair: pair[0])
    return [hit for _rank, hit in ranked[:_MOST]]


_NOWHERE = 4


@cache
def entries() -> tuple[tuple[int, int, Group, tuple[Setting, ...]], ...]:
    """Each group with the numbers of its page and of itself, and its settings. Takes a while the first
    time: call it in a thread then."""
    return tuple(
        (number, place, group, tuple(group.settings()))
        for number, page in enumerate(PAGES)
        for place, group in enumerate(page.groups)
    )


def _ranked(words: list[str]) -> Iterator[tuple[int, Hit]]:
    for number, place, group, settings in entries():
        above = f"{_(PAGES[number].title)} {_(group.title) if group.title else ''}"
        for setting in settings:
            more = " ".join(map(_, (setting.help, *filter(None, setting.choices.values()))))
            title = _(setting.title)
            yield (
                _rank(words, title, more, f"{above} {setting.name}"),
                Hit(title, number, place, setting.name),
            )
        for title in _titles(group):
            yield _rank(words, _(title), "", above), Hit(_(title), number, place)


def _titles(group: Group) -> tuple[str, ...]:
    return _PARTS.get(group.part, ())


def _rank(words: list[str], title: str, more: str, above: str) -> int:
    """0 for a title that begins so, 1 for one that has all words, 2 for the help, 3 for page or name."""
    title, more, above = title.casefold(), more.casefold(), above.casefold()
    if title.startswith(words[0]) and all(word in title for word in words):
        return 0
    for rank, text in enumerate((title, f"{title} {more}", f"{title} {more} {above}"), start=1):
        if all(word in text for word in words):
            return rank
    return _NOWHERE
