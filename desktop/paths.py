"""Where files are, in a checkout, in a wheel and in a frozen program.

NANOBOT_DESKTOP_HOME moves everything the program reads or writes under one folder; without it the
home is the platform's data folder and the model files are in the platform's cache folder.
"""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

APP = "nanobot-desktop"
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
