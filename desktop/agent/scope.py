"""What a turn may do, gathered: the settings, what the conversation was given, and what the turn has met.

A conversation's own grants are in its metadata: `mode` with `mode_until` (Unix time, seconds), `folder`
(its working folder) and `folders` (granted ones, as in the settings).
"""

import functools
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from desktop.agent.attachments import readable
from desktop.agent.turn import Turn
from desktop.config.permissions import Folder
from desktop.config.schema import Config
from desktop.paths import resource
from desktop.tools.exec.sandbox import usable
from desktop.tools.permissions.policy import Situation

AUTONOMOUS = "autonomous"


class Scope:
    """Makes the situation that permissions judge in."""

    def __init__(self, config: Callable[[], Config], workspace: Path, home: Path) -> None:
        self._config, self.workspace, self._home = config, workspace, home

    def situation(self, turn: Turn) -> Situation:
        """The situation of a turn as it is now. Blocks."""
        config, metadata = self._config(), turn.session.metadata
        permissions = config.permissions
        return Situation(
            mode=mode_of(metadata, permissions.mode),
            workspace=self.workspace,
            cwd=self.folder(metadata),
            home=self._home,
            session=turn.key,
            rules=permissions.rules,
            folders=(
                *permissions.folders,
                *_folders(metadata),
                *readable(metadata),
                _builtin_skills(),
            ),
            restrict=config.tools.restrict_to_workspace,
            view=turn.view,
            sandboxed=bool(usable(config.tools.commands)),
        )

    def folder(self, metadata: Mapping[str, Any]) -> Path:
        """Where a conversation works: the folder it was given, else the workspace."""
        folder = metadata.get("folder")
        return Path(folder) if isinstance(folder, str) and folder else self.workspace

    @property
    def patience(self) -> float:
        """How long a question waits before it is parked, in seconds."""
        return self._config().permissions.patience_minutes * 60.0

    @property
    def longest_result(self) -> int:
        """How many characters of a result the model reads."""
        return self._config().tools.max_tool_result_chars


def mode_of(metadata: Mapping[str, Any], usual: str) -> str:
    """The mode of a conversation: its own, where it has one that has not expired."""
    mode, until = metadata.get("mode"), metadata.get("mode_until")
    if mode not in ("ask", "risky", AUTONOMOUS):
        return usual
    if mode == AUTONOMOUS and not (isinstance(until, int | float) and time.time() < until):
        return usual if usual != AUTONOMOUS else "risky"
    return str(mode)


@functools.cache
def _builtin_skills() -> Folder:
    """The skills that ship with the program are read like those of the workspace."""
    return Folder(path=str(resource("skills")))


def _folders(metadata: Mapping[str, Any]) -> tuple[Folder, ...]:
    given = metadata.get("folders")
    found = []
    for item in given if isinstance(given, list) else ():
        try:
            found.append(Folder.model_validate(item))
        except ValidationError:
            continue
    return tuple(found)
