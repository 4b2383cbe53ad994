"""Where files are, in a checkout, in a wheel and in a frozen program.

NANOBOT_DESKTOP_HOME moves everything the program reads or writes under one folder; without it the
home is the platform's data folder and the model files are in the platform's cache folder.
"""

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

APP = "nanobot-desktop"
APP_ID = "io.github.nanobot_desktop"
"""By which desktops know the program: Linux its menu entry, windows, notifications and name on the bus,
Windows its shortcut, windows and toasts. packaging/linux and packaging/windows have the same."""
PRIVATE_UMASK = 0o077
_OTHERS = 0o077
_persons_umask = -1
_MOST_DECODED = 5


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one person's data. Nothing here touches the disk."""

    root: Path
    models: Path

    @property
    def config(self) -> Path:
        return self.root / "config.json"

    @property
    def database(self) -> Path:
        return self.root / "state.db"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def ipc(self) -> Path:
        return self.root / "ipc"

    @property
    def channels(self) -> Path:
        """Files of chat apps that nobody else reads: keys of encrypted rooms, a sign-in to WhatsApp."""
        return self.root / "channels"

    @property
    def workspace(self) -> Path:
        """The default; agents.defaults.workspace may name another folder."""
        return self.root / "workspace"


def home() -> Home:
    """The home that the environment names, else the platform's."""
    if override := os.environ.get("NANOBOT_DESKTOP_HOME"):
        root = Path(override).expanduser().absolute()
        return Home(root, root / "models")
    from platformdirs import user_cache_path, user_data_path

    return Home(user_data_path(APP, appauthor=False), user_cache_path(APP, appauthor=False) / "models")


def resource(*parts: str) -> Path:
    """A file or folder shipped with the program: icons, templates, translations, engine."""
    package = Path(__file__).parent
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen:
        return Path(frozen, "resources", *parts)
    installed = package / "_resources"
    root = installed if installed.is_dir() else package.parent / "resources"
    return root.joinpath(*parts)


def self_command(*arguments: str) -> list[str]:
    """The command line that starts this very program again as a child, frozen or not.

    -P keeps the folder the person happens to stand in off the import path of the child.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, *arguments]
    return [sys.executable, "-P", "-m", "desktop", *arguments]


def own_folder(folder: Path) -> Path:
    """A folder that this account alone can enter, made if it is missing. Raises OSError where it belongs to
    another account, or is a link. Blocks."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} is not a folder of this account.")
    if found.st_mode & _OTHERS:
        folder.chmod(0o700)
    return folder


def runtime_folder() -> Path:
    """Where sockets can be that find no place in a home. Raises OSError. Blocks."""
    for folder in runtime_folders():
        with suppress(OSError):
            return own_folder(folder)
    return Path(tempfile.mkdtemp(prefix=f"{_runtime_name()}-"))


def runtime_folders() -> list[Path]:
    """The usual places of runtime_folder(), whether or not they are there."""
    given = os.environ.get("XDG_RUNTIME_DIR")
    places = [Path(given, APP)] if given and Path(given).is_absolute() else []
    return [*places, Path(tempfile.gettempdir(), _runtime_name())]


def _runtime_name() -> str:
    return f"{APP}-{os.geteuid()}"


def be_private() -> None:
    """From now on, let nobody but this account read what this process and its children make."""
    global _persons_umask
    before = os.umask(PRIVATE_UMASK)
    _persons_umask = before if _persons_umask < 0 else _persons_umask


def persons_umask() -> int:
    """The umask that the person has, for what is made in their name (commands); -1 for "as it is"."""
    return _persons_umask


def open_to_others(home: Home, workspace: Path) -> list[Path]:
    """What of a home and its workspace other accounts may read or write: the folders that hold the person's
    data, and the program's own files. Blocks."""
    return [path for path in _private(home, workspace) if _is_open(path)]


def close_to_others(path: Path) -> None:
    """Take the rights of other accounts away. Raises OSError. Blocks."""
    path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)


def _private(home: Home, workspace: Path) -> Iterator[Path]:
    yield from (home.root, home.logs, workspace)
    yield from (workspace / name for name in ("sessions", "memory", "cron", "skills", "files"))
    for folder in (home.root, home.logs):
        with suppress(OSError):
            yield from (path for path in folder.iterdir() if path.is_file())


def _is_open(path: Path) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    return os.name != "nt" and not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & _OTHERS)


_TEMPORARY = "temporary:"


def temporary(key: str) -> bool:
    """Whether this is the key of a session that has no place: nothing of it is kept anywhere."""
    return key.startswith(_TEMPORARY)


def sync(folder: Path) -> None:
    """Make new names in a folder durable, where the system lets one ask for that. Blocks."""
    if os.name == "nt":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def elsewhere(text: str) -> bool:
    """Whether a path or an address may name another computer or a device where Windows opens it: two
    slashes of either kind at its start, also behind percent signs or a file: scheme. What is encoded is
    decoded before it is judged, as often as it takes."""
    for _round in range(_MOST_DECODED):
        plain = text.strip().replace("\\", "/")
        scheme, colon, rest = plain.partition(":")
        if colon and scheme.lower() == "file":
            host, _slash, _path = rest.removeprefix("//").partition("/")
            if rest.startswith("//") and host not in ("", "localhost"):
                return True
            plain = rest.removeprefix("//localhost") if rest.startswith("//") else rest
            plain = plain.removeprefix("//")
        if plain.startswith(("//", "/??/")):
            return True
        if (decoded := unquote(text)) == text:
            return False
        text = decoded
    return True


def inode(path: Path) -> int:
    """Of a file of the home; -1 where there is none. Blocks."""
    try:
        return path.stat().st_ino
    except OSError:
        return -1
