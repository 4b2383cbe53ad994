"""What is stored where, and how large it is."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from desktop.paths import Home
from desktop.text import _


@dataclass(frozen=True, slots=True)
class Stored:
    """One kind of thing that is stored; `size` in bytes."""

    title: str
    path: str
    size: int


def stored(home: Home, workspace: Path) -> tuple[Stored, ...]:
    """Everything that is stored. Blocks."""
    settings = [home.config, home.config.with_name("config.json.bak"), home.root / "window.json"]
    database = sorted(home.root.glob("state.db*"))
    found = [
        (_("Settings"), settings),
        (_("Conversations"), [workspace / "sessions"]),
        (_("Memory"), [workspace / "memory", *sorted(workspace.glob("*.md"))]),
        (_("Skills"), [workspace / "skills"]),
        (_("Reminders and tasks"), [workspace / "cron"]),
        (_("Conversation files"), [workspace / "files"]),
        (_("Database: usage, activity, inbox and search index"), database),
        (_("Sign-ins and encryption keys of chat apps"), [home.channels]),
        (_("Log"), [home.logs]),
        (_("Backups"), [home.root / "backups"]),
        (_("Built-in models"), [home.models]),
    ]
    return tuple(
        Stored(title, str(paths[0] if paths else home.root), sum(map(_size, paths)))
        for title, paths in found
    )


def _size(path: Path) -> int:
    """Bytes of a file, or of all below a folder."""
    return sum(_files(path))


def _files(path: Path) -> Iterator[int]:
    with suppress(OSError):
        if not path.is_dir():
            yield path.lstat().st_size
            return
    for folder, _folders, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                yield Path(folder, name).lstat().st_size
