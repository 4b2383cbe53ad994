"""Where the agent may never go: keys, browsers, what starts by itself, and this program's own files.

A path is judged as it was given and as it is once links are followed. The places are compared without
regard to case, so that no file system can be used to get around them.
"""

import fnmatch
import functools
import os
import re
import stat
import sys
import time
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from desktop.config import given
from desktop.paths import elsewhere
from desktop.tools.permissions.closed import (
    AUTOSTART,
    BROWSERS,
    KEYS,
    MOVED,
    NAMES,
    START_FILES,
    START_NAMES,
    SYSTEM,
    SYSTEM_START,
)

FOLDS = sys.platform in {"darwin", "win32"}
"""Whether names that differ only in case are one file here."""
FRESH = 30.0
"""For so many seconds the places are not looked up again."""

PROCESS = frozenset({"environ", "mem", "root", "cwd", "fd", "map_files", "task"})
_LISTS = ("history.jsonl", "sources.jsonl", "forgotten.jsonl", "staged.jsonl")
OWN_MEMORY = (".versions", ".cursor", ".dream_cursor", ".dreamed", ".dreaming", "archive", *_LISTS)
OWN: tuple[tuple[str, ...], ...] = (("sessions",), ("cron",), *(("memory", name) for name in OWN_MEMORY))
"""What in the workspace only the program itself writes."""
MEMORY = frozenset({"agents.md", "soul.md", "user.md", "tools.md", "identity.md", "heartbeat.md", "skills"})
HOME_FILES = ("config.json", "state.db", "logs", "models", "ipc", "channels")
RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])( *\.|$)", re.IGNORECASE)

_WORD = re.compile(r"[\w.@+-]+")
_FOREIGN = re.compile(
    "/AppData/|^C:/|/scoop/"
    if sys.platform == "darwin"
    else r"/Library/|/\.var/|^/etc/|^/var/"
    if sys.platform == "win32"
    else "/AppData/|^C:/|/scoop/|/Library/|^/private/"
)
"""Places of other systems: closed where a disk of one is at hand, but nothing here to follow or to hide."""
_CLOSED_NAME = re.compile("|".join(map(fnmatch.translate, NAMES)))
_START_NAME = re.compile("|".join(map(fnmatch.translate, START_NAMES)))

type Fence = Literal["", "fence", "own"]


def folded(path: str | Path) -> str:
    """A path for comparing, whatever its case and the form of its accents."""
    text = str(path).replace("\\", "/") if os.name == "nt" else str(path)
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def closed_name(name: str) -> bool:
    """Whether a file of this name is closed wherever it lies: stores of passwords, keys."""
    return bool(_CLOSED_NAME.match(folded(name)))


def inside(path: Path, root: Path, folds: bool = FOLDS) -> bool:
    """Whether a path is a folder or lies in it. Both are resolved already."""
    if path.is_relative_to(root):
        return True
    return folds and Path(folded(path)).is_relative_to(Path(folded(root)))


_settled: ContextVar[dict[Path, tuple[Path, bool]] | None] = ContextVar("settled", default=None)


@contextmanager
def settled() -> Iterator[None]:
    """Within this, each path leads where it led when it was looked at first: a link that is exchanged
    meanwhile cannot make two parts of one judgement speak of two places."""
    token = _settled.set({})
    try:
        yield
    finally:
        _settled.reset(token)


def resolve(path: Path) -> tuple[Path, bool]:
    """Where a path leads once links are followed, and whether that is certain."""
    known = _settled.get()
    if known is None:
        return _resolved(path)
    if path not in known:
        known[path] = _resolved(path)
        known.setdefault(known[path][0], known[path])
    return known[path]


def _resolved(path: Path) -> tuple[Path, bool]:
    try:
        real = os.path.realpath(path)
        Path(real).stat()
    except (FileNotFoundError, NotADirectoryError):
        return Path(real), True
    except (OSError, ValueError):
        return path, False
    return Path(real), True


def special(path: Path) -> bool:
    """Whether a path is a device, a pipe or a socket: reading may never end, writing may do anything."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def odd(path: Path, windows: bool = os.name == "nt") -> bool:
    """Whether Windows would take a name for something else: a device, a second stream, another computer."""
    if not windows:
        return False
    if elsewhere(str(path)):
        return True
    text = str(path).replace("/", "\\")
    parts = re.sub(r"^[A-Za-z]:", "", text).split("\\")
    names = [part for part in parts if part not in {".", ".."}]
    return any(":" in name or RESERVED.match(name) or name != name.rstrip(". ") for name in names)


@dataclass(frozen=True, slots=True)
class Fences:
    """The closed places, for one person and one workspace."""

    closed: frozenset[str]
    """Never read, never written."""
    kept: frozenset[str]
    """Never written."""
    roots: tuple[Path, ...]
    """What a sandbox should hide."""
    kept_roots: tuple[Path, ...]
    """What a sandbox should let nobody write to."""
    person: str
    home: str
    workspace: str
    short: tuple[str, ...]
    """The closed places of the person's home as code may write them: with `~`."""

    def why(self, path: str | Path, writing: bool) -> Fence:
        """Why a path (as given, or resolved) is closed; empty if it is not."""
        name = folded(path)
        last = name.rpartition("/")[2]
        if self._program(name) or _CLOSED_NAME.match(last) or (writing and _START_NAME.match(last)):
            return "fence"
        for candidate in self._same(name):
            shut = _among(candidate, self.closed) or _process(candidate)
            if shut or (writing and _among(candidate, self.kept)):
                return "fence"
        return "own" if writing and self._own(name) else ""

    def holds(self, path: str | Path, own: bool = True) -> bool:
        """Whether a closed place, or files of the program's own, lie in a folder."""
        name = folded(path).rstrip("/") + "/"
        kept = [f"{self.workspace}/{'/'.join(parts)}" for parts in OWN] if own else []
        return any(root.startswith(name) for root in (*self.closed, self.home, *kept))

    def spoken(self, text: str, code: bool = False) -> bool:
        """Whether a longer text speaks of a closed place; in code also by `~`."""
        told = folded(text)
        if any(map(_CLOSED_NAME.match, _WORD.findall(told))):
            return True
        return any(_speaks(told, name) for name in (*self.closed, *(self.short if code else ())))

    def pattern(self, pattern: str) -> bool:
        """Whether a file pattern may stand for a closed place."""
        parts = folded(pattern).split("/")
        if any(_may_be(parts[-1], name) for name in NAMES):
            return True
        first = next((at for at, name in enumerate(parts) if set(name) & {*"*?["}), None)
        if first is None:
            return False
        begin = "/".join(parts[:first]) + "/"  # most of the many places begin otherwise
        places = (root for root in (*self.closed, self.home) if root.startswith(begin))
        return any(_matches(parts, root.split("/")) for root in places)

    def _program(self, name: str) -> bool:
        """Whether a path belongs to this program: its home without the workspace."""
        if not _within(name, self.home):
            return False
        if self.home == self.workspace:
            rest = name[len(self.home) + 1 :].split("/")[0]
            return rest.startswith(HOME_FILES)
        return not (_within(self.workspace, self.home) and _within(name, self.workspace))

    def _own(self, name: str) -> bool:
        if not _within(name, self.workspace):
            return False
        parts = tuple(name[len(self.workspace) + 1 :].split("/"))
        return any(parts[: len(own)] == own for own in OWN)

    def _same(self, name: str) -> Iterator[str]:
        """The path, and the one that it would be in the person's own home if it is in another one."""
        yield name
        parts = name.split("/")
        if parts[1:2] == ["root"]:
            yield "/".join([self.person, *parts[2:]])
        elif parts[1:2] in (["home"], ["users"]) and len(parts) > 3:
            yield "/".join([self.person, *parts[3:]])


def memory(path: Path, workspace: Path) -> bool:
    """Whether a (resolved) path is part of what the agent remembers for good."""
    name, root = folded(path), folded(workspace)
    if not _within(name, root):
        return False
    parts = name[len(root) + 1 :].split("/")
    return parts[0] in MEMORY or parts[:2] == ["memory", "memory.md"]


def fences(home: Path, workspace: Path) -> Fences:
    """The fences for a home of the program and a workspace (looked up anew every half minute)."""
    try:
        person = Path.home()
    except RuntimeError:
        person = Path("/")
    return _fences(home, workspace, person, int(time.monotonic() / FRESH))


@functools.lru_cache(maxsize=16)
def _fences(home: Path, workspace: Path, person: Path, _moment: int) -> Fences:
    home_ = str(person)
    closed = [*_places([*KEYS, *BROWSERS, *AUTOSTART], home_), *SYSTEM, *_moved(person)]
    if credentials := given.folder():
        closed.append(str(credentials))
    kept = [*_places(START_FILES, home_), *SYSTEM_START]
    return Fences(
        closed=_both(closed),
        kept=_both(kept),
        roots=tuple(Path(place) for place in closed if not _FOREIGN.search(place)),
        kept_roots=tuple(Path(place) for place in kept if not _FOREIGN.search(place)),
        person=folded(os.path.realpath(person)),
        home=folded(os.path.realpath(home)),
        workspace=folded(os.path.realpath(workspace)),
        short=tuple(folded(f"~/{name}") for name in (*KEYS, *BROWSERS, *AUTOSTART)),
    )


def _both(places: Iterable[str]) -> frozenset[str]:
    """The places as they are called, and where they lead. Their folders are followed once."""
    folders: dict[str, str] = {}
    found = set()
    for text in places:
        found.add(folded(text))
        if _FOREIGN.search(text):
            continue
        folder, _slash, name = text.rpartition("/")
        if folder not in folders:
            folders[folder] = os.path.realpath(folder or "/")
        real = f"{folders[folder].rstrip('/')}/{name}"
        if os.path.islink(real):  # noqa: PTH114 texts: there are many
            real = os.path.realpath(real)
        if real != text:
            found.add(folded(real))
    return frozenset(found)


def _moved(person: Path) -> list[str]:
    """The places that the person's environment has put elsewhere."""
    found = []
    for variable, names in MOVED.items():
        for folder in os.environ.get(variable, "").split(os.pathsep):
            path = Path(folder)
            if folder and path.is_absolute() and not person.is_relative_to(path):
                found += [str(path / name) for name in names]
    return found


def _may_be(pattern: str, name: str) -> bool:
    """Whether the last part of a file pattern picks names that are closed anywhere: it must speak of their
    ending or of the name itself, for a bare * picks everything."""
    if not set(pattern) & {*"*?["}:
        return False
    plain = name.replace("*", "x")
    bare = pattern.strip("*?")
    return bool(bare.strip(".")) and fnmatch.fnmatchcase(plain, pattern)


def _speaks(text: str, name: str) -> bool:
    """Whether a text has a name, and not only as the beginning of a longer one."""
    at = text.find(name)
    while at >= 0:
        following = text[at + len(name) : at + len(name) + 1]
        if not (following.isalnum() or following in {"_", "-", "."}):
            return True
        at = text.find(name, at + 1)
    return False


def _places(names: Iterable[str], person: str) -> list[str]:
    """The places under the person's home, and where the environment moved them."""
    above = person.rstrip("/\\")
    places = [f"{above}/{name}" for name in names]
    moved = {
        ".config/": "XDG_CONFIG_HOME",
        ".local/share/": "XDG_DATA_HOME",
        ".local/state/": "XDG_STATE_HOME",
        ".cache/": "XDG_CACHE_HOME",
    }
    for start, variable in moved.items():
        if folder := os.environ.get(variable):
            places += [str(Path(folder, name[len(start) :])) for name in names if name.startswith(start)]
    return places


def _within(name: str, root: str) -> bool:
    return name == root or name.startswith(root.rstrip("/") + "/")


def _among(name: str, roots: frozenset[str]) -> bool:
    while True:
        if name in roots:
            return True
        name, slash, last = name.rpartition("/")
        if not slash or not (name or last):
            return False


def _process(name: str) -> bool:
    """The memory, the environment and the open files of running programs."""
    parts = name.split("/")
    return parts[1:2] == ["proc"] and not PROCESS.isdisjoint(parts[3:])


def _matches(pattern: list[str], root: list[str]) -> bool:
    """Whether a pattern with signs among the root's own parts may stand for it."""
    if len(pattern) < len(root) or not any(set(name) & {*"*?["} for name in pattern[: len(root)]):
        return False
    return all(
        fnmatch.fnmatchcase(name, part) and not (name.startswith(".") and not part.startswith("."))
        for part, name in zip(pattern, root, strict=False)
    )
