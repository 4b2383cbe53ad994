"""The skills there are: those of the workspace and those that come with the program.

A model is shown one line for each (progressive loading): it reads the file when it needs it. Looking
through them costs a directory listing and one stat each; a SKILL.md is read again only when it changed.
"""

import os
import re
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from desktop.config.given import Given
from desktop.config.needed import skill_entry
from desktop.files import Astray, Entry, Place
from desktop.paths import resource
from desktop.skills import document
from desktop.skills.document import MISSING, NAME, OUTSIDE, UNREADABLE, Document, Trouble
from desktop.skills.requirements import Machine
from desktop.text import _, mark

FOLDER, FILE = "skills", "SKILL.md"
_NAMED = re.compile(r"(?<![\w$\\/])\$([a-zA-Z0-9]+(?:[-_][a-zA-Z0-9]+)*)(?![\w$=(\[{/-])", re.ASCII)
_CODE = re.compile(r"(```|~~~).*?(?:\1|\Z)|`[^`\n]*`", re.DOTALL)
_HEAD = """\
# Skills
Each line below is a skill: instructions for one kind of work, kept in the file at its end. When a task \
fits one, first read that file with read_file, then do as it says. Read only those you need; never guess \
what is in one. Other files that it names by relative paths lie in its folder."""
_LACKING = """\
These cannot be used as things are, for want of what stands in brackets. Where one fits a task, tell the \
person what it lacks and how to get it."""
_FRESH_S = 60.0
"""After so long it is looked again whether the programs that skills need are there."""
_ALWAYS = "\n\n## Skill {name} ({path})\n{body}"


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill as it is now."""

    name: str
    description: str
    """One line of at most 500 characters."""
    path: Path
    """The SKILL.md."""
    source: str
    """workspace or builtin."""
    always: bool = False
    emoji: str = ""
    enabled: bool = True
    missing: tuple[str, ...] = ()
    """What the machine lacks for it, a sentence each."""
    lacks: tuple[str, ...] = ()
    """The same in the model's words."""
    variables: tuple[str, ...] = ()
    """Those that its commands need, which may be keys."""
    unset: tuple[str, ...] = ()
    """Those of them that have no value."""
    problem: str = ""
    remedy: str = ""
    shadows: bool = False
    """It stands in for a built-in one of the same name."""
    broken: bool = False
    """The problem keeps it from being used."""

    @property
    def available(self) -> bool:
        """Whether it could be used if it were on."""
        return not self.missing and not self.broken

    @property
    def usable(self) -> bool:
        """Whether the agent is told of it."""
        return self.enabled and self.available

    def body(self) -> str:
        """The text without its header, at most 60,000 characters; "" where it is gone or broken."""
        try:
            return "" if self.broken else document.body(self.path)
        except OSError:
            return ""


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder that is or should be a skill."""

    path: Path
    document: Document
    source: str


class Skills:
    """The skills of a workspace. Everything blocks, and may be called from several threads."""

    def __init__(
        self,
        workspace: Path,
        disabled: Callable[[], Collection[str]],
        *,
        builtin: Path | None = None,
        more_path: Callable[[], str] = str,
        stored: Callable[[], Mapping[str, Collection[str]]] = dict,
    ) -> None:
        """`disabled` names those that are off; `more_path` are folders for programs after those of PATH;
        `stored`: by skill, the variables whose values are in the keychain."""
        self._workspace, self._disabled, self._more_path = workspace, disabled, more_path
        self._stored, self._given = stored, Given()
        shelf = builtin or resource(FOLDER)
        self._place, self._stock = Place(workspace, FOLDER), Place(shelf.parent, shelf.name)
        self._known: dict[Path, Document] = {}
        self._bodies: dict[Path, tuple[document.Mark, str]] = {}
        self._lock = threading.Lock()
        self._state: tuple[object, ...] = ()
        self._text, self._until = "", 0.0
        self.parsed = 0
        """How many times a SKILL.md was read."""

    @property
    def folder(self) -> Path:
        """Where the person's own skills are."""
        return self._workspace / FOLDER

    def all(self) -> list[Skill]:
        """Every skill by name, also those that cannot be used."""
        with self._lock:
            return self._all()

    def prompt(self) -> str:
        """The section of the system prompt; "" where no skill can be used. The same to the byte while
        nothing changed."""
        with self._lock:
            shelves = map(_looked_at, (self._place, self._stock))
            state = (*shelves, *self._disabled(), self._more_path(), str(self._stored()))
            if state != self._state or time.monotonic() > self._until:
                self._text = self._section()
                self._state, self._until = state, time.monotonic() + _FRESH_S
            return self._text

    def _section(self) -> str:
        listed = [skill for skill in self._all() if skill.enabled and not skill.broken]
        if not listed:
            return ""
        usable = [skill for skill in listed if skill.usable]
        lines = [f"- {skill.name}: {skill.description} [{skill.path}]" for skill in usable]
        lacking = [
            f"- {skill.name}: {skill.description} (lacks {', '.join(skill.lacks)}) [{skill.path}]"
            for skill in listed
            if not skill.usable
        ]
        if lacking:
            lines += [_LACKING, *lacking]
        whole = [self._whole(skill) for skill in usable if skill.always]
        return "\n".join([_HEAD, *lines]) + "".join(whole)

    def wanted(self) -> list[tuple[str, str]]:
        """Each variable that an enabled skill needs, with the skill's name."""
        return [(skill.name, name) for skill in self.all() if skill.enabled for name in skill.variables]

    @property
    def keyed(self) -> bool:
        """Whether any of them needs a variable, as far as they were looked at."""
        return any(known.needs.env for known in self._known.values())

    def keys(self, read: Collection[Path] | None, text: str) -> dict[str, str]:
        """By variable, whose skill's it is: of the skills that a turn has loaded, because it read their
        file (`read`; None for all), because the person named them in `text`, or because they are always
        there."""
        named = {skill.name for skill in self.named(text)}
        found: dict[str, str] = {}
        for skill in self.all():
            loaded = skill.always or skill.name in named or read is None
            if skill.usable and (loaded or {skill.path, skill.path.resolve()} & set(read or ())):
                found |= {name: skill.name for name in skill.variables if name not in found}
        return found

    def named(self, text: str) -> list[Skill]:
        """The skills that a message names as $name, each once; shell variables and code stay text."""
        wanted = list(dict.fromkeys(_NAMED.findall(_CODE.sub(" ", text))))
        if not wanted:
            return []
        usable = {skill.name: skill for skill in self.all() if skill.usable}
        return [usable[name] for name in wanted if name in usable and not name.isdigit()]

    def find(self, name: str) -> Skill | None:
        """The skill of this name, whatever its state."""
        return next((skill for skill in self.all() if skill.name == name), None)

    # ---- how

    def _all(self) -> list[Skill]:
        own = list(self._own())
        taken = {place.path.name.casefold() for place in own}
        shipped = list(self._shipped())
        names = {place.path.name.casefold() for place in shipped}
        places = own + [place for place in shipped if place.path.name.casefold() not in taken]
        self._known = {place.path: place.document for place in own + shipped}
        self._bodies = {path: kept for path, kept in self._bodies.items() if path.parent in self._known}
        machine, off = Machine(self._more_path()), {name.casefold() for name in self._disabled()}
        found = [self._skill(place, machine, off, names) for place in places]
        return sorted(found, key=lambda skill: (skill.name.casefold(), skill.name))

    def _keyed(self, skill: str, variable: str) -> bool:
        """Whether a variable that a skill needs has a value somewhere."""
        if variable in self._stored().get(skill, ()) or os.environ.get(variable):
            return True
        return self._given.get(skill_entry(skill, variable)) is not None

    def _skill(
        self, place: _Place, machine: Machine, off: Collection[str], builtin: Collection[str]
    ) -> Skill:
        known, name = place.document, place.path.name
        problem, remedy = known.trouble.told() if known.trouble else ("", "")
        missing = machine.lacks(known.needs, lambda variable: self._keyed(name, variable))
        if missing and not problem:
            ways = " / ".join(known.needs.ways)
            remedy = ways or _("Install or set what is missing, or turn the skill off.")
        shown = document.one_line(name, 80)
        return Skill(
            name=shown,
            description=known.description or shown,
            path=place.path / FILE,
            source=place.source,
            always=known.always,
            emoji=known.emoji,
            enabled=name.casefold() not in off,
            missing=tuple(lack.told for lack in missing),
            lacks=tuple(lack.model for lack in missing),
            variables=known.needs.env,
            unset=tuple(variable for variable in known.needs.env if not self._keyed(name, variable)),
            problem=problem,
            remedy=remedy,
            shadows=place.source == "workspace" and name.casefold() in builtin,
            broken=bool(known.trouble and known.trouble.fatal),
        )

    def _own(self) -> Iterator[_Place]:
        first: dict[str, str] = {}
        for name in _folders(self._place):
            if name != document.one_line(name, 80):
                found = Document((0, 0, 0), trouble=NAME)
            elif other := first.get(name.casefold()):
                found = Document((0, 0, 0), trouble=_same(other))
            else:
                found = self._document(self._place, name)
                if found.trouble != OUTSIDE:
                    first[name.casefold()] = name
            yield _Place(self._place.named(name), found, "workspace")

    def _shipped(self) -> Iterator[_Place]:
        for name in _folders(self._stock):
            yield _Place(self._stock.named(name), self._document(self._stock, name), "builtin")

    def _document(self, place: Place, name: str) -> Document:
        """What is known of the SKILL.md in a folder; read where it is new or changed."""
        folder = place.named(name)
        try:
            status = place.stat(f"{name}/{FILE}")
        except Astray:
            return Document((0, 0, 0), trouble=OUTSIDE)
        except FileNotFoundError:
            return Document((0, 0, 0), trouble=MISSING)
        except OSError:
            return Document((0, 0, 0), trouble=UNREADABLE)
        if not stat.S_ISREG(status.st_mode):
            return Document((0, 0, 0), trouble=MISSING)
        seen = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._known.get(folder)
        if known is not None and known.mark == seen:
            return known
        self.parsed += 1
        return document.read(folder / FILE, seen)

    def _whole(self, skill: Skill) -> str:
        seen = self._known[skill.path.parent].mark
        kept = self._bodies.get(skill.path)
        if kept is None or kept[0] != seen:
            kept = self._bodies[skill.path] = (seen, skill.body())
        return _ALWAYS.format(name=skill.name, path=skill.path, body=kept[1])


def _looked_at(place: Place) -> tuple[tuple[str, int, int, int], ...]:
    """What tells that a file of a skill has changed, of all skills in a folder: one look at each."""
    try:
        found = place.look(FILE)
    except OSError:
        return ()
    marks = ((name, seen.st_mtime_ns, seen.st_size, seen.st_ino) for name, seen in found.items())
    return tuple(sorted(marks))


def _folders(place: Place) -> list[str]:
    """The folders in a folder, proper names before others; none where it cannot be listed (doctor says
    so)."""
    try:
        entries = place.scan()
    except OSError:
        return []
    found = [entry.name for entry in entries if not entry.name.startswith(".") and _is_folder(place, entry)]
    return sorted(found, key=lambda name: (name != name.lower(), name))


def _is_folder(place: Place, entry: Entry) -> bool:
    """A link to nowhere counts, and one that leads out: it was meant to be one."""
    if entry.kind != "link":
        return entry.kind == "folder"
    try:
        return stat.S_ISDIR(place.stat(entry.name).st_mode)
    except OSError:
        return True


def _same(other: str) -> Trouble:
    return Trouble(
        mark("It has the same name as {name} except for upper and lower case."),
        mark("Rename one of the two folders."),
        {"name": other},
        fatal=True,
    )
