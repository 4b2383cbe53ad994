"""Strangers who want to write: each gets a code, which the owner approves in the window or terminal.

Whoever is approved stands in `allowFrom` from then on, by id. A code holds for ten minutes; so many
strangers at once get one that codes cannot be guessed, and no more.
"""

import secrets
import time
from dataclasses import dataclass

from desktop.channels.message import Address, Received
from desktop.database.database import Database

_HOLDS_S = 600.0
_MOST = 10
"""Open requests of one channel."""
_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_LENGTH = 8
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Request:
    """Somebody who wants to write."""

    channel: str
    sender: str
    name: str
    chat: str
    code: str
    at: float
    """When they asked, Unix time in seconds."""

    @property
    def where(self) -> Address:
        """Where they are told what came of it."""
        return Address(self.channel, self.chat)


class Pairings:
    """The open requests. Every method raises StorageError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ask(self, received: Received) -> Request | None:
        """A new request with its code; None where this sender has one already, or too many wait."""
        now = time.time()
        held = now - _HOLDS_S, now + _HOLDS_S
        await self._database.write("DELETE FROM pairings WHERE at NOT BETWEEN ? AND ?", held)
        channel = received.where.channel
        waiting = [request for request in await self.open() if request.channel == channel]
        if len(waiting) >= _MOST or any(request.sender == received.sender for request in waiting):
            return None
        code = "".join(secrets.choice(_LETTERS) for _letter in range(_LENGTH))
        name = "".join(letter for letter in received.name if letter.isprintable())[:_LONGEST_NAME]
        request = Request(channel, received.sender, name, received.where.chat, code, now)
        await self._database.write(
            "INSERT OR IGNORE INTO pairings VALUES (?, ?, ?, ?, ?, ?)",
            (channel, request.sender, name, request.chat, code, now),
        )
        return request

    async def open(self) -> list[Request]:
        """Those whose code still holds, the oldest first; none of a time to come, by a wrong clock."""
        now = time.time()
        rows = await self._database.read(
            "SELECT channel, sender, name, chat, code, at FROM pairings "
            "WHERE at BETWEEN ? AND ? ORDER BY at",
            (now - _HOLDS_S, now + _HOLDS_S),
        )
        return [Request(*row) for row in rows]

    async def find(self, code: str) -> Request | None:
        """The request with this code."""
        wanted = code.strip().upper().encode()
        found = (one for one in await self.open() if secrets.compare_digest(one.code.encode(), wanted))
        return next(found, None)

    async def close(self, request: Request) -> None:
        """It was approved or denied."""
        await self._database.write(
            "DELETE FROM pairings WHERE channel = ? AND sender = ?", (request.channel, request.sender)
        )
