"""Deleted sessions: moved aside, never at once destroyed, so that a slip of the hand can be undone.

They lie in sessions/.deleted under the time of the deletion and the name their file had; what is
older than 30 days is removed when the next one comes.
"""

import logging
import time
from pathlib import Path

from desktop.errors import explain
from desktop.files import Place
from desktop.session import names
from desktop.session.place import place_of

_FOLDER = ".deleted"
_KEPT_S = 30 * 86_400
_log = logging.getLogger(__name__)


def put_away(path: Path, key: str) -> None:
    """Move a session's file aside; harmless when there is none. Raises StorageError."""
    place = place_of(path.parent)
    try:
        if place.taken(path.name):
            place.move(path.name, f"{_FOLDER}/{time.time_ns():020}-{names.file_name(key)}")
    except OSError as error:
        raise explain(error) from error
    _clear(place)


def bring_back(folder: Path, key: str) -> bool:
    """Move the session that was deleted last under this key back; False if it is not there, or if both of
    the names it could have are taken. Raises StorageError."""
    name = names.file_name(key)
    place = place_of(folder)
    try:
        found = reversed(place.names(_FOLDER))
        deleted = next((one for one in found if one.partition("-")[2] == name), None)
        free = next((one for one in (name, names.spare_name(key)) if not place.taken(one)), None)
        if deleted is None or free is None:
            return False
        place.move(f"{_FOLDER}/{deleted}", free)
    except OSError as error:
        raise explain(error) from error
    return True


def _clear(place: Place) -> None:
    oldest = time.time_ns() - _KEPT_S * 1_000_000_000
    try:
        for name in place.names(_FOLDER):
            moment = name.partition("-")[0]
            if moment.isdigit() and int(moment) < oldest:
                place.unlink(f"{_FOLDER}/{name}")
    except OSError as error:
        _log.info("%s cannot be cleared: %s", place.named(_FOLDER), error)
