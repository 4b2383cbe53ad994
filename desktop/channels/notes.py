"""What a channel has to know at its next start: how far it read, what its threads are about."""

import time

from desktop.database.database import Database

_KEPT_S = 400 * 86_400.0


class Notes:
    """Those of one channel. Every method raises StorageError."""

    def __init__(self, database: Database, channel: str) -> None:
        self._database, self._channel = database, channel

    async def get(self, name: str) -> str:
        """The note of this name, empty where there is none."""
        rows = await self._database.read(
            "SELECT value FROM channel_notes WHERE channel = ? AND name = ?", (self._channel, name)
        )
        return str(rows[0][0]) if rows else ""

    async def set(self, name: str, value: str) -> None:
        """Keep it from now on, in the place of an older one."""
        await self._database.write(
            "INSERT OR REPLACE INTO channel_notes VALUES (?, ?, ?, ?)",
            (self._channel, name, value, time.time()),
        )

    async def drop(self, name: str) -> None:
        """Forget it."""
        await self._database.write(
            "DELETE FROM channel_notes WHERE channel = ? AND name = ?", (self._channel, name)
        )

    async def beginning(self, with_: str) -> list[str]:
        """The notes whose names begin with this."""
        rows = await self._database.read(
            "SELECT value FROM channel_notes WHERE channel = ? AND substr(name, 1, ?) = ?",
            (self._channel, len(with_), with_),
        )
        return [str(value) for (value,) in rows]

    async def tidy(self) -> None:
        """Forget what nobody wrote for more than a year."""
        await self._database.write(
            "DELETE FROM channel_notes WHERE channel = ? AND at < ?", (self._channel, time.time() - _KEPT_S)
        )
