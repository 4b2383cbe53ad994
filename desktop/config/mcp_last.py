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


def keep(folder: Path, name: str, problem: AppError | None) -> None:
    """Note what is wrong, or that nothing is (blocking). A disk that takes no more costs the note only."""
    path = _note_of(folder, name)
    with suppress(OSError):
        if problem is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.write_text(json.dumps([masked(problem.text), problem.remedy]), "utf-8")


def read(folder: Path, name: str) -> tuple[str, str] | None:
    """The sentence and the remedy; None where nothing was wrong (blocking)."""
    try:
        text, remedy = json.loads(_note_of(folder, name).read_text("utf-8"))
    except (OSError, ValueError, TypeError):
        return None
    return str(text), str(remedy)


def _note_of(folder: Path, name: str) -> Path:
    return folder / f"{plain_name(name)}.problem"
