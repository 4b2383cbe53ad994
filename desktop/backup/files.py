"""Putting files in place so that each change can be taken back."""

import hashlib
import inspect
import logging
import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from desktop.paths import resource

_LONGEST_TEMPLATE = 64 * 1024
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


def put(source: Path, place: Path, undo: Undo, *, copy: bool = False) -> None:
    """Give a file a place where nothing is; `copy`: it stays where it was, too. Raises OSError."""
    made = _make_folder(place.parent)
    part = place.with_name(f".{place.name[:100]}.part")
    try:
        shutil.copy2(source, part)
        _sync(part)
        if place.exists():
            raise FileExistsError(17, os.strerror(17), str(place))
        part.replace(place)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(place)) from error

    def back() -> None:
        place.unlink(missing_ok=True)
        for folder in made:
            folder.rmdir()

    undo.add(back)
    if not copy:
        source.unlink()


def take(source: Path, place: Path, undo: Undo, kept: Path) -> None:
    """Put a file in the place of another, which waits in the folder `kept` until all is done. Raises
    OSError."""
    old = kept / f"old-{len(list(kept.glob('old-*')))}"
    shutil.copy2(place, old)
    part = place.with_name(f".{place.name[:100]}.part")
    try:
        shutil.copy2(source, part)
        _sync(part)
        part.replace(place)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(place)) from error

    def back() -> None:
        shutil.copy2(old, part)
        part.replace(place)

    undo.add(back)


def is_same(place: Path, size: int, sha256: str) -> bool:
    """Whether a file has just this in it. Raises OSError."""
    if place.stat().st_size != size:
        return False
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def beside(place: Path, size: int, sha256: str, day: str) -> tuple[Path, bool]:
    """The first name beside a file that is free, or that holds this already, which is told."""
    number = 1
    while True:
        suffix = f".restored-{day}" if number == 1 else f".restored-{day}-{number}"
        other = place.with_name(f"{place.stem}{suffix}{place.suffix}")
        if not other.exists():
            return other, False
        if other.is_file() and is_same(other, size, sha256):
            return other, True
        number += 1


def is_template(place: Path) -> bool:
    """Whether a file is still the one that a workspace begins with, or empty. Raises OSError."""
    if place.stat().st_size > _LONGEST_TEMPLATE:
        return False
    data = place.read_bytes()
    if not data.strip():
        return True
    templates = resource("templates").glob(f"*/{place.name}")
    return any(path.read_bytes().split() == data.split() for path in templates)


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder; those that were made, the innermost first."""
    missing = []
    here = folder
    while not here.exists():
        missing.append(here)
        here = here.parent
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return missing


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
