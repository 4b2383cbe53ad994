"""Where things are in an old home, of either generation or half of one, and reading them safely.

Nothing is opened for writing. A link is followed only while it stays in the home: one that leads out, or in
a circle, is told and left.
"""

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from desktop.config import document
from desktop.config.base import normal
from desktop.errors import ConfigError, UsageError
from desktop.merge.items import Item
from desktop.text import _

FILES = ("AGENTS", "SOUL", "USER", "TOOLS", "HEARTBEAT", "IDENTITY")
"""The files that a workspace begins with, without their ending."""
LONGEST_FILE = 64 * 1024 * 1024
_OTHER = ("history", "bridge", "webui", "logs")


@dataclass(frozen=True, slots=True)
class Source:
    """An old home: what there is of it."""

    data: Path
    """The folder of its config.json."""
    config: Path | None
    workspace: Path | None
    roots: tuple[Path, ...]
    """Real folders that links must stay in."""
    notes: list[Item] = field(default_factory=list)
    """What was found out while looking."""

    def inside(self, path: Path) -> bool:
        """Whether a path, its links followed, stays in the home."""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(root) for root in self.roots)

    def look(self, path: Path) -> os.stat_result | None:
        """What is at a path of the home; None where there is nothing. Raises OSError: ELOOP for a link that
        leads out or in a circle."""
        try:
            seen = path.lstat()
            if not self.inside(path):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            return path.stat() if stat.S_ISLNK(seen.st_mode) else seen
        except (FileNotFoundError, NotADirectoryError):
            return None

    def is_folder(self, path: Path) -> bool:
        """Whether there is a folder of the home; never raises."""
        try:
            seen = self.look(path)
        except OSError:
            return False
        return seen is not None and stat.S_ISDIR(seen.st_mode)

    def is_file(self, path: Path) -> bool:
        """Whether there is a file of the home; never raises."""
        try:
            seen = self.look(path)
        except OSError:
            return False
        return seen is not None and stat.S_ISREG(seen.st_mode)

    def read(self, path: Path) -> bytes | None:
        """The bytes of a file; None where there is none. Raises OSError: a link out of the home (ELOOP), no
        plain file, larger than LONGEST_FILE (EFBIG)."""
        seen = self.look(path)
        if seen is None:
            return None
        if not stat.S_ISREG(seen.st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
        if seen.st_size > LONGEST_FILE:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        return path.read_bytes()

    def entries(self, folder: Path) -> list[Path]:
        """What lies in a folder of the home, by name; nothing where there is none or it cannot be read."""
        if not self.is_folder(folder):
            return []
        try:
            return sorted(folder.iterdir())
        except OSError:
            return []

    def below(self, folder: Path) -> Iterator[Path]:
        """All that is below a folder but folders; links are not followed."""
        for root, folders, names in os.walk(folder):
            linked = (name for name in folders if (Path(root) / name).is_symlink())
            yield from (Path(root) / name for name in (*sorted(names), *linked))

    def others(self) -> Iterator[Item]:
        """What an import has no use for, by name."""
        note = _("It stays in the old home because this program has no use for it.")
        places = [(self.data / name, name) for name in _OTHER]
        if self.workspace is not None:
            names = ("plugins", "triggers")
            places += [(self.workspace / name, f"workspace/{name}") for name in names]
        for path, name in places:
            if os.path.lexists(path):
                yield Item("other", name, "left", note)


def wrong(error: OSError) -> str:
    """Why something of the old home cannot be read, as a sentence."""
    if error.errno == errno.ELOOP:
        return _("It is a link that leads out of the old home or nowhere, and is not followed.")
    if error.errno in (errno.EACCES, errno.EPERM):
        return _("It can’t be read. Check the permissions of the file.")
    if error.errno == errno.EFBIG:
        return _("It is too large to be a nanobot file.")
    if error.errno in (errno.EINVAL, errno.EISDIR):
        return _("It is not a file.")
    return _("It can’t be read: {reason}.").format(reason=error.strerror or type(error).__name__)


def find(path: Path, own: Path, own_workspace: Path) -> Source:
    """The old home at a path: its folder `.nanobot`, what holds that, its config.json, or a workspace.
    `own` and `own_workspace` are this program's. Blocks. Raises UsageError where there is none."""
    if not os.path.lexists(path):
        raise UsageError(_("There is nothing at {path}.").format(path=path), _how())
    folder = path.parent if path.is_file() else path
    data = folder / ".nanobot" if folder == path and _holds_home(path) else folder
    if _same(data, own):
        raise UsageError(_("{path} is this program’s own home.").format(path=data), _how())
    notes: list[Item] = []
    source = Source(data, None, None, (Path(os.path.realpath(data)),), notes)
    source = replace(source, config=path if path.is_file() else _config(source, notes))
    workspace, roots = _workspace(source, notes)
    if workspace is not None and _same(workspace, own_workspace):
        why = _("It is already this program’s workspace.")
        notes.append(Item("other", str(workspace), "left", why))
        workspace = None
    if source.config is None and workspace is None and not _is_home(data):
        raise UsageError(_("{path} is not a nanobot home.").format(path=path), _how())
    return replace(source, workspace=workspace, roots=roots)


def _how() -> str:
    return _("Choose the .nanobot folder, the folder that contains it, or its config.json.")


def _holds_home(path: Path) -> bool:
    """A workspace has a folder .nanobot too, with nothing but its number."""
    inner = path / ".nanobot"
    return inner.is_dir() and (_is_home(inner) or not (_is_home(path) or _is_workspace(path)))


def _is_home(path: Path) -> bool:
    return any(os.path.lexists(path / name) for name in ("config.json", "workspace", "sessions", "cron"))


def _is_workspace(path: Path) -> bool:
    names = [*(f"{name}.md" for name in FILES), "memory", "skills"]
    return any(os.path.lexists(path / name) for name in names)


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _config(source: Source, notes: list[Item]) -> Path | None:
    """The settings of a home that was given by its folder."""
    path = source.data / "config.json"
    try:
        seen = source.look(path)
    except OSError as error:
        notes.append(Item("setting", path.name, "left", wrong(error)))
        return None
    return path if seen is not None and stat.S_ISREG(seen.st_mode) else None


def _workspace(source: Source, notes: list[Item]) -> tuple[Path | None, tuple[Path, ...]]:
    """The workspace, and the folders that links must stay in."""
    usual, given = source.data / "workspace", _configured(source)
    if given is not None and _named_elsewhere(given) and not _same(given, usual):
        if given.is_dir():
            return given, (*source.roots, Path(os.path.realpath(given)))
        why = _("The workspace named in the old settings does not exist.")
        notes.append(Item("other", str(given), "left", why))
    if given is not None and not _named_elsewhere(given):
        usual = source.data / given.relative_to(Path("~/.nanobot").expanduser())
    if source.is_folder(usual):
        return usual, source.roots
    if os.path.lexists(usual):
        why = _("It is a link that leads out of the old home or nowhere, and is not followed.")
        notes.append(Item("other", str(usual), "left", why))
    return (source.data, source.roots) if _is_workspace(source.data) else (None, source.roots)


def _named_elsewhere(given: Path) -> bool:
    """Whether the settings name another place than the usual one, which moves with a copy of the home."""
    return not given.is_relative_to(Path("~/.nanobot").expanduser())


def _configured(source: Source) -> Path | None:
    """The workspace that the old settings name."""
    if source.config is None:
        return None
    try:
        here: object = document.parse(source.config.read_bytes(), source.config.name)
    except (OSError, ConfigError):
        return None
    for name in ("agents", "defaults", "workspace"):
        here = (
            next((v for k, v in here.items() if normal(k) == name), None)
            if isinstance(here, dict)
            else None
        )
    if not isinstance(here, str) or not here.strip() or "\0" in here:
        return None
    try:
        path = Path(here.strip()).expanduser()
    except RuntimeError:  # the home of a user that there is not
        return None
    return path if path.is_absolute() else None
