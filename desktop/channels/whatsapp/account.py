"""The account that the program is linked to: a database of the library, in a folder of its own.

Who has that file can read and write in the account's name, so it is nobody's but this account's of the
computer, it is in no backup, and it goes with the sign-in.
"""

import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from desktop.channels.linking import Linked
from desktop.channels.whatsapp.people import plain
from desktop.paths import own_folder

_DATABASE = "account.db"
_FILES = "files"


def made(folder: Path) -> Path:
    """The folder, there and private. Blocks. Raises OSError."""
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    return own_folder(folder)


def found(folder: Path) -> Linked | None:
    """Whose device it is; None where it is nobody's. Blocks."""
    path = folder / _DATABASE
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT jid, push_name FROM whatsmeow_device LIMIT 1").fetchone()
    except sqlite3.Error:
        return None
    return Linked(plain(str(row[0])), str(row[1])) if row else None


def forget(folder: Path) -> None:
    """Remove all of it. Blocks. Raises OSError."""
    if folder.exists():
        shutil.rmtree(folder)


def file_for(folder: Path, name: str) -> Path:
    """Where a file goes on its way from the library to the program. Blocks. Raises OSError."""
    place = folder / _FILES
    place.mkdir(mode=0o700, exist_ok=True)
    return place / name


def clear_files(folder: Path) -> None:
    """Remove what an end of the program left on that way. Blocks."""
    with suppress(OSError):
        shutil.rmtree(folder / _FILES)
