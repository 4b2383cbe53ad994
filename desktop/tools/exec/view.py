"""What a command in the sandbox sees: a plan of mounts, the deepest one that holds a path decides.

The system is read-only and the homes of people are empty, but for what was granted. In what can be written
to, a protected place is a mount of its own, and so is each folder above it: a mount point can be neither
renamed nor replaced. Where a protected place does not exist, nothing holds its name; the folder that it
would be made in takes no new names then, while everything in that folder is as writable as before.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

READ, WRITE, HIDE, OWN = "--ro-bind", "--bind-try", "--tmpfs", "own"
EMPTY = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - these are replaced, not used
"""Folders that a command has to itself: the real ones hold the sockets of the session."""
_KEPT = ("/run/current-system", "/run/wrappers")
"""Where some systems have their programs."""
_MEDIA = Path("/run/media")
_SYSTEM = {Path("/dev"): "--dev", Path("/proc"): "--proc"}
_MOST_CHILDREN = 256
"""So many entries of a folder that takes no new names can be written to."""


@dataclass(frozen=True, slots=True)
class Walls:
    """What holds for every command. Paths are as named: links in them are followed here."""

    hidden: tuple[Path, ...] = ()
    """Closed places and this program's home: empty in the sandbox."""
    readonly: tuple[Path, ...] = ()
    """Never written to: start files, long-term memory, what only the program writes."""
    homes: tuple[Path, ...] = ()
    """People's homes, and folders of sockets."""
    tools: tuple[Path, ...] = ()
    """What of the homes commands can read."""
    sealed: tuple[Path, ...] = ()
    """Folders that take no new names."""


@dataclass(frozen=True, slots=True)
class Granted:
    """What was granted to one command."""

    workspace: Path
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    apart: bool = False
    """Whether the workspace is hidden from it."""

    def folders(self) -> tuple[Path, ...]:
        """All that it sees."""
        return (*(() if self.apart else (self.workspace,)), *self.writable, *self.readable)


@dataclass(slots=True)
class View:
    """The plan for one command. Making it looks at the disk."""

    places: dict[Path, str] = field(default_factory=dict)
    sealed: set[Path] = field(default_factory=set)
    _walked: dict[Path, tuple[Path, bool, bool]] = field(default_factory=dict)
    _shut: dict[Path, bool] = field(default_factory=dict)
    _size: int = 0

    def sees(self, folder: Path) -> bool:
        """Whether a (resolved) folder is there in the sandbox."""
        return folder in self.places or self._holds(folder) or self.kind_of(folder) in (READ, WRITE)

    def mounts(self) -> list[str]:
        """The words for bubblewrap, each folder before what is in it."""
        words: list[str] = []
        closed: list[str] = []
        for place, kind in sorted(self.places.items(), key=lambda item: len(item[0].parts)):
            if kind == OWN:
                words += [_SYSTEM.get(place, HIDE), str(place)]
            elif kind != HIDE:
                words += [kind, str(place), str(place)]
            elif _is_folder(place):
                words += [HIDE, str(place)]
                closed += ["--remount-ro", str(place)]
            else:
                words += [READ, "/dev/null", str(place)]
        return words + closed  # last, so that what is put into them has its place

    def kind_of(self, place: Path) -> str:
        """How a path is there: as the deepest entry above it says."""
        for folder in (place, *place.parents):
            if kind := self.places.get(folder):
                return kind
        return READ

    def keep(self, file: Path) -> None:
        """Have a file of the system be there although its folder is the command's own."""
        real = _real(file)
        if real.is_file() and self.kind_of(real) == OWN:
            self.places[real] = READ

    def protect(self, place: Path, kind: str) -> None:
        """Hide a place or make it read-only, where it would be seen or could be made. Where a part of its
        path is a link or missing, the name of that part is protected."""
        real = Path(place.anchor)
        for part in place.parts[1:]:
            name = real / part
            real, there, whole = self._followed(name)
            if real != name or not there:
                self.seal(name.parent)
            if not whole:
                self.seal(next(folder for folder in real.parents if _is_there(folder)))
                return
            if self._is_shut(real):
                return
        now = self.kind_of(real)
        if now == WRITE or (now == READ and kind == HIDE):
            self.places[real] = kind
            self._shut.clear()

    def _followed(self, name: Path) -> tuple[Path, bool, bool]:
        """Where a name leads, whether it is there, and whether what it leads to is."""
        if (found := self._walked.get(name)) is None:
            there = _is_there(name)
            real = _real(name) if there and name.is_symlink() else name
            found = self._walked[name] = real, there, there and (real == name or _is_there(real))
        return found

    def _is_shut(self, folder: Path) -> bool:
        """Whether nothing of a folder is seen."""
        if self._size != len(self.places):
            self._size = len(self.places)
            self._shut.clear()
        if folder not in self._shut:
            self._shut[folder] = self.kind_of(folder) in (HIDE, OWN) and not self._holds(folder)
        return self._shut[folder]

    def _holds(self, folder: Path) -> bool:
        return any(place.is_relative_to(folder) for place in self.places if place != folder)

    def seal(self, folder: Path) -> None:
        """Let a folder take no new names."""
        if self.kind_of(folder) == WRITE:
            self.sealed.add(folder)

    def finish(self) -> None:
        """Make every folder above a mount a mount, and seal what takes no new names."""
        for folder in self.sealed:
            if self.kind_of(folder) != WRITE:
                continue
            for child in _children(folder):
                self.places.setdefault(child, WRITE)
            self.places[folder] = READ
        for place in list(self.places):
            for folder in reversed(place.parents):
                if folder not in self.places and self.kind_of(folder) == WRITE:
                    self.places[folder] = WRITE


def held(words: Sequence[str]) -> list[Path]:
    """The files in writable folders that a command line of bubblewrap has mounts on: they must not be
    replaced while it runs (files/mounted.py). Looks at the disk."""
    plan = words[: words.index("--chdir")]
    mounts = {plan[at + 2]: word for at, word in enumerate(plan) if word in (READ, WRITE)}
    found = (Path(place) for place, kind in mounts.items() if kind == READ)
    return [path for path in found if _above(path, mounts) == WRITE and not _is_folder(path)]


def _above(path: Path, mounts: Mapping[str, str]) -> str:
    """How the folder of a path is there."""
    return next((kind for folder in path.parents if (kind := mounts.get(str(folder)))), "")


def view(walls: Walls, granted: Granted) -> View:
    """The plan for a command with such grants. Blocks."""
    made = View()
    grants = {
        **{_real(place): READ for place in granted.readable},
        **{_real(place): WRITE for place in granted.writable},
    }
    workspace = _real(granted.workspace)
    hidden = _all_real(walls.hidden)
    for place, kind in grants.items():
        if _is_there(place) and not _inside(place, hidden) and not _reserved(place):
            made.places[place] = kind
    open_above = frozenset(made.places)
    for home in map(_real, walls.homes):
        if _is_folder(home) and home != Path("/") and not _inside(home, open_above):
            made.places[home] = HIDE
    for tool in map(_real, walls.tools):
        if _is_there(tool) and not _inside(tool, hidden) and made.kind_of(tool) in (HIDE, WRITE):
            made.places.setdefault(tool, READ)
    for own in (*_SYSTEM, *map(Path, EMPTY)):
        if own.is_dir() and not own.is_symlink():
            made.places[own] = OWN
    made.places |= {kept: READ for kept in map(Path, _KEPT) if kept.exists()}
    if granted.apart:
        made.protect(workspace, HIDE)
    else:
        made.places[workspace] = WRITE
    for place in walls.hidden:
        if place != workspace:
            made.protect(place, HIDE)
    for place in walls.readonly:
        made.protect(place, READ)
    for folder in walls.sealed:
        made.seal(_real(folder))
    made.finish()
    return made


def _reserved(place: Path) -> bool:
    """Whether a command has its own in the place of this."""
    if place.is_relative_to(_MEDIA) and place != _MEDIA:
        return False
    shut = (Path("/run"), *_SYSTEM)
    return _inside(place, shut) or place in map(Path, EMPTY)


def _children(folder: Path) -> Iterator[Path]:
    """The plain files and folders in a folder, folders first, at most so many."""
    try:
        with os.scandir(folder) as entries:
            plain = [
                (not entry.is_dir(follow_symlinks=False), entry.name)
                for entry in entries
                if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
            ]
    except OSError:
        return
    yield from (folder / name for _file, name in sorted(plain)[:_MOST_CHILDREN])


def _real(place: Path) -> Path:
    return Path(os.path.realpath(place))


def _is_folder(place: Path) -> bool:
    try:
        return place.is_dir()
    except OSError:
        return False


def _is_there(place: Path) -> bool:
    try:
        place.lstat()
    except OSError:  # missing, or in a folder that we may not look into, and neither may the command
        return False
    return True


def _inside(place: Path, folders: Collection[Path]) -> bool:
    known = frozenset(folders)
    return place in known or not known.isdisjoint(place.parents)


def _all_real(places: Iterable[Path]) -> frozenset[Path]:
    """Where many places lead that share their folders."""
    folders: dict[Path, Path] = {}
    found = set()
    for place in places:
        if (folder := folders.get(place.parent)) is None:
            folder = folders[place.parent] = _real(place.parent)
        name = folder / place.name
        found.add(_real(name) if _is_there(name) and name.is_symlink() else name)
    return frozenset(found)
