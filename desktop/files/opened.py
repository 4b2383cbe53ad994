"""A plain file that is open for reading; what is no plain file is refused by its handle."""

import errno
import os
import stat
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from desktop.files.seen import Seen, seen
from desktop.text import _

READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)


class NotPlain(OSError):
    """Something that is no plain file: a folder, a device, a pipe, a socket."""

    def __init__(self, mode: int, path: str) -> None:
        super().__init__(
            errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, _("not a regular file"), path
        )
        self.mode = mode


class WriteProtected(PermissionError):
    """A file that its permissions keep from being written."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A plain file that is open for reading."""

    stream: BufferedReader
    path: Path
    """Its real path."""
    status: os.stat_result

    def __enter__(self) -> "Opened":
        return self

    def __exit__(self, *_error: object) -> None:
        self.stream.close()

    def seen(self, digest: str = "") -> Seen:
        """Its identity as it is now."""
        return seen(self.path, os.fstat(self.stream.fileno()), digest)


def opened(handle: int, path: str) -> Opened:
    """An open handle as a plain file; closes it where it is none. Raises NotPlain."""
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise NotPlain(status.st_mode, path)
    return Opened(os.fdopen(handle, "rb"), Path(path), status)
