"""A walk through a folder by handles: no link is entered, whatever is exchanged meanwhile."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from desktop.files import system
from desktop.files.opened import READ, Opened, opened
from desktop.files.place import Place
from desktop.files.ways import Name

_DEEPEST = 200
"""So many folders deep a walk goes: each keeps a handle open."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something on the way. Its methods work until the walk goes on."""

    name: str
    """Its path below the top, with `/`."""
    kind: str
    """file, folder, link or other."""
    path: str
    """Its real path."""
    _at: system.Folder

    def open(self) -> Opened:
        """A plain file for reading. Raises NotPlain, OSError."""
        return opened(self._at.open(os.path.basename(self.path), READ), self.path)

    def status(self) -> os.stat_result:
        """Its status, of a link itself. Raises OSError."""
        return self._at.stat(os.path.basename(self.path))

    def target(self) -> str:
        """What a link says. Raises OSError."""
        return self._at.target(os.path.basename(self.path))


def walk(
    place: Place, name: Name, shows: Callable[[str], bool], enters: Callable[[Found], bool]
) -> Iterator[Found]:
    """Everything below a folder, a folder's entries by name, each folder before its content. `shows`:
    whether a real path may be looked at; `enters`: whether a folder's content is wanted. What cannot be
    read is left out, but for the top. Raises Astray, OSError for that."""
    levels = [_level(place.folder(name), "")]
    try:
        while levels:
            at, above, entries = levels[-1]
            entry = next(entries, None)
            if entry is None:
                levels.pop()[0].close()
                continue
            found = Found(f"{above}{entry[0]}", entry[1], at.named(entry[0]), at)
            if not shows(found.path):
                continue
            yield found
            if found.kind == "folder" and len(levels) < _DEEPEST and enters(found):
                with suppress(OSError):  # not permitted, or gone meanwhile
                    levels.append(_level(at.enter(entry[0]), f"{found.name}/"))
    finally:
        for level in levels:
            level[0].close()


def _level(folder: system.Folder, name: str) -> tuple[system.Folder, str, Iterator[tuple[str, str]]]:
    try:
        return folder, name, iter(sorted(folder.scan()))
    except BaseException:
        folder.close()
        raise
