"""All file tools, made together: they share the store of old bytes and what is never searched."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desktop.tools.base import Tool
from desktop.tools.files.edit import EditFile
from desktop.tools.files.kept import Kept
from desktop.tools.files.listing import ListDir
from desktop.tools.files.read import ReadFile
from desktop.tools.files.search import FindFiles, Grep
from desktop.tools.files.simple import AddLine, NewFile, SearchFiles
from desktop.tools.files.walking import Closed
from desktop.tools.files.write import WriteFile


def file_tools(kept: Kept, hidden: tuple[Path, ...] = (), fenced: tuple[Path, ...] = ()) -> list[Tool[Any]]:
    """The file tools. Walks of folders leave out the `hidden` places, and what the fences close for the
    home and the workspace that are `fenced`. Blocks a little."""
    closed = _closed(hidden, fenced)
    return [
        ReadFile(),
        WriteFile(kept),
        EditFile(kept),
        ListDir(closed),
        Grep(closed),
        FindFiles(closed),
    ]


def simple_tools(
    kept: Kept, hidden: tuple[Path, ...] = (), fenced: tuple[Path, ...] = ()
) -> list[Tool[Any]]:
    """Those of a small model, made likewise. Blocks a little."""
    closed = _closed(hidden, fenced)
    return [
        ReadFile(),
        NewFile(kept),
        AddLine(kept),
        EditFile(kept),
        ListDir(closed),
        SearchFiles(Grep(closed)),
    ]


def _closed(hidden: tuple[Path, ...], fenced: tuple[Path, ...]) -> Callable[[], Closed]:
    places = frozenset(os.path.realpath(place) for place in hidden)
    return lambda: Closed(places, tuple(map(str, fenced)))
