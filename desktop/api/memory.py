"""The memory: what it holds, its versions, its search, and Dream."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from desktop.api.streams import following
from desktop.bus.events import MemoryChanged
from desktop.memory.entries import Entry
from desktop.memory.files import NOTES
from desktop.memory.notes import Note, Source, each_fact, facts, normal
from desktop.memory.staging import Staged
from desktop.memory.versions import DREAM, PERSON, Difference, unified
from desktop.session.model import utc
from desktop.tasks import in_thread, see_through
from desktop.text import _

if TYPE_CHECKING:
    from desktop.bus.bus import Bus
    from desktop.config.agents import Dream as DreamSettings
    from desktop.memory.dream import Dream
    from desktop.memory.dream_service import DreamService
    from desktop.memory.history import History
    from desktop.memory.notes import Notes
    from desktop.memory.search import MemorySearch
    from desktop.memory.staging import Staging
    from desktop.memory.versions import Versions
    from desktop.session.sessions import Sessions

NOW = "now"
"""What the files hold at this moment, where a version's id is asked for."""
_LONGEST = 200_000
"""Characters of a note that are shown."""
_MOST_FACTS = 2_000
_MOST = 1_000
__all__ = ["Difference", "Memory"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of a note, with when and from which conversation it came; "" for unknown."""

    text: str
    when: str
    session: str
    title: str
    cursor: int


@dataclass(frozen=True, slots=True)
class NoteFile:
    """One note with its facts."""

    name: str
    path: str
    text: str
    facts: tuple[Fact, ...]
    editable: bool
    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class DreamState:
    """When Dream was and comes, ISO, "" for never; `hours` from one to the next."""

    state: str = ""
    detail: str = ""
    last: str = ""
    next: str = ""
    enabled: bool = True
    hours: int | float = 0


@dataclass(frozen=True, slots=True)
class Known:
    """The notes, how many summaries wait for Dream and how many changes for the person."""

    files: tuple[NoteFile, ...] = ()
    waiting: int = 0
    cursor: int = 0
    """Of the newest summary, and of the last one that Dream went over."""
    dream_cursor: int = 0
    dream: DreamState = DreamState()  # it is frozen
    staged: int = 0


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One version; `at` is ISO, `cause` one of dream, person, agent, restore."""

    id: str
    at: str
    cause: str
    message: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """One entry of the history; `raw`: no model could sum it up."""

    cursor: int
    timestamp: str
    content: str
    session: str
    title: str
    raw: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A summary (with `cursor`) or a message (with `role`) that was found."""

    kind: str
    session: str
    title: str
    at: str
    text: str
    outside: bool
    """Whether words from outside are in it."""
    cursor: int | None = None
    role: str | None = None


@dataclass(frozen=True, slots=True)
class Dreamed:
    """What a Dream came to: the files that it changed as a version, the changes that wait; `told` is a
    sentence where something went wrong."""

    changed: tuple[str, ...]
    commit: str
    skipped: bool
    """There was nothing new."""
    staged: int
    told: str


@dataclass(frozen=True, slots=True)
class DreamPhase:
    """What Dream is at: summing, reading, editing or keeping."""

    phase: str


@dataclass(frozen=True, slots=True)
class StagedChange:
    """A change that waits for the person's word, as a difference to what is there now."""

    id: str
    file: str
    diff: str
    why: str
    session: str
    title: str
    at: str


@dataclass(frozen=True, slots=True)
class Parts:
    """What the memory is made of."""

    notes: "Notes"
    versions: "Versions"
    history: "History"
    staging: "Staging"
    dream: "Dream"
    dreaming: "DreamService"
    settings: "Callable[[], DreamSettings]"


class Memory:
    """Acts on the memory of the workspace."""

    def __init__(
        self,
        parts: Parts,
        search: "MemorySearch",
        sessions: "Sessions",
        cover: Callable[[], Awaitable[None]],
        bus: "Bus",
    ) -> None:
        """`cover` has the newest conversations summed up to their ends."""
        self._parts, self._search, self._sessions = parts, search, sessions
        self._cover, self._bus = cover, bus
        self._in_order = asyncio.Lock()
        """Changes do not overtake one another."""

    async def known(self) -> Known:
        """The notes with their facts, what waits for Dream and when that comes."""
        parts, titles = self._parts, await self._titles()
        notes = await in_thread(lambda: [parts.notes.read(name) for name in NOTES])
        sources = await in_thread(parts.notes.sources)
        times, settings, status = parts.dreaming.rhythm, parts.settings(), parts.dreaming.status
        return Known(
            files=await in_thread(lambda: tuple(_note(note, sources, titles) for note in notes)),
            waiting=len(await parts.dream.waiting()),
            cursor=await parts.history.last(),
            dream_cursor=await parts.history.consumed(),
            dream=DreamState(
                status.state.value,
                status.detail,
                _moment(times.last),
                _moment(times.next),
                settings.enabled,
                settings.interval_h,
            ),
            staged=len(await in_thread(parts.staging.waiting)),
        )

    async def save(self, name: str, text: str, base: str) -> str:
        """Write a note that was edited from the text `base`; the version that this made. Raises UsageError
        where it changed since."""
        return await self._change(lambda: self._parts.notes.save(name, text, base))

    async def forget(self, name: str, fact: str) -> str:
        """Take a fact out of a note for good; the version that this made. Raises UsageError where it is not
        there."""
        return await self._change(lambda: self._parts.notes.forget(name, fact), _("forgotten manually"))

    async def log(self, limit: int = 100) -> tuple[VersionLine, ...]:
        """The newest versions first."""
        found = await self._parts.versions.log(min(limit, _MOST))
        return tuple(
            VersionLine(one.id, one.at.isoformat(timespec="seconds"), one.cause, one.message, one.files)
            for one in found
        )

    async def diff(self, a: str = "", b: str = "") -> tuple[Difference, ...]:
        """What differs from version `a` to `b`, where "now" is what the files hold; without `b`, what `a`
        changed; without either, what no version has yet. Raises UsageError."""
        versions = self._parts.versions
        if not a:
            newest = await versions.log(1)
            found = await versions.diff(newest[0].id) if newest else []
        elif b:
            found = await versions.diff(a, "" if b == NOW else b)
        else:
            found = await versions.made(a)
        return tuple(found)

    async def restore(self, id: str, file: str = "") -> str:  # noqa: A002
        """Bring all files, or one, back to what a version had; the version that this made, "" where nothing
        changed. Raises UsageError."""
        return await self._brought(self._parts.versions.restore(id, file))

    async def undo(self) -> str:
        """Take back the last change; the version that this made. Raises UsageError where there is none."""
        return await self._brought(self._parts.versions.undo())

    async def summaries(
        self, query: str = "", limit: int = 50, before: int | None = None
    ) -> tuple[Summary, ...]:
        """The newest summaries with all words of `query`, before the cursor `before`."""
        wanted = (lambda entry: entry.cursor < before) if before is not None else lambda _entry: True
        found = await self._search.summaries(query, min(limit, _MOST), wanted)
        titles = await self._titles()
        return tuple(_entry(entry, titles) for entry in found)

    async def search(
        self, query: str, since: str = "", until: str = "", limit: int = 20
    ) -> tuple[Hit, ...]:
        """The newest summaries and messages with all words of `query`, from `since` to `until` (dates).
        Raises UsageError."""
        hits = await self._search.search(query, since, until, min(limit, _MOST))
        titles = await self._titles()
        return tuple(
            Hit(**{**hit, "title": hit["title"] or titles.get(hit["session"], "")}) for hit in hits
        )

    async def dream(self) -> AsyncIterator[DreamPhase | Dreamed]:
        """Sum up what is not yet, then have Dream go over it. Raises AppError."""
        async with aclosing(following(self._dream, name="memory:dream")) as events:
            async for event in events:
                yield event

    async def _dream(self, tell: Callable[[DreamPhase], None]) -> Dreamed:
        tell(DreamPhase("summing"))
        await self._cover()
        outcome = await self._parts.dreaming.now(lambda phase: tell(DreamPhase(phase)))
        return Dreamed(
            tuple(outcome.changed), outcome.commit, outcome.skipped, outcome.staged, outcome.told
        )

    async def staged(self) -> tuple[StagedChange, ...]:
        """The changes that wait for the person's word."""
        waiting = await in_thread(self._parts.staging.waiting)
        titles = await self._titles()
        return await in_thread(lambda: tuple(self._staged(one, titles) for one in waiting))

    def _staged(self, one: Staged, titles: Mapping[str, str]) -> StagedChange:
        now = self._parts.notes.at(one.change.file).text
        diff = unified(one.change.file, now, one.change.applied(now))
        title = titles.get(one.session, "")
        return StagedChange(one.id, one.change.file, diff, one.why, one.session, title, one.at)

    async def answer(self, id: str, *, yes: bool) -> None:  # noqa: A002
        """Accept such a change, or drop it. Raises UsageError where it was answered already."""
        staging = self._parts.staging

        def answer() -> None:
            one = staging.find(id)
            if yes:
                self._accept(one)
            staging.answer(id, yes=yes)

        await self._change(answer, _("accepted manually"), DREAM)

    def _accept(self, one: Staged) -> None:
        notes = self._parts.notes
        name = next((name for name, path in NOTES.items() if path == one.change.file), "")
        if name:
            said = facts("\n".join(one.change.add))
            source = Source(one.cursor, one.session, one.at)
            notes.credit((name, fact.text, source) for fact in said)
        notes.change(one.change.file, one.change.applied)
        if name:
            notes.welcome(name, "\n".join(one.change.add))

    async def _change(self, work: Callable[[], None], message: str = "", cause: str = PERSON) -> str:
        """Change files, with a version before, where something was changed by hand, and one after."""
        versions = self._parts.versions

        async def whole() -> str:
            await versions.commit(PERSON)
            await in_thread(work)
            return await versions.commit(cause, message)

        async with self._in_order:
            commit = await see_through(whole(), name="memory:change")
        self._bus.publish(MemoryChanged())
        return commit

    async def _brought(self, work: Awaitable[str]) -> str:
        async with self._in_order:
            commit = await work
            await in_thread(self._parts.notes.welcome_all)
        self._bus.publish(MemoryChanged())
        return commit

    async def _titles(self) -> dict[str, str]:
        return {info.key: info.title for info in await self._sessions.list()}


def _note(note: Note, sources: Mapping[tuple[str, str], Source], titles: Mapping[str, str]) -> NoteFile:
    shown = []
    for fact in islice(each_fact(note.text), _MOST_FACTS):
        source = sources.get((note.name, normal(fact.text)), Source(0, "", ""))
        title = titles.get(source.session, "")
        shown.append(Fact(fact.text, utc(source.timestamp) or "", source.session, title, source.cursor))
    return NoteFile(
        note.name,
        str(note.path),
        note.text[:_LONGEST],
        tuple(shown),
        note.editable and len(note.text) <= _LONGEST,
        note.problem,
        note.remedy,
    )


def _entry(entry: Entry, titles: Mapping[str, str]) -> Summary:
    return Summary(
        entry.cursor,
        entry.timestamp,
        entry.content,
        entry.session,
        titles.get(entry.session, ""),
        entry.content.startswith("[RAW]"),
    )


def _moment(at: float | None) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at is not None else ""
