"""What no command may see or change, whatever was granted, put together for one home and one workspace."""

import os
import stat
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from desktop.config.tools import ExecTool
from desktop.paths import runtime_folders
from desktop.tools.exec.toolchains import PRIVATE, SHARED
from desktop.tools.exec.view import Walls
from desktop.tools.permissions.places import HOME_FILES, closed_name, fences, folded

FOLDERS = ("sessions", "cron", "skills", "memory")
"""Folders of the workspace that only the program, or its own tools, write."""
FILES = ("AGENTS.md", "SOUL.md", "USER.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md")
"""What the model is told at every start."""
_OTHER_SYSTEMS = ("AppData", "Library", "Documents", "C:")
_SOCKETS = ("/tmp/.X11-unix", "/tmp/.ICE-unix", "/mnt/wslg")  # noqa: S108 - these are hidden, not used
_MOST_LOOKED_AT = 5_000
"""Entries of a granted folder that are looked at for closed names."""
_PEOPLE = range(1000, 60_000)


def walls(home: Path, workspace: Path, settings: ExecTool) -> Walls:
    """The walls for a home of the program and a workspace. Blocks."""
    person, workspace = Path.home(), Path(os.path.realpath(workspace))
    own, shut = Path(os.path.realpath(home)), fences(home, workspace)
    known = {folded(name): name for name in (*FOLDERS, *FILES)}
    names = [*known.values(), *(name for name in _listed(workspace) if folded(name) in known)]
    hidden = [*shut.roots, *(person / name for name in PRIVATE), own, *map(Path, _SOCKETS)]
    sealed: tuple[Path, ...] = ()
    if own == workspace:
        hidden += [own / name for name in _listed(own) if folded(name).startswith(HOME_FILES)]
        sealed = (own,)
    more = [Path(name).expanduser() for name in _split(settings.path_append, settings.readable)]
    return Walls(
        hidden=tuple(place for place in hidden if _here(place, person)),
        readonly=tuple(
            place
            for place in (*shut.kept_roots, *(workspace / name for name in names))
            if _here(place, person)
        ),
        homes=tuple(_homes(person)),
        tools=tuple(place for place in (*(person / name for name in SHARED), *more) if place.is_absolute()),
        sealed=sealed,
    )


def _here(place: Path, person: Path) -> bool:
    """Whether a place is one of this system."""
    if not place.is_absolute():
        return False
    at = len(person.parts)
    return not (
        place.parts[at : at + 1] and place.parts[at] in _OTHER_SYSTEMS and place.is_relative_to(person)
    )


def _homes(person: Path) -> Iterator[Path]:
    """Where people's own files are, and where the sockets of a session may be."""
    import pwd

    yield from (person, Path("/home"), Path("/root"))
    for entry in pwd.getpwall():
        if entry.pw_uid in _PEOPLE and entry.pw_dir.count("/") > 1:
            yield Path(entry.pw_dir)
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime)
    for folder in runtime_folders():
        names = (name for name in _listed(folder.parent) if name.startswith(folder.name))
        yield from (folder.parent / name for name in names)  # wherever the temporary folder is


def _split(*lists: str) -> list[str]:
    return [name for names in lists for name in names.split(os.pathsep) if name]


def _listed(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def closed_in(folder: Path) -> Iterator[Path]:
    """What in a folder is closed by its name: among its first entries, the upper ones first. Links are not
    followed."""
    left, folders = _MOST_LOOKED_AT, deque([folder])
    while folders and left > 0:
        try:
            with os.scandir(folders.popleft()) as entries:
                for entry in entries:
                    left -= 1
                    if closed_name(entry.name):
                        yield Path(entry.path)
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
        except OSError:
            continue


class Held:
    """Keeps the names of missing protected places taken while commands run, so that none can be made.

    Folders stay; an empty file that took a name goes when the last command has ended, unless something was
    written to it meanwhile. Thread-safe; its methods block.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._made: dict[Path, int] = {}

    def take(self, workspace: Path) -> None:
        """Before a command. Where a name cannot be taken, the sandbox lets no new names be made."""
        with self._lock:
            self._running += 1
            for name in FOLDERS:
                _make(workspace / name)
            for name in FILES:
                if (inode := _hold(workspace / name)) is not None:
                    self._made[workspace / name] = inode

    def give_back(self) -> None:
        """After a command that take() was called for."""
        with self._lock:
            self._running -= 1
            if self._running:
                return
            for path, inode in self._made.items():
                _drop(path, inode)
            self._made.clear()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
    except OSError:
        return


def _hold(path: Path) -> int | None:
    """Make an empty file; its inode, None where there is something or nothing can be made."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return None
    try:
        return os.fstat(handle).st_ino
    finally:
        os.close(handle)


def _drop(path: Path, inode: int) -> None:
    try:
        now = path.lstat()
        if stat.S_ISREG(now.st_mode) and (now.st_ino, now.st_size) == (inode, 0):
            path.unlink()
    except OSError:
        return
