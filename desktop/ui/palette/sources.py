"""Where the palette finds things: what the window knows already, and what the core has to look up."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from desktop.errors import AppError
from desktop.tasks import in_thread
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.palette.item import (
    COMMANDS,
    CONVERSATIONS,
    MEMORY,
    MESSAGES,
    SETTINGS,
    SKILLS,
    TASKS,
    Item,
    fitting,
)
from desktop.ui.sidebar.rows import Rows

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine
    from desktop.api.memory import Fact, NoteFile
    from desktop.api.turns import CommandLine, NamedSkill
    from desktop.ui.settings.search import Hit

type Json = dict[str, Any]

_RECENT, _OF_EACH, _HITS = 6, 6, 12


class Place(Protocol):
    """Where a choice leads."""

    def show_conversation(self, key: str, turn: str) -> object:
        """Open it, at a turn of it or at its end."""

    def show_settings(self, page: str) -> object:
        """Open the settings on a page."""

    def show_setting(self, hit: "Hit") -> object:
        """Open the settings at one of them."""

    def write(self, text: str) -> object:
        """Put a text into the message field."""

    def say(self, text: str) -> object:
        """Say it in the open conversation."""


class Sources:
    """Finds items."""

    def __init__(
        self, actions: Actions, rows: Rows, place: Place, commands: Callable[[], Iterable[Item]]
    ) -> None:
        """`commands`: what can be done at this moment."""
        self._actions, self._rows, self._place, self._commands = actions, rows, place, commands
        self._ready = False
        """Whether the settings can be searched without taking a while."""
        self._known: list[Item] = []

    async def begin(self) -> None:
        """The palette comes: read anew what is short enough to be held."""
        await in_thread(_load)
        self._ready = True
        found: list[Item] = []
        with suppress(AppError):
            named = await self._actions.api.turns.completions()
            found += [self._command(line) for line in named.commands]
            found += [self._skill(line) for line in named.skills]
        with suppress(AppError):
            found += [self._task(job) for job in (await self._actions.api.jobs.all()).jobs]
        with suppress(AppError):
            notes = (await self._actions.api.memory.known()).files
            found += [self._fact(fact, note) for note in notes for fact in note.facts]
        self._known = found

    def at_once(self, words: str) -> list[Item]:
        """What is known without asking anybody."""
        if not words:
            return [*self._conversations("", _RECENT), *self._commands()]
        own = fitting(self._commands(), words, _OF_EACH)
        settings = self._pages(words) if self._ready else []
        known = fitting(self._known, words, _OF_EACH)
        return [*self._conversations(words, _OF_EACH), *own, *settings, *known]

    async def later(self, words: str) -> list[Item]:
        """What was said and what is remembered, with these words."""
        if not words:
            return []
        work = (self._looked_up(self._summaries(words)), self._looked_up(self._messages(words)))
        return [item for part in await asyncio.gather(*work) for item in part]

    async def _looked_up(self, work: Awaitable[list[Item]]) -> list[Item]:
        try:
            return await work
        except AppError:  # the other sources have theirs all the same
            return []

    def _conversations(self, words: str, most: int) -> list[Item]:
        """The last ones; with words, those that fit best."""
        lines = (
            Item(
                CONVERSATIONS,
                one.shown,
                self._opening(one.key),
                _day(one.updated.astimezone()),
                "message-square",
            )
            for one in self._rows.conversations
            if words or not one.archived
        )
        return fitting(lines, words, most) if words else list(islice(lines, most))

    def _opening(self, key: str, turn: str = "") -> Callable[[], object]:
        return lambda: self._place.show_conversation(key, turn)

    def _pages(self, words: str) -> list[Item]:
        from desktop.ui.settings.pages import PAGES
        from desktop.ui.settings.search import find

        pages = [Item(SETTINGS, _(page.title), self._turning(page.key), icon=page.icon) for page in PAGES]
        found = fitting(pages, words, _OF_EACH)
        for hit in find(words)[:_OF_EACH]:
            act = partial(self._place.show_setting, hit)
            found.append(Item(SETTINGS, hit.title, act, hit.where, PAGES[hit.page].icon))
        return found[:_OF_EACH]

    def _turning(self, page: str) -> Callable[[], object]:
        return lambda: self._place.show_settings(page)

    def _task(self, job: "JobLine") -> Item:
        act = self._turning("tasks")
        more = job.message.casefold()
        return Item(TASKS, job.name, act, job.sentence, "calendar-clock", more=more)

    def _command(self, line: "CommandLine") -> Item:
        name = line.name
        takes = line.usage != name
        do = partial(self._place.write, f"{name} ") if takes else partial(self._place.say, name)
        return Item(COMMANDS, name, do, line.about, "message-square")

    def _skill(self, skill: "NamedSkill") -> Item:
        name = f"${skill.name}"
        do = partial(self._place.write, f"{name} ")
        return Item(SKILLS, name, do, skill.description, "graduation-cap")

    def _fact(self, fact: "Fact", note: "NoteFile") -> Item:
        return Item(MEMORY, fact.text, self._turning("memory"), note.name, "brain")

    async def _messages(self, words: str) -> list[Item]:
        found = await self._actions.api.search.messages(words, limit=_HITS)
        return [
            Item(
                MESSAGES,
                hit.snippet,
                self._opening(hit.session, hit.turn),
                hit.title or _("New conversation"),
                "search",
            )
            for hit in found.hits
        ]

    async def _summaries(self, words: str) -> list[Item]:
        found = await self._actions.api.memory.summaries(words, _OF_EACH)
        return [
            Item(
                MEMORY,
                _around(" ".join(entry.content.split()), words),
                self._opening(entry.session) if entry.session else self._turning("memory"),
                entry.title,
                "brain",
            )
            for entry in found
        ]


def _load() -> None:
    """What the settings are, in a thread: it takes a while."""
    from desktop.ui.settings.search import entries

    entries()


def _around(text: str, words: str) -> str:
    """The part of a long text where the first of the words stands."""
    at = text.casefold().find(words.casefold().split()[0])
    start = max(0, at - 30)
    return f"…{text[start : start + 200]}" if start else text[:200]


def _day(moment: datetime) -> str:
    today = datetime.now().astimezone().date()
    return f"{moment:%H:%M}" if moment.date() == today else f"{moment:%Y-%m-%d}"
