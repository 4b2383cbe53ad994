"""Which messages came already: services send one again that they think was not received."""

import time
from dataclasses import dataclass
from datetime import datetime

from desktop.channels.message import Received
from desktop.database.database import Database

_KEPT_S = 30 * 86_400.0


@dataclass(frozen=True, slots=True)
class Known:
    """What the disk knows of a message that comes."""

    before: bool
    """It was stored before."""
    behind: bool
    """Another one of its chat is not taken yet."""
    of_others: int
    """How many messages of others came since midnight."""


class Seen:
    """The ids of the last weeks. Every method raises StorageError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def look(self, received: Received) -> Known:
        """All that is asked before a message is stored, in one step: each takes the loop two changes of
        threads."""
        midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        where = received.where
        rows = await self._database.read(
            "SELECT EXISTS (SELECT 1 FROM seen WHERE channel = ? AND message = ?), "
            "EXISTS (SELECT 1 FROM arrivals WHERE channel = ? AND chat = ?), "
            "(SELECT count(*) FROM seen WHERE channel = ? AND at >= ? AND own = 0)",
            (*_place(received), where.channel, where.chat, where.channel, midnight.timestamp()),
        )
        before, behind, of_others = rows[0]
        return Known(bool(before), bool(behind), int(of_others))

    async def add(self, received: Received, *, own: bool) -> None:
        """It is stored. `own`: the owner's, which the day's limit does not count."""
        await self._database.write(
            "INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?)", (*_place(received), time.time(), own)
        )

    async def tidy(self) -> None:
        """Forget those that no service sends again."""
        await self._database.write("DELETE FROM seen WHERE at < ?", (time.time() - _KEPT_S,))


def _place(received: Received) -> tuple[str, str]:
    return received.where.channel, f"{received.where.chat} {received.id}"
