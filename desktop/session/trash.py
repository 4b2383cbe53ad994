"""Deleted sessions: moved aside, never at once destroyed, so that a slip of the hand can be undone.

They lie in sessions/.deleted under the time of the deletion and the name their file had; what is
older than 30 days is removed when the next one comes.
"""

import logging
import time
from pathlib import Path

from desktop.errors import explain
from desktop.session import names

_FOLDER = ".deleted"
_KEPT_S = 30 * 86_400
_log = logging.getLogger(__name__)


def put_away(path: Path, key: str) -> None:
    """Move a session's file aside; harmless when there is none. Raises StorageError."""
    folder = path.parent / _FOLDER
    try:
        if path.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
            path.replace(folder / f"{time.time_ns():020}-{names.file_name(key)}")
    except OSError as error:
        raise explain(error) from error
    _clear(folder)


def bring_back(folder: Path, key: str) -> bool:
    """Move the session that was deleted last under this key back; False if it is not there, or if both of
    the names it could have are taken. Raises StorageError."""
    name = names.file_name(key)
    found = sorted((folder / _FOLDER).glob("*-*"), reverse=True)
    deleted = next((path for path in found if path.name.partition("-")[2] == name), None)
    if deleted is None:
        return False
    places = (folder / name, folder / names.spare_name(key))
    place = next((place for place in places if not place.exists()), None)
    if place is None:
        return False
    try:
        deleted.rename(place)
    except OSError as error:
        raise explain(error) from error
    return True


def _clear(folder: Path) -> None:
    oldest = time.time_ns() - _KEPT_S * 1_000_000_000
    for path in folder.glob("*-*"):
        moment = path.name.partition("-")[0]
        if moment.isdigit() and int(moment) < oldest:
            try:
                path.unlink()
            except OSError as error:
                _log.info("%s cannot be removed: %s", path.name, error)
