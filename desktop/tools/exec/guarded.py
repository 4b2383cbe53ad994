"""Files that programs run later, kept from a command that text from outside may have asked for.

Such a command runs without a question because it stays in the sandbox and the workspace. But a hook, a
recipe or a manifest that it leaves in the workspace is run later by the person, outside. So those that are
there are read-only for it, and those that are there afterwards and were not before are set aside: moved to
where nothing runs them. Nothing is lost. In a git repository what holds no code stays writable, so that a
command can still commit. Everything here blocks.
"""

import os
import secrets
import stat
from collections import Counter, deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from desktop.files import Entry, Place
from desktop.tools.exec.walls import FILES, FOLDERS
from desktop.tools.permissions import project_files as later

ASIDE = "files/set-aside"
"""Where they are moved, in the workspace."""
MOST_LOOKED_AT = 50_000
"""Entries of the workspace that are looked at; folders beyond these are read-only as a whole."""
MOST_KEPT = 150
"""So many are read-only one by one, for each costs the sandbox more than the one before; where there are
more, folders that have many of them are."""
_MOST_NAMED = 20
_MOST_APART = 20
"""So many files of one new folder are set aside one by one; else the folder is."""
_DATA = (
    "index index.lock objects refs logs HEAD HEAD.lock ORIG_HEAD FETCH_HEAD MERGE_HEAD MERGE_MSG "
    "MERGE_MODE CHERRY_PICK_HEAD REVERT_HEAD REBASE_HEAD AUTO_MERGE COMMIT_EDITMSG SQUASH_MSG TAG_EDITMSG "
    "NOTES_EDITMSG packed-refs packed-refs.lock shallow gc.log gc.pid description rr-cache"
)
_GIT_DATA = frozenset(_DATA.split())
"""What git only keeps data in (gitrepository-layout). All else there may run or lead to what runs."""
_GIT_INNER = "worktrees"
"""A folder of repositories in a repository."""


@dataclass(slots=True)
class Survey:
    """What in the workspace runs later. Names are paths below it, with `/`."""

    kept: dict[str, str] = field(default_factory=dict)
    """Files and whole folders, and where they lead, if they are links."""
    folders: set[str] = field(default_factory=set)
    """All folders that were looked into."""
    gits: set[str] = field(default_factory=set)
    """Those of them that are git repositories."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Something that was set aside. `where`: its new name; empty where it could not be moved."""

    name: str
    where: str


class Guard:
    """For one command: made before it, asked for `kept` then, and to `settle` what there is after it."""

    def __init__(self, workspace: Path) -> None:
        """Look at the workspace. Raises OSError."""
        self._root = Path(os.path.realpath(workspace))
        self._place = Place(self._root)
        self._before = survey(self._place)
        self._before.kept = _gathered(self._before.kept)

    @property
    def kept(self) -> tuple[Path, ...]:
        """The places that are read-only for the command; of links the targets."""
        real = (Path(os.path.realpath(self._root / name)) for name in self._before.kept)
        return tuple(dict.fromkeys(path for path in real if path.is_relative_to(self._root)))

    def settle(self) -> list[Moved]:
        """Set aside what the command left."""
        known = self._before
        after = survey(self._place, known)
        new = [name for name, leads in after.kept.items() if known.kept.get(name) != leads]
        stamp = f"{datetime.now():%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"  # noqa: DTZ005 for the person
        return [self._aside(name, f"{ASIDE}/{stamp}") for name in _apart(new, known.folders)]

    def _aside(self, name: str, folder: str) -> Moved:
        path = PurePosixPath(name)
        for changed in (str(path.parent), name):
            _mend(self._place, changed)
        near = str(path.with_name(f"set-aside-{secrets.token_hex(3)}-{path.name}.txt"))
        for where in (f"{folder}/{name}.set-aside", near):
            with suppress(OSError):
                self._place.move(name, where)
                return Moved(name, where)
        return Moved(name, "")


def survey(place: Place, known: Survey | None = None) -> Survey:
    """What in a workspace runs later; with what was `known` before, what else does now. Raises OSError
    where the workspace itself cannot be read."""
    found, waiting, left = Survey(), deque([""]), MOST_LOOKED_AT
    while waiting:
        folder = waiting.popleft()
        entries = _scan(place, folder, mend=known is not None) if known or left > 0 else None
        if entries is None:
            found.kept[folder] = ""
            continue
        left -= len(entries)
        found.folders.add(folder)
        if is_git := _is_git(folder, entries):
            found.gits.add(folder)
        if is_git and known and folder not in known.gits:
            found.kept.update((name, "") for name in _what_is_new(folder, entries, known))
            is_git = False
            if folder not in known.folders:
                continue
        for entry in entries:
            name = f"{folder}/{entry.name}" if folder else entry.name
            if known and name in known.kept and not known.kept[name] and entry.kind != "link":
                found.kept[name] = ""
            elif not is_git and not folder and entry.name in (*FOLDERS, *FILES):
                continue  # read-only for every command
            elif _runs(entry, name, in_git=is_git):
                found.kept[name] = _leads(place, name) if entry.kind == "link" else ""
            elif entry.kind == "folder" and not (is_git and entry.name in _GIT_DATA):
                waiting.append(name)
    return found


def _scan(place: Place, folder: str, *, mend: bool) -> list[Entry] | None:
    """What is in a folder; None where that cannot be read."""
    for again in (False, True):
        try:
            return place.scan(folder)
        except OSError:
            if not folder:
                raise
            if mend and not again:
                _mend(place, folder)
    return None


def _is_git(folder: str, entries: list[Entry]) -> bool:
    """Whether git takes a folder for a repository."""
    names = {entry.name for entry in entries}
    bare = "HEAD" in names and ({"objects", "refs"} <= names or "commondir" in names)
    return bare or PurePosixPath(folder).name.casefold() == ".git"


def _what_is_new(folder: str, entries: list[Entry], known: Survey) -> list[str]:
    """What makes a folder a repository that was none: itself, where it is new."""
    if folder not in known.folders:
        return [folder]
    names = (
        f"{folder}/{entry.name}" for entry in entries if entry.name in ("objects", "refs", "commondir")
    )
    return [name for name in names if name not in known.folders]


def _runs(entry: Entry, name: str, *, in_git: bool) -> bool:
    folded = entry.name.casefold()
    if in_git:
        return entry.name not in _GIT_DATA and entry.name != _GIT_INNER
    if name == ASIDE:
        return True
    if folded in later.FOLDERS | later.PACKAGES:
        return entry.kind != "folder" or folded != ".git"
    return entry.kind != "folder" and later.runs_later(PurePosixPath(entry.name))


def _leads(place: Place, name: str) -> str:
    """Where a link leads, as it says."""
    path = PurePosixPath(name)
    try:
        with place.folder(str(path.parent)) as at:
            return at.target(path.name) or "."
    except OSError:
        return "?"


def _mend(place: Place, name: str) -> None:
    """Let ourselves into a folder that a command shut: a handle without rights serves to change them."""
    with suppress(OSError), place.folder(name) as at:
        held = f"/proc/self/fd/{at.handle}"
        mode = stat.S_IMODE(os.stat(held).st_mode)  # noqa: PTH116 a handle, no path
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(held, mode | stat.S_IRWXU)  # noqa: PTH101 the same


def _gathered(kept: dict[str, str]) -> dict[str, str]:
    """The same in fewer words: whole folders, where there are too many."""
    while len(kept) > MOST_KEPT:
        counts = Counter(str(above) for name in kept for above in list(PurePosixPath(name).parents)[:-1])
        if not counts:
            break
        enough = [name for name, count in counts.items() if len(kept) - count < MOST_KEPT]
        if enough:
            folder = min(enough, key=lambda name: (counts[name], -len(name)))
        else:
            folder = max(counts, key=lambda name: counts[name])
        kept = {name: leads for name, leads in kept.items() if not name.startswith(f"{folder}/")}
        kept[folder] = ""
    return kept


def _apart(new: Iterable[str], known: set[str]) -> list[str]:
    """What is moved: each by itself, or the new folder that has many of them."""
    groups: dict[str, list[str]] = {}
    for name in new:
        above = [str(path) for path in PurePosixPath(name).parents if str(path) not in (".", *known)]
        groups.setdefault(above[-1] if above else "", []).append(name)
    single = groups.pop("", [])
    for folder, names in groups.items():
        single += [folder] if len(names) > _MOST_APART else names
    return single


def told(moved: list[Moved]) -> str:
    """What the model reads of it; empty where there is nothing."""
    lines = []
    aside = [one for one in moved if one.where]
    if aside:
        names = ", ".join(f"{one.name} (now {one.where})" for one in aside[:_MOST_NAMED])
        more = f" and {len(aside) - _MOST_NAMED} more" if len(aside) > _MOST_NAMED else ""
        lines.append(
            f"[These files run later, so they were set aside: {names}{more}. Write them with write_file, "
            "which asks the person.]"
        )
    if stuck := [one.name for one in moved if not one.where]:
        lines.append(
            f"[These files run later and could not be set aside: {', '.join(stuck[:_MOST_NAMED])}. "
            "Tell the person not to use them.]"
        )
    return "\n".join(lines)
