"""The one file in which a login stands: lent to litellm in a private folder for the life of the host.

Its home is the keychain. The folder has the host's process in its name: the host removes it when it leaves,
the program when the host was killed, and the next host when both were.
"""

import os
import shutil
import tempfile
from pathlib import Path

_NAME = "nanobot-login"


def _base() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return Path(runtime if runtime and Path(runtime).is_dir() else tempfile.gettempdir())


def folder() -> Path:
    """A new folder of this process, for its eyes only."""
    import psutil  # the program itself imports this module, too, and needs none

    for old in _base().glob(f"{_NAME}-*-*"):
        pid = old.name.split("-")[2]
        if pid.isdecimal() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(old, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{_NAME}-{os.getpid()}-", dir=_base()))


def lend(place: Path, files: dict[str, str]) -> None:
    """Write the files, 0600, where they have changed."""
    place.mkdir(mode=0o700, exist_ok=True)
    for name, text in files.items():
        path = place / name
        if path.exists() and path.read_text("utf-8") == text:
            continue
        for stale in place.iterdir():  # what was made of another login
            stale.unlink()
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)


def clean(pid: int) -> None:
    """Remove what a process left."""
    for old in _base().glob(f"{_NAME}-{pid}-*"):
        shutil.rmtree(old, ignore_errors=True)
