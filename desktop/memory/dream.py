"""Dream: what is new in the history becomes facts in the notes, and what no longer holds goes.

First one question to a model, answered in lines. Simple facts are added by the program itself, word for
word and with their source. What is to be taken out, and new skills, a model edits in a copy of the files;
what it made of the copy is looked at before anything is taken over: a line that Dream did not write itself
is never taken out. What conversations with text from outside would change is only staged.

Order is what makes a kill harmless: sources, then files, then the version, then Dream's cursor. What is
done again is there already, and is not added twice.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from desktop.errors import StorageError
from desktop.memory import edits, proposals
from desktop.memory.entries import Entry
from desktop.memory.files import DREAMS, NOTES
from desktop.memory.history import History
from desktop.memory.notes import Notes, Source, alike, each_fact, facts, normal
from desktop.memory.proposals import ADD, REMOVE, SKILL, Material, Proposal
from desktop.memory.staging import Change, Staging
from desktop.memory.versions import DREAM, PERSON, Versions
from desktop.providers.base import BadRequest, ContextTooLong
from desktop.providers.one_off import entered
from desktop.providers.ready import Ready
from desktop.tasks import in_thread, see_through
from desktop.text import _, ngettext
from desktop.usage import UsageLedger

BATCHES = 20
"""Batches of one Dream at the most."""
_TRIES = 2
"""How often a batch may fail before it is passed over."""
_log = logging.getLogger(__name__)


class Editor(Protocol):
    """A model with tools for files, let loose on a copy of the notes."""

    async def __call__(self, task: str, folder: Path, writable: frozenset[str]) -> None:
        """Have it edit the files in `folder`, of which only `writable` may be written. Raises
        ProviderError."""


@dataclass(slots=True)
class Outcome:
    """What a Dream came to."""

    changed: list[str] = field(default_factory=list)
    """Paths in the workspace."""
    commit: str = ""
    staged: int = 0
    handled: int = 0
    """Entries."""
    told: str = ""
    """A sentence for the person, where something went wrong."""

    @property
    def skipped(self) -> bool:
        """Whether there was nothing new."""
        return not self.handled


@dataclass(slots=True)
class _Work:
    """What becomes of the files."""

    changes: dict[str, Change] = field(default_factory=dict)
    """By path in the workspace."""
    sources: list[tuple[str, str, Source]] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    skills: list[str] = field(default_factory=list)

    def message(self) -> str:
        """What it is, for the list of versions."""
        n, gone = self.added, self.removed
        parts = [ngettext("{n} fact added", "{n} facts added", n).format(n=n)] if n else []
        if gone:
            parts.append(ngettext("{n} line removed", "{n} lines removed", gone).format(n=gone))
        parts += [_("skill {name} created").format(name=name) for name in self.skills]
        return ", ".join(parts)


class Dream:
    """Works through the history. One run at a time."""

    def __init__(
        self,
        history: History,
        notes: Notes,
        versions: Versions,
        staging: Staging,
        skills: Callable[[], Sequence[tuple[str, str]]],
        usage: UsageLedger,
        batch: Callable[[], int],
    ) -> None:
        """`skills` gives the names and descriptions of all; it blocks. `batch`: how many entries of the
        history are dealt with at once."""
        self._history, self._notes, self._versions = history, notes, versions
        self._staging, self._skills, self._usage = staging, skills, usage
        self._batch, self._one = batch, asyncio.Lock()

    async def waiting(self) -> list[Entry]:
        """The entries that no Dream has dealt with, the oldest first."""
        return await self._history.waiting()

    async def run(
        self, ready: Ready, editor: Editor, phase: Callable[[str], object] = lambda _phase: None
    ) -> Outcome:
        """Deal with all that is new. Raises ProviderError where the model cannot be reached, StorageError;
        what was done until then stays done."""
        async with self._one:
            outcome, work = Outcome(), _Work()
            for _batch in range(BATCHES):
                batch = (await self.waiting())[: self._batch()]
                if not batch:
                    break
                await self._versions.commit(PERSON)
                for outside in (False, True):
                    if group := [entry for entry in batch if entry.outside is outside]:
                        await self._group(group, ready, editor, outcome, work, phase)
                phase("keeping")
                await see_through(self._keep(batch[-1].cursor, outcome, work), name="dream:keep")
                outcome.handled += len(batch)
            await self._archive()
            return outcome

    async def _archive(self) -> None:
        """What is long dealt with leaves the history."""
        try:
            await see_through(self._history.archive(), name="dream:archive")
        except StorageError as error:
            _log.warning("the history was not archived: %s", error)

    async def _keep(self, cursor: int, outcome: Outcome, work: _Work) -> None:
        if commit := await self._versions.commit(DREAM, work.message()):
            outcome.commit = commit
            work.added = work.removed = 0
            work.skills.clear()
        await self._history.consume(cursor)

    async def _group(
        self,
        group: list[Entry],
        ready: Ready,
        editor: Editor,
        outcome: Outcome,
        work: _Work,
        phase: Callable[[str], object],
    ) -> None:
        """Entries that are all from outside, or all not."""
        outside = group[0].outside
        phase("reading")
        found = await self._proposals(group, ready)
        if found is None:
            outcome.told = ngettext(
                "The model gave no usable answer about {n} summary, so nothing was learned from it. You "
                "can still search it.",
                "The model gave no usable answer about {n} summaries, so nothing was learned from them. "
                "You can still search them.",
                len(group),
            ).format(n=len(group))
            return
        made = _Work()
        edited = [proposal for proposal in found if proposal.kind in (REMOVE, SKILL)]
        if edited and not ready.small_model:
            phase("editing")
            try:
                await self._edit(edited, group, editor, made)
            except (BadRequest, ContextTooLong) as error:
                _log.warning("a model refused to edit the notes: %s", error)
        await in_thread(self._add, found, group, made)
        if outside:
            outcome.staged += await see_through(in_thread(self._stage, group, made), name="dream:stage")
            return
        changed = await see_through(in_thread(self._apply, made), name="dream:apply")
        outcome.changed += [name for name in changed if name not in outcome.changed]
        work.added, work.removed = work.added + made.added, work.removed + made.removed
        work.skills += made.skills

    async def _proposals(self, group: list[Entry], ready: Ready) -> list[Proposal] | None:
        """What the model proposes; None where it gave no usable answer, twice."""
        request = await in_thread(lambda: proposals.request(self._material(group), ready))
        for _attempt in range(_TRIES):
            try:
                completion = await entered(
                    ready.provider, request, self._usage, cause="memory", session="dream"
                )
            except (BadRequest, ContextTooLong) as error:
                _log.warning("a model refused to read the history: %s", error)
                continue
            found, refused = proposals.parsed(completion)
            if refused:
                _log.warning("refused of a Dream: %d lines, first %.200s", len(refused), refused[0])
            if found is not None:
                return found
        return None

    async def _edit(self, found: list[Proposal], group: list[Entry], editor: Editor, made: _Work) -> None:
        """Have a model edit a copy, and take over what of it is in order."""
        names = await in_thread(self._skills)
        task = edits.task([p for p in found if p.kind == REMOVE], edits.wanted(found, names))
        if not task.text:
            return
        async with edits.copied(self._notes) as copy:
            await editor(task.text, copy.folder, task.writable)
            changes, refused = await in_thread(
                lambda: copy.changes(task.writable, self._notes.sources(), self._notes.forgotten())
            )
        for line in refused:
            _log.warning("refused of a Dream: %.300s", line)
        for change in changes:
            made.changes[change.file] = change
            made.removed += len([line for line in change.remove if line.strip()])
            if name := _note_of(change.file):
                for fact in facts("\n".join(change.add)):
                    made.sources.append((name, fact.text, _source(fact.text, 0, group)))
                    made.added += 1
            else:
                made.skills.append(change.file.split("/")[1])

    # ---- in a thread

    def _material(self, group: list[Entry]) -> Material:
        notes = {name: self._notes.read(name).text for name in DREAMS}
        found = self._notes
        return Material(
            notes, group, self._skills(), found.forgotten(), found.sources(), datetime.now().astimezone()
        )

    def _add(self, found: list[Proposal], group: list[Entry], made: _Work) -> None:
        """The simple facts that are new, and were not forgotten."""
        known = {normal(fact.text) for name in DREAMS for fact in each_fact(self._notes.read(name).text)}
        forgotten = self._notes.forgotten()
        for proposal in (one for one in found if one.kind == ADD):
            fact = proposal.text
            if normal(fact) in known:
                continue
            if any(alike(fact, gone) for gone in forgotten):
                _log.info("not brought back: %s", fact)
                continue
            known.add(normal(fact))
            file = NOTES[proposal.note]
            before = made.changes.get(file, Change(file))
            made.changes[file] = Change(file, before.remove, (*before.add, f"- {fact}"))
            made.sources.append((proposal.note, fact, _source(fact, proposal.cursor, group)))
            made.added += 1

    def _stage(self, group: list[Entry], made: _Work) -> int:
        count = 0
        for change in made.changes.values():
            sources = [source for _name, fact, source in made.sources if f"- {fact}" in change.add]
            source = sources[0] if sources else _source("\n".join(change.add), 0, group)
            why = next((entry.content for entry in group if entry.cursor == source.cursor), "")
            count += self._staging.add(change, why[:600], source.cursor, source.session)
        return count

    def _apply(self, made: _Work) -> list[str]:
        self._notes.credit(made.sources)
        changes = made.changes.values()
        return [change.file for change in changes if self._notes.change(change.file, change.applied)]


def _note_of(file: str) -> str:
    return next((name for name, path in NOTES.items() if path == file), "")


def _source(fact: str, cursor: int, group: Sequence[Entry]) -> Source:
    """The entry that a fact came from: the one that was named, else the one that has most of its words."""
    named = next((entry for entry in group if entry.cursor == cursor), None)
    words = set(normal(fact).split())
    best = named or max(group, key=lambda entry: len(words & set(normal(entry.content).split())))
    return Source(best.cursor, best.session, best.timestamp)
