"""Files that the person gives along with a message: which of them are pictures, and that they may be read.

The log keeps paths. What was given once may be read in the whole conversation without a question; places
that are closed to the agent stay closed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from desktop.config.permissions import Folder
from desktop.files import Place
from desktop.providers.pictures import kind
from desktop.session.log import Session
from desktop.tasks import in_thread

_KEPT = 100
"""So many files of one conversation stay open to its agent, the newest."""


async def take(session: Session, files: Sequence[str]) -> tuple[str, ...]:
    """Note in the conversation that these absolute paths were given; returns those that are pictures.

    Raises StorageError.
    """
    known = given(session.metadata)
    if new := [path for path in files if path not in known]:
        await session.set_metadata(given=[*known, *new][-_KEPT:])
    return await in_thread(_pictures, files)


def given(metadata: Mapping[str, Any]) -> list[str]:
    """The paths that were given in a conversation."""
    found = metadata.get("given")
    return [path for path in found if isinstance(path, str)] if isinstance(found, list) else []


def readable(metadata: Mapping[str, Any]) -> tuple[Folder, ...]:
    """The same for the permissions: to be read, not to be written."""
    return tuple(Folder(path=path) for path in given(metadata) if path)


def _pictures(files: Sequence[str]) -> tuple[str, ...]:
    return tuple(path for path in files if _is_picture(Path(path)))


def _is_picture(path: Path) -> bool:
    try:
        return bool(kind(Place(Path(path.anchor)).read(path, 16)))
    except (OSError, ValueError):
        return False
