"""Opens files that a model named, without being hung or fooled by what is no plain file.

A path here was judged already, and is a real one: a link that is on the way now was put there since, and
is not followed. The worker child imports this too, so nothing here may need much.
"""

import contextlib
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from desktop.files import Astray, NotPlain, Opened, Place, WriteProtected

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


def kind(mode: int) -> str:
    """What something is that is no plain file; empty for a plain file."""
    return "" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "not a plain file")


def exact(path: Path) -> Place:
    """The place for a real path: no link is on the way to it, or it is refused."""
    return Place(Path(path.anchor), judge=_never)


def _never(_real: Path, _writing: bool) -> bool:
    return False


def open_plain(path: Path) -> Opened:
    """Open a plain file for reading by its real path. Raises Refusal, OSError."""
    with refused(path):
        place = exact(path)
        if other := kind(place.stat(path).st_mode):  # some devices act when they are opened
            raise Refusal(f"{shown(str(path))} is {other}.")
        return place.open(path)


@contextlib.contextmanager
def refused(path: Path) -> Iterator[None]:
    """Turn what the opener refuses into a sentence for the model."""
    try:
        yield
    except NotPlain as error:
        raise Refusal(f"{shown(str(path))} is {kind(error.mode)}.") from None
    except WriteProtected:
        raise Refusal(f"{shown(str(path))} is write-protected.") from None
    except Astray:
        raise Refusal(
            f"{shown(str(path))}: a link was put on the way after this call was judged. Look with list_dir "
            "and call again."
        ) from None


def reason(path: Path, error: OSError) -> str:
    """An OSError as a sentence with a hint."""
    name = shown(str(path))
    if isinstance(error, FileNotFoundError):
        known = "find_files or list_dir show what there is; write_file makes a new file."
        return f"{name} does not exist. {known}"
    if isinstance(error, PermissionError):
        return f"{name}: the system does not permit it."
    return f"{name}: {error.strerror or error}."
