"""The opener for files of conversations: they lie in a folder of the workspace, which tools may write."""

import os
from pathlib import Path

from desktop.files import Opened, Place

FOLDER = "sessions"


def place_of(folder: Path) -> Place:
    """A folder of conversations: that of a workspace, or one in it."""
    above = folder.parent
    if above.name == FOLDER and folder.name != FOLDER:
        return Place(above.parent, above.name, folder.name)
    return Place(above, folder.name)


def stored(path: Path) -> bool:
    """Whether a conversation has a file. Blocks."""
    return place_of(path.parent).exists(path.name)


def opened_size(path: Path) -> int:
    """How many bytes the file of a conversation has. Blocks. Raises OSError."""
    return place_of(path.parent).stat(path.name).st_size


def cut_back(path: Path, size: int) -> None:
    """Take away what was appended to the file of a conversation. Blocks. Raises OSError."""
    handle = place_of(path.parent).append(path.name)
    try:
        os.ftruncate(handle, size)
    finally:
        os.close(handle)


def opened(path: Path) -> Opened:
    """The file of a conversation for reading. Raises OSError."""
    return place_of(path.parent).open(path.name)
