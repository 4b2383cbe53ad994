"""The one opener for files under a place that a tool can write: by handle, never by name again."""

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
