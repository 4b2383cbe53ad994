"""What the built-in model's engine was until Node.js went: packages of npm in models/engine, some hundred
megabytes that nothing uses any more."""

import logging
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

_log = logging.getLogger(__name__)
_NAME = re.compile(r"[0-9a-f]{12}|\.new-\w+")
"""A folder was named by the hash of its lock; before it was whole, by chance."""


def size(models: Path) -> int:
    """How many bytes of it are in a models folder. Blocks."""
    folders = (folder for one in _found(models) for folder in one.walk())
    files = (root / name for root, _folders, names in folders for name in names)
    return sum(file.lstat().st_size for file in files)


def remove(models: Path) -> int:
    """Remove it; how many bytes that were. What cannot be removed stays, and is logged. Blocks."""
    found = list(_found(models))
    if not found:
        return 0
    before = size(models)
    for one in found:
        shutil.rmtree(one, onexc=lambda _act, path, error: _log.warning("%s stays: %s", path, error))
    folder = models / "engine"
    if not any(folder.iterdir()):
        folder.rmdir()
    return before - size(models)


def megabytes(size: int) -> int:
    """Bytes as a person reads them: whole megabytes, 1 at the least."""
    return max(1, round(size / 1e6))


def _found(models: Path) -> Iterator[Path]:
    """Its folders; a link, and what somebody else put there, is none of them."""
    folder = models / "engine"
    if folder.is_symlink() or not folder.is_dir():
        return
    for one in folder.iterdir():
        if _NAME.fullmatch(one.name) and not one.is_symlink() and (one / "package.json").is_file():
            yield one
