"""Messages whose files are still with the service.

They are on disk, so that the service can be told at once that they came, and its other chats need not wait.
Each chat's are taken in their order, and with them whatever comes behind them in that chat.
"""

import asyncio
import functools
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from desktop.channels.channel import Channel
from desktop.channels.message import Received, as_stored
from desktop.channels.newfile import NotNow
from desktop.channels.patience import patiently
from desktop.database.database import Database
from desktop.errors import AppError
from desktop.tasks import cancel, spawn


class Take(Protocol):
    """Fetches the files of a message, and stores it as that of a turn."""

    def __call__(
        self, received: Received, turn: str, channel: Channel, *, last: bool = True
    ) -> Awaitable[None]:
        """`last`: a file that can't be had is said to be missing. Raises StorageError, NotNow, and NotYet
        unless it is the last try."""


_PAUSE_S = 30.0
_WHO = "what came with files"
_PAUSES_S = (1.0, 3.0, 10.0)
"""Before each more try of a message whose file could not be fetched."""


class NotYet(Exception):
    """A file could not be fetched, and may be had in a while."""


@dataclass(frozen=True, slots=True)
class _Row:
    turn: str
    received: Received


class Arrivals:
    """The rows, and who takes them. Methods raise StorageError."""

    def __init__(
        self,
        database: Database,
        channel: Callable[[str], Channel | None],
        take: Take,
        pauses: Sequence[float] = _PAUSES_S,
    ) -> None:
        self._database, self._channel, self._take, self._pauses = database, channel, take, pauses
        self._workers: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._more: set[tuple[str, str]] = set()

    async def put(self, received: Received, turn: str) -> None:
        """Keep a message, and take it soon."""
        where = received.where
        await self._database.write(
            "INSERT OR IGNORE INTO arrivals (turn, channel, chat, body) VALUES (?, ?, ?, ?)",
            (turn, where.channel, where.chat, as_stored(received.as_json())),
        )
        self._wake((where.channel, where.chat))

    async def recover(self, channel: str) -> None:
        """An app is up: go on with what waits for it."""
        sql = "SELECT DISTINCT chat FROM arrivals WHERE channel = ?"
        found = await patiently(_WHO, lambda: self._database.read(sql, (channel,)))
        for (chat,) in found:
            self._wake((channel, str(chat)))

    async def stop(self) -> None:
        """Take nothing more; the rest waits for the next start."""
        await cancel(*self._workers.values())
        self._workers.clear()

    def _wake(self, place: tuple[str, str]) -> None:
        self._more.add(place)
        if (worker := self._workers.get(place)) is None or worker.done():
            self._workers[place] = task = spawn(self._work(place), name=f"arrivals:{place[0]}")
            task.add_done_callback(functools.partial(self._rests, place))

    def _rests(self, place: tuple[str, str], worker: "asyncio.Task[None]") -> None:
        """Nothing of a chat is taken any more: nothing is known of it."""
        if self._workers.get(place) is worker:
            del self._workers[place]
            self._more.discard(place)

    async def _work(self, place: tuple[str, str]) -> None:
        while place in self._more:
            self._more.discard(place)
            while row := await patiently(_WHO, lambda: self._next(place)):
                channel = self._channel(place[0])
                if channel is None or not channel.up.is_set():
                    return  # recover() comes once the app is up
                try:
                    await self._one(row, channel)
                except NotNow:
                    return
                except (AppError, OSError):
                    await asyncio.sleep(_PAUSE_S)  # a full disk

    async def _one(self, row: _Row, channel: Channel) -> None:
        for pause in self._pauses:
            try:
                await self._take(row.received, row.turn, channel, last=False)
                break
            except NotYet:
                await asyncio.sleep(pause)
        else:
            await self._take(row.received, row.turn, channel)
        await self._database.write("DELETE FROM arrivals WHERE turn = ?", (row.turn,))

    async def _next(self, place: tuple[str, str]) -> _Row | None:
        rows = await self._database.read(
            "SELECT turn, body FROM arrivals WHERE channel = ? AND chat = ? ORDER BY id LIMIT 1", place
        )
        return _Row(str(rows[0][0]), Received.of(json.loads(str(rows[0][1])))) if rows else None
