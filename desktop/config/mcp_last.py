"""What was wrong with an MCP server when it was tried last: kept beside its log, for who starts nothing."""

import json
from contextlib import suppress
from pathlib import Path

from desktop.config.mcp import plain_name
from desktop.errors import AppError
from desktop.logs import masked


def log_of(folder: Path, name: str) -> Path:
    """The file that has a server's stderr."""
    return folder / f"{plain_name(name)}.log"


def keep(folder: Path, name: str, problem: AppError | None, *, up: bool) -> None:
    """Note what is wrong, or that nothing is, and whether it came up (blocking). A disk that takes no more
    costs the note only."""
    path = _note_of(folder, name)
    with suppress(OSError):
        if problem is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.write_text(json.dumps([masked(problem.text), problem.remedy, up]), "utf-8")


def read(folder: Path, name: str) -> tuple[str, str] | None:
    """The sentence and the remedy; None where nothing was wrong (blocking)."""
    found = _note(folder, name)
    return (str(found[0]), str(found[1])) if found else None


def came_up(folder: Path, name: str) -> bool:
    """Whether it worked when it was tried last, or was never tried (blocking)."""
    found = _note(folder, name)
    return not found or found[2:] != [False]


def _note(folder: Path, name: str) -> list[object] | None:
    try:
        found = json.loads(_note_of(folder, name).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, list) and len(found) in (2, 3) else None


def _note_of(folder: Path, name: str) -> Path:
    return folder / f"{plain_name(name)}.problem"
