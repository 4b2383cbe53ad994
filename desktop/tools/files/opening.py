"""Opens files that a model named, without being hung or fooled by what is no plain file.

The worker child imports this too, so nothing here may need more than the standard library.
"""

import os
import stat
import unicodedata
from io import BufferedReader
from pathlib import Path

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_KINDS = {
    stat.S_IFDIR: "a folder; list_dir shows what is in it",
    stat.S_IFIFO: "a pipe, not a file",
    stat.S_IFSOCK: "a socket, not a file",
    stat.S_IFCHR: "a device, not a file",
    stat.S_IFBLK: "a device, not a file",
}
_UNSHOWN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


class Refusal(Exception):
    """What was asked cannot be done; the text is for the model."""


def shown(name: str) -> str:
    """A name on one line: control, bidi and zero-width characters and broken bytes are escaped."""
    if name.isascii() and name.isprintable():
        return name
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in _UNSHOWN else c for c in name
    )


def resolved(path: Path) -> Path:
    """The place that a path leads to, links followed. Raises Refusal for links in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # RuntimeError: what Python 3.12 says of a circle
        raise Refusal(f"{shown(str(path))}: the links of this path lead nowhere.") from None


def kind(mode: int) -> str:
    """What something is that is no plain file; empty for a plain file."""
    return "" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "not a plain file")


def open_plain(path: Path) -> BufferedReader:
    """Open a plain file for reading, whose path is resolved. Raises Refusal, OSError."""
    if other := kind(path.lstat().st_mode):  # some devices act when they are opened
        raise Refusal(f"{shown(str(path))} is {other}.")
    descriptor = os.open(path, _FLAGS)
    if other := kind(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Refusal(f"{shown(str(path))} is {other}.")
    return os.fdopen(descriptor, "rb")


def reason(path: Path, error: OSError) -> str:
    """An OSError as a sentence with a hint."""
    name = shown(str(path))
    if isinstance(error, FileNotFoundError):
        known = "find_files or list_dir show what there is; write_file makes a new file."
        return f"{name} does not exist. {known}"
    if isinstance(error, PermissionError):
        return f"{name}: the system does not permit it."
    return f"{name}: {error.strerror or error}."
