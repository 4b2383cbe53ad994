"""The second half of a Dream: a model edits a copy of the notes, and only what is in order is taken over.

The copy is a workspace of its own in the memory's folder: whatever happens to it, the notes themselves are
as they were until a change was looked at.
"""

import logging
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop.files import Place
from desktop.memory.files import DREAMS, NOTES, SKILL, SKILLS, decoded, read
from desktop.memory.notes import Notes, Source, alike, facts, normal
from desktop.memory.proposals import Proposal
from desktop.memory.staging import Change
from desktop.paths import resource
from desktop.skills.frontmatter import Header
from desktop.skills.frontmatter import read as header_of
from desktop.tasks import in_thread

FOLDER = ".dreaming"
_TASK = """\
Carry out these changes in the notes, and nothing beside them. The notes are files in your workspace: \
USER.md, SOUL.md, memory/MEMORY.md. Read a file before you change it. Change it with edit_file, only the \
lines concerned; never write a note anew. When all is done, answer with the one word "done".
"""
_REMOVALS = (
    "\nTake out these lines, which no longer hold (what follows the last colon is the reason):\n{lines}\n"
)
_SKILLS = """
Write these skills, each as a new file skills/<name>/SKILL.md. First read {how}, which says how a skill is \
written. Put into it the steps as they were done:
{lines}
"""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Task:
    """What a model is to do; empty where there is nothing. `writable`: paths in the workspace."""

    text: str = ""
    writable: frozenset[str] = frozenset()


def wanted(found: Sequence[Proposal], known: Sequence[tuple[str, str]]) -> list[Proposal]:
    """The skills that there are not yet."""
    names = {name.casefold() for name, _about in known}
    return [proposal for proposal in found if proposal.name and proposal.name not in names]


def task(removals: Sequence[Proposal], skills: Sequence[Proposal]) -> Task:
    """The work in words."""
    text, writable = "", set[str]()
    if removals:
        lines = "\n".join(f"- {NOTES[one.note]}: {one.text}" for one in removals)
        text += _REMOVALS.format(lines=lines)
        writable |= {NOTES[one.note] for one in removals}
    if skills:
        lines = "\n".join(f"- {one.name}: {one.text}" for one in skills)
        text += _SKILLS.format(how=resource(SKILLS, "skill-creator", SKILL), lines=lines)
        writable |= {f"{SKILLS}/{one.name}/{SKILL}" for one in skills}
    return Task(f"{_TASK}{text}" if text else "", frozenset(writable))


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the notes, and what they were when it was made."""

    place: Place
    before: Mapping[str, str]

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self.place.path

    def changes(
        self, writable: Collection[str], sources: Mapping[tuple[str, str], Source], forgotten: Sequence[str]
    ) -> tuple[list[Change], list[str]]:
        """What was made of the copy and is in order, and what was refused. Blocks."""
        found, refused = list[Change](), list[str]()
        for file in sorted(writable):
            try:
                after = decoded(read(self.place, file) or b"").replace("\r\n", "\n")
            except OSError as error:
                refused.append(f"{file}: {error}")
                continue
            before = self.before.get(file, "").replace("\r\n", "\n")
            if after == before:
                continue
            change = _change(file, before, after)
            if why := _wrong(change, after, sources, forgotten):
                refused.append(f"{file}: {why}")
            else:
                found.append(change)
        return found, refused


@asynccontextmanager
async def copied(notes: Notes) -> AsyncIterator[Copy]:
    """A copy for as long as it is worked on."""
    memory = Place(notes.workspace) / "memory"
    before = await in_thread(_copy, notes, memory)
    try:
        yield Copy(memory / FOLDER, before)
    finally:
        await in_thread(_remove, memory)


def _remove(memory: Place) -> None:
    try:
        memory.remove_tree(FOLDER)
    except OSError as error:
        _log.warning("%s is left behind: %s", memory.named(FOLDER), error)


def _copy(notes: Notes, memory: Place) -> dict[str, str]:
    memory.remove_tree(FOLDER)
    place, before = memory / FOLDER, {}
    place.mkdir("memory")
    for name in DREAMS:
        note = notes.read(name)
        if note.editable and note.data is not None:
            before[NOTES[name]] = note.text
            place.write(NOTES[name], note.text.encode("utf-8", "surrogatepass"))
    return before


def _change(file: str, before: str, after: str) -> Change:
    first, second = before.split("\n"), after.split("\n")
    gone, new = Counter(first) - Counter(second), Counter(second) - Counter(first)
    if not before.strip():
        return Change(file, (), tuple(after.rstrip("\n").split("\n")))
    return Change(file, _of(first, gone), _of(second, new))


def _of(lines: Sequence[str], counted: Counter[str]) -> tuple[str, ...]:
    """The lines that are counted, in their order."""
    left, found = Counter(counted), []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
            found.append(line)
    return tuple(line for line in found if line.strip())


def _wrong(
    change: Change, after: str, sources: Mapping[tuple[str, str], Source], forgotten: Sequence[str]
) -> str:
    """Why a change cannot be taken over; empty where it can."""
    name = next((name for name, path in NOTES.items() if path == change.file), "")
    if not name:
        return _no_skill(change.file.split("/")[1], header_of(after))
    for line in change.remove:
        said = facts(line)
        if not said or (name, normal(said[0].text)) not in sources:
            return f"a line that Dream did not write would be lost: {line}"
    for fact in facts("\n".join(change.add)):
        if any(alike(fact.text, gone) for gone in forgotten):
            return f"the person had this taken out: {fact.text}"
    return ""


def _no_skill(name: str, header: Header) -> str:
    """Why a SKILL.md cannot be taken over; empty where it can."""
    if not header.found or header.broken or not header.text("description") or not header.body.strip():
        return "it is no skill"
    if header.text("name") != name:
        return f"the skill calls itself {header.text('name')!r}"
    return "a skill that is always loaded is for the person to make" if header.always else ""
