"""Putting files in place so that each change can be taken back."""

import hashlib
import inspect
import itertools
import logging
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path, PurePath, PurePosixPath

from desktop.files import Name, Place
from desktop.paths import resource

_LONGEST_TEMPLATE = 64 * 1024
_BLOCK = 1 << 20
_log = logging.getLogger(__name__)


class Undo:
    """The ways back, the last change first."""

    def __init__(self) -> None:
        self._ways: list[Callable[[], object]] = []

    def add(self, way: Callable[[], object]) -> None:
        """How a change that was made, or is about to be, is taken back."""
        self._ways.append(way)

    def later(self, way: Callable[[], Awaitable[object]]) -> None:
        """The same for one that must be waited for."""
        self._ways.append(way)

    async def run(self) -> None:
        """Take all back; what cannot be is logged."""
        for way in reversed(self._ways):
            try:
                result = way()
                if inspect.isawaitable(result):
                    await result
            except Exception:
                _log.exception("a change could not be taken back")
        self._ways.clear()


def put(source: Path, path: Path, undo: Undo, root: Path, *, copy: bool = False) -> None:
    """Give a file a path below `root` where nothing is; `copy`: it stays where it was, too. Raises
    OSError."""
    place, made = Place(root), _missing(root, path.parent)
    _copy(source, place, path, fresh=True)

    def back() -> None:
        place.unlink(path, missing_ok=True)
        for folder in made:
            place.rmdir(folder)

    undo.add(back)
    if not copy:
        _place_of(source).unlink(source.name)


def take(source: Path, path: Path, undo: Undo, kept: Path, root: Path) -> None:
    """Put a file in the place of another one below `root`, which waits in the folder `kept` until all is
    done. Raises OSError."""
    place, aside = Place(root), Place(kept)
    old = f"old-{sum(name.startswith('old-') for name in aside.names())}"
    _copy(path, aside, aside.named(old), fresh=True)
    _copy(source, place, path, fresh=False)
    undo.add(lambda: _copy(aside.named(old), place, path, fresh=False))


def _copy(source: Path, place: Place, path: Path, *, fresh: bool) -> None:
    """Copy a file with its time. Raises OSError."""
    with _place_of(source).open(source.name) as file:
        blocks = iter(lambda: file.stream.read(_BLOCK), b"")
        mode, modified = stat.S_IMODE(file.status.st_mode), file.status.st_mtime_ns
        place.write(path, blocks, mode=mode, modified=modified, fresh=fresh)


def _place_of(path: Path) -> Place:
    """The folder of a file, and the one above: neither is a link that was put there."""
    folder = path.parent
    return Place(folder.parent, folder.name)


def is_same(place: Place, name: Name, size: int, sha256: str) -> bool:
    """Whether a file has just this in it. Raises OSError."""
    with place.open(name) as file:
        return (
            file.status.st_size == size and hashlib.file_digest(file.stream, "sha256").hexdigest() == sha256
        )


def beside(place: Place, name: str, word: str, size: int, sha256: str) -> tuple[str, bool]:
    """The first name beside a file, made with a `word`, that is free, or that holds this already, which is
    told. Raises OSError."""
    path = PurePosixPath(name)
    for number in itertools.count(1):
        suffix = f".{word}" if number == 1 else f".{word}-{number}"
        other = path.with_name(f"{path.stem}{suffix}{path.suffix}").as_posix()
        if not place.taken(other):
            return other, False
        if place.is_file(other) and is_same(place, other, size, sha256):
            return other, True
    raise AssertionError


def is_template(place: Place, name: Name) -> bool:
    """Whether a file is still the one that a workspace begins with, or empty. Raises OSError."""
    data = place.read(name, _LONGEST_TEMPLATE + 1)
    if len(data) > _LONGEST_TEMPLATE:
        return False
    if not data.strip():
        return True
    shelf, file = Place(resource("templates")), PurePath(name).name
    known = (f"{entry.name}/{file}" for entry in shelf.scan() if entry.kind == "folder")
    return any(shelf.read(one).split() == data.split() for one in known if shelf.is_file(one))


def _missing(root: Path, folder: Path) -> list[Path]:
    """The folders below `root` that are to be made, the innermost first."""
    place, missing = Place(root), []
    while folder != root and not place.taken(folder):
        missing.append(folder)
        folder = folder.parent
    return missing
