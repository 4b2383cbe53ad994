"""The identity of a file: what tells later whether it is still the one that was read or written."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Seen:
    """One file as it was when it was read or written through its handle."""

    path: Path
    """The real path of the handle."""
    device: int
    inode: int
    size: int
    """Bytes."""
    modified: int
    """Nanoseconds since 1970."""
    changed: int
    """The same for its status (ctime), which no command can set back."""
    digest: str
    """SHA-256 of its content, hexadecimal; empty where that was not read."""


def seen(path: Path, status: os.stat_result, digest: str = "") -> Seen:
    """The identity of a file by the status of its handle."""
    return Seen(
        path,
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        digest,
    )
