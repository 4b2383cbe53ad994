"""Backups that the program makes by itself, before it changes much at once."""

import logging
from pathlib import Path

from desktop.merge.backup import making
from desktop.merge.backup.form import SUFFIX
from desktop.merge.backup.making import What
from desktop.pace import Pace
from desktop.paths import Home

_log = logging.getLogger(__name__)
_LARGE = 400 * 10**6
"""Bytes above which such a backup holds only what the program is about to change."""


def folder_of(home: Home) -> Path:
    """Where the program puts backups by itself."""
    return home.root / "backups"


async def save_before(home: Home, workspace: Path, why: str) -> Path | None:
    """Make a backup before something changes much at once, and keep the last five of those. None where it
    could not be made: that is logged, and holds up nobody."""
    pace = Pace()

    def save() -> Path:
        what = What(home, workspace, why)
        light = making.size_of(what) > _LARGE
        name = making.name_of_now().removeprefix("nanobot-backup-").removesuffix(SUFFIX)
        target = folder_of(home) / f"auto-{name}-{why}{SUFFIX}"
        made = making.make(What(home, workspace, why, light), target, pace)
        making.keep_last(folder_of(home))
        return made.path

    try:
        return await pace.run(save)
    except OSError as error:
        _log.warning("no backup could be made before the %s: %s", why, error)
        return None
