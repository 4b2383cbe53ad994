"""For verbs that only read: the files of a home, without owning it."""

import os

from desktop.config.store import ConfigStore
from desktop.config.workspace import workspace_of
from desktop.database.database import outdated
from desktop.paths import Home
from desktop.session.sessions import Sessions
from desktop.tasks import in_thread


async def settings(home: Home) -> ConfigStore:
    """The settings as they are on disk and in the environment."""
    store = ConfigStore(home.config, os.environ)
    await in_thread(store.load)
    return store


async def open_sessions(home: Home) -> Sessions:
    """The conversations of the home's workspace."""
    store = await settings(home)
    return Sessions(workspace_of(home, store.config) / "sessions")


async def up_to_date(home: Home) -> None:
    """Have a database of an older version brought up to date by who owns the home: that makes a backup
    first, which a verb that only reads does not. Raises AppError."""
    if await in_thread(outdated, home.database):
        from desktop.cli.reach import connect

        async with connect(home, "update"):
            pass
