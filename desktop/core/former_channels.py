"""Chat apps that nanobot's settings have switched on: an import kept that while it meant nothing here.

The old nanobot may still be answering. What was on is off, and waits in the inbox for a yes.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from desktop.config.channels.section import NAMES
from desktop.config.loosening import Loose
from desktop.config.store import ConfigStore
from desktop.merge.waiting import Waiting
from desktop.text import _

_TABLE = "SELECT 1 FROM sqlite_master WHERE name = 'outbox'"


def before_channels(database: Path) -> bool:
    """Whether this home was last used by a program without chat apps. Blocks."""
    if not database.exists():
        return False
    try:
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute(_TABLE).fetchone() is None
    except sqlite3.Error:
        return False


async def hold_back(store: ConfigStore, waiting: Waiting) -> None:
    """Switch off what is on, and list it. Raises ConfigError, StorageError."""
    for name in NAMES:
        settings = store.config.channels.of(name)
        if settings.enabled:
            loose = Loose(
                "setting",
                f"channels.{name}.enabled",
                ("channels", name, "enabled"),
                True,
                settings.LOOSENS["enabled"].says,
            )
            await waiting.add([loose], _("your nanobot settings"))
            await store.update({f"channels.{name}.enabled": False})
