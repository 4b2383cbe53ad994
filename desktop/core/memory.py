"""The verbs of the memory: what it holds, its versions, its search, and Dream."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from desktop.bus.events import MemoryChanged
from desktop.core.recall import span
from desktop.core.verbs import Json, Send, Verb
from desktop.memory.entries import Entry
from desktop.memory.files import NOTES
from desktop.memory.notes import Note, Source, each_fact, facts, normal
from desktop.memory.staging import Staged
from desktop.memory.versions import DREAM, PERSON, Difference, unified
from desktop.session.model import utc
from desktop.tasks import in_thread, see_through
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

NOW = "now"
"""What the files hold at this moment, where a version's id is asked for."""
_LONGEST = 200_000
"""Characters of a note that are shown."""
_MOST_FACTS = 2_000
_MOST = 1_000
_CONVERSATIONS = 50
"""How many conversations are looked at for what is not summed up yet: the newest."""


class MemoryVerbs:
    """Acts on the memory of the workspace."""

    def __init__(self, core: "Core") -> None:
        self._core = core
        self._in_order = asyncio.Lock()
        """Changes do not overtake one another."""

    def verbs(self) -> dict[str, Verb]:
        """All of them, by name."""
        changing = (self.memory_save, self.memory_forget, self.memory_restore, self.memory_undo)
        reading = (self.memory, self.memory_log, self.memory_diff, self.memory_summaries)
        own = (*reading, *changing, self.memory_search, self.dream, self.staged, self.staged_answer)
        return {verb.__name__: verb for verb in own}

    async def memory(self, _arguments: Json, _send: Send) -> Json:
        """The notes with their facts, what waits for Dream and when that comes."""
        core = self._core
        titles = await self._titles()
        notes = await in_thread(lambda: [core.notes.read(name) for name in NOTES])
        sources = await in_thread(core.notes.sources)
        times, settings = core.dreaming.rhythm, core.store.config.agents.defaults.dream
        status = core.dreaming.status
        return {
            "files": await in_thread(lambda: [_note(note, sources, titles) for note in notes]),
            "waiting": len(await core.dream.waiting()),
            "cursor": await core.history.last(),
            "dream_cursor": await core.history.consumed(),
            "dream": {
                "state": status.state.value,
                "detail": status.detail,
                "last": _moment(times.last),
                "next": _moment(times.next),
                "enabled": settings.enabled,
                "hours": settings.interval_h,
            },
            "staged": len(await in_thread(core.staging.waiting)),
        }

    async def memory_save(self, arguments: Json, _send: Send) -> Json:
        """Write a note that was edited from the text `base`. Raises UsageError where it changed since."""
        name, text, base = (str(arguments[key]) for key in ("name", "text", "base"))
        return await self._change(lambda: self._core.notes.save(name, text, base))

    async def memory_forget(self, arguments: Json, _send: Send) -> Json:
        """Take a fact out of the notes for good. Raises UsageError where it is not there."""
        name, fact = str(arguments["name"]), str(arguments["fact"])
        return await self._change(lambda: self._core.notes.forget(name, fact), _("forgotten by hand"))

    async def memory_log(self, arguments: Json, _send: Send) -> Json:
        """The newest versions first."""
        found = await self._core.versions.log(min(int(arguments.get("limit") or 100), _MOST))
        return {
            "versions": [
                {
                    "id": version.id,
                    "at": version.at.isoformat(timespec="seconds"),
                    "cause": version.cause,
                    "message": version.message,
                    "files": list(version.files),
                }
                for version in found
            ]
        }

    async def memory_diff(self, arguments: Json, _send: Send) -> Json:
        """What differs from version `a` to `b`, where "now" is what the files hold; without `b`, what `a`
        changed; without either, what no version has yet. Raises UsageError."""
        a, b = str(arguments.get("a") or ""), str(arguments.get("b") or "")
        versions = self._core.versions
        if not a:
            newest = await versions.log(1)
            found = await versions.diff(newest[0].id) if newest else []
        elif b:
            found = await versions.diff(a, "" if b == NOW else b)
        else:
            found = await versions.made(a)
        return {"files": [_difference(one) for one in found]}

    async def memory_restore(self, arguments: Json, _send: Send) -> Json:
        """Bring all files, or one, back to what a version had. Raises UsageError."""
        id_, file = str(arguments["id"]), str(arguments.get("file") or "")
        return await self._brought(self._core.versions.restore(id_, file))

    async def memory_undo(self, _arguments: Json, _send: Send) -> Json:
        """Take back the last change. Raises UsageError where there is none."""
        return await self._brought(self._core.versions.undo())

    async def memory_summaries(self, arguments: Json, _send: Send) -> Json:
        """The newest summaries with all words of `query`, before the cursor `before`."""
        limit, before = min(int(arguments.get("limit") or 50), _MOST), arguments.get("before")
        wanted = (lambda e: e.cursor < before) if isinstance(before, int) else lambda _entry: True
        found = await self._core.recall.summaries(str(arguments.get("query") or ""), limit, wanted)
        titles = await self._titles()
        return {"entries": [_entry(entry, titles) for entry in found]}

    async def memory_search(self, arguments: Json, _send: Send) -> Json:
        """The newest summaries and messages with all words of `query`, from `since` to `until` (dates).
        Raises UsageError."""
        within = span(str(arguments.get("since") or ""), str(arguments.get("until") or ""))
        limit = min(int(arguments.get("limit") or 20), _MOST)
        hits = await self._core.recall.search(str(arguments["query"]), within, limit)
        titles = await self._titles()
        return {"hits": [{**hit, "title": hit["title"] or titles.get(hit["session"], "")} for hit in hits]}

    async def dream(self, _arguments: Json, send: Send) -> Json:
        """Sum up what is not yet, then have Dream go over it. Tells its phases. Raises AppError."""

        def phase(name: str) -> None:
            send({"event": "dream", "phase": name})

        core = self._core
        phase("summing")
        await self._cover()
        outcome = await core.dreaming.now(phase)
        return {
            "changed": outcome.changed,
            "commit": outcome.commit,
            "skipped": outcome.skipped,
            "staged": outcome.staged,
            "told": outcome.told,
        }

    async def _cover(self) -> None:
        """Have the newest conversations summed up to their ends, but for those that are being answered."""
        core = self._core
        ready = None
        for info in (await core.sessions.list())[:_CONVERSATIONS]:
            session = await core.sessions.open(info.key)
            if core.loop.turns(info.key) or await session.count() <= session.covered:
                continue
            if ready is None:
                ready = await core.models.ready("", "", "dream", "")
            await core.memory.cover(session, ready)

    async def staged(self, _arguments: Json, _send: Send) -> Json:
        """The changes that wait for the person's word, each as a difference to what is there now."""
        waiting = await in_thread(self._core.staging.waiting)
        titles = await self._titles()
        return {"staged": await in_thread(lambda: [self._staged(one, titles) for one in waiting])}

    def _staged(self, one: Staged, titles: dict[str, str]) -> Json:
        now = self._core.notes.at(one.change.file).text
        return {
            "id": one.id,
            "file": one.change.file,
            "diff": unified(one.change.file, now, one.change.applied(now)),
            "why": one.why,
            "session": one.session,
            "title": titles.get(one.session, ""),
            "at": one.at,
        }

    async def staged_answer(self, arguments: Json, _send: Send) -> Json:
        """Accept such a change, or drop it. Raises UsageError where it was answered already."""
        id_, yes = str(arguments["id"]), bool(arguments["yes"])
        core = self._core

        def answer() -> None:
            one = core.staging.find(id_)
            if yes:
                self._accept(one)
            core.staging.answer(id_, yes=yes)

        await self._change(answer, _("accepted by hand"), DREAM)
        return {}

    def _accept(self, one: Staged) -> None:
        notes = self._core.notes
        name = next((name for name, path in NOTES.items() if path == one.change.file), "")
        if name:
            said = facts("\n".join(one.change.add))
            source = Source(one.cursor, one.session, one.at)
            notes.credit((name, fact.text, source) for fact in said)
        notes.change(one.change.file, one.change.applied)
        if name:
            notes.welcome(name, "\n".join(one.change.add))

    async def _change(self, work: Callable[[], None], message: str = "", cause: str = PERSON) -> Json:
        """Change files, with a version before, where something was changed by hand, and one after."""

        async def whole() -> str:
            await self._core.versions.commit(PERSON)
            await in_thread(work)
            return await self._core.versions.commit(cause, message)

        async with self._in_order:
            commit = await see_through(whole(), name="memory:change")
        self._core.bus.publish(MemoryChanged())
        return {"commit": commit}

    async def _brought(self, work: Awaitable[str]) -> Json:
        async with self._in_order:
            commit = await work
            await in_thread(self._core.notes.welcome_all)
        self._core.bus.publish(MemoryChanged())
        return {"commit": commit}

    async def _titles(self) -> dict[str, str]:
        return {info.key: info.title for info in await self._core.sessions.list()}


def _note(note: Note, sources: Mapping[tuple[str, str], Source], titles: dict[str, str]) -> Json:
    shown = []
    for fact in islice(each_fact(note.text), _MOST_FACTS):
        source = sources.get((note.name, normal(fact.text)), Source(0, "", ""))
        shown.append(
            {
                "text": fact.text,
                "when": utc(source.timestamp) or "",
                "session": source.session,
                "title": titles.get(source.session, ""),
                "cursor": source.cursor,
            }
        )
    return {
        "name": note.name,
        "path": str(note.path),
        "text": note.text[:_LONGEST],
        "facts": shown,
        "editable": note.editable and len(note.text) <= _LONGEST,
        "problem": note.problem,
        "remedy": note.remedy,
    }


def _entry(entry: Entry, titles: dict[str, str]) -> Json:
    return {
        "cursor": entry.cursor,
        "timestamp": entry.timestamp,
        "content": entry.content,
        "session": entry.session,
        "title": titles.get(entry.session, ""),
        "raw": entry.content.startswith("[RAW]"),
    }


def _difference(one: Difference) -> Json:
    return {"name": one.name, "before": one.before, "after": one.after, "diff": one.diff}


def _moment(at: float | None) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at is not None else ""
